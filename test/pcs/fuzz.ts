/**
 * Holds the command line against an installed pcs. A seed draws a configuration and one to five lines over its names; both run each line with
 * `-f` on a copy of their own. After a line that differs both go on with the reference's result, so that each line is judged for itself.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from '../cli/scripted-terminal.ts'
import { createRandom, type Random } from '../fuzz/random.ts'
import { cibLines, compareLines, type Difference, outputLines, textLines } from './compare.ts'
import { constraintLines } from './constraint-lines.ts'
import { createDraw, type Draw, type Form } from './draw.ts'
import { derive, slip } from './grammar/derive.ts'
import type { Entry } from './grammar/grammar.ts'
import { asTyped, fromCommand } from './grammar/spelling.ts'
import { listingLines } from './listing-lines.ts'
import { namesIn } from './names.ts'
import { otherLines } from './other-lines.ts'
import { purposeOf } from './purposes.ts'
import type { Answer, Reference } from './reference.ts'
import { resourceLines } from './resource-lines.ts'
import type { Start } from './starts.ts'

export interface Fuzz {
  readonly reference: Reference
  /** Drawn as often as those of the suite together. */
  readonly built: readonly Start[]
  readonly suite: readonly Start[]
  /** Commands whose lines are drawn by their grammar. Without any, all lines are those that installers and administrators write. */
  readonly grammar: readonly Entry[]
  /** PCS_COMPAT of our side. */
  readonly environment?: string
  /** A folder of its own for the two CIBs. */
  readonly folder: string
}

export interface Judged {
  readonly line: readonly string[]
  readonly ours: Answer
  readonly theirs: Answer
  readonly differences: readonly Difference[]
  /** Why it differs, where that is meant. */
  readonly purpose: string | undefined
}

export interface Verdict {
  readonly start: string
  /** The reference does not read the configuration as it is: nothing was compared. */
  readonly unusable: boolean
  readonly judged: readonly Judged[]
}

export function createFuzz(fuzz: Fuzz): (seed: number) => Promise<Verdict> {
  return (seed) => runSeed(fuzz, seed)
}

/** Lines of one's own, one after the other, on the first configuration that was built. */
export async function typeLines(fuzz: Fuzz, lines: readonly (readonly string[])[]): Promise<Verdict> {
  const [start] = fuzz.built
  if (start === undefined) return { start: 'nothing', unusable: true, judged: [] }
  const files = filesIn(fuzz.folder)
  for (const file of Object.values(files)) writeFileSync(file, printXml(start.cib()))
  const judged: Judged[] = []
  for (const line of lines) judged.push(await judgeAndLevel(fuzz, files, line))
  return { start: start.name, unusable: false, judged }
}

interface Files {
  readonly ours: string
  readonly theirs: string
}

const filesIn = (folder: string): Files => ({ ours: join(folder, 'ours.xml'), theirs: join(folder, 'theirs.xml') })

async function judgeAndLevel(fuzz: Fuzz, files: Files, line: readonly string[]): Promise<Judged> {
  const judged = await judge(fuzz, files, line)
  writeFileSync(files.ours, readFileSync(files.theirs))
  return judged
}

async function runSeed(fuzz: Fuzz, seed: number): Promise<Verdict> {
  const random = createRandom(seed)
  const start = random.pick(random.below(2) === 0 ? fuzz.built : fuzz.suite)
  if (start === undefined) return { start: 'nothing', unusable: true, judged: [] }
  const files = filesIn(fuzz.folder)
  const cib = printXml(start.cib())
  for (const file of Object.values(files)) writeFileSync(file, cib)
  // A property that says what it said: refused where the schema is one that the reference does not know.
  const first = await fuzz.reference.run(['-f', files.theirs, 'property', 'set', 'fuzz=1', '--force'])

  if (first.exitCode !== 0) return { start: start.name, unusable: true, judged: [] }
  writeFileSync(files.theirs, cib)
  const judged: Judged[] = []
  for (let left = 1 + random.below(fuzz.grammar.length > 0 ? 11 : 5); left > 0; left--) {
    const names = namesIn(readCib(files.theirs))
    const draw = createDraw(names, random)
    const line = fuzz.grammar.length > 0 && draw.chance(75) ? byGrammar(fuzz, draw, random) : drawLine(draw, random)
    judged.push(await judgeAndLevel(fuzz, files, asTyped(line, draw)))
  }
  return { start: start.name, unusable: false, judged }
}

const areas: readonly { readonly weight: number; readonly forms: readonly Form[] }[] = [
  { weight: 8, forms: resourceLines },
  { weight: 5, forms: constraintLines },
  { weight: 4, forms: otherLines },
  { weight: 6, forms: listingLines },
]

function byGrammar({ grammar }: Fuzz, draw: Draw, random: Random): readonly string[] {
  const entry = random.pick(grammar)
  if (entry === undefined) throw new Error('There is nothing to draw from.')
  const line = [...entry.words, ...derive(entry.rest, draw)]
  return draw.chance(25) ? slip(line, entry.words.length, draw) : line
}

function drawLine(draw: Draw, random: Random): readonly string[] {
  const { forms } = weighted(areas, random)
  return weighted(forms, random).line(draw)
}

function weighted<T extends { readonly weight: number }>(items: readonly T[], random: Random): T {
  let left = random.below(items.reduce((sum, { weight }) => sum + weight, 0))
  const found = items.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  if (found === undefined) throw new Error('There is nothing to draw from.')
  return found
}

async function judge({ reference, environment }: Fuzz, files: Files, line: readonly string[]): Promise<Judged> {
  const before = readFileSync(files.ours, 'utf8')
  const theirs = await reference.run(['-f', files.theirs, ...line])
  const ours = await runOurs(['-f', files.ours, ...line], environment)
  const results = [
    ...compareExits(ours, theirs),
    ...(readFileSync(files.ours, 'utf8') === before ? [] : await compareSchemas(reference, files, before)),
    ...compareCibs(files),
    ...compareOutputs(ours, theirs),
  ]
  const differences = [...results, ...compareTexts(ours, theirs)]
  return { line, ours, theirs, differences, purpose: purposeOf(fromCommand(line), results, { ours, theirs }) }
}

export async function runOurs(line: readonly string[], environment?: string): Promise<Answer> {
  const progress: string[] = []
  const printed = await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal(progress),
    openCluster: (file) => fileAccess(file ?? ''),
    called: { program: 'pcs', environment },
  })
  return { ...printed, standardError: `${progress.map((line) => `${line}\n`).join('')}${printed.standardError}` }
}

function compareExits(ours: Answer, theirs: Answer): readonly Difference[] {
  if (ours.exitCode === theirs.exitCode) return []
  const said = ({ exitCode, standardError }: Answer): readonly string[] => [
    `exit ${exitCode}`,
    ...standardError.trimEnd().split('\n'),
  ]
  return [{ aspect: 'exit', onlyOurs: said(ours), onlyTheirs: said(theirs) }]
}

const compareCibs = ({ ours, theirs }: Files): readonly Difference[] =>
  compareLines('cib', cibLines(readCib(ours)), cibLines(readCib(theirs)))

/** Of a line that both refuse, and of one that changes something, pcs prints next to nothing. */
function compareOutputs(ours: Answer, theirs: Answer): readonly Difference[] {
  if (ours.exitCode !== 0 || theirs.exitCode !== 0) return []
  return compareLines('output', outputLines(ours.standardOutput), outputLines(theirs.standardOutput))
}

/** Whatever a line writes is valid, where what it was typed on was. */
async function compareSchemas(reference: Reference, files: Files, before: string): Promise<readonly Difference[]> {
  const complaint = await reference.complaintOf(files.ours)
  if (complaint === undefined) return []
  const older = join(files.ours, '..', 'before.xml')
  writeFileSync(older, before)
  if ((await reference.complaintOf(older)) !== undefined) return []
  return [{ aspect: 'schema', onlyOurs: [complaint], onlyTheirs: [] }]
}

/** Confirmations, warnings and errors; of a line that is refused, on whichever stream they stand. */
function compareTexts(ours: Answer, theirs: Answer): readonly Difference[] {
  const refusedBoth = ours.exitCode !== 0 && theirs.exitCode !== 0
  return [
    ...compareLines('text', textLines(ours.standardError), textLines(theirs.standardError)),
    ...(refusedBoth ? compareLines('text', textLines(ours.standardOutput), textLines(theirs.standardOutput)) : []),
  ]
}

function readCib(file: string): XmlElement {
  const parsed = parseXml(existsSync(file) ? readFileSync(file, 'utf8') : '')
  if (!parsed.ok) throw new Error(`${file} is malformed.`)
  return parsed.value
}

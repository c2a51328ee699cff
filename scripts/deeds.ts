/**
 * `npm run deeds`: every word that is accepted (elements, attributes and options of the CIB, options of commands and tools) with the test that shows
 * what it does, or with the sentence that says that it does nothing. Looks for a test of each word that has none yet, and writes test/deeds.json and
 * docs/deeds.md. `--check` only compares, and fails for a word without a deed. `--missing` lists those. What it finds can be replaced by hand in
 * test/deeds.json: an entry stays as long as its test is there and uses the word.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { allTools } from '../src/tools/index.ts'
import { readOptions } from './arguments.ts'
import { caseWithEffect, schedulerCases } from './deeds/scheduler-cases.ts'
import { comparable, type TestPiece, testPieces } from './deeds/tests.ts'
import { acceptedWords, isUsedIn, kinds, type Word } from './deeds/words.ts'

/** A test and its title, or a case of Pacemaker's scheduler suite whose answer is another without the word. */
type Deed =
  /** `byHand`: the word stands in no such text, as the test puts it together. */
  | { readonly test: string; readonly title: string; readonly byHand?: true }
  | { readonly case: string }
  /** It acts, as whoever wrote this has read or tried; no test of ours shows it. No new ones, please. */
  | { readonly untested: string }

const project = resolve(import.meta.dirname, '..')
const dataFile = join(project, 'test/deeds.json')
const pageFile = join(project, 'docs/deeds.md')
const suite = resolve(project, '../shared/pacemaker-scheduler/xml')

const given = readOptions({ check: { type: 'boolean' }, missing: { type: 'boolean' } })
const words = acceptedWords()
const known = JSON.parse(existsSync(dataFile) ? readFileSync(dataFile, 'utf8') : '{}') as Readonly<Record<string, Deed>>
const passing = JSON.parse(readFileSync(join(project, 'test/conformance/baseline.json'), 'utf8')) as Readonly<
  Record<string, unknown>
>

const toolNames = allTools.map(({ name }) => name)
const texts = new Map<string, FileText>()

if (given.check === true) check()
else write()

function check(): void {
  const troubles = [
    ...words.flatMap((word) => troubleOf(word)),
    ...Object.keys(known)
      .filter((name) => !words.some((word) => word.name === name))
      .map((name) => `'${name}' is in test/deeds.json and is not accepted any more.`),
  ]
  if (troubles.length === 0 && page(known) !== readFileSync(pageFile, 'utf8'))
    troubles.push('docs/deeds.md is not what test/deeds.json and the definitions say.')
  for (const trouble of troubles) console.error(trouble)
  if (troubles.length > 0)
    console.error(
      'Run npm run deeds; a word for which it finds no test needs one, must say that it is without effect, or gets an entry by hand in test/deeds.json.',
    )
  process.exitCode = troubles.length > 0 ? 1 : 0
}

function troubleOf(word: Word): readonly string[] {
  if (word.withoutEffect !== undefined || word.refused !== undefined) return []
  const deed = known[word.name]
  if (deed === undefined) return [`'${word.name}' is accepted, and no test shows what it does.`]
  return holds(word, deed) ? [] : [`The deed of '${word.name}' is gone: ${describe(deed)}.`]
}

/** Whether the test is there and uses the word. */
function holds(word: Word, deed: Deed): boolean {
  if ('untested' in deed) return true
  if ('case' in deed) return Object.hasOwn(passing, deed.case)
  const path = join(project, deed.test)
  if (!existsSync(path)) return false
  const text = fileText(path)
  return text.written.includes(deed.title) && (deed.byHand === true || isUsedIn(word, text.comparable))
}

interface FileText {
  readonly written: string
  readonly comparable: string
}

function fileText(path: string): FileText {
  const cached = texts.get(path)
  if (cached !== undefined) return cached
  const written = readFileSync(path, 'utf8')
  const text = { written, comparable: comparable(written) }
  texts.set(path, text)
  return text
}

function write(): void {
  const pieces = testPieces(project)
  const cases = schedulerCases(suite).filter(({ name }) => Object.hasOwn(passing, name))
  const deeds: Record<string, Deed> = {}
  const missing: string[] = []
  for (const word of words) {
    if (word.withoutEffect !== undefined || word.refused !== undefined) continue
    const old = known[word.name]
    const isKept = old !== undefined && !('untested' in old) && holds(word, old)
    const deed = (isKept ? old : find(word, pieces, cases)) ?? (old && 'untested' in old ? old : undefined)
    if (deed === undefined) missing.push(word.name)
    else deeds[word.name] = deed
  }
  const sorted = Object.entries(deeds).sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = sorted.map(([name, deed]) => {
    const pairs = Object.entries(deed).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    return `  ${JSON.stringify(name)}: { ${pairs.join(', ')} }`
  })
  writeFileSync(dataFile, `{\n${lines.join(',\n')}\n}\n`)
  writeFileSync(pageFile, page(deeds))
  if (given.missing === true) for (const name of missing) console.log(name)
  const untested = sorted.filter(([, deed]) => 'untested' in deed).length
  console.log(
    `${words.length} words: ${sorted.length - untested} with a test, ${words.filter(({ withoutEffect }) => withoutEffect !== undefined).length} without effect, ${words.filter(({ refused }) => refused !== undefined).length} refused, ${untested} that no test shows yet, ${missing.length} without an entry.`,
  )
}

/** What the scheduler does is shown by taking the word away; everything else by the first test that uses it. */
function find(word: Word, pieces: readonly TestPiece[], cases: ReturnType<typeof schedulerCases>): Deed | undefined {
  const shown = word.inCib && caseWithEffect(word.inCib, cases)
  if (shown !== undefined) return { case: shown }
  const piece = pieces.find(({ text }) => isUsedIn(word, text)) ?? pieces.find((one) => isUsedByHelper(word, one))
  return piece && { test: piece.file, title: piece.title }
}

/** The option stands in the test, the name of its tool in a helper of the same file, which is about no other. */
function isUsedByHelper({ kind, parts: [tool, option] = [] }: Word, { file, text }: TestPiece): boolean {
  if (kind !== 'Options of Pacemaker’s commands' || tool === undefined || option?.test(text) !== true) return false
  const whole = fileText(join(project, file)).comparable
  return tool.test(whole) && toolNames.filter((name) => whole.includes(`${name} `)).length <= 2
}

function page(deeds: Readonly<Record<string, Deed>>): string {
  const told = kinds.map((kind) => {
    const rows = words
      .filter((word) => word.kind === kind)
      .map((word) => `| \`${word.name.replaceAll('|', '\\|')}\` | ${deedCell(word, deeds[word.name])} |`)
    return `## ${kind}\n\n| Word | Deed |\n| --- | --- |\n${rows.join('\n')}\n`
  })
  return `# Words and deeds\n\nMade by \`npm run deeds\` from the definitions and test/deeds.json: every word that Systole accepts, with a test that shows what it does, or with what a user is told of a word that does nothing. A *scheduler case* is one of Pacemaker's, whose answer is another without the word.\n\n${told.join('\n')}`
}

function deedCell({ withoutEffect, refused }: Word, deed: Deed | undefined): string {
  const text =
    withoutEffect !== undefined
      ? `without effect: ${withoutEffect}`
      : refused !== undefined
        ? `refused: ${refused}`
        : deed === undefined
          ? 'none'
          : describe(deed)
  return text.replaceAll('|', '\\|')
}

function describe(deed: Deed): string {
  if ('untested' in deed) return `no test shows it yet: ${deed.untested}`
  return 'case' in deed ? `scheduler case ${deed.case}` : `${deed.test}: ${deed.title}`
}

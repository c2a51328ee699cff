/**
 * `npm run deeds`: every word that is accepted (elements, attributes and options of the CIB, options of commands and tools) with the test that shows
 * what it does, or with the sentence that says that it does nothing. Looks for a test of each word that has none yet, and writes test/deeds.json and
 * docs/deeds.md. `--again` looks anew for those that were found, too. `--check` only compares, and fails for a word without a deed. `--missing` lists those. What it finds can be replaced by hand in
 * test/deeds.json: an entry stays as long as its test is there and uses the word.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOptions } from './arguments.ts'
import { caseWithEffect, schedulerCases } from './deeds/scheduler-cases.ts'
import { isStandIn, type TestPiece, testPieces } from './deeds/tests.ts'
import { hasEffect, type ToolCall, toolCalls } from './deeds/tool-calls.ts'
import { acceptedWords, isUsedIn, kinds, type Word } from './deeds/words.ts'

/** A test and its title, or a case of Pacemaker's scheduler suite whose answer is another without the word. */
type Deed =
  /** `byHand`: the word stands in no such text, as the test puts it together. */
  { readonly test: string; readonly title: string; readonly byHand?: true } | { readonly case: string }

const project = resolve(import.meta.dirname, '..')
const dataFile = join(project, 'test/deeds.json')
const pageFile = join(project, 'docs/deeds.md')
const suite = resolve(project, '../shared/pacemaker-scheduler/xml')

const given = readOptions({ check: { type: 'boolean' }, missing: { type: 'boolean' }, again: { type: 'boolean' } })
const words = acceptedWords()
const known = JSON.parse(existsSync(dataFile) ? readFileSync(dataFile, 'utf8') : '{}') as Readonly<Record<string, Deed>>
const passing = JSON.parse(readFileSync(join(project, 'test/conformance/baseline.json'), 'utf8')) as Readonly<
  Record<string, unknown>
>

const pieces = testPieces(project)
const calls = toolCalls(project)

if (given.check === true) check()
else await write()

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
  if (needsNoTest(word)) return []
  const deed = known[word.name]
  if (deed === undefined) return [`'${word.name}' is accepted, and no test shows what it does.`]
  return holds(word, deed) ? [] : [`The deed of '${word.name}' is gone: ${describe(deed)}.`]
}

/** Tests of their own go through all of these: what is refused or does nothing says so, what is always so is the same without it. */
function needsNoTest({ withoutEffect, refused, always }: Word): boolean {
  return withoutEffect !== undefined || refused !== undefined || always !== undefined
}

/** Whether the test is there and uses the word itself: not another test of that file. */
function holds(word: Word, deed: Deed): boolean {
  if ('case' in deed) return Object.hasOwn(passing, deed.case)
  if (deed.byHand === true) {
    const text = readFileOrNothing(join(project, deed.test))
    return text.includes(deed.title) && !(word.option !== undefined && isStandIn(deed.test, text))
  }
  return [...pieces, ...calls].some(
    (piece) => piece.file === deed.test && piece.title === deed.title && isUsedIn(word, piece),
  )
}

function readFileOrNothing(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

async function write(): Promise<void> {
  const cases = schedulerCases(suite).filter(({ name }) => Object.hasOwn(passing, name))
  const deeds: Record<string, Deed> = {}
  const missing: string[] = []
  for (const word of words) {
    if (needsNoTest(word)) continue
    const old = known[word.name]
    const isKept = given.again !== true && old !== undefined && holds(word, old)
    const isByHand = old !== undefined && 'byHand' in old && holds(word, old)
    const deed = isKept || isByHand ? old : await find(word, cases)
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
  console.log(
    `${words.length} words: ${sorted.length} with a test, ${words.filter(({ withoutEffect }) => withoutEffect !== undefined).length} without effect, ${words.filter(({ always }) => always !== undefined).length} always so, ${words.filter(({ refused }) => refused !== undefined).length} refused, ${missing.length} without an entry.`,
  )
}

/** First where the answer was compared with the one without the word: cases of the scheduler, tables of options, Debian's answers; then any test. */
async function find(word: Word, cases: ReturnType<typeof schedulerCases>): Promise<Deed | undefined> {
  const shown = word.inCib && caseWithEffect(word.inCib, cases)
  if (shown !== undefined) return { case: shown }
  const using = pieces.filter((piece) => isUsedIn(word, piece))
  const measured = using.find(({ isMeasured }) => isMeasured) ?? (await measuredCall(word)) ?? best(word, using)
  return measured && { test: measured.file, title: measured.title }
}

async function measuredCall(word: Word): Promise<ToolCall | undefined> {
  const { option } = word
  if (option?.isTool !== true) return undefined
  for (const call of calls) if (isUsedIn(word, call) && (await hasEffect(call, option))) return call
  return undefined
}

/** Whose title names the word, then whose is about the least else. */
function best(word: Word, using: readonly TestPiece[]): TestPiece | undefined {
  const name = (word.name.match(/[\w-]+/g) ?? []).at(-1)?.replace(/^-+/, '') ?? ''
  const worth = ({ title, text, file }: TestPiece): number =>
    (title.includes(name) ? 0 : 1e6) +
    (/^test\/(?:nodes|nodes-e2e|security|agents|deployment)/.test(file) ? 1e5 : 0) +
    text.length
  return [...using].sort((a, b) => worth(a) - worth(b))[0]
}

function page(deeds: Readonly<Record<string, Deed>>): string {
  const told = kinds.map((kind) => {
    const rows = words
      .filter((word) => word.kind === kind)
      .map((word) => `| \`${word.name.replaceAll('|', '\\|')}\` | ${deedCell(word, deeds[word.name])} |`)
    return `## ${kind}\n\n| Word | Deed |\n| --- | --- |\n${rows.join('\n')}\n`
  })
  return `# Words and deeds\n\nMade by \`npm run deeds\` from the definitions and test/deeds.json: every word that Systole accepts, with a test that shows what it does, or the sentence that a user gets for a word without effect. *Always so*: what the word asks for is done without it. A *scheduler case* is one of Pacemaker's, whose answer is another without the word. A line that is refused, and a test whose daemon is a stand-in, is no deed of an option.\n\n${told.join('\n')}`
}

function deedCell(word: Word, deed: Deed | undefined): string {
  return toldOf(word, deed).replaceAll('|', '\\|')
}

function toldOf({ withoutEffect, refused, always }: Word, deed: Deed | undefined): string {
  if (withoutEffect !== undefined) return `without effect: ${withoutEffect}`
  if (refused !== undefined) return `refused: ${refused}`
  if (always !== undefined) return `always so: ${always}`
  return deed === undefined ? 'none' : describe(deed)
}

function describe(deed: Deed): string {
  return 'case' in deed ? `scheduler case ${deed.case}` : `${deed.test}: ${deed.title}`
}

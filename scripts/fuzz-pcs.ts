/**
 * `npm run fuzz:pcs -- --seeds N --seed S`: pcs's lines typed here and at a real pcs, with `-f` on copies of a configuration. Prints what differs,
 * and how the lines of each command ended. `--seeds 1 --seed S` repeats one.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shellLine, splitShellLine } from '../src/cli/call/shell-words.ts'
import { createFuzz, type Judged, typeLines } from '../test/pcs/fuzz.ts'
import { grammarOfReference } from '../test/pcs/grammar/grammar.ts'
import { fromCommand } from '../test/pcs/grammar/spelling.ts'
import { type Outcome, readOutcomes, recordOutcome, sorted } from '../test/pcs/outcome.ts'
import { remembering } from '../test/pcs/recorded.ts'
import { findReference, unpacked } from '../test/pcs/reference.ts'
import { builtStarts, suiteStarts } from '../test/pcs/starts.ts'
import { addTo, kindMeanings, kindOf, kinds, share, sumOf, type Tally, tableOf } from '../test/pcs/tally.ts'
import { oneOf, readOptions, refuse, wholeNumber } from './arguments.ts'

const values = readOptions({
  seeds: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  upto: { type: 'string' },
  minutes: { type: 'string' },
  pcs: { type: 'string', default: '0.12' },
  reference: { type: 'string' },
  file: { type: 'string' },
  only: { type: 'string', default: '' },
  kind: { type: 'string' },
  lines: { type: 'string', default: '8' },
  record: { type: 'string' },
  answers: { type: 'string' },
  more: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  errors: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log(`npm run fuzz:pcs -- [--seeds N] [--seed S]   how many, from which on; --seeds 1 --seed S repeats one
  --upto N              end with the seed that makes it N lines
  --minutes N           begin no seed after that
  --pcs 0.11|0.12       beside which of the two that scripts/install.sh pcs gets (0.12)
  --reference FOLDER    another pcs: the root of a system that has it
  --file FILE           lines of one's own instead of drawn ones, without 'pcs', on a configuration that is built by lines
  --only TEXT           show only lines that contain it
  --kind KIND           show only lines that ended so: ${kinds.join(', ')}
  --all                 show every line that is not the same, also what differs on purpose or in words alone
  --errors              show what both say to what both refuse
  --record FILE         write the counts of each command into this file, under the version of pcs
  --more                go on where the lines of that file end, and add to them
  --answers FILE        keep what pcs answers in this file, and ask it nothing twice
  --lines N             show more of a difference`)
  process.exit(0)
}

const [first, count] = [wholeNumber('seed', values.seed), wholeNumber('seeds', values.seeds)]
const upto = values.upto === undefined ? undefined : wholeNumber('upto', values.upto)
const deadline = values.minutes === undefined ? undefined : Date.now() + wholeNumber('minutes', values.minutes) * 60_000
const shown = wholeNumber('lines', values.lines)
const onlyKind = oneOf('kind', values.kind, kinds)
const beside = oneOf('pcs', values.pcs, ['0.11', '0.12']) ?? '0.12'
if (values.file !== undefined && !existsSync(values.file)) refuse(`There is no file '${values.file}'.`)
const found = await findReference(values.reference ?? unpacked[beside])
if (found === undefined)
  refuse('Nothing was compared: no pcs can be imported. As root, bash scripts/install.sh pcs gets one.')
const reference = values.answers === undefined ? found : remembering(found, values.answers)

// pcs's own grammar alone: with ours beside it, each new command here would change what every seed draws.
const grammar = await grammarOfReference(reference)
const names = [...new Set(grammar.map(({ name }) => name))].sort((a, b) => b.length - a.length)
const earlier = earlierOutcome()
const tallies = new Map<string, Tally>(Object.entries(earlier?.commands ?? {}))
/** The same by command and long option. */
const optionTallies = new Map<string, Tally>(Object.entries(earlier?.options ?? {}))
let next = earlier?.next ?? first
let unusableSeeds = 0
const folder = mkdtempSync(join(tmpdir(), 'systole-fuzz-pcs-'))
const isOlder = beside === '0.11'
const fuzz = {
  reference,
  built: await builtStarts(isOlder ? '3.9' : '3.10'),
  suite: suiteStarts(),
  grammar,
  folder,
  ...(isOlder ? { environment: '0.11' } : {}),
}
const draw = createFuzz(fuzz)
const isLate = (): boolean => deadline !== undefined && Date.now() > deadline
const linesSoFar = (): number => sumOf([...tallies.values()]).lines
try {
  if (values.file !== undefined) for (const line of await typed(values.file)) judgeLine(values.file, line)
  else
    for (const begun = next; (upto === undefined ? next < begun + count : linesSoFar() < upto) && !isLate(); ) {
      const seed = next
      const { start, unusable, judged } = await draw(seed)
      if (unusable) unusableSeeds++
      for (const line of judged) judgeLine(`seed ${seed}, ${start}`, line)
      next++
      if (values.record !== undefined && next % 20 === 0) record(values.record, reference.version)
    }
} finally {
  reference.close()
  rmSync(folder, { recursive: true, force: true })
}
const all = sumOf([...tallies.values()])
console.log(tableOf(tallies))
for (const [reason, times] of Object.entries(all.reasons).sort(([, a], [, b]) => b - a))
  console.log(`${String(times).padStart(4)}  on purpose: ${reason}`)
console.log(
  `${all.lines} lines beside pcs ${reference.version}; ${unusableSeeds} seeds met a configuration that it does not take.`,
)
for (const kind of kinds)
  console.log(`  ${kindMeanings[kind]}: ${all.kinds[kind] ?? 0} (${share(all.kinds[kind], all.lines)})`)
if (values.record !== undefined) record(values.record, reference.version)
if (all.lines === 0 && count > 0) refuse('Nothing was compared: no line was typed on both sides.')
const different = all.lines - (all.kinds.same ?? 0) - (all.kinds.words ?? 0) - (all.kinds.purpose ?? 0)
process.exitCode = different > 0 ? 1 : 0

/** Written now and then, so that a run that is ended can go on with --more. */
function record(file: string, version: string): void {
  const { lines } = sumOf([...tallies.values()])
  const counted = { commands: sorted(tallies), options: sorted(optionTallies) }
  recordOutcome(file, beside, { version, seed: earlier?.seed ?? first, next, lines, ...counted })
}

function earlierOutcome(): Outcome | undefined {
  if (!values.more) return undefined
  if (values.record === undefined) refuse('--more goes on with the file of --record: name it.')
  return readOutcomes(values.record)[beside]
}

async function typed(file: string): Promise<readonly Judged[]> {
  const lines = readFileSync(file, 'utf8').split('\n')
  const written = lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).map(splitShellLine)
  return (await typeLines(fuzz, written)).judged
}

function judgeLine(where: string, judged: Judged): void {
  const { line, differences, ours, theirs } = judged
  const text = shellLine(line)
  const fromName = shellLine(fromCommand(line))
  const name =
    names.find((known) => fromName === known || fromName.startsWith(`${known} `)) ?? fromCommand(line)[0] ?? ''
  tallies.set(name, addTo(tallies.get(name), judged))
  for (const option of new Set(line.filter((word) => /^--\w/.test(word)).map((word) => word.split('=')[0]))) {
    const key = `${name} ${option}`
    optionTallies.set(key, addTo(optionTallies.get(key), judged))
  }
  if (!text.includes(values.only)) return
  if (values.errors && ours.exitCode !== 0 && theirs.exitCode !== 0)
    console.log(
      `${text}\n    reference: ${theirs.standardError.trimEnd()}\n    ours:      ${ours.standardError.trimEnd()}`,
    )
  const kind = kindOf(judged)
  const isAskedFor = values.all || (onlyKind === undefined ? kind !== 'purpose' && kind !== 'words' : kind === onlyKind)
  if (kind === 'same' || !isAskedFor) return
  console.log(`${where}: ${text}`)
  for (const { aspect, onlyOurs, onlyTheirs } of differences) {
    console.log(`  ${aspect}`)
    for (const part of onlyTheirs.slice(0, shown)) console.log(`    reference: ${part}`)
    for (const part of onlyOurs.slice(0, shown)) console.log(`    ours:      ${part}`)
  }
}

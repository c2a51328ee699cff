/**
 * `npm run bench:scheduler [-- --only cases,primitives,clones,remotes] [--sizes N,N] [--reference FILE] [--rounds N] [--limit SECONDS]
 * [--minutes N] [--without-pacemaker]`: what scheduling takes, beside a `crm_simulate` on the same file in the same run, Debian's or
 * the one that is named. CPU seconds and memory are those of the whole process, its start included.
 *
 * The two take turns, so that what else the machine does meets both, and of several rounds the least CPU time counts. What is measured is bounded:
 * a program is stopped once nothing more can be learned from it, and when the minutes are over the rows that are left are Systole's alone.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Contender, measureInTurn } from './measure-in-turn.ts'
import { type Measured, measureProcess } from './measured-process.ts'
import { type Family, families, generateCib, generatorMissing, type State, states } from './scheduler-clusters.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    sizes: { type: 'string' },
    reference: { type: 'string', default: '/usr/sbin/crm_simulate' },
    rounds: { type: 'string', default: '3' },
    limit: { type: 'string', default: '150' },
    minutes: { type: 'string', default: '40' },
    'without-pacemaker': { type: 'boolean', default: false },
  },
})
const wanted = values.only?.split(',')
const wantedSizes = values.sizes?.split(',').map(Number)
const limitSeconds = Number(values.limit)
const program = resolve(import.meta.dirname, '../dist/systole.cjs')
const cases = resolve(import.meta.dirname, '../../shared/pacemaker-scheduler/xml')
const simulator = values.reference
/** Of Pacemaker's time wherever that is over a second, and of its memory wherever that is over a gigabyte. */
const required = 0.2
/** For all of Pacemaker's cases together, whatever Pacemaker takes. */
const requiredForCases = 10

const version = spawnSync(simulator, ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0]
const whyNoPacemaker = values['without-pacemaker']
  ? 'not asked for'
  : version === undefined
    ? `${simulator} cannot be run; scripts/install.sh bench installs Debian's`
    : undefined

/** Of Pacemaker's time: what is aimed at. A Pacemaker that took twenty times as long need not be waited for any more. */
const aim = 0.05
const begun = performance.now()
const secondsLeft = (): number => Number(values.minutes) * 60 - (performance.now() - begun) / 1000

const seconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

function shown(result: Measured | undefined): readonly [string, string] {
  if (result === undefined) return ['-', '-']
  if (result.kind === 'failed') return ['FAILED', '-']
  const over = result.kind === 'over' ? '> ' : ''
  return [`${over}${seconds(result.cpuSeconds)}`, `${over}${result.peakMb.toFixed(0)}`]
}

type Taken = Exclude<Measured, { readonly kind: 'failed' }>
type Verdict = (ours: Taken, theirs: Taken) => string

const againstPacemaker: Verdict = (ours, theirs) => {
  if (theirs.cpuSeconds <= 1) return 'under a second'
  if (theirs.kind === 'ended' && theirs.peakMb > 1024 && ours.peakMb / theirs.peakMb > required)
    return 'ABOVE in memory'
  const ratio = ours.cpuSeconds / theirs.cpuSeconds
  if (ratio > required) return theirs.kind === 'over' ? 'not known' : 'ABOVE'
  return ratio <= aim ? 'aim' : 'within'
}

let above = 0
let failed = 0
const table: string[][] = []

/** What was stopped took more than is known of it: the ratios are then less than those that are shown. */
function row(what: string, ours: Measured, theirs: Measured | undefined, verdict = againstPacemaker): void {
  for (const result of [ours, theirs])
    if (result?.kind === 'failed') {
      failed++
      console.error(result.why)
    }
  const cells = [what, ...shown(ours), ...shown(theirs), '-', '-', '-']
  if (ours.kind === 'ended' && theirs !== undefined && theirs.kind !== 'failed') {
    const less = theirs.kind === 'over' ? '< ' : ''
    const found = verdict(ours, theirs)
    if (found.startsWith('ABOVE')) above++
    const ratios = [ours.cpuSeconds / theirs.cpuSeconds, ours.peakMb / theirs.peakMb]
    cells.splice(-3, 3, ...ratios.map((ratio) => `${less}${ratio.toFixed(3)}`), found)
  }
  table.push(cells)
  console.log(`${((performance.now() - begun) / 60_000).toFixed(1).padStart(5)} min  ${cells.join(' | ')}`)
}

/** Growth with a size: time ~ size^exponent, from one size to the next. */
const growth: string[][] = []
function noteGrowth(family: Family, what: string, points: readonly { size: number; result: Measured }[]): void {
  const exponents = points.flatMap(({ size, result }, index) => {
    const before = points[index - 1]
    if (before === undefined || result.kind !== 'ended' || before.result.kind !== 'ended') return []
    const times = Math.log(result.cpuSeconds / before.result.cpuSeconds)
    const sizes = Math.log(family.count(size) / family.count(before.size))
    return [`${before.size} → ${size}: ${(times / sizes).toFixed(2)}`]
  })
  if (exponents.length > 0) growth.push([`${family.what}, ${what}`, family.grows, exponents.join(', ')])
}

function measureCases(folder: string): void {
  if (!existsSync(cases)) {
    console.log(`Pacemaker's scheduler cases are not measured: ${cases} does not exist.`)
    return
  }
  const files = readdirSync(cases).map((name) => join(cases, name))
  const [asked, answered] = [join(folder, 'asked'), join(folder, 'answered')]
  writeFileSync(asked, files.map((file) => `${file}\n`).join(''))
  const command = ['node', program, 'simulate', '--batch']
  const ours = measureProcess({ command, limitSeconds, stdin: asked, stdout: answered })
  const answers = readFileSync(answered, 'utf8').trim().split('\n')
  const errors = answers.filter((line) => (JSON.parse(line) as { readonly error?: string }).error !== undefined)
  const wall = ours.kind === 'failed' ? '' : `, wall ${seconds(ours.wallSeconds)} s`
  if (errors.length > 0 || answers.length !== files.length) {
    failed++
    console.error(`${errors.length} of ${answers.length} answers are errors; ${files.length} were asked for.`)
  }
  const each = 'for file; do "$0" --simulate --show-scores --xml-file "$file" --save-graph /dev/null; done; true'
  const theirs =
    whyNoPacemaker === undefined
      ? measureProcess({
          command: ['sh', '-c', each, simulator, ...files],
          limitSeconds,
          // Each of them has a limit of its own.
          patienceSeconds: Math.min(secondsLeft(), limitSeconds),
        })
      : undefined
  row(`the ${files.length} cases (Systole: one process${wall}; Pacemaker: one each)`, ours, theirs, ({ cpuSeconds }) =>
    cpuSeconds <= requiredForCases ? 'within 10 s' : 'ABOVE',
  )
}

/** `--run` only plans, `--simulate` plays the transition and reads the status that it leads to. */
type Mode = '--run' | '--simulate'

/** A cluster that runs has nothing to play. */
const modesOf: Readonly<Record<State, readonly Mode[]>> = {
  initial: ['--run', '--simulate'],
  running: ['--simulate'],
  failed: ['--run', '--simulate'],
}

/**
 * Pacemaker is stopped when it has taken so long that ours is at the aim, and not begun with a larger cluster where the limit of
 * all programs stopped it before.
 */
function comparedUpToLimit(mode: Mode): (file: string) => readonly [Measured, Measured | undefined] {
  let tooSlow: Measured | undefined
  return (file) => {
    const ours: Contender = {
      command: ['node', program, 'simulate', mode, '--xml-file', file],
      limitSeconds: () => limitSeconds,
    }
    const theirs: Contender = {
      command: [simulator, mode, '--xml-file', file],
      limitSeconds: (beside) =>
        beside?.kind === 'ended' ? Math.min(limitSeconds, Math.ceil(beside.cpuSeconds / aim) + 1) : limitSeconds,
      patienceSeconds: () => Math.max(secondsLeft(), 0),
    }
    const isCompared = whyNoPacemaker === undefined && secondsLeft() > 0 && tooSlow === undefined
    const [own, found] = measureInTurn(isCompared ? [ours, theirs] : [ours], Number(values.rounds))
    const other = found ?? tooSlow
    if (other?.kind === 'over' && own?.kind === 'ended' && own.cpuSeconds / aim >= limitSeconds) tooSlow ??= other
    return [own ?? { kind: 'failed', why: 'No rounds were asked for.' }, other]
  }
}

function measureFamily(folder: string, family: Family): void {
  for (const state of states)
    for (const mode of modesOf[state]) {
      const points: { size: number; result: Measured }[] = []
      const compared = comparedUpToLimit(mode)
      const what = `${state === 'failed' ? 'a node lost' : state}${mode === '--run' ? ', planned' : ''}`
      for (const size of family.sizes.filter((one) => wantedSizes?.includes(one) ?? true)) {
        const file = generateCib(folder, family, size, state)
        const [ours, theirs] = compared(file)
        points.push({ size, result: ours })
        row(`${size} ${family.what}, ${what}`, ours, theirs)
        rmSync(file)
      }
      noteGrowth(family, what, points)
    }
}

const lacking = generatorMissing()
if (lacking !== undefined) throw new Error(`There is nothing to measure: ${lacking}.`)
if (!existsSync(program)) throw new Error(`${program} does not exist: npm run build makes it.`)
console.log(whyNoPacemaker === undefined ? version : `Pacemaker is not measured: ${whyNoPacemaker}.`)
const folder = mkdtempSync(join(tmpdir(), 'systole-bench-'))
try {
  if (wanted?.includes('cases') ?? true) measureCases(folder)
  for (const family of families) if (wanted?.includes(family.key) ?? true) measureFamily(folder, family)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const head = ['cluster of 16 nodes', 'Systole CPU s', 'MB', 'Pacemaker CPU s', 'MB', 'CPU ratio', 'MB ratio', 'verdict']
const printed = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
console.log(`\n${printed([head, head.map(() => '---'), ...table])}`)
console.log(
  printed([['growth exponent of Systole’s CPU time', 'in', 'from size to size'], ['---', '---', '---'], ...growth]),
)
if (whyNoPacemaker === undefined && secondsLeft() <= 0)
  console.log(`After ${values.minutes} minutes Pacemaker was measured no more; --minutes N gives it longer.`)
console.log(above === 0 ? 'No row is above what is required.' : `${above} rows are above what is required.`)
process.exitCode = failed > 0 ? 1 : 0

/**
 * `npm run bench:scheduler [-- --only cases,primitives,clones,remotes] [--sizes N,N] [--runs N] [--limit SECONDS] [--minutes N]
 * [--without-pacemaker]`: what scheduling takes, beside Debian's crm_simulate on the same file in the same run. CPU seconds and
 * memory are those of the whole process, its start included. Systole's command is the same in every state: it always plays the
 * transition and reads the status again. Pacemaker's are `--run` (schedule only) and `--simulate`.
 *
 * What is measured is bounded: a program is stopped once nothing more can be learned from it, and when the minutes are over the rows
 * that are left are Systole's alone.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Measured, measureProcess } from './measured-process.ts'
import { type Family, families, generateCib, generatorMissing, type State, states } from './scheduler-clusters.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    sizes: { type: 'string' },
    runs: { type: 'string', default: '3' },
    limit: { type: 'string', default: '150' },
    minutes: { type: 'string', default: '40' },
    'without-pacemaker': { type: 'boolean', default: false },
  },
})
const wanted = values.only?.split(',')
const wantedSizes = values.sizes?.split(',').map(Number)
const limitSeconds = Number(values.limit)
const program = resolve(import.meta.dirname, '../dist/systole.mjs')
const cases = resolve(import.meta.dirname, '../../shared/pacemaker-scheduler/xml')
const simulator = '/usr/sbin/crm_simulate'
/** Of Pacemaker's time, wherever that is over a second. */
const required = 0.2
/** For all of Pacemaker's cases together, whatever Pacemaker takes. */
const requiredForCases = 10

const whyNoPacemaker = values['without-pacemaker']
  ? 'not asked for'
  : existsSync(simulator)
    ? undefined
    : `${simulator} is missing; scripts/install.sh bench installs it`

/** Of Pacemaker's time: what is aimed at. A Pacemaker that took twenty times as long need not be waited for any more. */
const aim = 0.05
const begun = performance.now()
const isTimeOver = (): boolean => performance.now() - begun > Number(values.minutes) * 60_000

/** One where a run takes long, or else the one in the middle. */
function measured(command: readonly string[], limitSeconds: number): Measured {
  const found: (Measured & { readonly cpuSeconds: number })[] = []
  while (found.length < Number(values.runs)) {
    const one = measureProcess({ command, limitSeconds })
    if (one.kind !== 'ended') return one
    found.push(one)
    if (one.cpuSeconds > 10) break
  }
  found.sort((a, b) => a.cpuSeconds - b.cpuSeconds)
  return found[Math.floor(found.length / 2)] ?? { kind: 'failed', why: 'no runs were asked for' }
}

const seconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

function shown(result: Measured | undefined): readonly [string, string] {
  if (result === undefined) return ['-', '-']
  if (result.kind === 'failed') return ['FAILED', '-']
  const over = result.kind === 'over' ? 'over ' : ''
  return [`${over}${seconds(result.cpuSeconds)}`, `${over}${result.peakMb.toFixed(0)}`]
}

let above = 0
let failed = 0

type Verdict = (ours: number, theirs: number) => string

const againstPacemaker: Verdict = (ours, theirs) => {
  if (theirs <= 1) return 'under a second'
  return ours / theirs > required ? 'ABOVE' : ours / theirs <= aim ? 'aim' : 'within'
}

const table: string[][] = []
function row(what: string, ours: Measured, theirs: Measured | undefined, verdict = againstPacemaker): void {
  for (const result of [ours, theirs])
    if (result?.kind === 'failed') {
      failed++
      console.error(result.why)
    }
  const cells = [what, ...shown(ours), ...shown(theirs), '-', '-']
  if (ours.kind === 'ended' && theirs !== undefined && theirs.kind !== 'failed') {
    const ratio = (ours.cpuSeconds / theirs.cpuSeconds).toFixed(3)
    const found = verdict(ours.cpuSeconds, theirs.cpuSeconds)
    if (found === 'ABOVE') above++
    cells.splice(-2, 2, theirs.kind === 'over' ? `< ${ratio}` : ratio, found)
  }
  table.push(cells)
  console.log(`${((performance.now() - begun) / 60_000).toFixed(1).padStart(5)} min  ${cells.join(' | ')}`)
}

/** Growth with a size: time ~ size^exponent, from one size to the next. */
const growth: string[][] = []
function noteGrowth(family: Family, state: State, points: readonly { size: number; result: Measured }[]): void {
  const exponents = points.flatMap(({ size, result }, index) => {
    const before = points[index - 1]
    if (before === undefined || result.kind !== 'ended' || before.result.kind !== 'ended') return []
    const times = Math.log(result.cpuSeconds / before.result.cpuSeconds)
    const sizes = Math.log(family.count(size) / family.count(before.size))
    return [`${before.size} → ${size}: ${(times / sizes).toFixed(2)}`]
  })
  if (exponents.length > 0) growth.push([`${family.what}, ${state}`, family.grows, exponents.join(', ')])
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
  const each =
    'for file; do crm_simulate --simulate --show-scores --xml-file "$file" --save-graph /dev/null; done; true'
  const theirs =
    whyNoPacemaker === undefined
      ? measureProcess({ command: ['sh', '-c', each, 'sh', ...files], limitSeconds })
      : undefined
  row(`the ${files.length} cases (Systole: one process${wall}; Pacemaker: one each)`, ours, theirs, (seconds) =>
    seconds <= requiredForCases ? 'within 10 s' : 'ABOVE',
  )
}

interface Compared {
  readonly mode: string
  readonly file: string
  readonly ours: Measured
}

/**
 * It is stopped when it has taken so long that ours is at the aim. Where the limit of all programs stopped it before, it is not begun
 * with a larger size.
 */
function pacemakerUpToLimit(): (compared: Compared) => Measured | undefined {
  const over = new Map<string, Measured>()
  return ({ mode, file, ours }) => {
    if (whyNoPacemaker !== undefined || isTimeOver()) return undefined
    const known = over.get(mode)
    if (known !== undefined) return known
    const enough = ours.kind === 'ended' ? Math.ceil(ours.cpuSeconds / aim) + 1 : limitSeconds
    const found = measured([simulator, mode, '--xml-file', file], Math.min(limitSeconds, enough))
    if (found.kind === 'over' && enough >= limitSeconds) over.set(mode, found)
    return found
  }
}

function measureFamily(folder: string, family: Family): void {
  for (const state of states) {
    const points: { size: number; result: Measured }[] = []
    const pacemaker = pacemakerUpToLimit()
    for (const size of family.sizes.filter((one) => wantedSizes?.includes(one) ?? true)) {
      const file = generateCib(folder, family, size, state)
      const ours = measured(['node', program, 'simulate', '--xml-file', file], limitSeconds)
      const theirs = (mode: string): Measured | undefined => pacemaker({ mode, file, ours })
      points.push({ size, result: ours })
      const what = `${size} ${family.what}, ${state === 'failed' ? 'a node lost' : state}`
      row(what, ours, theirs(state === 'running' ? '--simulate' : '--run'))
      if (state === 'failed') row(`${what}, simulated`, ours, theirs('--simulate'))
      rmSync(file)
    }
    noteGrowth(family, state, points)
  }
}

const lacking = generatorMissing()
if (lacking !== undefined) throw new Error(`There is nothing to measure: ${lacking}.`)
if (!existsSync(program)) throw new Error(`${program} does not exist: npm run build makes it.`)
const version = spawnSync(simulator, ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0]
console.log(whyNoPacemaker === undefined ? version : `Pacemaker is not measured: ${whyNoPacemaker}.`)
const folder = mkdtempSync(join(tmpdir(), 'systole-bench-'))
try {
  if (wanted?.includes('cases') ?? true) measureCases(folder)
  for (const family of families) if (wanted?.includes(family.key) ?? true) measureFamily(folder, family)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const head = ['cluster of 16 nodes', 'Systole CPU s', 'MB', 'Pacemaker CPU s', 'MB', 'ratio', 'verdict']
const printed = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
console.log(`\n${printed([head, head.map(() => '---'), ...table])}`)
console.log(
  printed([['growth exponent of Systole’s CPU time', 'in', 'from size to size'], ['---', '---', '---'], ...growth]),
)
if (whyNoPacemaker === undefined && isTimeOver())
  console.log(`After ${values.minutes} minutes Pacemaker was measured no more; --minutes N gives it longer.`)
console.log(
  above === 0 ? 'No row is above a fifth of Pacemaker’s time.' : `${above} rows are above a fifth of Pacemaker’s time.`,
)
process.exitCode = failed > 0 ? 1 : 0

/**
 * `npm run conformance`: the scheduler against Pacemaker's own cases in ../shared/pacemaker-scheduler. Writes docs/conformance.md and
 * test/conformance/baseline.json; with `--check` it writes neither, and fails where a case that passed at a level no longer does.
 * test/conformance/reasons.json says in a sentence why each case that differs does: one that is missing, or that is there for a case
 * that passes, is a failure too. test/conformance/changed-cases.json says what `npm run fuzz:scheduler` counted. `--summary FILE` leaves the count for `npm test`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const levels = ['transition', 'actions', 'status', 'exact', 'scores', 'graph'] as const
type Level = (typeof levels)[number]

interface CaseResult {
  readonly group: string
  readonly levels: Readonly<Record<string, boolean | null>>
  readonly error: string | null
}

type Results = Readonly<Record<string, CaseResult>>
/** The levels at which each case passes. */
type Baseline = Readonly<Record<string, readonly string[]>>

const project = resolve(import.meta.dirname, '..')
const suite = resolve(project, '../shared/pacemaker-scheduler')
const baselineFile = join(project, 'test/conformance/baseline.json')
const reasonsFile = join(project, 'test/conformance/reasons.json')
const changedFile = join(project, 'test/conformance/changed-cases.json')
const pageFile = join(project, 'docs/conformance.md')

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, summary: { type: 'string' } },
})

/** Nobody needs the cases to work on the project: without them, `--check` says so and is content. */
if (values.check && !existsSync(join(suite, 'compare.py'))) {
  console.log(
    "Pacemaker's own scheduler cases are not beside this checkout: they are not the project's to pass on. The project's cases of the same rules were run; nothing is missing here.",
  )
  if (values.summary !== undefined)
    writeFileSync(values.summary, JSON.stringify({ numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 0 }))
  process.exit(0)
}

function runSuite(): Results {
  if (!existsSync(join(suite, 'compare.py')))
    throw new Error(`Pacemaker's scheduler cases are missing: ${suite} does not exist.`)
  const folder = mkdtempSync(join(tmpdir(), 'systole-conformance-'))
  try {
    const out = join(folder, 'results.json')
    const program = ['node', join(project, 'dist/systole.cjs'), 'simulate']
    const run = spawnSync('python3', [join(suite, 'compare.py'), '--batch', '--json', out, '--', ...program], {
      stdio: 'inherit',
    })
    if (run.status !== 0) throw new Error(`compare.py ended with ${run.status}.`)
    return (JSON.parse(readFileSync(out, 'utf8')) as { readonly cases: Results }).cases
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function passedLevels(result: CaseResult): readonly Level[] {
  return levels.filter((level) => result.levels[level] === true)
}

function readBaseline(): Baseline {
  return existsSync(baselineFile) ? (JSON.parse(readFileSync(baselineFile, 'utf8')) as Baseline) : {}
}

/** Why a case differs, by its name. */
type Reasons = Readonly<Record<string, string>>

function readReasons(): Reasons {
  return JSON.parse(readFileSync(reasonsFile, 'utf8')) as Reasons
}

function differs(result: CaseResult | undefined): boolean {
  return result !== undefined && passedLevels(result).length < levels.length
}

/** Every case that differs has its reason, and no other has one. */
function reasonMistakes(results: Results, reasons: Reasons): readonly string[] {
  const missing = Object.keys(results).filter((name) => differs(results[name]) && !reasons[name])
  const stale = Object.keys(reasons).filter((name) => !differs(results[name]))
  return [
    ...missing.map((name) => `${name} differs, and test/conformance/reasons.json does not say why.`),
    ...stale.map((name) => `${name} passes by now: take its reason out (npm run conformance does).`),
  ]
}

/** `case: level, level` for each case that has become worse; a case that is gone has as well. */
function regressions(results: Results, baseline: Baseline): readonly string[] {
  return Object.entries(baseline).flatMap(([name, before]) => {
    const result = results[name]
    const lost = before.filter((level) => result?.levels[level] !== true)
    return lost.length === 0
      ? []
      : [`${name}: ${lost.join(', ')}${result?.error ? ` (${result.error.split('\n')[0]})` : ''}`]
  })
}

/** In per cent of all cases, as the project's goal for the scheduler says. */
const required: Readonly<Record<Level, number>> = {
  transition: 99,
  actions: 99,
  status: 99,
  exact: 97,
  scores: 95,
  graph: 95,
}

/** What was counted beside a `crm_simulate`, which this machine may not have: with its seeds, so that anyone can count again. */
interface ChangedCases {
  readonly date: string
  readonly reference: string
  readonly measured: readonly {
    readonly seeds: string
    readonly compared: number
    readonly differ: number
    readonly note: string
  }[]
}

function changedCases(): readonly string[] {
  const { date, reference, measured } = JSON.parse(readFileSync(changedFile, 'utf8')) as ChangedCases
  return [
    '## Changed cases',
    '',
    `\`npm run fuzz:scheduler\` beside ${reference} on ${date}: cases that agree as they are, changed at random and compared to the word at every level.`,
    '',
    '| seeds | compared | differ | share | |',
    '| --- | --- | --- | --- | --- |',
    ...measured.map(
      ({ seeds, compared, differ, note }) =>
        `| ${seeds} | ${compared} | ${differ} | ${((differ / compared) * 100).toFixed(1)} % | ${note} |`,
    ),
    '',
  ]
}

function page(results: Results, reasons: Reasons): string {
  const cases = Object.entries(results)
  const groups = [...new Set(cases.map(([, { group }]) => group))]
  const count = (own: readonly (readonly [string, CaseResult])[], level: Level): number =>
    own.filter(([, result]) => result.levels[level] === true).length
  const row = (title: string, own: readonly (readonly [string, CaseResult])[]): string =>
    `| ${title} | ${own.length} | ${levels.map((level) => count(own, level)).join(' | ')} |`
  const share = levels.map((level) => `${((count(cases, level) / cases.length) * 100).toFixed(1)} %`)
  const failing = cases.filter(([, result]) => passedLevels(result).length < levels.length)
  return [
    '# Conformance with Pacemaker’s scheduler',
    '',
    'Pacemaker 3.0.2’s own scheduler cases, each a CIB with what Pacemaker prints for it, compared by the suite’s own program. Made by',
    '`npm run conformance`; `npm test` fails when a case that passes here no longer does. The levels: the transition summary, the executed actions,',
    'the revised status, the whole summary text, the scores, and the graph as sets of actions and edges.',
    '',
    `| group | cases | ${levels.join(' | ')} |`,
    `| --- | --- | ${levels.map(() => '---').join(' | ')} |`,
    row('**all**', cases),
    `| share | | ${share.join(' | ')} |`,
    `| required | | ${levels.map((level) => `${required[level]} %`).join(' | ')} |`,
    ...groups.map((group) =>
      row(
        group,
        cases.filter(([, result]) => result.group === group),
      ),
    ),
    '',
    ...changedCases(),
    `## Cases that differ: ${failing.length}`,
    '',
    '| case | group | differs in | why |',
    '| --- | --- | --- | --- |',
    ...failing.map(
      ([name, result]) =>
        `| ${name} | ${result.group} | ${levels.filter((level) => result.levels[level] !== true).join(', ')} | ${reasons[name] ?? ''} |`,
    ),
    '',
  ].join('\n')
}

/** Those of cases that pass by now go. */
function writeReasons(results: Results, reasons: Reasons): void {
  const kept = Object.entries(reasons)
    .filter(([name]) => differs(results[name]))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(reasonsFile, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
}

const results = runSuite()
const worse = regressions(results, readBaseline())
for (const line of worse) console.error(`worse than recorded: ${line}`)
const reasons = readReasons()
if (!values.check) writeReasons(results, reasons)
const mistakes = reasonMistakes(results, values.check ? reasons : readReasons())
for (const line of mistakes) console.error(line)
if (values.check) {
  const total = Object.keys(results).length
  console.log(`${total - worse.length} of ${total} cases are at least as good as recorded.`)
} else {
  const baseline = Object.fromEntries(Object.entries(results).map(([name, result]) => [name, passedLevels(result)]))
  writeFileSync(baselineFile, `${JSON.stringify(baseline, null, 1)}\n`)
  writeFileSync(pageFile, page(results, reasons))
}
if (values.summary !== undefined) {
  const failed = worse.length + mistakes.length
  const counts = {
    numPassedTests: Object.keys(results).length - worse.length,
    numFailedTests: failed,
    numFailedTestSuites: 0,
  }
  writeFileSync(values.summary, JSON.stringify(counts))
}
process.exitCode = (values.check && worse.length > 0) || mistakes.length > 0 ? 1 : 0

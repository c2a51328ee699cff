/**
 * `npm run fuzz:tools -- --seeds N --seed S`: the commands of Pacemaker beside Pacemaker's own of 3.0 and 2.1.5, on calls and CIBs that a seed
 * draws from ../shared/pacemaker-scheduler. Prints what differs, how to repeat it, and a summary by tool. `--seeds 1 --seed S` repeats one.
 * `--file LINES` types lines of one's own at a shell instead, beside 2.1.5 and 3.0.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCases, suite } from '../test/fuzz/cases.ts'
import { type Aspect, aspects } from '../test/fuzz/tool-calls/compare.ts'
import { toolForms } from '../test/fuzz/tool-calls/forms.ts'
import { createToolFuzz, type ToolVerdict } from '../test/fuzz/tool-calls/fuzz.ts'
import { type ComparedLine, compareLines } from '../test/fuzz/tool-calls/lines.ts'
import { tallyLines } from '../test/fuzz/tool-calls/outcome.ts'
import type { Call } from '../test/fuzz/tool-calls/run.ts'
import { oneOf, readOptions, refuse, wholeNumber } from './arguments.ts'

const values = readOptions({
  seeds: { type: 'string', default: '500' },
  seed: { type: 'string', default: '1' },
  tool: { type: 'string' },
  cases: { type: 'string', default: '' },
  lines: { type: 'string', default: '6' },
  save: { type: 'string' },
  file: { type: 'string', multiple: true },
  record: { type: 'string' },
  originals: { type: 'string', default: '/var/cache/systole/pcs/tools:/usr/sbin' },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log(`npm run fuzz:tools -- [--seeds N] [--seed S]   how many, from which on; --seeds 1 --seed S repeats one
  --tool NAME      only one of ${Object.keys(toolForms).join(' ')}
  --cases TEXT     only cases whose name contains it
  --lines N        show more of what differs
  --save FOLDER    keep the files of the last call there, as the call finds them
  --file FILE      lines of one's own instead of drawn calls, on the files of test/tools/lines/files; may be given several times
  --record FILE    write how they ended, for 'npm run tools-coverage'
  --originals A:B  the folders whose programs those are held against, the first one's answer being shown; that of 'scripts/install.sh pcs', and Debian's`)
  process.exit(0)
}
const shown = wholeNumber('lines', values.lines)
if (values.file !== undefined) process.exit(await typeLines(values.file))
const [first, count] = [wholeNumber('seed', values.seed), wholeNumber('seeds', values.seeds)]
const tool = oneOf('tool', values.tool, Object.keys(toolForms))
const originals = values.originals.split(':').filter((path) => existsSync(join(path, 'crm_resource')))
const said = spawnSync(join(originals[0] ?? '', 'crm_resource'), ['--version'], { encoding: 'utf8' })
if (said.status !== 0 || !existsSync(suite)) {
  const missing =
    said.status === 0 ? `${suite} does not exist` : 'crm_resource cannot be run (Debian: pacemaker-cli-utils)'
  refuse(`Nothing was compared: ${missing}.`)
}
const cases = readCases(values.cases)
if (cases.length === 0) refuse(`No case has '${values.cases}' in its name.`)

process.env.TZ = 'UTC'
const totals = { same: 0, older: 0, stopped: 0, refused: 0, different: 0, meant: 0 }
const byTool = new Map<string, { same: number; meant: number; readonly aspects: Map<Aspect, number> }>()
const byForm = new Map<string, number[]>()
const byPurpose = new Map<string, number>()
const folder = mkdtempSync(join(tmpdir(), 'systole-fuzz-tools-'))
const fuzz = createToolFuzz({ cases, tool, folder, originals })
try {
  for (let seed = first; seed < first + count; seed++) tell(seed, await fuzz(seed))
} finally {
  process.chdir(tmpdir())
  rmSync(folder, { recursive: true, force: true })
}
summarize()
process.exitCode = totals.different > 0 ? 1 : 0

/** 0 where nothing differs. */
async function typeLines(files: readonly string[]): Promise<number> {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  const typed = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const compared = await compareLines(typed, values.originals.split(':'))
  if (values.record !== undefined) writeFileSync(values.record, `${JSON.stringify(tallyLines(compared), null, 1)}\n`)
  for (const one of compared) if (one.differences.length > 0) showLine(one)
  const worst = (ones: readonly ComparedLine[]): string =>
    aspects
      .map((aspect) => `${ones.filter(({ differences }) => differences[0]?.aspect === aspect).length} other ${aspect}`)
      .join(', ')
  const count = (ones: readonly ComparedLine[]): string =>
    `${ones.length} lines, ${ones.filter(({ differences }) => differences.length === 0).length} same, ${worst(ones)}`
  for (const tool of [...new Set(compared.map((one) => one.tool))].sort())
    console.log(`${tool}: ${count(compared.filter((one) => one.tool === tool))}`)
  console.log(`All beside ${values.originals.split(':')[0]}: ${count(compared)}.`)
  return compared.every(({ differences }) => differences.length === 0) ? 0 : 1
}

function showLine({ line, differences, isAsAnother }: ComparedLine): void {
  console.log(`$ ${line}${isAsAnother ? '   (as another original)' : ''}`)
  showDifferences(differences)
}

function tell(seed: number, verdict: ToolVerdict): void {
  const { tool } = verdict.call
  const counts = byTool.get(tool) ?? { same: 0, meant: 0, aspects: new Map<Aspect, number>() }
  byTool.set(tool, counts)
  if (verdict.kind === 'same' || verdict.kind === 'older') counts.same++
  else if (verdict.purpose !== undefined) {
    counts.meant++
    byPurpose.set(verdict.purpose, (byPurpose.get(verdict.purpose) ?? 0) + 1)
  } else if (verdict.kind !== 'refused') {
    const worst = verdict.differences[0]?.aspect
    if (worst !== undefined) counts.aspects.set(worst, (counts.aspects.get(worst) ?? 0) + 1)
    const form = `${tool} ${optionsOf(verdict.call)}: ${worst ?? 'its program did not end'}`
    byForm.set(form, [...(byForm.get(form) ?? []), seed])
    show(seed, verdict)
  }
  totals[verdict.purpose === undefined ? verdict.kind : 'meant']++
  if (values.save === undefined) return
  mkdirSync(values.save, { recursive: true })
  for (const [name, text] of Object.entries(verdict.files)) writeFileSync(join(values.save, name), text)
}

function show(seed: number, { call, changes, differences, ...verdict }: ToolVerdict): void {
  console.log(`seed ${seed}, ${[verdict.case, ...changes].join('; ')}`)
  console.log(`  ${asTyped(call).slice(0, 400)}`)
  showDifferences(differences)
}

function showDifferences(differences: ToolVerdict['differences']): void {
  for (const { aspect, onlyTheirs, onlyOurs } of differences) {
    console.log(`    ${aspect}`)
    for (const line of onlyTheirs.slice(0, shown)) console.log(`      theirs: ${line.slice(0, 300)}`)
    for (const line of onlyOurs.slice(0, shown)) console.log(`      ours:   ${line.slice(0, 300)}`)
  }
}

function asTyped({ tool, environment, words, input }: Call): string {
  const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
  const before = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)}`)
  return [...before, tool, ...words.map(quoted), ...(input === undefined ? [] : ['<', input])].join(' ')
}

function optionsOf({ words }: Call): string {
  return words.flatMap((word) => word.match(/^--?[A-Za-z][\w-]*/) ?? []).join(' ')
}

function summarize(): void {
  for (const [form, seeds] of [...byForm].sort((a, b) => b[1].length - a[1].length))
    console.log(`${String(seeds.length).padStart(4)}  ${form}: seeds ${seeds.slice(0, 8).join(' ')}`)
  for (const [purpose, times] of byPurpose) console.log(`${String(times).padStart(4)}  on purpose: ${purpose}`)
  for (const [tool, counts] of [...byTool].sort()) {
    const worst = aspects.map((aspect) => `${counts.aspects.get(aspect) ?? 0} ${aspect}`)
    console.log(
      `${tool}: ${counts.same} alike, ${counts.meant} other on purpose; gravest difference ${worst.join(', ')}`,
    )
  }
  console.log(
    `${count} calls beside ${said.stdout.split('\n')[0]}: ${totals.same} alike, ${totals.older} as another original, ${totals.different} different, ` +
      `${totals.meant} different on purpose; ${totals.stopped} crashed or did not end on the other side, which refused ${totals.refused} CIBs.`,
  )
}

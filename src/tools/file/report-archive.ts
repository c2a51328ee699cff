/** crm_report's archive: texts, the daemon's log, and the reports of other nodes, each in a folder of its name. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { type NodeReport, noLog } from '../report-analysis.ts'
import type { ArchivedReport, LogExcerpt, OtherNodes, Report } from '../tool.ts'
import { told } from './caller-file-error.ts'
import { coresText, systemText } from './host-facts.ts'
import { linesOf, writeLines } from './text-lines.ts'

type Environment = Readonly<Record<string, string | undefined>>

const remoteTimeoutMs = 300_000
const longestReport = 512 * 1024 * 1024

export function archive(report: Report, environment: Environment): ArchivedReport {
  const { dest, asFolder, node, texts, log, others } = report
  const base = mkdtempSync(join(tmpdir(), 'crm-report-'))
  try {
    const name = basename(dest)
    const folder = join(base, name)
    mkdirSync(folder, { mode: 0o700 })
    writeTexts(folder, {
      ...texts,
      'cores.txt': coresText(environment.SYSTOLE_ROOT ?? '/', log.from),
      'sysinfo.txt': systemText(),
    })
    for (const file of log.files)
      told(file, 'read', () => writeLines(join(folder, basename(file)), masked(linesOf(inputPath(file)), log)))
    const printedLines = join(base, 'printed')
    writeLines(join(folder, 'config-history.txt'), masked(historyLines(printedLines), log))
    writeLines(join(folder, 'systoled.log'), masked(logLines(environment, log, printedLines), log))
    rmSync(printedLines)
    const own = readReport(node, folder)
    const missing = others.names.flatMap((other) => collect(other, others, folder))
    const there = others.names.filter((other) => existsSync(join(folder, other)))
    const reports = [own, ...there.map((other) => readReport(other, join(folder, other)))]
    const failed = analyse(report, reports, folder)
    const target = resolve(asFolder ? dest : `${dest}.tar.gz`)
    if (asFolder) move(folder, target)
    else pack({ base, name, target })
    return { path: target, missing: [...missing, ...failed] }
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

function writeTexts(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text, { mode: 0o600 })
}

/** As `crm_report -l -` means standard input. */
const inputPath = (file: string): string => (file === '-' ? '/dev/stdin' : file)

function readReport(node: string, folder: string): NodeReport {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return {
    node,
    files: files.map(({ name }) => name),
    text: (file) => readFileSync(join(folder, file), 'utf8'),
    lines: (file) => linesOf(join(folder, file)),
  }
}

/** What was collected is worth having without it: a sentence where it fails. */
function analyse({ analysis, events }: Report, reports: readonly NodeReport[], folder: string): readonly string[] {
  try {
    writeTexts(folder, { 'analysis.txt': analysis(reports) })
    const said = join(folder, 'events.txt')
    writeLines(said, events(reports))
    inOrder(said, dirname(folder))
    return []
  } catch (error) {
    return [`what was collected could not be analysed: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** Sorts the lines by their first word, with files in a folder instead of memory. */
function inOrder(path: string, folder: string): void {
  const words = ['--stable', '--key=1,1', '--buffer-size=64M', `--temporary-directory=${folder}`, `--output=${path}`]
  run('env', ['LC_ALL=C', 'sort', ...words, path], 'the events could not be sorted')
}

/** As mv does it, also to another file system. */
function move(folder: string, target: string): void {
  run('mv', ['-T', folder, target], `the folder ${target} could not be made`)
}

function run(program: string, words: readonly string[], trouble: string): void {
  const made = spawnSync(program, words, { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`${trouble}: ${made.stderr || String(made.error)}`)
}

/** The node makes a report of its own and prints it; a sentence where it does not. */
function collect(node: string, { shell, user, arguments: words }: OtherNodes, folder: string): readonly string[] {
  const there = [
    'd=$(mktemp -d)',
    `crm_report ${words.map(quoted).join(' ')} --dest "$d/report" >/dev/null && cat "$d/report.tar.gz"`,
    'e=$?; rm -rf "$d"; exit $e',
  ].join('; ')
  const asked = spawnSync('sh', ['-c', `${shell} -l ${quoted(user)} ${quoted(node)} ${quoted(there)}`], {
    timeout: remoteTimeoutMs,
    maxBuffer: longestReport,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (asked.status !== 0 || asked.stdout.length === 0) {
    const why = asked.stderr.toString('utf8').trim() || asked.error?.message || `exit code ${asked.status}`
    return [`${node} gave no report by '${shell}': ${why}`]
  }
  const own = join(folder, node)
  mkdirSync(own, { mode: 0o700 })
  const unpacked = spawnSync('tar', ['-xzf', '-', '-C', own, '--strip-components=1'], { input: asked.stdout })
  return unpacked.status === 0
    ? []
    : [`${node} gave a report that cannot be unpacked: ${unpacked.stderr.toString('utf8')}`]
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** From the journal, where there is one; from the log file of a daemon below SYSTOLE_ROOT otherwise. */
function logLines(environment: Environment, { from, to }: LogExcerpt, into: string): Iterable<string> {
  const range = [...(from === undefined ? [] : [`--since=@${from}`]), ...(to === undefined ? [] : [`--until=@${to}`])]
  const trouble = printInto(into, 'journalctl', ['--no-pager', '--unit=systoled', ...range])
  if (trouble === undefined) return linesOf(into)
  const file = join(environment.SYSTOLE_ROOT ?? '/', 'var/log/systole/systoled.log')
  // A report without a log says so: it is still worth something.
  return existsSync(file)
    ? linesOf(file)
    : [`${noLog}: journalctl --unit=systoled gave none (${trouble}), and there is no ${file}.`]
}

/** Every change of the configuration: who made it, when and by which command. */
function historyLines(into: string): Iterable<string> {
  const [program = 'node', script = ''] = process.argv
  const trouble = printInto(into, program, [join(dirname(script), 'systole.cjs'), 'config', 'history'])
  return trouble === undefined ? linesOf(into) : [`The cluster did not report its history: ${trouble}`]
}

function* masked(lines: Iterable<string>, { mask }: LogExcerpt): Generator<string> {
  for (const line of lines) yield mask(line)
}

/** Its owner's alone, as the logs in it are: whatever stood there under that name before. */
function pack({ base, name, target }: { readonly base: string; readonly name: string; readonly target: string }): void {
  const packed = join(base, 'packed')
  const trouble = `the archive ${target} could not be made`
  run('tar', ['-czf', packed, '-C', base, name], trouble)
  chmodSync(packed, 0o600)
  run('mv', ['-T', packed, target], trouble)
}

/** However much the program prints; answers what kept it from that. */
function printInto(path: string, program: string, words: readonly string[]): string | undefined {
  const file = openSync(path, 'w', 0o600)
  try {
    const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8', stdio: ['ignore', file, 'pipe'] })
    return status === 0 ? undefined : stderr?.trim() || (error?.message ?? `exit code ${status}`)
  } finally {
    closeSync(file)
  }
}

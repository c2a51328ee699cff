/**
 * What stands out in the reports of several nodes: on what they disagree, which processes left a core, and which lines of their logs tell
 * of trouble (`analysis.txt`); and what their daemons have said (`events.txt`). A log is never held as a whole: it may be longer than a string
 * can be.
 */
import type { Pattern } from '../base/index.ts'
import { childElement, describeChanges, diffConfiguration, parseXml, type XmlElement } from '../cib/index.ts'

/** The files of one node's report. */
export interface NodeReport {
  readonly node: string
  /** Their names. */
  readonly files: readonly string[]
  /** Of one of them. */
  readonly text: (file: string) => string
  readonly lines: (file: string) => Iterable<string>
}

export function analysis(reports: readonly NodeReport[], patterns: readonly Pick<Pattern, 'test'>[]): string {
  const comparisons = Object.entries(compared).flatMap(([file, differences]) => [
    `Differences of ${file}:`,
    ...orNone(differencesOf(reports, file, differences)),
    '',
  ])
  const findings = reports.flatMap((report) => [
    `Cores on ${report.node}:`,
    ...orNone(lines(textOf(report, 'cores.txt'))),
    '',
    `Lines of trouble in the logs of ${report.node}:`,
    ...orNone(troubles(report, patterns)),
    '',
  ])
  const verdict = [...new Set(reports.flatMap((report) => lines(textOf(report, 'crm_verify.txt'))))]
  return [...comparisons, 'Mistakes in the configuration:', ...orNone(verdict), '', ...findings].join('\n')
}

type Differences = (first: string, other: string) => readonly string[]

const compared: Readonly<Record<string, Differences>> = {
  'members.txt': lineDifferences,
  'cib.xml': configurationDifferences,
  'crm_mon.txt': (first, other) => lineDifferences(withoutMoment(first), withoutMoment(other)),
  'sysinfo.txt': lineDifferences,
}

/** Each node is compared with the first. */
function differencesOf(reports: readonly NodeReport[], file: string, differences: Differences): readonly string[] {
  const [first, ...others] = reports
  const text = first && textOf(first, file)
  return others.flatMap((report) => {
    const { node } = report
    const other = textOf(report, file)
    if (text === undefined || other === undefined) return [`${text === undefined ? first?.node : node} has no ${file}`]
    const found = differences(text, other)
    return found.length === 0 ? [] : [`${node}, compared with ${first?.node}:`, ...found.map((line) => `  ${line}`)]
  })
}

const textOf = ({ files, text }: NodeReport, file: string): string | undefined =>
  files.includes(file) ? text(file) : undefined

/** `- ` is in the first text alone, `+ ` in the other. */
function lineDifferences(first: string, other: string): readonly string[] {
  const [mine, theirs] = [lines(first), lines(other)]
  return [...missing(mine, theirs).map((line) => `- ${line}`), ...missing(theirs, mine).map((line) => `+ ${line}`)]
}

function missing(from: readonly string[], among: readonly string[]): readonly string[] {
  const there = new Set(among)
  return from.filter((line) => !there.has(line))
}

const withoutMoment = (text: string): string => text.replace(/^.*Last updated: .*$/m, '')

function configurationDifferences(first: string, other: string): readonly string[] {
  const [mine, theirs] = [readConfiguration(first), readConfiguration(other)]
  if (mine === undefined || theirs === undefined) return ['one of them cannot be read']
  return lines(describeChanges(diffConfiguration(mine, theirs)))
}

function readConfiguration(text: string): XmlElement | undefined {
  const parsed = parseXml(text)
  return parsed.ok && childElement(parsed.value, 'configuration') !== undefined ? parsed.value : undefined
}

/** More of them are in the log itself. */
const toldLines = 200

function troubles(report: NodeReport, patterns: readonly Pick<Pattern, 'test'>[]): readonly string[] {
  const told: string[] = []
  let more = 0
  for (const file of report.files.filter((name) => !/\.(?:xml|txt)$/.test(name)))
    for (const line of report.lines(file)) {
      if (!isTrouble(line, patterns)) continue
      if (told.length < toldLines) told.push(`${file}: ${line}`)
      else more += 1
    }
  return more > 0 ? [...told, `… and ${more} more`] : told
}

/** How the one line begins that stands for a log that is missing. */
export const noLog = 'No log was found'

function isTrouble(line: string, patterns: readonly Pick<Pattern, 'test'>[]): boolean {
  const { level } = entryOf(line) ?? {}
  return (
    level === 'error' || level === 'fatal' || line.startsWith(noLog) || patterns.some((pattern) => pattern.test(line))
  )
}

interface LogEntry {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The daemon's line, also behind what the journal writes before it. */
function entryOf(line: string): LogEntry | undefined {
  const at = line.indexOf('{')
  if (at === -1) return undefined
  let value: unknown
  try {
    value = JSON.parse(line.slice(at))
  } catch {
    // Another program's line.
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { time, level, msg, node: _, ...fields } = value as Readonly<Record<string, unknown>>
  return typeof time === 'string' && typeof level === 'string' && typeof msg === 'string'
    ? { time, level, message: msg, fields }
    : undefined
}

/** What the daemons of all nodes have said, one node after the other; each line begins with its time. */
export function* events(reports: readonly NodeReport[]): Generator<string> {
  const widest = Math.max(0, ...reports.map(({ node }) => node.length))
  for (const { node, files, lines: linesOf } of reports)
    for (const line of files.includes('systoled.log') ? linesOf('systoled.log') : []) {
      const entry = entryOf(line)
      if (entry === undefined) continue
      const { time, level, message, fields } = entry
      const details = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
      yield `${time} ${node.padEnd(widest)} ${level.padEnd(5)} ${message.replaceAll('\n', '\\n')}${details.join('')}`
    }
}

function lines(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line.trim() !== '')
}

const orNone = (found: readonly string[]): readonly string[] =>
  found.length === 0 ? ['  none'] : found.map((line) => `  ${line}`)

/**
 * crm_report: what somebody else needs to understand this cluster, as one archive (crm_report(8)): the CIB, the status, the history of the
 * configuration, every node's log of the asked time, and an analysis of what stands out. Secrets are replaced by stars.
 */
import { failed, ok, type Pattern, patternOrNothing, type Result, readPattern } from '../../base/index.ts'
import {
  type IsSecret,
  printXml,
  secretNames,
  secretValues,
  textWithoutSecrets,
  withoutSecrets,
  type XmlElement,
} from '../../cib/index.ts'
import { judged } from '../cib/crm-verify.ts'
import { exitCodes } from '../exit-codes.ts'
import { monitorFacts } from '../monitor/facts.ts'
import { shownSections } from '../monitor/sections.ts'
import { monitorText, printText } from '../monitor/text.ts'
import { isoTime } from '../monitor/times.ts'
import {
  always,
  flag,
  type GivenOption,
  hasOption,
  notDone,
  optionValue,
  plainWords,
  valued,
  valueNotDone,
} from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { analysis, events } from '../report-analysis.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import { featureSet, pacemakerVersion } from '../version.ts'
import type { ToolWorld } from '../world.ts'

export const crmReport: Tool = {
  name: 'crm_report',
  summary: 'Collect logs, configuration and status for troubleshooting',
  options: [
    valued('from,f', 'TIME', 'From this moment on (YYYY-M-D H:M:S)'),
    valued('to,t', 'TIME', 'Up to this moment'),
    valued('dest', 'FOLDER', 'Where to put the archive, without its ending'),
    valued('sanitize,p', 'PATTERN', 'Also replace the values of names that match'),
    flag('single-node,S', 'This node alone; otherwise the others are asked for their logs by ssh'),
    flag('as-directory,d', 'Leave a folder instead of an archive'),
    { ...valued('logfile,l', 'FILE', 'Also this log file'), file: 'read' },
    valueNotDone('cluster,c', 'TYPE', 'there is one type'),
    notDone('corosync,C', 'there is one type'),
    valueNotDone('max-depth,D', 'NUMBER', 'nothing is searched for'),
    valued('rsh,e', 'COMMAND', 'The program that runs commands on other nodes (default: ssh -T)'),
    valueNotDone('cts,T', 'TEST', 'there are no such tests'),
    valueNotDone('cts-log', 'FILE', 'there are no such tests'),
    valued(
      'L',
      'PATTERN',
      'Also include log lines that match this regular expression in the analysis; may be given several times',
    ),
    notDone('sos-mode', 'a report is the same for everybody'),
    always('no-search,M', 'no log files are searched for'),
    valued('user,u', 'USER', 'Who logs in there, by default root'),
    valued('nodes,n', 'NODES', 'These nodes instead of those of the cluster; may be given several times'),
    { names: ['version', 'v', '$'], value: 'none', help: 'Show the version' },
    flag('features', 'Show the version and the feature set'),
  ],
  runsHere: true,
  needsNoCib: (given) => hasOption(given, 'features'),
  run: async (call, world) => await run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given, files } = call
  if (hasOption(given, 'features'))
    return printed(`Systole, which speaks for Pacemaker ${pacemakerVersion} (feature set ${featureSet})\n`)
  if (files?.archive === undefined) return refused(exitCodes.unimplemented, 'crm_report: files cannot be written here.')
  const [from, to] = [moment(given, 'from'), moment(given, 'to')]
  if (typeof from === 'string' || typeof to === 'string')
    return refused(exitCodes.usage, `crm_report: '${from}' is not a date and time such as '2026-11-21 10:00:00'.`)
  const dest = optionValue(given, 'dest') ?? plainWords(given)[0] ?? `pcmk-${isoTime(world.now()).slice(0, 10)}`
  const isSecret = secretHere(world.cib(), optionValue(given, 'sanitize'))
  const values = secretValues(world.cib(), isSecret)
  const mask = (text: string): string => textWithoutSecrets(text, isSecret, values)
  const patterns = troublePatterns(given)
  if (!patterns.ok) return refused(exitCodes.usage, patterns.reports.join('\n'))
  const texts = {
    'cib.xml': mask(printXml(withoutSecrets(world.cib(), isSecret))),
    'crm_mon.txt': mask(await status(given, world)),
    'crm_verify.txt': mask(verdict(world.cib(), world)),
    'description.txt': description(world, { from, to }),
    'members.txt': members(world),
  }
  const { path, missing } = files.archive({
    dest,
    node: world.localNode,
    analysis: (reports) => analysis(reports, patterns.value),
    events,
    asFolder: hasOption(given, 'as-directory'),
    texts,
    log: {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      files: all(given, 'logfile'),
      mask,
    },
    others: {
      names: hasOption(given, 'single-node') ? [] : otherNodes(given, world),
      shell: optionValue(given, 'rsh') ?? 'ssh -T -o BatchMode=yes -o ConnectTimeout=10',
      user: optionValue(given, 'user') ?? 'root',
      arguments: ['--single-node', ...['from', 'to', 'sanitize'].flatMap((name) => wordsOf(given, name))],
    },
  })
  const reply = printed(hasOption(given, 'quiet') ? '' : `Collected results are available in ${path}\n`)
  // What is there is worth having; who is missing is told.
  return { ...reply, errors: missing.map((sentence) => `crm_report: ${sentence}\n`).join('') }
}

/** Debian's program looks for the first two by itself. */
function troublePatterns(given: readonly GivenOption[]): Result<readonly Pattern[], string> {
  const read = ['CRIT:', 'ERROR:', ...all(given, 'L')].map((text) => ({ text, pattern: readPattern(text) }))
  const wrong = read.flatMap(({ text, pattern }) =>
    pattern.ok ? [] : [`crm_report: '${text}' (-L) is not a regular expression: ${pattern.reports.join(', ')}.`],
  )
  return wrong.length > 0 ? failed(...wrong) : ok(read.flatMap(({ pattern }) => (pattern.ok ? [pattern.value] : [])))
}

/** As crm_verify tells it. */
function verdict(cib: XmlElement, world: ToolWorld): string {
  const { errors, warnings, remarks } = judged(cib, world)
  return [...errors, ...warnings, ...remarks].map((line) => `${line}\n`).join('')
}

/** The nodes as this one knows them. */
function members(world: ToolWorld): string {
  const nodes = world.nodes().map(({ id, name, state }) => `${id} ${name} ${state}\n`)
  return [...nodes.toSorted(), `quorum: ${world.quorate ? 'yes' : 'no'}\n`, `DC: ${world.dc()?.name ?? 'none'}\n`].join(
    '',
  )
}

function all(given: readonly GivenOption[], name: string): readonly string[] {
  return given.flatMap((option) => (option.name === name && option.value !== undefined ? [option.value] : []))
}

function wordsOf(given: readonly GivenOption[], name: string): readonly string[] {
  const value = optionValue(given, name)
  return value === undefined ? [] : [`--${name}=${value}`]
}

function otherNodes(given: readonly GivenOption[], world: ToolWorld): readonly string[] {
  const named = all(given, 'nodes').flatMap((text) => text.split(/[\s,]+/).filter((word) => word !== ''))
  const nodes = named.length > 0 ? named : world.nodes().map(({ name }) => String(name))
  return nodes.filter((name) => name !== world.localNode)
}

function moment(given: readonly GivenOption[], name: string): number | string | undefined {
  const text = optionValue(given, name)
  if (text === undefined) return undefined
  const ms = Date.parse(text.replace(/^(\d+-\d+-\d+) /, '$1T'))
  return Number.isNaN(ms) ? text : Math.floor(ms / 1000)
}

/** Beside what is secret in this cluster: as Pacemaker's `-p passw.*`. */
function secretHere(cib: XmlElement, more: string | undefined): IsSecret {
  const known = secretNames(cib)
  const pattern = more === undefined ? undefined : patternOrNothing(more)
  return (name) => known(name) || (pattern?.test(name) ?? false)
}

async function status(given: readonly GivenOption[], world: ToolWorld): Promise<string> {
  const shown = shownSections(
    [...given.filter(() => false), { name: 'inactive' }, { name: 'operations' }, { name: 'timing-details' }],
    'text',
  )
  return typeof shown === 'string' ? shown : printText(monitorText(await monitorFacts(world), shown))
}

function description(
  world: ToolWorld,
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
): string {
  return [
    `Node: ${world.localNode}`,
    `Collected: ${isoTime(world.now())}`,
    `From: ${from === undefined ? 'the beginning' : isoTime(from)}`,
    `To: ${to === undefined ? 'the end' : isoTime(to)}`,
    `Systole, which speaks for Pacemaker ${pacemakerVersion} (feature set ${featureSet})`,
    '',
  ].join('\n')
}

/** crm_mon: the status of the cluster, once or again and again, in four formats (crm_mon(8)). */
import { parseDurationMs } from '../../base/index.ts'
import { element, printXml, type XmlElement } from '../../cib/index.ts'
import { describeExit, exitCodes } from '../exit-codes.ts'
import { always, flag, type GivenOption, hasOption, notDone, type OptionSpec, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { type ParsedCall, statusPage, type Tool } from '../tool.ts'
import { apiVersion, pacemakerVersion } from '../version.ts'
import type { ToolWorld } from '../world.ts'
import { countedPrimitives, type MonitorFacts, monitorFacts } from './facts.ts'
import { pageFlags, pageOptions, printHtml, withHeaders } from './html.ts'
import { jsonOf } from './json.ts'
import { pageSections } from './page.ts'
import { type Shown, shownSections } from './sections.ts'
import { monitorText, printText } from './text.ts'
import { monitorElements } from './xml.ts'

const optional = (option: OptionSpec): OptionSpec => ({ ...option, value: 'optional' })

const options: readonly OptionSpec[] = [
  flag('one-shot,1', 'Show the status once'),
  valued('interval,i', 'TIME', 'How often to update the output'),
  flag('daemonize,d', 'Go on in the background (with --output-to, --as-html or --external-agent)'),
  valued(
    'external-agent,E',
    'FILE',
    'A program to run for every operation that a node records, with CRM_notify_… in its environment',
  ),
  valued('external-recipient,e', 'WHO', 'The recipient passed to the program as CRM_notify_recipient'),
  { ...valued('pid-file,p', 'FILE', 'Where to keep the process id of what runs in the background'), file: 'written' },
  valued('output-as', 'FORMAT', 'text, xml, json or html; console is text, none prints nothing'),
  { ...valued('output-to', 'FILE', 'Write it to a file'), file: 'written' },
  { ...valued('as-html,h', 'FILE', 'Write it to a file as HTML'), file: 'written' },
  flag('as-xml,X', 'Show it once as XML, in the old form'),
  flag('web-cgi,w', 'HTML with the headers of a CGI program'),
  ...pageFlags,
  { ...valued('xml-file,x', 'FILE', 'Of the CIB in a file'), file: 'read' },
  flag('simple-status,s', 'One line, for Nagios'),
  flag('inactive,r', 'Also what is not active'),
  flag('group-by-node,n', 'Resources below their nodes'),
  flag('show-node-attributes,A', 'Also node attributes'),
  flag('failcounts,f', 'Also fail counts'),
  flag('operations,o', 'Also the operations that nodes have recorded'),
  flag('timing-details,t', 'Also those operations, with their times'),
  flag('tickets,c', 'Also tickets'),
  optional(valued('neg-locations,L', 'PREFIX', 'Also constraints that keep resources off nodes')),
  optional(valued('fence-history,m', 'LEVEL', '0 leaves fencing out')),
  flag('hide-headers,D', 'Without the summary'),
  valued('include,I', 'SECTIONS', 'Also these sections: all, none, default, summary or names'),
  valued('exclude,U', 'SECTIONS', 'Without these sections'),
  valued('node', 'NODE', 'Only this node'),
  valued('resource', 'RESOURCE', 'Only this resource'),
  flag('old-agent-names', 'Names of agents as before Pacemaker 2.1: ocf::heartbeat:IPaddr2 (also with PCS_COMPAT=0.9)'),
  flag('show-detail,R', 'More of everything: ids and versions of nodes, each instance of a clone'),
  flag('show-description', 'Show the descriptions of resources after their states (in text and HTML)'),
  flag('brief,b', 'How many resources are active, by agent and node, instead of each'),
  always('pending,j', 'operations that are under way are shown'),
  always('disable-ncurses,N', 'there are no windows'),
  always('no-curses', 'there are no windows'),
  flag('watch-fencing,W', 'With --external-agent: run it for every node that is fenced, too'),
  flag('quiet,Q', 'Without the times'),
  notDone('text-fancy', 'there is one form of text'),
]

export const crmMon: Tool = {
  name: 'crm_mon',
  summary: 'Show the status of the cluster',
  options,
  needsTerminal: isLive,
  run: async (call, world) => await run(call, world),
}

/** Shown again and again: neither once nor as XML, which is always once. */
export function isLive(given: readonly GivenOption[]): boolean {
  const once = ['one-shot', 'as-xml', 'simple-status', 'web-cgi', 'html-cgi'].some((name) => hasOption(given, name))
  const format = optionValue(given, 'output-as')
  const inBackground = hasOption(given, 'daemonize')
  return inBackground || (!once && format !== 'xml' && format !== 'json' && !givesPage(given))
}

/** A page without an interval is written once. */
function givesPage(given: readonly GivenOption[]): boolean {
  return optionValue(given, 'output-as') === 'html' && !hasOption(given, 'interval')
}

type Format = 'text' | 'xml' | 'old-xml' | 'json' | 'html'

function formatOf(given: readonly GivenOption[]): Format | undefined {
  if (hasOption(given, 'as-xml')) return 'old-xml'
  if (hasOption(given, 'as-html') || hasOption(given, 'web-cgi')) return 'html'
  const named = optionValue(given, 'output-as') ?? 'text'
  if (named === 'console' || named === 'none') return 'text'
  return named === 'text' || named === 'xml' || named === 'json' || named === 'html' ? named : undefined
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  const format = formatOf(given)
  if (format === undefined)
    return refused(
      exitCodes.error,
      `crm_mon: Error creating output format ${optionValue(given, 'output-as')}: Unknown output format`,
    )
  const wrong = wrongNumber(given)
  if (wrong !== undefined) return refused(exitCodes.usage, wrong)
  const shown = shownSections(given, format === 'text' || format === 'html' ? 'text' : 'xml')
  if (typeof shown === 'string') return format === 'xml' ? refusedInXml(call, shown) : refused(exitCodes.usage, shown)
  const facts = await monitorFacts(world)
  if (hasOption(given, 'simple-status')) return simpleStatus(facts)
  const output = formed(call, { format, facts, shown })
  if (optionValue(given, 'output-as') === 'none') return printed('')
  const names = hasOption(given, 'old-agent-names') ? output.replaceAll(/\bocf:(?=[\w-]+:[\w-])/g, 'ocf::') : output
  const page = optionValue(given, 'as-html')
  if (page === undefined || call.files === undefined) return printed(names)
  call.files.write(page, names, statusPage)
  return printed('')
}

function refusedInXml(call: ParsedCall, sentence: string): ToolReply {
  const error = element('error', {}, [{ kind: 'text', text: sentence }])
  const status = { code: String(exitCodes.usage), message: describeExit(exitCodes.usage) }
  const said = element('status', status, [element('errors', {}, [error])])
  return { exitCode: exitCodes.usage, output: printXml(resultOf(call, [said])), errors: '' }
}

const resultOf = ({ tool, arguments: words }: ParsedCall, children: readonly XmlElement[]): XmlElement =>
  element('pacemaker-result', { 'api-version': apiVersion, request: [tool, ...words].join(' ') }, children)

function wrongNumber(given: readonly GivenOption[]): string | undefined {
  const level = optionValue(given, 'fence-history')
  if (level !== undefined && /^\d+$/.test(level) && Number(level) > 3) return 'crm_mon: Fence history must be 0-3'
  const interval = optionValue(given, 'interval')
  const isTime = interval === undefined || /^\d+$/.test(interval) || parseDurationMs(interval) !== undefined
  return isTime ? undefined : `crm_mon: Invalid value for -i: ${interval}`
}

function formed(
  call: ParsedCall,
  { format, facts, shown }: { readonly format: Format; readonly facts: MonitorFacts; readonly shown: Shown },
): string {
  const status = element('status', { code: '0', message: 'OK' })
  switch (format) {
    case 'xml':
      return printXml(resultOf(call, [...monitorElements(facts, shown), status]))
    case 'old-xml':
      return printXml(element('crm_mon', { version: pacemakerVersion }, monitorElements(facts, shown)))
    case 'json': {
      const result = resultOf(call, [...monitorElements(facts, shown), status])
      return `${JSON.stringify(jsonOf(result), null, 2)}\n`
    }
    case 'html':
      return pageOf(call, pageSections(facts, shown))
    case 'text':
      return printText(monitorText(facts, shown))
  }
}

/** Seconds after which a page in a file loads itself again, where nobody says more. */
const refreshSeconds = '5'

function pageOf({ given }: ParsedCall, sections: ReturnType<typeof pageSections>): string {
  const isInFile = ['output-to', 'as-html', 'daemonize'].some((name) => hasOption(given, name))
  const interval = optionValue(given, 'interval') ?? (isInFile ? refreshSeconds : undefined)
  const page = printHtml(sections, {
    ...pageOptions(given),
    ...(interval === undefined ? {} : { refresh: Number.parseInt(interval, 10) }),
  })
  return withHeaders(given, page)
}

/** `CLUSTER OK: 3 nodes online, 9 resource instances configured`; 1 with a warning. */
function simpleStatus({ status }: MonitorFacts): ToolReply {
  const offline = status.nodes.filter((node) => !node.online).map(({ name }) => `offline node: ${name}`)
  const hasDc = status.nodes.some(({ isDc }) => isDc)
  const troubles = hasDc ? offline : ['No DC']
  if (troubles.length > 0)
    return { exitCode: exitCodes.error, output: `CLUSTER WARN: ${troubles.join(' ')}\n`, errors: '' }
  const { length } = countedPrimitives(status)
  return printed(`CLUSTER OK: ${status.nodes.length} nodes online, ${length} resource instances configured\n`)
}

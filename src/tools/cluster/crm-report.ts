/**
 * crm_report: what somebody else needs to understand this node's cluster, as one archive (crm_report(8)): the CIB, the status, what
 * the scheduler would do, and the daemon's log of the asked time. Secrets are replaced by stars.
 */
import { childElements, printXml, type XmlElement } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { monitorFacts } from '../monitor/facts.ts'
import { shownSections } from '../monitor/sections.ts'
import { monitorText, printText } from '../monitor/text.ts'
import { isoTime } from '../monitor/times.ts'
import { flag, type GivenOption, hasOption, optionValue, plainWords, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import { featureSet, pacemakerVersion } from '../version.ts'
import type { ToolWorld } from '../world.ts'

export const crmReport: Tool = {
  name: 'crm_report',
  summary: 'Collect what somebody else needs to understand a problem of the cluster',
  options: [
    valued('from,f', 'TIME', 'From this moment on (YYYY-M-D H:M:S)'),
    valued('to,t', 'TIME', 'Up to this moment'),
    valued('dest', 'FOLDER', 'Where to put the archive, without its ending'),
    valued('sanitize,p', 'PATTERN', 'Also replace the values of names that match'),
    flag('single-node,S', 'This node alone, which it is anyway: logs of others are collected there'),
    { ...flag('sos-mode', 'Nothing'), ignored: true },
    { ...flag('no-search,M', 'Nothing'), ignored: true },
    { ...valued('user,u', 'USER', 'Nothing: nobody logs in elsewhere'), ignored: true },
    { ...valued('nodes,n', 'NODES', 'Nothing: nobody logs in elsewhere'), ignored: true },
  ],
  runsHere: true,
  run: async (call, world) => await run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given, files } = call
  if (files?.archive === undefined) return refused(exitCodes.unimplemented, 'crm_report: files cannot be written here.')
  const [from, to] = [moment(given, 'from'), moment(given, 'to')]
  if (typeof from === 'string' || typeof to === 'string')
    return refused(exitCodes.usage, `crm_report: '${from}' is no moment: write it like '2026-11-21 10:00:00'.`)
  const dest = optionValue(given, 'dest') ?? plainWords(given)[0] ?? `pcmk-${isoTime(world.now()).slice(0, 10)}`
  const isSecret = secretNames(optionValue(given, 'sanitize'))
  const parts: Record<string, string> = {
    'cib.xml': printXml(masked(world.cib(), isSecret)),
    'crm_mon.txt': await status(given, world),
    'description.txt': description(world, { from, to }),
  }
  const path = files.archive(dest, parts, {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    mask: (text) =>
      text.replace(/((?:pass(?:w(?:or)?d)?|secret|token)[\w-]*["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, '$1****'),
  })
  return printed(`${hasOption(given, 'quiet') ? '' : `Collected results are available in ${path}\n`}`)
}

function moment(given: readonly GivenOption[], name: string): number | string | undefined {
  const text = optionValue(given, name)
  if (text === undefined) return undefined
  const ms = Date.parse(text.replace(/^(\d+-\d+-\d+) /, '$1T'))
  return Number.isNaN(ms) ? text : Math.floor(ms / 1000)
}

/** Of parameters and options whose name says so, as Pacemaker's `-p passw.*`. */
function secretNames(more: string | undefined): (name: string) => boolean {
  const pattern = more === undefined ? undefined : new RegExp(more)
  return (name) => /passw|secret|token|community/i.test(name) || (pattern?.test(name) ?? false)
}

function masked(root: XmlElement, isSecret: (name: string) => boolean): XmlElement {
  const { name, value } = root.attributes
  const isPair = root.name === 'nvpair' && name !== undefined && value !== undefined && isSecret(name)
  if (isPair) return { ...root, attributes: { ...root.attributes, value: '****' } }
  if (childElements(root).length === 0) return root
  return {
    ...root,
    children: root.children.map((child) => (child.kind === 'element' ? masked(child, isSecret) : child)),
  }
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

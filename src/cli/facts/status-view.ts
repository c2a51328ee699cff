/** The lists of a status, whole or cut down to what was asked for, in the layout of the pcs that is spoken. */
import { didYouMean, similarWords, utcOffsetAt } from '../../base/index.ts'
import { withoutTags, type XmlElement } from '../../cib/index.ts'
import {
  type ClusterStatus,
  type PrimitiveResource,
  partsOf,
  printClusterStatus,
  type Resource,
  statusOfCib,
} from '../../status/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import type { Speech } from '../call/speech.ts'
import { secondsOf } from '../host/host-time.ts'

export function statusOf(call: Call, cib: XmlElement): ClusterStatus {
  return statusOfCib({ cib, now: secondsOf(call.terminal.now()), utcOffsetAt })
}

export interface Selection {
  readonly ids: readonly string[]
  readonly node?: string
  readonly hideInactive: boolean
  readonly keep: (resource: Resource) => boolean
  /** On a node that is not there runs nothing, as pcs has it. */
  readonly anyNode?: boolean
  /** The same of a resource, where what is inactive is left out. */
  readonly anyResource?: boolean
}

/** Top-level resources that are, or have in them, what was named. */
export function select(status: ClusterStatus, selection: Selection): ClusterStatus {
  const { ids, node, hideInactive, keep } = selection
  const names = status.resources.flatMap(namesIn)
  const missing = selection.anyResource === true ? [] : ids.filter((id) => !names.includes(id))
  if (missing.length > 0)
    throw new Refusal(
      ...missing.map((id) => ({
        own: `There is no resource '${id}'.${didYouMean(similarWords(id, names))}`,
        about: { code: 'resource-not-found', id, similar: [] } as const,
      })),
    )
  const nodes = status.nodes.map(({ name }) => String(name))
  if (node !== undefined && selection.anyNode !== true && !nodes.includes(node))
    throw new Refusal(`There is no node '${node}'.${didYouMean(similarWords(node, nodes))}`)
  const resources = status.resources.filter((resource) => {
    const where = activeOn(resource)
    if (ids.length > 0 && !namesIn(resource).some((name) => ids.includes(name))) return false
    // What runs nowhere is not on another node either.
    if (node !== undefined && where.length > 0 && !where.includes(node)) return false
    return keep(resource) && (!hideInactive || where.length > 0)
  })
  return { ...status, resources }
}

/** Whether the configuration or the status has this node. */
export async function isNode(call: Call, name: string): Promise<boolean> {
  return (await nodeNames(call)).includes(name)
}

export async function nodeNames(call: Call): Promise<readonly string[]> {
  return statusOf(call, (await call.cluster.readCib()).cib).nodes.map(({ name }) => String(name))
}

/** What a word names: a tag stands for what it is on. */
export function namedBy(cib: XmlElement, words: readonly string[]): readonly string[] {
  return words.length === 0 ? [] : withoutTags(cib, words)
}

export function isFencing(resource: Resource): boolean {
  return resource.kind === 'primitive' && resource.agent.class === 'stonith'
}

/** The lines of the list of resources, without its title. */
export function resourceLines(
  status: ClusterStatus,
  speech: Speech,
  {
    hideInactive = false,
    node,
    isTold,
  }: {
    readonly hideInactive?: boolean
    readonly node?: string | undefined
    readonly isTold?: ((resource: PrimitiveResource) => boolean) | undefined
  } = {},
): readonly string[] {
  const printed = printClusterStatus(status, {
    tellsInactive: !hideInactive,
    ...(node === undefined ? {} : { onlyOn: [node] }),
    ...(isTold === undefined ? {} : { isTold }),
  })
  return inDialect(section(printed, '* Full List of Resources:'), speech)
}

export function nodeLines(status: ClusterStatus, speech: Speech): readonly string[] {
  return inDialect(section(printClusterStatus(status), '* Node List:'), speech)
}

/** Two blanks of the title's own indentation go. */
function section(printed: string, title: string): readonly string[] {
  const lines = printed.split('\n')
  const from = lines.findIndex((line) => line.trim() === title) + 1
  const length = lines.slice(from).findIndex((line) => line.trim() === '')
  return lines.slice(from, from + length).map((line) => line.slice(2))
}

/**
 * Before 0.11, pcs and its scripts read the first word of a line: there are no bullets, titles of clones say what they are,
 * and roles have their old names.
 */
function inDialect(lines: readonly string[], { dialect }: Speech): readonly string[] {
  if (dialect !== '0.9') return lines
  let promotable = false
  return lines.map((line) => {
    const [, blanks = '', text = ''] = /^( *)\* (.*)$/.exec(line) ?? [undefined, '', line]
    const isTitle = text.startsWith('Clone Set:')
    if (isTitle) promotable = text.includes('(promotable')
    // Node lists begin at the margin, resources one blank further in, what is in them five.
    const indent = /^(Online|OFFLINE|RemoteOnline|RemoteOFFLINE|GuestOnline|Node |RemoteNode |GuestNode )/.test(text)
      ? ''
      : blanks.length <= 2
        ? ' '
        : ' '.repeat(blanks.length + 1)
    return `${indent}${oldText(text, isTitle && promotable)}`
  })
}

function oldText(text: string, isPromotable: boolean): string {
  const titled = isPromotable ? text.replace('Clone Set:', 'Master/Slave Set:').replace(/ \(promotable\):?$/, '') : text
  return titled
    .replace(/\((ocf):(\w+):/, '($1::$2:')
    .replace(/^Promoted: \[/, 'Masters: [')
    .replace(/^Unpromoted: \[/, 'Slaves: [')
    .replace(/(\):\t.*)\bPromoted\b/, '$1Master')
    .replace(/(\):\t.*)\bUnpromoted\b/, '$1Slave')
    .replace(/\t /, '\t')
    .replace(/^((?:Clone|Master\/Slave) Set: \S+ \[[^\]]*\]):$/, '$1')
}

function namesIn(resource: Resource): readonly string[] {
  return [String(resource.id), String(resource.configuredId), ...partsOf(resource).flatMap(namesIn)]
}

export function activeOn(resource: Resource): readonly string[] {
  if (resource.kind === 'primitive') return resource.state.active.map(({ node }) => node)
  return [...new Set(partsOf(resource).flatMap(activeOn))]
}

/** What crm_mon tells in every format, taken from a CIB and its status. */
import { childElement, childElements, hiddenValue, secretNames, type XmlElement } from '../../cib/index.ts'
import { nodesWithLostTickets } from '../../scheduler/index.ts'
import {
  type ClusterStatus,
  type FailedOperation,
  type HistoryEntry,
  type NodeStatus,
  type PrimitiveResource,
  primitivesIn,
} from '../../status/index.ts'
import { descendants, sectionOf } from '../cib/tree.ts'
import { shownId, statusOf } from '../status-of.ts'
import { featureSet, pacemakerVersion } from '../version.ts'
import type { FencingEvent, ToolWorld } from '../world.ts'
import { isoTime } from './times.ts'

export interface MonitorFacts {
  readonly status: ClusterStatus
  readonly cib: XmlElement
  readonly isCluster: boolean
  /** Seconds since the epoch. */
  readonly now: number
  readonly transient: (node: string) => ReadonlyMap<string, string>
  readonly fencing: readonly FencingEvent[]
  /** What the configuration says of each resource that it describes. */
  readonly descriptions: ReadonlyMap<string, string>
  /** Which resources are told of; all where it is left out. */
  readonly isTold?: (resource: PrimitiveResource) => boolean
  /** The nodes that --node names; all where it is left out. */
  readonly onlyOn?: readonly string[]
  /** Whose operations are told of. */
  readonly isHistoryTold?: (resource: PrimitiveResource) => boolean
}

/** What crm_mon has to know of the world. */
export type MonitoredWorld = Pick<ToolWorld, 'cib' | 'now' | 'isCluster' | 'transient' | 'fencingHistory'>

export async function monitorFacts(world: MonitoredWorld): Promise<MonitorFacts> {
  const cib = world.cib()
  const status = withLostTickets(statusOf(world, cib))
  return {
    status: world.isCluster ? withFeatureSet(status) : status,
    cib,
    isCluster: world.isCluster,
    now: world.now(),
    transient: (node) => world.transient(node),
    fencing: await world.fencingHistory(),
    descriptions: descriptionsIn(cib),
  }
}

export function descriptionsIn(cib: XmlElement): ReadonlyMap<string, string> {
  const resources = sectionOf(cib, 'resources')
  return new Map(
    (resources === undefined ? [] : descendants(resources)).flatMap(({ attributes: { id, description } }) =>
      id === undefined || description === undefined ? [] : [[id, description] as const],
    ),
  )
}

/** A node whose resource has lost its ticket is unclean until it is fenced, where the ticket's policy says so. */
function withLostTickets(status: ClusterStatus): ClusterStatus {
  if (!status.configuration.constraints.some((one) => one.kind === 'ticket' && one.lossPolicy === 'fence'))
    return status
  const lost = nodesWithLostTickets(status)
  return { ...status, nodes: status.nodes.map((node) => (lost.has(node.name) ? { ...node, unclean: true } : node)) }
}

/** Members of a running cluster do not record which they have: it is the one of the CIB that they wrote. */
function withFeatureSet(status: ClusterStatus): ClusterStatus {
  const told = (node: NodeStatus): NodeStatus =>
    node.kind === 'member' && (node.online || node.pending) ? { featureSet, ...node } : node
  return { ...status, nodes: status.nodes.map(told) }
}

export function dcOf({ status }: MonitorFacts): NodeStatus | undefined {
  return status.nodes.find(({ isDc }) => isDc)
}

/** A file knows what wrote it, a running cluster what it runs. */
export function versionOf({ status, isCluster }: MonitorFacts): string | undefined {
  return status.options.raw.get('dc-version') ?? (isCluster ? pacemakerVersion : undefined)
}

export function stackOf({ status, isCluster }: MonitorFacts): string {
  return status.options.raw.get('cluster-infrastructure') ?? (isCluster ? 'systole' : 'unknown')
}

/** Pacemaker's feature sets before 3.15.1 are not recorded. */
const unknownFeatureSet = '<3.15.1'

export function featureSetOf({ featureSet, online, pending, kind }: NodeStatus): string | undefined {
  return featureSet ?? ((online || pending) && kind === 'member' ? unknownFeatureSet : undefined)
}

/** Nodes of several versions, as during a rolling upgrade. */
export function isMixed({ nodes }: ClusterStatus): boolean {
  const here = nodes.filter(({ online, pending, kind }) => kind === 'member' && (online || pending))
  return new Set(here.map(featureSetOf)).size > 1
}

export function countedPrimitives({ primitivesById }: ClusterStatus): readonly PrimitiveResource[] {
  return [...primitivesById.values()].filter(({ orphan, state }) => !orphan || state.active.length > 0)
}

export function isDisabled({ meta, instance }: PrimitiveResource): boolean {
  return meta.targetRole === 'Stopped' || (meta.targetRole === 'Unpromoted' && (instance?.promotable ?? false))
}

/** In the order in which the node has recorded them. */
export function runningOn(status: ClusterStatus, cib: XmlElement, node: NodeStatus): readonly PrimitiveResource[] {
  const recorded = historyOrder(cib, node)
  const place = ({ state, id }: PrimitiveResource): number =>
    recorded.get(state.historyName ?? '') ?? recorded.get(id) ?? recorded.size
  return status.resources
    .flatMap(primitivesIn)
    .filter(({ state }) => state.active.some((one) => one.node === node.name))
    .sort((a, b) => place(a) - place(b))
}

function historyOrder(cib: XmlElement, node: NodeStatus): ReadonlyMap<string, number> {
  const states = childElement(cib, 'status')
  const state = states && childElements(states, 'node_state').find(({ attributes }) => attributes.uname === node.name)
  const lrm = state && childElement(state, 'lrm')
  const list = lrm && childElement(lrm, 'lrm_resources')
  const entries = list === undefined ? [] : childElements(list, 'lrm_resource')
  return new Map(entries.map(({ attributes: { id = '' } }, at) => [id, at]))
}

const hiddenAttributes = /^(?:#|fail-count-|last-failure-|shutdown$|terminate$|standby$)/

export interface ShownAttribute {
  readonly name: string
  readonly value: string
  /** What a ping resource would set it to if every host answered. */
  readonly expected?: number
}

/** By name; those that the cluster keeps for itself are left out. */
export function attributesOf({ status, cib, transient }: MonitorFacts, node: NodeStatus): readonly ShownAttribute[] {
  const all = new Map([...node.attributes, ...transient(node.name)])
  const isSecret = secretNames(cib)
  const pings = runningOn(status, cib, node).filter(({ agent }) => agent.type === 'ping' || agent.type === 'pingd')
  return [...all]
    .filter(([name]) => !hiddenAttributes.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      const ping = pings.find((one) => (one.parametersOn(node.name).get('name') ?? 'pingd') === name)
      return {
        name,
        value: isSecret(name) ? hiddenValue : value,
        ...(ping === undefined ? {} : { expected: expectedOf(ping, node) }),
      }
    })
}

function expectedOf(ping: PrimitiveResource, node: NodeStatus): number {
  const parameters = ping.parametersOn(node.name)
  const hosts = (parameters.get('host_list') ?? '').split(/\s+/).filter((host) => host !== '')
  return hosts.length * Number(parameters.get('multiplier') ?? 1)
}

export interface NodeHistory {
  readonly node: NodeStatus
  readonly resources: readonly ResourceHistory[]
}

export interface ResourceHistory {
  readonly id: string
  readonly resource: PrimitiveResource
  readonly failCount: number
  readonly lastFailure?: number
  readonly operations: readonly HistoryEntry[]
}

/** What the nodes have recorded, in the order of the CIB. */
export function historyOf(facts: MonitorFacts): readonly NodeHistory[] {
  const { status, isHistoryTold = () => true } = facts
  return recordingNodes(facts).flatMap(({ node, state }): readonly NodeHistory[] => {
    const lrm = childElement(state, 'lrm')
    const list = lrm && childElement(lrm, 'lrm_resources')
    const resources = (list === undefined ? [] : childElements(list, 'lrm_resource'))
      .flatMap(({ attributes: { id = '' } }) => resourceHistory(status, node, id))
      .filter(({ resource }) => isHistoryTold(resource))
    return resources.length === 0 ? [] : [{ node, resources }]
  })
}

/** The nodes that are online, with what they have recorded. */
export function recordingNodes({ status, cib }: MonitorFacts): readonly {
  readonly node: NodeStatus
  readonly state: XmlElement
}[] {
  const states = childElement(cib, 'status')
  return (states === undefined ? [] : childElements(states, 'node_state')).flatMap((state) => {
    const node = status.nodes.find(({ name }) => name === state.attributes.uname)
    return node?.online === true ? [{ node, state }] : []
  })
}

function resourceHistory(status: ClusterStatus, node: NodeStatus, id: string): readonly ResourceHistory[] {
  const all = status.resources.flatMap(primitivesIn)
  const resource = all.find(
    (one) =>
      (one.id === id || shownId(one) === id || one.state.historyName === id) &&
      (one.state.history.get(node.name)?.length ?? 0) > 0,
  )
  if (resource === undefined) return []
  const operations = (resource.state.history.get(node.name) ?? []).filter(isTold).sort(inCallOrder)
  const counted = resource.state.failCounts.get(node.name)
  if (operations.length === 0) return []
  const { lastFailure } = counted ?? {}
  return [
    {
      id: shownId(resource),
      resource,
      failCount: counted?.own ?? 0,
      operations,
      ...(lastFailure === undefined ? {} : { lastFailure }),
    },
  ]
}

/** What is still under way has no number yet, and comes last. */
function inCallOrder(a: HistoryEntry, b: HistoryEntry): number {
  const [first, second] = [a, b].map(({ callId }) => (callId < 0 ? Number.MAX_SAFE_INTEGER : callId))
  return (first ?? 0) - (second ?? 0)
}

/** A monitor without an interval is a probe. */
export function taskOf({ operation, intervalMs }: { readonly operation: string; readonly intervalMs: number }): string {
  return operation === 'monitor' && intervalMs === 0 ? 'probe' : operation
}

/** A probe that found nothing running is no news. */
function isTold({ operation, intervalMs, exitCode }: HistoryEntry): boolean {
  return !(operation === 'monitor' && intervalMs === 0 && exitCode === 7)
}

/** The recorded operation of a failure. */
export function failedEntry({ status }: MonitorFacts, failure: FailedOperation): HistoryEntry | undefined {
  const resource = status.primitivesById.get(failure.resource)
  return resource?.state.history
    .get(failure.node)
    ?.find(
      ({ key, exitCode, lastChange }) =>
        key === failure.key && exitCode === failure.exitCode && lastChange === failure.lastChange,
    )
}

/** Those that are told: an agent that a probe did not find is no failure of its resource. */
export function toldFailures({ status }: MonitorFacts): readonly FailedOperation[] {
  return status.failures.filter((failure) => !(taskOf(failure) === 'probe' && failure.exitCode === 5))
}

export function failureTime({ lastChange }: FailedOperation): string | undefined {
  return lastChange === undefined ? undefined : isoTime(lastChange)
}

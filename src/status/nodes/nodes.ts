/**
 * The nodes of the cluster: those that are configured, and those that resources imply. Their permanent attributes under
 * rules, then what their recorded state adds: transient attributes, which win, and the membership.
 */
import { type NodeName, nodeName } from '../../base/index.ts'
import { type Configuration, type NvSet, parseBoolean } from '../../cib/index.ts'
import type { ClusterOptions } from '../cluster-status.ts'
import type { NodeDraft } from '../drafts.ts'
import { markForFencing } from '../fence.ts'
import { compareNames } from '../names.ts'
import type { RecordedNode } from '../records.ts'
import { guestNodes, remoteNodeNames } from '../remote-definitions.ts'
import { numbersOf } from '../resources/primitive.ts'
import { addNvSets, type TimeZone } from '../rules/index.ts'
import { membershipOf } from './membership.ts'

export interface NodeContext {
  readonly configuration: Configuration
  readonly options: ClusterOptions
  readonly zone: TimeZone
  readonly dcId: string | undefined
  readonly haveQuorum: boolean
}

/** All nodes but those of bundles, whose resources are built later. */
export function configuredNodes(context: NodeContext): Map<NodeName, NodeDraft> {
  const { configuration, options } = context
  const nodes = new Map<NodeName, NodeDraft>()
  for (const definition of configuration.nodes) {
    const kind = definition.type
    const unseen = kind === 'member'
    nodes.set(definition.name, {
      ...newNode(definition.id, definition.name, kind),
      unseen,
      // Nobody knows what a node that was never seen runs, unless it must be fenced first.
      unclean: unseen && options.startupFencing && options.fencingEnabled,
      isConfigured: true,
      definition,
    })
  }
  for (const name of remoteNodeNames(configuration)) connectedNode(nodes, name, 'remote')
  for (const { name } of guestNodes(configuration)) connectedNode(nodes, name, 'guest')
  return nodes
}

/** The node of a connection resource, made where the configuration does not name it. */
export function connectedNode(nodes: Map<NodeName, NodeDraft>, name: NodeName, kind: 'remote' | 'guest'): NodeDraft {
  const known = nodes.get(name)
  if (known !== undefined) {
    known.kind = kind
    return known
  }
  const node = newNode(name, name, kind)
  nodes.set(name, node)
  return node
}

export function newNode(id: string, name: NodeName, kind: NodeDraft['kind']): NodeDraft {
  return {
    id,
    name,
    kind,
    online: false,
    unclean: false,
    pending: false,
    standby: false,
    standbyOnFail: false,
    maintenance: false,
    shutdown: false,
    isDc: false,
    isBundleNode: false,
    isOrphan: false,
    isConfigured: false,
    unseen: false,
    fencingReasons: [],
    attributes: new Map(),
    utilization: new Map(),
    healthScore: 0,
    health: 'green',
    discoveryEnabled: true,
    lost: false,
    requiresReset: false,
    fenced: false,
    recordedMaintenance: false,
    unfencedAt: 0,
  }
}

/** Nodes by name: the order in which everything that concerns all nodes is done and shown. */
export function sortedNodes(nodes: Iterable<NodeDraft>): readonly NodeDraft[] {
  return [...nodes].sort((a, b) => compareNames(a.name, b.name))
}

/** Permanent attributes and utilization; must run before the resources are built and their rules evaluated. */
export function readPermanentAttributes(node: NodeDraft, context: NodeContext): void {
  node.isDc = node.kind === 'member' && context.dcId !== undefined && node.id === context.dcId
  addBuiltInAttributes(node, context)
  const rules = { zone: context.zone, nodeAttributes: node.attributes }
  const permanent: readonly NvSet[] = node.definition?.attributes ?? []
  addNvSets(node.attributes, permanent, rules)
  const site = node.attributes.get('site-name') ?? context.options.raw.get('cluster-name')
  if (site !== undefined) node.attributes.set('#site-name', site)
  const utilization = new Map<string, string>()
  addNvSets(utilization, node.definition?.utilization ?? [], rules)
  node.utilization = numbersOf(utilization)
}

/** What rules know of every node beside its attributes. */
function addBuiltInAttributes(node: NodeDraft, { options }: NodeContext): void {
  const kinds = { member: 'cluster', remote: 'remote', guest: 'container' } as const
  node.attributes.set('#uname', node.name)
  node.attributes.set('#kind', kinds[node.kind])
  node.attributes.set('#id', node.id)
  node.attributes.set('#is_dc', String(node.isDc))
  const clusterName = options.raw.get('cluster-name')
  if (clusterName !== undefined) node.attributes.set('#cluster-name', clusterName)
}

/** What the status section says of a cluster node: transient attributes and membership. Returns when that changes by itself. */
export function readMemberState(node: NodeDraft, recorded: RecordedNode, context: NodeContext): number | undefined {
  addTransientAttributes(node, recorded)
  node.unseen = false
  node.unclean = false
  readAttributeFlags(node)
  return applyMembership(node, recorded, context)
}

export function addTransientAttributes(node: NodeDraft, recorded: RecordedNode): void {
  for (const [name, value] of recorded.transient) node.attributes.set(name, value)
  for (const [name, value] of numbersOf(recorded.transientUtilization)) node.utilization.set(name, value)
}

/** What the status section says of a remote or guest node whatever becomes of its connection. */
export function readRemoteState(node: NodeDraft, { attributes }: RecordedNode): void {
  node.fenced = isSince(attributes.node_fenced)
}

/** True, or the moment since when. */
export const isSince = (text: string | undefined): boolean => parseBoolean(text) ?? Number(text) > 0

/** `standby` and `maintenance` as the administrator set them. */
export function readAttributeFlags(node: NodeDraft): void {
  if (parseBoolean(node.attributes.get('standby')) === true) node.standby = true
  if (parseBoolean(node.attributes.get('maintenance')) === true) node.maintenance = true
  node.unfencedAt = Number.parseInt(node.attributes.get('#node-unfenced') ?? '0', 10) || 0
}

function applyMembership(node: NodeDraft, recorded: RecordedNode, context: NodeContext): number | undefined {
  const { options, zone } = context
  const membership = membershipOf({
    state: recorded.attributes,
    attributes: node.attributes,
    fencingEnabled: options.fencingEnabled,
    pendingTimeoutMs: options.nodePendingTimeoutMs,
    now: zone.now,
  })
  node.online = membership.online
  node.pending = membership.pending
  node.shutdown = membership.shutdown
  const featureSet = node.attributes.get('#feature-set') ?? recorded.attributes.crm_feature_set
  if (featureSet !== undefined) node.featureSet = featureSet
  if (membership.fence !== undefined) {
    node.unclean = true
    node.fencingReasons.push(membership.fence.reason)
    node.lost = membership.fence.lost
  }
  if (node.online && !context.haveQuorum && options.noQuorumPolicy === 'fence')
    markForFencing(node, 'cluster does not have quorum')
  return membership.changesAt
}

export const nameById = (nodes: ReadonlyMap<NodeName, NodeDraft>): ((id: string) => NodeName | undefined) => {
  const names = new Map([...nodes.values()].map(({ id, name }) => [id, name] as const))
  return (id) => names.get(id) ?? (nodes.has(nodeName(id)) ? nodeName(id) : undefined)
}

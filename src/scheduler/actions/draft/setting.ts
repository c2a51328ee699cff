/**
 * What the planning of a transition starts from: the status, where everything shall be, and the nodes as they will be once
 * the connections to remote and guest nodes are there. Nothing in it changes.
 */
import { defined, type NodeName } from '../../../base/index.ts'
import type { Md5 } from '../../../cib/index.ts'
import type { ClusterStatus, NodeStatus, ParameterDifference } from '../../../status/index.ts'
import type { Assignment, Destination, ExpandedColocation } from '../../assigned/assignment.ts'
import { type Pairing, pairingOf } from './pairing.ts'
import {
  buildPlannedTree,
  type PlannedPrimitive,
  type PlannedResource,
  type PlannedTree,
  primitivesOf,
} from './planned-resource.ts'

export interface SettingInput {
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly md5: Md5
  /** The CIB was made fit for showing: its secrets are stars, so that their digests mean nothing. */
  readonly isSanitized: boolean
}

export interface Setting extends SettingInput {
  readonly tree: PlannedTree
  readonly nodeList: readonly NodeStatus[]
  readonly nodes: ReadonlyMap<NodeName, NodeStatus>
  readonly colocationsByPrimary: ReadonlyMap<string, readonly ExpandedColocation[]>
  readonly destinationOf: (rsc: PlannedPrimitive) => Destination
  /** Which instances of clones are beside each other. */
  readonly pairing: Pairing
  /**
   * What was found out of an operation's parameters for one instance of a clone holds for all with the same history: by what is
   * configured, and by what was run.
   */
  readonly differences: Map<ReadonlyMap<string, string>, Map<string, ParameterDifference>>
}

export function settingOf(input: SettingInput): Setting {
  const { status, assignment } = input
  const tree = buildPlannedTree(status, assignment)
  const nodeList = status.nodes.map((node) => connected(node, assignment))
  return {
    ...input,
    tree,
    nodeList,
    nodes: new Map(nodeList.map((node) => [node.name, node])),
    colocationsByPrimary: byPrimary(assignment.colocations),
    destinationOf: placed,
    pairing: pairingOf({ destinationOf: placed, assignment }),
    differences: new Map(),
  }
}

const placed = ({ assigned }: PlannedPrimitive): Destination => assigned

/**
 * A remote or guest node is reached if its connection is going to be somewhere, and left if it is not. One that was never
 * seen is not unclean for that if it is connected to now.
 */
function connected(node: NodeStatus, assignment: Assignment): NodeStatus {
  const connection = node.connection === undefined ? undefined : assignment.primitives.get(node.connection)
  if (!connection) return node
  if (connection.node === undefined || connection.nextRole === 'Stopped') return { ...node, shutdown: true }
  return { ...node, online: true, unclean: node.unclean && !node.unseen }
}

function byPrimary(colocations: readonly ExpandedColocation[]): ReadonlyMap<string, readonly ExpandedColocation[]> {
  const found = new Map<string, ExpandedColocation[]>()
  for (const colocation of colocations) {
    const known = found.get(colocation.primary)
    if (known) known.push(colocation)
    else found.set(colocation.primary, [colocation])
  }
  return found
}

type Places = Pick<Setting, 'nodes' | 'destinationOf'>

export const nodeNamed = ({ nodes }: Pick<Setting, 'nodes'>, name: NodeName): NodeStatus =>
  defined(nodes.get(name), 'the node of a name')

/** Where an instance shall be. */
export function targetOf(setting: Places, rsc: PlannedPrimitive): NodeStatus | undefined {
  const { node } = setting.destinationOf(rsc)
  return node === undefined ? undefined : nodeNamed(setting, node)
}

/** Where an instance is active now. */
export const activeNodes = (setting: Setting, rsc: PlannedPrimitive): readonly NodeStatus[] =>
  rsc.resource.state.active.map(({ node }) => nodeNamed(setting, node))

/** Where the first part of a group or clone shall be. */
export function locationOf(setting: Places, rsc: PlannedResource): NodeStatus | undefined {
  for (const part of primitivesOf(rsc)) {
    const target = targetOf(setting, part)
    if (target) return target
  }
  return undefined
}

export function primitiveNamed({ tree }: Setting, id: string | undefined): PlannedPrimitive | undefined {
  const rsc = id === undefined ? undefined : tree.byId.get(id)
  return rsc?.kind === 'primitive' ? rsc : undefined
}

/** The nodes that a guest node's container is active on. */
export function hostsOf(setting: Setting, guest: NodeStatus): readonly NodeStatus[] {
  const container = primitiveNamed(setting, guest.container)
  return container ? activeNodes(setting, container) : []
}

/** A guest node is fenced by stopping its container, so that its host must be online or be fenced itself. */
export function canFence(setting: Setting, node: NodeStatus): boolean {
  if (node.kind === 'guest') return hostsOf(setting, node).every((host) => host.online || canFence(setting, host))
  const { options, haveQuorum } = setting.status
  if (!options.fencingEnabled || !setting.status.haveFenceDevice) return false
  return haveQuorum || options.noQuorumPolicy === 'ignore' || node.online
}

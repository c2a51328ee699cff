/**
 * Where a resource is allowed before anything is said about it: everywhere with 0 in a symmetric cluster, nowhere in an
 * asymmetric one, except for the connections of guest nodes and bundles, which go where their containers are allowed. A
 * bundle's node is for that bundle's member alone: the member is allowed there only, with 500.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import {
  type BundleEntry,
  containerOf,
  type Entry,
  type ReplicaEntries,
  type ResourceTree,
  topOf,
} from '../resources/tree.ts'
import type { NodeTable } from './node-table.ts'
import { absent, emptyTable, type ScoreTable } from './score-table.ts'

interface Input {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  readonly nodes: NodeTable
}

interface ReplicaNode {
  readonly node: number
  readonly bundle: BundleEntry
  readonly replica: ReplicaEntries
  /** The CIB has it among its nodes, because a node attribute was set for it. */
  readonly isListed: boolean
}

/** The table of each entry, a new one each time. */
export function startingTables({ status, tree, nodes }: Input): (entry: Entry) => ScoreTable {
  const { symmetricCluster } = status.options
  const listed = new Set<string>(status.configuration.nodes.map(({ name }) => name))
  const nowhere = emptyTable(nodes.count)
  const everywhere = emptyTable(nodes.count)
  const replicaNodes: ReplicaNode[] = []
  for (let node = 0; node < nodes.count; node++) {
    const owner = tree.replicaOfNode.get(node)
    // A node that only the history knows is for nothing that is configured.
    if (tree.nodes[node]?.isOrphan === true) continue
    if (owner === undefined) everywhere[node] = nodes.configuredScore[node] ?? 0
    else replicaNodes.push({ node, ...owner, isListed: listed.has(nodes.names[node] ?? '') })
  }
  return (entry) => {
    const replica = tree.replicaOf.get(entry.index)
    if (replica?.child === entry) {
      const table = emptyTable(nodes.count)
      const node = replica.node === undefined ? undefined : tree.nodeIndex.get(replica.node)
      if (node !== undefined) table[node] = 500
      return table
    }
    const followsContainer = !symmetricCluster && isConnectionIntoContainer(tree, entry)
    const table = (symmetricCluster || followsContainer ? everywhere : nowhere).slice()
    if (symmetricCluster)
      for (const owned of replicaNodes) if (owned.isListed) table[owned.node] = scoreOnListedNode(tree, entry, owned)
    if (followsContainer)
      for (const owned of replicaNodes)
        if (owned.isListed || isReadBefore(tree, owned, entry)) table[owned.node] = -INFINITY_SCORE
    // A bundle's connection is made by a cluster node.
    if (replica?.remote === entry)
      for (let node = 0; node < nodes.count; node++)
        if (table[node] !== absent && tree.nodes[node]?.kind !== 'member') table[node] = -INFINITY_SCORE
    if (entry.kind === 'clone' && entry.parent?.kind === 'bundle')
      for (const { node } of entry.parent.replicas) {
        const index = node === undefined ? undefined : tree.nodeIndex.get(node)
        if (index !== undefined) table[index] = -INFINITY_SCORE
      }
    return table
  }
}

function isConnectionIntoContainer(tree: ResourceTree, entry: Entry): boolean {
  if (entry.kind !== 'primitive' || entry.resource.connectionOf === undefined || entry.resource.orphan) return false
  return containerOf(tree, entry) !== undefined
}

/** A connection is read once its own bundle's node is known, and those of the replicas and bundles before it. */
function isReadBefore(tree: ResourceTree, { bundle, replica }: ReplicaNode, connection: Entry): boolean {
  const top = topOf(connection)
  if (top === bundle) return replica.number <= (tree.replicaOf.get(connection.index)?.number ?? -1)
  return (tree.position.get(bundle.index) ?? 0) < (tree.position.get(top.index) ?? 0)
}

/**
 * A bundle's node that the CIB lists among its nodes is an ordinary node until its bundle is read: what is read before has
 * to be kept away from it, what is read after does not know it.
 */
function scoreOnListedNode(tree: ResourceTree, entry: Entry, owner: ReplicaNode): number {
  const top = topOf(entry)
  if (top !== owner.bundle)
    return (tree.position.get(top.index) ?? 0) < (tree.position.get(owner.bundle.index) ?? 0) ? -INFINITY_SCORE : absent
  const own = tree.replicaOf.get(entry.index)
  if (own === undefined) return absent
  const readBefore = own.remote === entry ? own.number < owner.replica.number : own.number <= owner.replica.number
  return readBefore ? 0 : absent
}

/**
 * Where a resource is allowed before anything is said about it: everywhere with 0 in a symmetric cluster, nowhere in an
 * asymmetric one. A bundle's node is for that bundle's member alone: the member is allowed there only, with 500.
 */
import { INFINITY_SCORE } from '../../../cib/index.ts'
import type { ClusterStatus } from '../../../status/index.ts'
import { type BundleEntry, type Entry, type ReplicaEntries, type ResourceTree, topOf } from '../../tree.ts'
import type { NodeTable } from '../node-table.ts'
import { absent, emptyTable, type ScoreTable } from '../score-table.ts'

interface Input {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  readonly nodes: NodeTable
}

/** The table of each entry, a new one each time. */
export function startingTables({ status, tree, nodes }: Input): (entry: Entry) => ScoreTable {
  const everywhere = emptyTable(nodes.count)
  const listedReplicas: (readonly [number, { readonly bundle: BundleEntry; readonly replica: ReplicaEntries }])[] = []
  if (status.options.symmetricCluster) {
    const listed = new Set<string>(status.configuration.nodes.map(({ name }) => name))
    for (let node = 0; node < nodes.count; node++) {
      const owner = tree.replicaOfNode.get(node)
      // A node that only the history knows is for nothing that is configured.
      if (tree.nodes[node]?.isOrphan === true) continue
      if (owner === undefined) everywhere[node] = nodes.configuredScore[node] ?? 0
      else if (listed.has(nodes.names[node] ?? '')) listedReplicas.push([node, owner])
    }
  }
  return (entry) => {
    const replica = tree.replicaOf.get(entry.index)
    if (replica?.child === entry) {
      const table = emptyTable(nodes.count)
      const node = replica.node === undefined ? undefined : tree.nodeIndex.get(replica.node)
      if (node !== undefined) table[node] = 500
      return table
    }
    const table = everywhere.slice()
    for (const [node, owner] of listedReplicas) table[node] = scoreOnListedNode(tree, entry, owner)
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

/**
 * A bundle's node that the CIB lists among its nodes (a node attribute was set for it) is an ordinary node until its bundle
 * is read: what is read before has to be kept away from it, what is read after does not know it.
 */
function scoreOnListedNode(
  tree: ResourceTree,
  entry: Entry,
  owner: { readonly bundle: BundleEntry; readonly replica: ReplicaEntries },
): number {
  const top = topOf(entry)
  if (top !== owner.bundle)
    return (tree.position.get(top.index) ?? 0) < (tree.position.get(owner.bundle.index) ?? 0) ? -INFINITY_SCORE : absent
  const own = tree.replicaOf.get(entry.index)
  if (own === undefined) return absent
  const readBefore = own.remote === entry ? own.number < owner.replica.number : own.number <= owner.replica.number
  return readBefore ? 0 : absent
}

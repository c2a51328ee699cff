/** Which instance of a clone, or which replica of a bundle, a resource can be paired with: the one on its node. */
import type { Role } from '../../cib/index.ts'
import type { BundleEntry, CloneEntry, Entry } from '../tree.ts'
import { isAllowed } from './availability.ts'
import { compareNodes } from './node-order.ts'
import { assignedNode, isBlocked, nextRole, nowhere, type Placing, tableOf } from './placing.ts'

export function compatibleInstance(placing: Placing, entry: Entry, clone: CloneEntry, role?: Role): Entry | undefined {
  return onSameNode(placing, entry, placing.members[clone.index] ?? clone.members, (node) => node, role)
}

export function compatibleContainer(placing: Placing, entry: Entry, bundle: BundleEntry): Entry | undefined {
  const containers = bundle.replicas.map(({ container }) => container)
  return onSameNode(placing, entry, containers, (node) => hostOfReplica(placing, node))
}

/** What runs on a bundle's node is where the container of that node is. */
function hostOfReplica(placing: Placing, node: number): number {
  const replica = placing.tree.replicaOfNode.get(node)?.replica
  return replica === undefined ? node : (placing.node[replica.container.index] ?? nowhere)
}

/** The node where the entry is going to be, or else the best that it may go to, decides. */
function onSameNode(
  placing: Placing,
  entry: Entry,
  candidates: readonly Entry[],
  placeOf: (node: number) => number,
  role?: Role,
): Entry | undefined {
  const byNode: (Entry | undefined)[] = Array.from({ length: placing.nodes.count })
  for (const candidate of candidates) {
    if (role !== undefined && nextRole(placing, candidate) !== role) continue
    if (isBlocked(placing, candidate)) continue
    const node = assignedNode(placing, candidate)
    if (node !== nowhere) byNode[node] ??= candidate
  }
  const assigned = assignedNode(placing, entry)
  if (assigned !== nowhere) return byNode[placeOf(assigned)]
  const table = tableOf(placing, entry)
  let best: number | undefined
  for (let node = 0; node < table.length; node++) {
    if (!isAllowed(table, node) || byNode[placeOf(node)] === undefined) continue
    if (best === undefined || compareNodes(placing, table, nowhere, node, best) < 0) best = node
  }
  return best === undefined ? undefined : byNode[placeOf(best)]
}

/** Which instance of a clone, or which replica of a bundle, a resource can be paired with: the one on its node. */
import type { Role } from '../../cib/index.ts'
import type { BundleEntry, CloneEntry, Entry } from '../tree.ts'
import { isAllowed } from './availability.ts'
import { compareNodes } from './node-order.ts'
import { assignedNode, isBlocked, nextRole, nowhere, type Placing, tableOf } from './placing.ts'

export function compatibleInstance(placing: Placing, entry: Entry, clone: CloneEntry, role?: Role): Entry | undefined {
  return onSameNode(placing, entry, instancesByNode(placing, clone, role), (node) => node)
}

export function compatibleContainer(placing: Placing, entry: Entry, bundle: BundleEntry): Entry | undefined {
  const containers = bundle.replicas.map(({ container }) => container)
  return onSameNode(placing, entry, byNode(placing, containers), (node) => hostOfReplica(placing, node))
}

/** The first candidate on each node. */
type ByNode = readonly (Entry | undefined)[]

/** Asked by each instance of another clone; it stays the same until an instance of this one gets its node or loses it. */
function instancesByNode(placing: Placing, clone: CloneEntry, role?: Role): ByNode {
  const instances = placing.members[clone.index] ?? clone.members
  if (role !== undefined) return byNode(placing, instances, role)
  const known = placing.instancesByNode.get(clone.index)
  if (known !== undefined) return known
  const found = byNode(placing, instances)
  placing.instancesByNode.set(clone.index, found)
  return found
}

function byNode(placing: Placing, candidates: readonly Entry[], role?: Role): ByNode {
  const found: (Entry | undefined)[] = Array.from({ length: placing.nodes.count })
  for (const candidate of candidates) {
    if (role !== undefined && nextRole(placing, candidate) !== role) continue
    if (isBlocked(placing, candidate)) continue
    const node = assignedNode(placing, candidate)
    if (node !== nowhere) found[node] ??= candidate
  }
  return found
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
  candidates: ByNode,
  placeOf: (node: number) => number,
): Entry | undefined {
  const assigned = assignedNode(placing, entry)
  if (assigned !== nowhere) return candidates[placeOf(assigned)]
  const table = tableOf(placing, entry)
  let best: number | undefined
  for (let node = 0; node < table.length; node++) {
    if (!isAllowed(table, node) || candidates[placeOf(node)] === undefined) continue
    if (best === undefined || compareNodes(placing, table, nowhere, node, best) < 0) best = node
  }
  return best === undefined ? undefined : candidates[placeOf(best)]
}

/** Which instance of a clone, or which replica of a bundle, a resource can be paired with: the one on its node. */
import type { Role } from '../../cib/index.ts'
import type { BundleEntry, CloneEntry, Entry } from '../resources/tree.ts'
import { type AssignmentDraft, assignedNode, isBlocked, nextRole, nowhere, tableOf } from './assignment-draft.ts'
import { isAllowed } from './availability.ts'
import { nodeOrder } from './node-order.ts'

export function compatibleInstance(
  draft: AssignmentDraft,
  entry: Entry,
  clone: CloneEntry,
  role?: Role,
): Entry | undefined {
  return onSameNode(draft, entry, instancesByNode(draft, clone, role), (node) => node)
}

export function compatibleContainer(draft: AssignmentDraft, entry: Entry, bundle: BundleEntry): Entry | undefined {
  const containers = bundle.replicas.map(({ container }) => container)
  return onSameNode(draft, entry, byNode(draft, containers), (node) => hostOfReplica(draft, node))
}

/** The first candidate on each node. */
type ByNode = readonly (Entry | undefined)[]

/** Asked by each instance of another clone; it stays the same until an instance of this one gets its node or loses it. */
function instancesByNode(draft: AssignmentDraft, clone: CloneEntry, role?: Role): ByNode {
  const instances = draft.instances.members[clone.index] ?? clone.members
  if (role !== undefined) return byNode(draft, instances, role)
  const known = draft.instances.byNode.get(clone.index)
  if (known !== undefined) return known
  const found = byNode(draft, instances)
  draft.instances.byNode.set(clone.index, found)
  return found
}

function byNode(draft: AssignmentDraft, candidates: readonly Entry[], role?: Role): ByNode {
  const found: (Entry | undefined)[] = Array.from({ length: draft.nodes.count })
  for (const candidate of candidates) {
    if (role !== undefined && nextRole(draft, candidate) !== role) continue
    if (isBlocked(draft, candidate)) continue
    const node = assignedNode(draft, candidate)
    if (node !== nowhere) found[node] ??= candidate
  }
  return found
}

/** What runs on a bundle's node is where the container of that node is. */
function hostOfReplica(draft: AssignmentDraft, node: number): number {
  const replica = draft.tree.replicaOfNode.get(node)?.replica
  return replica === undefined ? node : (draft.placement.node[replica.container.index] ?? nowhere)
}

/** The node where the entry is going to be, or else the best that it may go to, decides. */
function onSameNode(
  draft: AssignmentDraft,
  entry: Entry,
  candidates: ByNode,
  placeOf: (node: number) => number,
): Entry | undefined {
  const assigned = assignedNode(draft, entry)
  if (assigned !== nowhere) return candidates[placeOf(assigned)]
  const table = tableOf(draft, entry)
  const compare = nodeOrder(draft, table, nowhere)
  let best: number | undefined
  for (let node = 0; node < table.length; node++) {
    if (!isAllowed(table, node) || candidates[placeOf(node)] === undefined) continue
    if (best === undefined || compare(node, best) < 0) best = node
  }
  return best === undefined ? undefined : candidates[placeOf(best)]
}

/**
 * Giving a resource its node, or none, and taking that back while instances of clones are tried out. The load and the
 * free capacity of nodes follow.
 */
import type { Entry, PrimitiveEntry } from '../resources/tree.ts'
import { updateUsable } from '../scores/node-table.ts'
import { scoreAt } from '../scores/score-table.ts'
import { type AssignMode, type AssignmentDraft, nowhere, setNextRole, tableOf } from './assignment-draft.ts'
import { isGuest, isUsable } from './availability.ts'
import { consume } from './free-capacity.ts'

/** Assigns a primitive to a node if it can run there; a guest node may come up within this very transition. */
export function assignToNode(draft: AssignmentDraft, entry: PrimitiveEntry, node: number, mode: AssignMode): void {
  if (node !== nowhere) {
    const score = scoreAt(tableOf(draft, entry), node)
    if (score < 0 || (!isUsable(draft, node) && !isGuest(draft, node))) {
      if (mode === 'final') setNextRole(draft, entry, 'Stopped', 'node availability')
      recordAssignment(draft, entry, nowhere, mode)
      return
    }
    recordAssignment(draft, entry, node, mode)
    draft.placement.score[entry.index] = score
    return
  }
  recordAssignment(draft, entry, nowhere, mode)
}

/** Whatever its scores say: where an unmanaged resource is, or nowhere. No score has brought it there but what the node has for all. */
export function recordAssignment(draft: AssignmentDraft, entry: PrimitiveEntry, node: number, mode: AssignMode): void {
  release(draft, entry)
  draft.placement.isAssigned[entry.index] = 1
  if (node === nowhere) {
    if (mode === 'final') setNextRole(draft, entry, 'Stopped', 'unable to assign')
    return
  }
  draft.placement.node[entry.index] = node
  forgetPairs(draft, entry)
  draft.placement.score[entry.index] = draft.nodes.baseScore[node] ?? 0
  draft.nodes.load[node] = (draft.nodes.load[node] ?? 0) + 1
  consume(draft.nodes, node, entry.resource.utilization, 1)
}

/** Takes an assignment back, of an entry and everything below it. */
export function release(draft: AssignmentDraft, entry: Entry): void {
  for (const member of entry.members) release(draft, member)
  draft.placement.isAssigned[entry.index] = 0
  if (entry.kind !== 'primitive') return
  const node = draft.placement.node[entry.index] ?? nowhere
  if (node === nowhere) return
  draft.placement.node[entry.index] = nowhere
  forgetPairs(draft, entry)
  draft.nodes.load[node] = (draft.nodes.load[node] ?? 0) - 1
  consume(draft.nodes, node, entry.resource.utilization, -1)
}

function forgetPairs(draft: AssignmentDraft, entry: Entry): void {
  for (let above = entry.parent; above !== undefined; above = above.parent) draft.instances.byNode.delete(above.index)
}

/** Nothing that it must be with is anywhere: it and everything below it goes nowhere. */
export function unassignable(draft: AssignmentDraft, entry: Entry): void {
  if (entry.kind === 'primitive') recordAssignment(draft, entry, nowhere, 'final')
  else for (const member of entry.members) unassignable(draft, member)
}

/** Whether a remote or guest node will be there follows from where its connection goes. */
export function connectionAssigned(draft: AssignmentDraft, connection: PrimitiveEntry): void {
  const name = connection.resource.connectionOf
  const index = name === undefined ? undefined : draft.tree.nodeIndex.get(name)
  const status = index === undefined ? undefined : draft.tree.nodes[index]
  if (index === undefined || status === undefined) return
  const { nodes } = draft
  if (draft.placement.node[connection.index] !== nowhere && draft.roles.next[connection.index] !== 'Stopped') {
    nodes.online[index] = 1
    // Nobody has seen it yet, and connecting to it is what will show how it is.
    if (status.unseen) nodes.unclean[index] = 0
  } else nodes.shutdown[index] = 1
  updateUsable(nodes, status, index)
}

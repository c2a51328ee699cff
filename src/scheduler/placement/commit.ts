/**
 * Giving a resource its node, or none, and taking that back while instances of clones are tried out. The load and the
 * free capacity of nodes follow.
 */
import type { Entry, PrimitiveEntry } from '../tree.ts'
import { isGuest, isUsable } from './availability.ts'
import { consume } from './free-capacity.ts'
import { updateUsable } from './node-table.ts'
import { type AssignWish, nowhere, type Placing, setNextRole, tableOf } from './placing.ts'
import { scoreAt } from './score-table.ts'

/** Assigns a primitive to a node if it can run there; a guest node may come up within this very transition. */
export function commit(placing: Placing, entry: PrimitiveEntry, node: number, wish: AssignWish): void {
  if (node !== nowhere) {
    const score = scoreAt(tableOf(placing, entry), node)
    if (score < 0 || (!isUsable(placing, node) && !isGuest(placing, node))) {
      if (wish === 'final') setNextRole(placing, entry, 'Stopped', 'node availability')
      settle(placing, entry, nowhere, wish)
      return
    }
    settle(placing, entry, node, wish)
    placing.scoreWhenAssigned[entry.index] = score
    return
  }
  settle(placing, entry, nowhere, wish)
}

/** Whatever its scores say: where an unmanaged resource is, or nowhere. No score has brought it there but what the node has for all. */
export function settle(placing: Placing, entry: PrimitiveEntry, node: number, wish: AssignWish): void {
  release(placing, entry)
  placing.settled[entry.index] = 1
  if (node === nowhere) {
    if (wish === 'final') setNextRole(placing, entry, 'Stopped', 'unable to assign')
    return
  }
  placing.node[entry.index] = node
  forgetPairs(placing, entry)
  placing.scoreWhenAssigned[entry.index] = placing.nodes.baseScore[node] ?? 0
  placing.nodes.load[node] = (placing.nodes.load[node] ?? 0) + 1
  consume(placing.nodes, node, entry.resource.utilization, 1)
}

/** Takes an assignment back, of an entry and everything below it. */
export function release(placing: Placing, entry: Entry): void {
  for (const member of entry.members) release(placing, member)
  placing.settled[entry.index] = 0
  if (entry.kind !== 'primitive') return
  const node = placing.node[entry.index] ?? nowhere
  if (node === nowhere) return
  placing.node[entry.index] = nowhere
  forgetPairs(placing, entry)
  placing.nodes.load[node] = (placing.nodes.load[node] ?? 0) - 1
  consume(placing.nodes, node, entry.resource.utilization, -1)
}

function forgetPairs(placing: Placing, entry: Entry): void {
  for (let above = entry.parent; above !== undefined; above = above.parent) placing.instancesByNode.delete(above.index)
}

/** Nothing that it must be with is anywhere: it and everything below it goes nowhere. */
export function unassignable(placing: Placing, entry: Entry): void {
  if (entry.kind === 'primitive') settle(placing, entry, nowhere, 'final')
  else for (const member of entry.members) unassignable(placing, member)
}

/** Whether a remote or guest node will be there follows from where its connection goes. */
export function connectionAssigned(placing: Placing, connection: PrimitiveEntry): void {
  const name = connection.resource.connectionOf
  const index = name === undefined ? undefined : placing.tree.nodeIndex.get(name)
  const status = index === undefined ? undefined : placing.tree.nodes[index]
  if (index === undefined || status === undefined) return
  const { nodes } = placing
  if (placing.node[connection.index] !== nowhere && placing.nextRole[connection.index] !== 'Stopped') {
    nodes.online[index] = 1
    // Nobody has seen it yet, and connecting to it is what will show how it is.
    if (status.unseen) nodes.unclean[index] = 0
  } else nodes.shutdown[index] = 1
  updateUsable(nodes, status, index)
}

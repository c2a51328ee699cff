/**
 * Groups: the members are assigned one after the other. That they end up on one node, and that the group goes where its
 * members together would rather be, comes from the colocation of each member with the one before it.
 */
import { type GroupEntry, isColocatedGroup } from '../tree.ts'
import { type AssignWish, assignedNode, isSettled, nowhere, type Placing, showScores } from './placing.ts'

export function assignGroup(placing: Placing, group: GroupEntry, prefer: number, wish: AssignWish): number {
  if (isSettled(placing, group)) return assignedNode(placing, group)
  if (placing.assigning[group.index] === 1) return nowhere
  placing.assigning[group.index] = 1
  showScores(placing, 'group', group)
  let first = nowhere
  for (const member of group.members) {
    const node = placing.assign(placing, member, prefer, wish)
    if (first === nowhere) first = node
  }
  placing.assigning[group.index] = 0
  placing.settled[group.index] = 1
  return isColocatedGroup(group) ? first : nowhere
}

/**
 * Groups: the members are assigned one after the other. That they end up on one node, and that the group goes where its
 * members together would rather be, comes from the colocation of each member with the one before it.
 */
import { type GroupEntry, isColocatedGroup } from '../resources/tree.ts'
import {
  type AssignMode,
  type AssignmentDraft,
  assignedNode,
  isAssigned,
  nowhere,
  showScores,
} from './assignment-draft.ts'

export function assignGroup(draft: AssignmentDraft, group: GroupEntry, prefer: number, mode: AssignMode): number {
  if (isAssigned(draft, group)) return assignedNode(draft, group)
  if (draft.underWay.assigning[group.index] === 1) return nowhere
  draft.underWay.assigning[group.index] = 1
  showScores(draft, 'group', group)
  let first = nowhere
  for (const member of group.members) {
    const node = draft.assign(draft, member, prefer, mode)
    if (first === nowhere) first = node
  }
  draft.underWay.assigning[group.index] = 0
  draft.placement.isAssigned[group.index] = 1
  return isColocatedGroup(group) ? first : nowhere
}

/** Clones: what they depend on is assigned first, what depends on them is heard, then the instances are distributed. */
import type { CloneEntry } from '../resources/tree.ts'
import { assignInstances } from './assign-instances.ts'
import {
  type AssignMode,
  type AssignmentDraft,
  isAssigned,
  nowhere,
  setMembers,
  showScores,
} from './assignment-draft.ts'
import { addDependentScores } from './colocated-node-scores.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { sortInstances } from './instance-order.ts'
import { addPromotionScores, chooseRoles } from './promotable.ts'

/** A clone is on many nodes, so none is returned. */
export function assignClone(draft: AssignmentDraft, clone: CloneEntry, prefer: number, mode: AssignMode): number {
  if (isAssigned(draft, clone) || draft.underWay.assigning[clone.index] === 1) return nowhere
  draft.underWay.assigning[clone.index] = 1
  const { resource } = clone
  if (resource.promotable) addPromotionScores(draft, clone)
  for (const { primary } of dependsOn(draft, clone)) draft.assign(draft, primary, prefer, mode)
  for (const colocation of supports(draft, clone)) addDependentScores(draft, colocation, clone)
  showScores(draft, 'clone', clone)
  const instances = sortInstances(draft, draft.instances.members[clone.index] ?? clone.members)
  setMembers(draft, clone, instances)
  assignInstances(draft, clone, instances, { inAll: resource.cloneMax, perNode: resource.cloneNodeMax })
  if (resource.promotable) chooseRoles(draft, clone)
  draft.placement.isAssigned[clone.index] = 1
  draft.underWay.assigning[clone.index] = 0
  return nowhere
}

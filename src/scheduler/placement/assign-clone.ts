/** Clones: what they depend on is assigned first, what depends on them is heard, then the instances are distributed. */
import type { CloneEntry } from '../tree.ts'
import { assignInstances } from './assign-instances.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { sortInstances } from './instance-order.ts'
import { type AssignWish, isSettled, nowhere, type Placing, setMembers, showScores } from './placing.ts'
import { addPromotionScores, chooseRoles } from './promotable.ts'
import { addDependentWishes } from './wishes.ts'

/** A clone is on many nodes, so none is returned. */
export function assignClone(placing: Placing, clone: CloneEntry, prefer: number, wish: AssignWish): number {
  if (isSettled(placing, clone) || placing.assigning[clone.index] === 1) return nowhere
  placing.assigning[clone.index] = 1
  const { resource } = clone
  if (resource.promotable) addPromotionScores(placing, clone)
  for (const { primary } of dependsOn(placing, clone)) placing.assign(placing, primary, prefer, wish)
  for (const colocation of supports(placing, clone)) addDependentWishes(placing, colocation, clone)
  showScores(placing, 'clone', clone)
  const instances = sortInstances(placing, placing.members[clone.index] ?? clone.members)
  setMembers(placing, clone, instances)
  assignInstances(placing, clone, instances, { inAll: resource.cloneMax, perNode: resource.cloneNodeMax })
  if (resource.promotable) chooseRoles(placing, clone)
  placing.settled[clone.index] = 1
  placing.assigning[clone.index] = 0
  return nowhere
}

/** Which instance of an interleaved clone needs one of another clone beside it, and whether it has one. */
import type { PlannedAction, PlannedRelation } from '../draft/action.ts'
import type { Draft } from '../draft/draft.ts'
import { type Direction, type Instance, isInterleaved } from '../draft/pairing.ts'
import { isReplicated, primitivesOf, replicasOf } from '../draft/planned-resource.ts'
import { has, rule } from '../draft/relation.ts'

/** Going down, the first clone's option decides; going up, that of the one that follows. */
export function interleaved({ first, follower }: Pick<PlannedRelation, 'first' | 'follower'>): boolean {
  if (!isReplicated(first.rsc) || !isReplicated(follower.rsc) || first.rsc === follower.rsc) return false
  const goesDown = follower.task === 'stop' || follower.task === 'demote'
  return isInterleaved(goesDown ? first.rsc : follower.rsc)
}

/** Rules for which an instance that comes up needs a partner that does. */
export const needsPartner = rule.unrunnableFirstBlocks | rule.thenImpliesFirst

export const directionOf = ({ key }: PlannedAction): Direction => (/_(stopped|demoted)_0$/.test(key) ? 'down' : 'up')

/** Whether an instance that shall be somewhere is alone there, although it needs one of the first clone beside it. */
export function lacksPartner(draft: Draft, { first, follower, rules }: PlannedRelation): boolean {
  if (!has(rules, needsPartner) || !isReplicated(first.rsc) || !isReplicated(follower.rsc)) return false
  const { task } = first
  if (!interleaved({ first, follower }) || task === 'stop' || task === 'demote') return false
  if (directionOf(first) === 'down') return false
  const { rsc } = first
  return replicasOf(follower.rsc).some(
    (instance) => isPlaced(draft, instance) && !draft.pairing.partnerOf(instance, rsc, 'up'),
  )
}

const isPlaced = ({ destinationOf }: Draft, instance: Instance): boolean =>
  primitivesOf(instance).some((primitive) => destinationOf(primitive).node !== undefined)

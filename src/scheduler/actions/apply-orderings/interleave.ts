/**
 * Interleaved clones: an instance waits for the instance of the other clone beside it, not for the whole clone
 * ("interleave" in Pacemaker Explained).
 */
import { isRecurring, type PlannedAction } from '../draft/action.ts'
import type { Instance } from '../draft/pairing.ts'
import { isReplicated, type PlannedResource, primitivesOf, replicasOf } from '../draft/planned-resource.ts'
import { has } from '../draft/relation.ts'
import type { Applying } from './applying.ts'
import { counted } from './counted-state.ts'
import { directionOf, needsPartner } from './partners.ts'
import { taskOfParts } from './parts.ts'
import { type Changed, either, type Step, unchanged } from './step.ts'

/** Applies a rule to a single instance; `apply-orderings.ts` passes its own, which comes here for clones. */
type Apply = (applying: Applying, rsc: PlannedResource, step: Step) => Changed

export function applyInterleaved(applying: Applying, step: Step, apply: Apply): Changed {
  const { first, follower, consequence } = step
  if (!isReplicated(first.rsc) || !isReplicated(follower.rsc)) return unchanged
  const direction = directionOf(first)
  let changed = unchanged
  const ofFirst = actionsOfInstances(applying, first)
  const ofFollower = actionsOfInstances(applying, follower)
  for (const instance of replicasOf(follower.rsc)) {
    const partner = applying.pairing.partnerOf(instance, first.rsc, direction)
    if (!partner) {
      if (direction === 'up' && has(consequence.rule, needsPartner) && withdraw(applying, instance))
        changed = either(changed, { first: false, follower: true })
      continue
    }
    const own = ofFirst(partner)
    const waiting = ofFollower(instance)
    if (!own || !waiting) continue
    if (applying.relate(own, waiting, consequence.rule)) {
      changed = { first: true, follower: true }
      applying.work.add(waiting)
    }
    const state = counted(applying, own, step.node)
    const inner = apply(applying, instance, { ...step, first: own, follower: waiting, counted: state })
    if (inner.first) applying.lookAgain(own)
    if (inner.follower) applying.lookAgain(waiting)
    changed = either(changed, inner)
  }
  return changed
}

/** An instance that needs a partner and has none stays down; going down needs none. */
function withdraw(applying: Applying, instance: Instance): boolean {
  const placed = primitivesOf(instance).filter((primitive) => applying.destinationOf(primitive).node !== undefined)
  for (const primitive of placed) {
    for (const action of applying.draft.ofResource(primitive)) {
      const state = applying.stateOf(action)
      if (action.task === 'stop') state.optional = false
      else if (action.task === 'start' || action.task === 'promote' || isRecurring(action)) state.runnable = false
      applying.lookAgain(action)
    }
  }
  if (placed.length > 0) applying.withdraw(placed)
  return placed.length > 0
}

/** What an instance does as its part of a clone's action; for notified clones that action may be a confirmation. */
function actionsOfInstances(
  { parts }: Applying,
  action: PlannedAction,
): (instance: Instance) => PlannedAction | undefined {
  const tasks = { group: taskOfParts(action, 'groups'), primitive: taskOfParts(action, 'primitives') }
  return (instance) => {
    const task = tasks[instance.kind]
    return parts.own(task === 'promote' || task === 'demote' ? inContainer(instance) : instance, task)
  }
}

/** What runs in a bundle's container. */
function inContainer(instance: Instance): Instance {
  if (instance.kind !== 'primitive' || instance.replica?.as !== 'container') return instance
  const { bundle, number } = instance.replica
  return bundle.replicas.find((replica) => replica.number === number)?.child ?? instance
}

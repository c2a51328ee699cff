/**
 * Interleaved clones: an instance waits for the instance of the other clone beside it, not for the whole clone
 * ("interleave" in Pacemaker Explained).
 */
import { isRecurring, type PlannedAction } from '../draft/action.ts'
import type { Instance } from '../draft/pairing.ts'
import { has } from '../draft/relation.ts'
import { isReplicated, primitivesOf, replicasOf, type Unit } from '../draft/unit.ts'
import { counted } from './counted-state.ts'
import { directionOf, needsPartner } from './partners.ts'
import { taskOfParts } from './parts.ts'
import type { Settling } from './settling.ts'
import { type Changed, either, type Step, unchanged } from './step.ts'

/** Applies a rule to a single instance; `settle.ts` passes its own, which comes here for clones. */
type Apply = (settling: Settling, unit: Unit, step: Step) => Changed

export function applyInterleaved(settling: Settling, step: Step, apply: Apply): Changed {
  const { first, follower, consequence } = step
  if (!isReplicated(first.unit) || !isReplicated(follower.unit)) return unchanged
  const direction = directionOf(first)
  let changed = unchanged
  const ofFirst = actionsOfInstances(settling, first)
  const ofFollower = actionsOfInstances(settling, follower)
  for (const instance of replicasOf(follower.unit)) {
    const partner = settling.pairing.partnerOf(instance, first.unit, direction)
    if (!partner) {
      if (direction === 'up' && has(consequence.rule, needsPartner) && withdraw(settling, instance))
        changed = either(changed, { first: false, follower: true })
      continue
    }
    const own = ofFirst(partner)
    const waiting = ofFollower(instance)
    if (!own || !waiting) continue
    if (settling.relate(own, waiting, consequence.rule)) {
      changed = { first: true, follower: true }
      settling.work.add(waiting)
    }
    const state = counted(settling, own, step.node)
    const inner = apply(settling, instance, { ...step, first: own, follower: waiting, counted: state })
    if (inner.first) settling.lookAgain(own)
    if (inner.follower) settling.lookAgain(waiting)
    changed = either(changed, inner)
  }
  return changed
}

/** An instance that needs a partner and has none stays down; going down needs none. */
function withdraw(settling: Settling, instance: Instance): boolean {
  const placed = primitivesOf(instance).filter((primitive) => settling.destinationOf(primitive).node !== undefined)
  for (const primitive of placed) {
    for (const action of settling.draft.ofUnit(primitive)) {
      const state = settling.stateOf(action)
      if (action.task === 'stop') state.optional = false
      else if (action.task === 'start' || action.task === 'promote' || isRecurring(action)) state.runnable = false
      settling.lookAgain(action)
    }
  }
  if (placed.length > 0) settling.withdraw(placed)
  return placed.length > 0
}

/** What an instance does as its part of a clone's action; for notified clones that action may be a confirmation. */
function actionsOfInstances(
  { parts }: Settling,
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

/**
 * Interleaved clones: an instance waits for the instance of the other clone beside it, not for the whole clone
 * ("interleave" in Pacemaker Explained).
 */
import type { NodeName } from '../../../base/index.ts'
import { findAction, isRecurring, operationKey, type PlannedAction } from '../action.ts'
import type { Plan } from '../draft.ts'
import { isTrue } from '../operation.ts'
import { has, relate, rule } from '../relation.ts'
import {
  type BundleUnit,
  type CloneUnit,
  type GroupUnit,
  isReplicated,
  type PrimitiveUnit,
  primitivesOf,
  replicasOf,
  type Unit,
} from '../unit.ts'
import { type Changed, type Settling, type Step, stateFor, taskOfParts, unchanged } from './state.ts'

type Instance = PrimitiveUnit | GroupUnit

export const isInterleaved = (unit: CloneUnit | BundleUnit): boolean =>
  unit.kind === 'clone' ? unit.resource.interleave : isTrue(unit.resource.meta.raw.get('interleave'))

/** Going down, the first clone's option decides; going up, that of the one that follows. */
export function interleaved({ first, follower }: Pick<Step, 'first' | 'follower'>): boolean {
  if (!isReplicated(first.unit) || !isReplicated(follower.unit) || first.unit === follower.unit) return false
  const goesDown = follower.task === 'stop' || follower.task === 'demote'
  const deciding = goesDown ? first.unit : follower.unit
  return isInterleaved(deciding)
}

/** Applies a rule to a single instance; `propagate.ts` passes its own, which comes here for clones. */
type Update = (settling: Settling, unit: Unit, step: Step) => Changed

export function updateInterleaved(settling: Settling, step: Step, update: Update): Changed {
  const { first, follower } = step
  if (!isReplicated(first.unit) || !isReplicated(follower.unit)) return unchanged
  const { plan } = settling
  const goesDown = /_(stopped|demoted)_0$/.test(first.key)
  let changed = unchanged
  for (const instance of replicasOf(follower.unit)) {
    const partner = partnerOf(plan, instance, first.unit, goesDown)
    if (!partner) {
      if (withdraw(settling, step, instance, goesDown)) changed = { first: changed.first, follower: true }
      continue
    }
    const own = actionOfInstance(first, partner)
    const waiting = actionOfInstance(follower, instance)
    if (!own || !waiting) continue
    if (relate(own, waiting, step.rules)) {
      changed = { first: true, follower: true }
      settling.work.add(waiting)
    }
    const state = stateFor(own, step.node)
    const inner = update(settling, instance, { ...step, first: own, follower: waiting, state })
    if (inner.first) settling.work.addWithFollowers(own)
    if (inner.follower) settling.work.addWithFollowers(waiting)
    changed = { first: changed.first || inner.first, follower: changed.follower || inner.follower }
  }
  return changed
}

/** The instance of another clone that is (going down) or shall be (going up) on the same node. */
export function partnerOf(
  plan: Plan,
  instance: Unit,
  other: CloneUnit | BundleUnit,
  current: boolean,
): Instance | undefined {
  const byNode = instancesByNode(plan, other, current)
  for (const node of nodesOf(instance, current)) {
    const partner = byNode.get(node)
    if (partner) return partner
  }
  return undefined
}

/** Looked up for every pair of instances, so it is made once for each clone and direction. */
export function instancesByNode(
  plan: Plan,
  clone: CloneUnit | BundleUnit,
  current: boolean,
): ReadonlyMap<NodeName, Instance> {
  const key = `${clone.id} ${current ? 'now' : 'next'}`
  const known = plan.instancesByNode.get(key)
  if (known) return known
  const byNode = new Map<NodeName, Instance>()
  for (const instance of replicasOf(clone)) {
    for (const node of nodesOf(instance, current)) if (!byNode.has(node)) byNode.set(node, instance)
  }
  plan.instancesByNode.set(key, byNode)
  return byNode
}

function nodesOf(unit: Unit, current: boolean): readonly NodeName[] {
  return primitivesOf(unit).flatMap(({ resource, assigned }) => {
    if (current) return resource.state.active.map(({ node }) => node)
    return assigned.node === undefined ? [] : [assigned.node]
  })
}

/** An instance that needs a partner and has none stays down; going down needs none. */
function withdraw({ plan, work }: Settling, step: Step, instance: Instance, goesDown: boolean): boolean {
  if (goesDown || !has(step.rules, rule.unrunnableFirstBlocks | rule.thenImpliesFirst)) return false
  const placed = primitivesOf(instance).filter(({ assigned }) => assigned.node !== undefined)
  for (const primitive of placed) {
    const { node: _withdrawn, ...rest } = primitive.assigned
    primitive.assigned = { ...rest, nextRole: 'Stopped' }
    for (const action of primitive.actions) {
      if (action.task === 'stop') action.optional = false
      else if (action.task === 'start' || action.task === 'promote' || isRecurring(action)) action.runnable = false
      work.addWithFollowers(action)
    }
  }
  if (placed.length > 0) plan.instancesByNode.clear()
  return placed.length > 0
}

/** What an instance does as its part of a clone's action; for notified clones that action may be a confirmation. */
function actionOfInstance(action: PlannedAction, instance: Instance): PlannedAction | undefined {
  const task = taskOfParts(action, instance.kind === 'group' ? 'groups' : 'primitives')
  const doing = task === 'promote' || task === 'demote' ? inContainer(instance) : instance
  return findAction(doing, { key: operationKey(doing.id, task) })
}

/** What runs in a bundle's container. */
function inContainer(instance: Instance): Instance {
  if (instance.kind !== 'primitive' || instance.replica?.as !== 'container') return instance
  const { bundle, number } = instance.replica
  return bundle.replicas.find((replica) => replica.number === number)?.child ?? instance
}

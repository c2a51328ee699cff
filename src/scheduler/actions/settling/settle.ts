/**
 * Makes all relations hold. Whenever the state of an action changes, what it is related to is looked at again, until nothing
 * changes: what is lost does not come back, so this ends. What a relation means for two actions is the table in `rules.ts`;
 * here is which actions it is applied to.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { type ActionState, findAction, type PlannedAction, type PlannedRelation, sameNode } from '../draft/action.ts'
import type { Draft } from '../draft/draft.ts'
import { isTrue } from '../draft/operation.ts'
import { has, type Rules, rule } from '../draft/relation.ts'
import { doneTask, originalTask } from '../draft/role-tasks.ts'
import { locationOf } from '../draft/setting.ts'
import { type BundleUnit, type CloneUnit, isWithin, replicasOf, type Unit } from '../draft/unit.ts'
import { blockColocated } from './colocated-blocking.ts'
import type { Counted } from './counted.ts'
import { counted, countedForOrder } from './counted-state.ts'
import { applyInterleaved } from './interleave.ts'
import { interleaved } from './partners.ts'
import { type Consequence, consequences, lose } from './rules.ts'
import type { Settled } from './settled.ts'
import { Settling } from './settling.ts'
import { type Changed, either, type Step, unchanged } from './step.ts'

export function settle(draft: Draft): Settled {
  const settling = new Settling(draft)
  const reached = draft.actions.filter(settling.reaches)
  for (const action of reached) settling.work.add(action)
  const look = (action: PlannedAction): void => lookAt(settling, action)
  // As from the work list: what was planned last comes first.
  for (const action of reached.toReversed()) blockColocated(settling, action, look)
  for (let action = settling.work.take(); action; action = settling.work.take()) settleAction(settling, action)
  for (const action of reached) if (action.unit?.kind === 'clone') counted(settling, action, undefined)
  return settling.finish()
}

function settleAction(settling: Settling, follower: PlannedAction): void {
  if (!settling.reaches(follower)) return
  const state = settling.stateOf(follower)
  const before = mark(state)
  const wasRunnable = state.runnable
  if (follower.minRunnable !== undefined) state.runnable = false
  // What its parts need is what it needs.
  counted(settling, follower, undefined)
  const relations = settling.before(follower)
  let isChanged = false
  let possibleFirsts = 0
  for (let i = relations.length - 1; i >= 0; i--) {
    const relation = relations[i]
    if (!relation || settling.isDropped(relation)) continue
    const { changed, first, counts } = settleRelation(settling, relation)
    if (counts) possibleFirsts++
    if (follower.minRunnable !== undefined && possibleFirsts >= follower.minRunnable) state.runnable = true
    if (changed.first) {
      lookAtFollowers(settling, first)
      lookAt(settling, first)
    }
    if (changed.follower) isChanged = true
  }
  if (follower.minRunnable !== undefined) isChanged = mark(state) !== before
  if (!isChanged) return
  if (wasRunnable && !state.runnable) blockColocated(settling, follower, (action) => lookAt(settling, action))
  lookAt(settling, follower)
  lookAtFollowers(settling, follower)
}

/** The part of a state that matters to others, to tell whether it changed. */
const mark = ({ runnable, optional, pseudo, migratable }: ActionState): number =>
  Number(runnable) | (Number(optional) << 1) | (Number(pseudo) << 2) | (Number(migratable) << 3)

/**
 * A change is followed to its end at once, so that the reason that is shown is the one nearest to its cause; what is too
 * far down in a long chain waits its turn.
 */
function lookAt(settling: Settling, action: PlannedAction): void {
  if (settling.depth >= deepest) {
    settling.work.add(action)
    return
  }
  settling.depth++
  settleAction(settling, action)
  settling.depth--
}

const deepest = 500

function lookAtFollowers(settling: Settling, action: PlannedAction): void {
  const after = settling.after(action)
  for (let i = after.length - 1; i >= 0; i--) {
    const relation = after[i]
    if (relation) lookAt(settling, relation.follower)
  }
}

interface Looked {
  readonly changed: Changed
  readonly first: PlannedAction
  /** Of a point that needs only some of its firsts: this one is possible. */
  readonly counts: boolean
}

function settleRelation(settling: Settling, relation: PlannedRelation): Looked {
  const { first, follower, rules } = relation
  const firstNode = nodeOf(settling, first)
  const followerNode = nodeOf(settling, follower)
  if (has(rules, rule.onSameNode) && firstNode && followerNode && !sameNode(firstNode, followerNode)) {
    settling.drop(relation)
    return { changed: unchanged, first, counts: false }
  }
  if (first.unit && has(rules, rule.thenCancelsFirst) && !settling.stateOf(follower).optional) {
    settling.stateOf(first).optional = true
  }
  const isOutside = first.unit && follower.unit && first.unit !== follower.unit && !isWithin(follower.unit, first.unit)
  const end = isOutside ? endOf(settling, first) : first
  if (end !== first) {
    // The end of a clone's or bundle's change is what others wait for.
    settling.drop(relation)
    const isNew = settling.relate(end, follower, rules)
    return { changed: { first: false, follower: isNew }, first: end, counts: false }
  }
  const state = countedForOrder(settling, first, followerNode)
  const counts = has(rules, rule.minRunnable) && !follower.unit && state.runnable
  const changed = applyRelation(settling, relation, state)
  return { changed: either(changed, showAndBlock(settling, relation, { state, firstNode })), first, counts }
}

/** A group's start happens where its members are. */
function nodeOf(settling: Settling, { unit, task, node }: PlannedAction): NodeStatus | undefined {
  if (unit?.kind !== 'group' || task !== 'start') return node
  return locationOf({ nodes: settling.draft.nodes, destinationOf: settling.destinationOf }, unit)
}

/** For clones, bundles and groups: the point at which an action is done everywhere, notifications included. */
function endOf({ draft }: Settling, action: PlannedAction): PlannedAction {
  const { unit, task } = action
  if (!unit || unit.kind === 'primitive' || task === 'notify' || task === 'notified') return action
  const done = doneTask(originalTask(task))
  if (done === undefined) return action
  // A bundle has no notifications of its own, so that one with `notify` is followed from its beginning.
  const notifies =
    (unit.kind === 'clone' && unit.resource.notify) ||
    (unit.kind === 'bundle' && isTrue(unit.resource.meta.raw.get('notify')))
  const key = notifies ? `${unit.id}_confirmed-post_notify_${done}_0` : `${unit.id}_${done}_0`
  return findAction(draft, unit, { key }) ?? action
}

/** Goes through the table of consequences for the rules that the relation has. */
function applyRelation(settling: Settling, relation: PlannedRelation, state: Counted): Changed {
  const { first, follower } = relation
  const { rules, node } = effective(settling, relation, state)
  let changed = unchanged
  for (const consequence of consequences) {
    if (!has(rules, consequence.rule)) continue
    if (consequence.onlyInterleaved && !interleaved(relation)) continue
    const step: Step = { first, follower, node, counted: state, consequence }
    const unit = consequence.partsOf === 'first' ? first.unit : follower.unit
    changed = either(changed, unit ? apply(settling, unit, step) : applyToPoint(settling, step))
  }
  return changed
}

/** Rules that are others under a condition. */
function effective(
  settling: Settling,
  relation: PlannedRelation,
  state: Counted,
): { readonly rules: Rules; readonly node: NodeStatus | undefined } {
  const { first, follower } = relation
  let { rules } = relation
  let { node } = follower
  if (has(rules, rule.firstImpliesSameNodeThen)) {
    rules |= rule.firstImpliesThen
    node = first.node
  }
  if (has(rules, rule.nestedProbe) && follower.unit) {
    const isUp = first.unit?.kind === 'primitive' && first.unit.resource.state.active.length > 0
    if (!state.runnable && isUp) settling.drop(relation)
    else rules |= rule.unrunnableFirstBlocks
  }
  return { rules, node }
}

/** Applies one rule on behalf of a unit: to itself, and to its parts where it has some. */
export function apply(settling: Settling, unit: Unit, step: Step): Changed {
  switch (unit.kind) {
    case 'primitive':
      return applyToPair(settling, step)
    case 'group':
      return applyToMembers(settling, unit.members, step)
    case 'clone':
    case 'bundle':
      return applyToInstances(settling, unit, step)
  }
}

function applyToMembers(settling: Settling, members: readonly Unit[], step: Step): Changed {
  let changed = applyToPair(settling, step)
  for (const member of members) {
    const own = findAction(settling.draft, member, { task: step.follower.task, node: step.node })
    if (own) changed = either(changed, apply(settling, member, { ...step, follower: own }))
  }
  return changed
}

function applyToInstances(settling: Settling, unit: CloneUnit | BundleUnit, step: Step): Changed {
  if (interleaved(step)) return applyInterleaved(settling, step, apply)
  let changed = applyToPair(settling, step)
  for (const instance of replicasOf(unit)) {
    const own = findAction(settling.draft, instance, { task: step.follower.task, node: step.node })
    if (!own || !counted(settling, own, step.node).runnable) continue
    const inner = apply(settling, instance, { ...step, follower: own })
    changed = either(changed, inner)
    if (inner.follower) lookAtFollowers(settling, own)
  }
  return changed
}

function applyToPair(settling: Settling, step: Step): Changed {
  const changed = judged(settling, step, step.consequence.apply)
  // Members of a group or clone have relations of their own that this may matter to.
  if (changed.follower && step.follower.unit?.parent) lookAt(settling, step.follower)
  return changed
}

const applyToPoint = (settling: Settling, step: Step): Changed =>
  step.consequence.applyToPoint ? judged(settling, step, step.consequence.applyToPoint) : unchanged

function judged(settling: Settling, { first, follower, counted: state }: Step, by: Consequence['apply']): Changed {
  const firstState = settling.stateOf(first)
  const followerState = settling.stateOf(follower)
  const firstBefore = mark(firstState)
  const followerBefore = mark(followerState)
  by({
    first: { action: first, state: firstState },
    follower: { action: follower, state: followerState },
    counted: state,
  })
  const isFirst = mark(firstState) !== firstBefore
  const isFollower = mark(followerState) !== followerBefore
  return isFirst || isFollower ? { first: isFirst, follower: isFollower } : unchanged
}

interface Seen {
  readonly state: Counted
  readonly firstNode: NodeStatus | undefined
}

/** What is shown in the graph for the sake of the other, and what a stop that is not allowed keeps from going on. */
function showAndBlock(settling: Settling, { first, follower, rules }: PlannedRelation, seen: Seen): Changed {
  const firstState = settling.stateOf(first)
  const followerState = settling.stateOf(follower)
  if (has(rules, rule.firstShowsThen) && firstState.runnable && !seen.state.optional) followerState.alwaysInGraph = true
  if (has(rules, rule.thenShowsFirst) && !countedForOrder(settling, follower, seen.firstNode).optional) {
    firstState.alwaysInGraph = true
  }
  // The resource stays where it is, so nothing that needs the stop may go on.
  const depends = has(rules, rule.firstImpliesThen | rule.thenImpliesFirst | rule.restart)
  if (!depends || first.task !== 'stop' || firstState.runnable || first.unit?.kind !== 'primitive') return unchanged
  const { managed, blocked } = first.unit.assigned
  if (managed || !blocked || !followerState.runnable) return unchanged
  lose({ action: follower, state: followerState }, 'runnable', { action: first, state: firstState })
  return { first: false, follower: true }
}

/**
 * Makes all relations hold. Whenever the state of an action changes, what it is related to is looked at again, until nothing
 * changes: what is lost does not come back, so this ends. What a relation means for two actions is the table in `rules.ts`;
 * here is which actions it is applied to.
 */

import { isTrue } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { type ActionState, findAction, type PlannedAction, type PlannedRelation, sameNode } from '../draft/action.ts'
import type { Draft } from '../draft/draft.ts'
import {
  isWithin,
  type PlannedBundle,
  type PlannedClone,
  type PlannedResource,
  replicasOf,
} from '../draft/planned-resource.ts'
import { has, type Rules, rule } from '../draft/relation.ts'
import { doneTask, originalTask } from '../draft/role-tasks.ts'
import { locationOf } from '../draft/setting.ts'
import type { AppliedOrderings } from './applied-orderings.ts'
import { Applying } from './applying.ts'
import { blockColocated } from './colocated-blocking.ts'
import type { Counted } from './counted.ts'
import { counted, countedForOrder } from './counted-state.ts'
import { applyInterleaved } from './interleave.ts'
import { interleaved } from './partners.ts'
import { type Consequence, consequences, lose } from './rules.ts'
import { type Changed, either, type Step, unchanged } from './step.ts'

export function applyOrderings(draft: Draft): AppliedOrderings {
  const applying = new Applying(draft)
  const reached = draft.actions.filter(applying.reaches)
  for (const action of reached) applying.work.add(action)
  const look = (action: PlannedAction): void => lookAt(applying, action)
  // As from the work list: what was planned last comes first.
  for (const action of reached.toReversed()) blockColocated(applying, action, look)
  for (let action = applying.work.take(); action; action = applying.work.take()) applyToAction(applying, action)
  for (const action of reached) if (action.rsc?.kind === 'clone') counted(applying, action, undefined)
  return applying.finish()
}

function applyToAction(applying: Applying, follower: PlannedAction): void {
  if (!applying.reaches(follower)) return
  const state = applying.stateOf(follower)
  const before = mark(state)
  const wasRunnable = state.runnable
  if (follower.minRunnable !== undefined) state.runnable = false
  // What its parts need is what it needs.
  counted(applying, follower, undefined)
  const relations = applying.before(follower)
  let isChanged = false
  let possibleFirsts = 0
  for (let i = relations.length - 1; i >= 0; i--) {
    const relation = relations[i]
    if (!relation || applying.isDropped(relation)) continue
    const { changed, first, counts } = judgeRelation(applying, relation)
    if (counts) possibleFirsts++
    if (follower.minRunnable !== undefined && possibleFirsts >= follower.minRunnable) state.runnable = true
    if (changed.first) {
      lookAtFollowers(applying, first)
      lookAt(applying, first)
    }
    if (changed.follower) isChanged = true
  }
  if (follower.minRunnable !== undefined) isChanged = mark(state) !== before
  if (!isChanged) return
  if (wasRunnable && !state.runnable) blockColocated(applying, follower, (action) => lookAt(applying, action))
  lookAt(applying, follower)
  lookAtFollowers(applying, follower)
}

/** The part of a state that matters to others, to tell whether it changed. */
const mark = ({ runnable, optional, pseudo, migratable }: ActionState): number =>
  Number(runnable) | (Number(optional) << 1) | (Number(pseudo) << 2) | (Number(migratable) << 3)

/**
 * A change is followed to its end at once, so that the reason that is shown is the one nearest to its cause; what is too
 * far down in a long chain waits its turn.
 */
function lookAt(applying: Applying, action: PlannedAction): void {
  if (applying.depth >= deepest) {
    applying.work.add(action)
    return
  }
  applying.depth++
  applyToAction(applying, action)
  applying.depth--
}

const deepest = 500

function lookAtFollowers(applying: Applying, action: PlannedAction): void {
  const after = applying.after(action)
  for (let i = after.length - 1; i >= 0; i--) {
    const relation = after[i]
    if (relation) lookAt(applying, relation.follower)
  }
}

interface Looked {
  readonly changed: Changed
  readonly first: PlannedAction
  /** Of a point that needs only some of its firsts: this one is possible. */
  readonly counts: boolean
}

function judgeRelation(applying: Applying, relation: PlannedRelation): Looked {
  const { first, follower, rules } = relation
  const firstNode = nodeOf(applying, first)
  const followerNode = nodeOf(applying, follower)
  if (has(rules, rule.onSameNode) && firstNode && followerNode && !sameNode(firstNode, followerNode)) {
    applying.drop(relation)
    return { changed: unchanged, first, counts: false }
  }
  if (first.rsc && has(rules, rule.thenCancelsFirst) && !applying.stateOf(follower).optional) {
    applying.stateOf(first).optional = true
  }
  const isOutside = first.rsc && follower.rsc && first.rsc !== follower.rsc && !isWithin(follower.rsc, first.rsc)
  const end = isOutside ? endOf(applying, first) : first
  if (end !== first) {
    // The end of a clone's or bundle's change is what others wait for.
    applying.drop(relation)
    const isNew = applying.relate(end, follower, rules)
    return { changed: { first: false, follower: isNew }, first: end, counts: false }
  }
  const state = countedForOrder(applying, first, followerNode)
  const counts = has(rules, rule.minRunnable) && !follower.rsc && state.runnable
  const changed = applyRelation(applying, relation, state)
  return { changed: either(changed, showAndBlock(applying, relation, { state, firstNode })), first, counts }
}

/** A group's start happens where its members are. */
function nodeOf(applying: Applying, { rsc, task, node }: PlannedAction): NodeStatus | undefined {
  if (rsc?.kind !== 'group' || task !== 'start') return node
  return locationOf({ nodes: applying.draft.nodes, destinationOf: applying.destinationOf }, rsc)
}

/** For clones, bundles and groups: the point at which an action is done everywhere, notifications included. */
function endOf({ draft }: Applying, action: PlannedAction): PlannedAction {
  const { rsc, task } = action
  if (!rsc || rsc.kind === 'primitive' || task === 'notify' || task === 'notified') return action
  const done = doneTask(originalTask(task))
  if (done === undefined) return action
  // A bundle has no notifications of its own, so that one with `notify` is followed from its beginning.
  const notifies =
    (rsc.kind === 'clone' && rsc.resource.notify) ||
    (rsc.kind === 'bundle' && isTrue(rsc.resource.meta.raw.get('notify')))
  const key = notifies ? `${rsc.id}_confirmed-post_notify_${done}_0` : `${rsc.id}_${done}_0`
  return findAction(draft, rsc, { key }) ?? action
}

/** Goes through the table of consequences for the rules that the relation has. */
function applyRelation(applying: Applying, relation: PlannedRelation, state: Counted): Changed {
  const { first, follower } = relation
  const { rules, node } = effective(applying, relation, state)
  let changed = unchanged
  for (const consequence of consequences) {
    if (!has(rules, consequence.rule)) continue
    if (consequence.onlyInterleaved && !interleaved(relation)) continue
    const step: Step = { first, follower, node, counted: state, consequence }
    const rsc = consequence.partsOf === 'first' ? first.rsc : follower.rsc
    changed = either(changed, rsc ? apply(applying, rsc, step) : applyToPoint(applying, step))
  }
  return changed
}

/** Rules that are others under a condition. */
function effective(
  applying: Applying,
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
  if (has(rules, rule.nestedProbe) && follower.rsc) {
    const isUp = first.rsc?.kind === 'primitive' && first.rsc.resource.state.active.length > 0
    if (!state.runnable && isUp) applying.drop(relation)
    else rules |= rule.unrunnableFirstBlocks
  }
  return { rules, node }
}

/** Applies one rule on behalf of a resource: to itself, and to its parts where it has some. */
export function apply(applying: Applying, rsc: PlannedResource, step: Step): Changed {
  switch (rsc.kind) {
    case 'primitive':
      return applyToPair(applying, step)
    case 'group':
      return applyToMembers(applying, rsc.members, step)
    case 'clone':
    case 'bundle':
      return applyToInstances(applying, rsc, step)
  }
}

function applyToMembers(applying: Applying, members: readonly PlannedResource[], step: Step): Changed {
  let changed = applyToPair(applying, step)
  for (const member of members) {
    const own = findAction(applying.draft, member, { task: step.follower.task, node: step.node })
    if (own) changed = either(changed, apply(applying, member, { ...step, follower: own }))
  }
  return changed
}

function applyToInstances(applying: Applying, rsc: PlannedClone | PlannedBundle, step: Step): Changed {
  if (interleaved(step)) return applyInterleaved(applying, step, apply)
  let changed = applyToPair(applying, step)
  for (const instance of replicasOf(rsc)) {
    const own = findAction(applying.draft, instance, { task: step.follower.task, node: step.node })
    if (!own || !counted(applying, own, step.node).runnable) continue
    const inner = apply(applying, instance, { ...step, follower: own })
    changed = either(changed, inner)
    if (inner.follower) lookAtFollowers(applying, own)
  }
  return changed
}

function applyToPair(applying: Applying, step: Step): Changed {
  const changed = judged(applying, step, step.consequence.apply)
  // Members of a group or clone have relations of their own that this may matter to.
  if (changed.follower && step.follower.rsc?.parent) lookAt(applying, step.follower)
  return changed
}

const applyToPoint = (applying: Applying, step: Step): Changed =>
  step.consequence.applyToPoint ? judged(applying, step, step.consequence.applyToPoint) : unchanged

function judged(applying: Applying, { first, follower, counted: state }: Step, by: Consequence['apply']): Changed {
  const firstState = applying.stateOf(first)
  const followerState = applying.stateOf(follower)
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
function showAndBlock(applying: Applying, { first, follower, rules }: PlannedRelation, seen: Seen): Changed {
  const firstState = applying.stateOf(first)
  const followerState = applying.stateOf(follower)
  if (has(rules, rule.firstShowsThen) && firstState.runnable && !seen.state.optional) followerState.alwaysInGraph = true
  if (has(rules, rule.thenShowsFirst) && !countedForOrder(applying, follower, seen.firstNode).optional) {
    firstState.alwaysInGraph = true
  }
  // The resource stays where it is, so nothing that needs the stop may go on.
  const depends = has(rules, rule.firstImpliesThen | rule.thenImpliesFirst | rule.restart)
  if (!depends || first.task !== 'stop' || firstState.runnable || first.rsc?.kind !== 'primitive') return unchanged
  const { managed, blocked } = first.rsc.assigned
  if (managed || !blocked || !followerState.runnable) return unchanged
  lose({ action: follower, state: followerState }, 'runnable', { action: first, state: firstState })
  return { first: false, follower: true }
}

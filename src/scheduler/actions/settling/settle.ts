/**
 * Makes all relations hold. Whenever an action changes, what it is related to is looked at again, until nothing changes:
 * states only ever go from optional to needed and from runnable to not, so this ends.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { findAction, type PlannedAction, sameNode } from '../action.ts'
import { locationOf, type Plan } from '../draft.ts'
import { isTrue } from '../operation.ts'
import { has, none, type Relation, type Rules, relate, rule } from '../relation.ts'
import { doneTask, originalTask } from '../role-tasks.ts'
import { type BundleUnit, type CloneUnit, currentRole, isWithin, replicasOf, roleRank, type Unit } from '../unit.ts'
import { blockColocated } from './colocated-blocking.ts'
import { interleaved, updateInterleaved } from './interleave.ts'
import {
  type Changed,
  either,
  type Filter,
  type Settling,
  type State,
  type Step,
  stateFor,
  stateForOrder,
  stateKey,
  unchanged,
  Worklist,
} from './state.ts'

/** Looks at all relations until all of them hold. */
export function settleAll(plan: Plan): void {
  const work = new Worklist()
  for (const action of plan.actions) work.add(action)
  const settling: Settling = { plan, work, depth: 0 }
  for (const action of plan.actions) blockColocated(settling, action)
  for (let action = work.take(); action; action = work.take()) settleAction(settling, action)
}

function settleAction(settling: Settling, follower: PlannedAction): void {
  const before = stateKey(follower)
  if (follower.minRunnable !== undefined) {
    follower.runnableBefore = 0
    follower.runnable = false
  }
  // What its parts need is what it needs.
  stateFor(follower, undefined)
  let thenChanged = false
  for (let i = follower.before.length - 1; i >= 0; i--) {
    const relation = follower.before[i]
    if (!relation || relation.rules === none) continue
    const { changed, first } = settleRelation(settling, relation)
    if (changed.first) {
      lookAtFollowers(settling, first)
      lookAt(settling, first)
    }
    if (changed.follower) thenChanged = true
  }
  if (follower.minRunnable !== undefined) thenChanged = stateKey(follower) !== before
  if (!thenChanged) return
  if (before.startsWith('r') && !follower.runnable) blockColocated(settling, follower)
  lookAt(settling, follower)
  lookAtFollowers(settling, follower)
}

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
  for (let i = action.after.length - 1; i >= 0; i--) {
    const relation = action.after[i]
    if (relation) lookAt(settling, relation.follower)
  }
}

function settleRelation(
  settling: Settling,
  relation: Relation,
): { readonly changed: Changed; readonly first: PlannedAction } {
  const { plan } = settling
  const { follower } = relation
  let { first } = relation
  const firstNode = nodeOf(plan, first)
  const thenNode = nodeOf(plan, follower)
  if (has(relation.rules, rule.onSameNode) && firstNode && thenNode && !sameNode(firstNode, thenNode)) {
    relation.rules = none
    return { changed: unchanged, first }
  }
  if (first.unit && has(relation.rules, rule.thenCancelsFirst) && !follower.optional) {
    first.optional = true
    if (first.task === 'reload-agent' && first.unit.kind === 'primitive') first.unit.reloads = false
  }
  if (first.unit && follower.unit && first.unit !== follower.unit && !isWithin(follower.unit, first.unit))
    first = endOf(first)
  if (first === relation.first) {
    return {
      changed: applyRelation(settling, relation, {
        firstState: stateForOrder(first, thenNode),
        // Looked at only where it counts: for a clone it means looking at every instance.
        thenState: has(relation.rules, rule.thenShowsFirst) ? stateForOrder(follower, firstNode) : follower,
      }),
      first,
    }
  }
  // The end of a clone's or bundle's change is what others wait for.
  const isNew = relate(first, follower, relation.rules)
  relation.rules = none
  return { changed: { first: false, follower: isNew }, first }
}

/** A group's start happens where its members are. */
function nodeOf(plan: Plan, action: PlannedAction): NodeStatus | undefined {
  if (action.unit?.kind === 'group' && action.task === 'start') return locationOf(plan, action.unit)
  return action.node
}

/** For clones, bundles and groups: the point at which an action is done everywhere, notifications included. */
function endOf(action: PlannedAction): PlannedAction {
  const { unit } = action
  if (!unit || unit.kind === 'primitive') return action
  const done = doneTask(originalTask(action.task))
  if (done === undefined || action.task === 'notify' || action.task === 'notified') return action
  // A bundle has no notifications of its own, so that one with `notify` is followed from its beginning.
  const notifies =
    (unit.kind === 'clone' && unit.resource.notify) ||
    (unit.kind === 'bundle' && isTrue(unit.resource.meta.raw.get('notify')))
  const key = notifies ? `${unit.id}_confirmed-post_notify_${done}_0` : `${unit.id}_${done}_0`
  return findAction(unit, { key }) ?? action
}

interface States {
  readonly firstState: State
  readonly thenState: State
}

/** Each rule in turn; later ones see what earlier ones changed. */
function applyRelation(settling: Settling, relation: Relation, { firstState, thenState }: States): Changed {
  const { first, follower } = relation
  let node = follower.node
  let rules = relation.rules
  let changed = unchanged
  if (has(rules, rule.firstImpliesSameNodeThen)) {
    rules = (rules & ~rule.firstImpliesSameNodeThen) | rule.firstImpliesThen
    node = first.node
  }
  const step = (wanted: Rules, filter: Filter, state: State = firstState): void => {
    changed = either(changed, update(settling, follower.unit, { first, follower, node, state, filter, rules: wanted }))
  }
  if (has(rules, rule.firstImpliesThen)) {
    if (follower.unit) step(rule.firstImpliesThen, 'optional')
    else if (!firstState.optional && follower.optional) {
      follower.optional = false
      changed = either(changed, { first: false, follower: true })
    }
  }
  if (has(rules, rule.restart) && follower.unit) step(rule.restart, 'both')
  if (has(rules, rule.thenImpliesFirst)) {
    if (first.unit) {
      changed = either(
        changed,
        update(settling, first.unit, {
          first,
          follower,
          node,
          state: thenState,
          filter: 'optional',
          rules: rule.thenImpliesFirst,
        }),
      )
    } else if (!firstState.optional && first.runnable && !follower.runnable) {
      first.runnable = false
      changed = either(changed, { first: true, follower: false })
    }
  }
  if (has(rules, rule.promotedThenImpliesFirst) && follower.unit) step(rule.promotedThenImpliesFirst, 'optional')
  if (has(rules, rule.minRunnable)) {
    if (follower.unit) step(rule.minRunnable, 'runnable')
    else if (firstState.runnable) {
      follower.runnableBefore++
      if (follower.runnableBefore >= (follower.minRunnable ?? 1) && !follower.runnable) {
        follower.runnable = true
        changed = either(changed, { first: false, follower: true })
      }
    }
  }
  if (has(rules, rule.nestedProbe) && follower.unit) {
    const isUp = first.unit?.kind === 'primitive' && first.unit.resource.state.active.length > 0
    if (!firstState.runnable && isUp) relation.rules = none
    else step(rule.unrunnableFirstBlocks, 'runnable')
  }
  if (has(rules, rule.unrunnableFirstBlocks)) {
    if (follower.unit) step(rule.unrunnableFirstBlocks, 'runnable')
    else if (!firstState.runnable && follower.runnable) {
      follower.runnable = false
      changed = either(changed, { first: false, follower: true })
    }
  }
  if (has(rules, rule.unmigratableThenBlocks) && follower.unit) step(rule.unmigratableThenBlocks, 'optional')
  if (has(rules, rule.firstElseThen) && follower.unit) step(rule.firstElseThen, 'optional')
  if (has(rules, rule.ordered) && follower.unit) step(rule.ordered, 'runnable')
  if (has(rules, rule.asymmetric) && follower.unit) step(rule.asymmetric, 'runnable')
  if (first.runnable && has(rules, rule.firstShowsThen) && !firstState.optional) follower.alwaysInGraph = true
  if (has(rules, rule.thenShowsFirst) && !thenState.optional) first.alwaysInGraph = true
  return either(changed, blockAfterStuckStop(relation, rules))
}

/** A stop that is not allowed leaves the resource where it is, so nothing that needs the stop may go on. */
function blockAfterStuckStop({ first, follower }: Relation, rules: Rules): Changed {
  const depends = has(rules, rule.firstImpliesThen | rule.thenImpliesFirst | rule.restart)
  if (!depends || first.task !== 'stop' || first.runnable || first.unit?.kind !== 'primitive') return unchanged
  if (first.unit.assigned.managed || !first.unit.assigned.blocked || !follower.runnable) return unchanged
  lose(follower, 'runnable', first)
  return { first: false, follower: true }
}

/** Applies one rule on behalf of a unit: to itself, and to its parts where it has some. */
export function update(settling: Settling, unit: Unit | undefined, step: Step): Changed {
  switch (unit?.kind) {
    case undefined:
      return unchanged
    case 'primitive':
      return updatePair(settling, step)
    case 'group':
      return updateGroup(settling, unit.members, step)
    case 'clone':
    case 'bundle':
      return updateCollective(settling, unit, step)
  }
}

function updateGroup(settling: Settling, members: readonly Unit[], step: Step): Changed {
  let changed = updatePair(settling, step)
  for (const member of members) {
    const own = findAction(member, { task: step.follower.task, node: step.node })
    if (own) changed = either(changed, update(settling, member, { ...step, follower: own }))
  }
  return changed
}

function updateCollective(settling: Settling, unit: CloneUnit | BundleUnit, step: Step): Changed {
  if (interleaved(step)) return updateInterleaved(settling, step, update)
  let changed = updatePair(settling, step)
  for (const instance of replicasOf(unit)) {
    const own = findAction(instance, { task: step.follower.task, node: step.node })
    if (!own || !stateFor(own, step.node).runnable) continue
    const inner = update(settling, instance, { ...step, follower: own })
    changed = either(changed, inner)
    if (inner.follower) lookAtFollowers(settling, own)
  }
  return changed
}

/** The meaning of each rule for two single actions. */
function updatePair(settling: Settling, { first, follower, state, filter, rules }: Step): Changed {
  const firstBefore = stateKey(first)
  const thenBefore = stateKey(follower)
  const onOptional = filter !== 'runnable'
  const onRunnable = filter !== 'optional'
  if (has(rules, rule.asymmetric)) applyAsymmetric(first, follower)
  if (has(rules, rule.thenImpliesFirst) && !follower.optional && !follower.migratable) {
    lose(first, 'migratable', follower)
  }
  if (
    has(rules, rule.promotedThenImpliesFirst) &&
    !follower.optional &&
    follower.unit &&
    currentRole(follower.unit) === 'Promoted'
  ) {
    lose(first, 'optional', follower)
    if (!follower.migratable) lose(first, 'migratable', follower)
  }
  if (has(rules, rule.unmigratableThenBlocks) && onOptional) {
    if (!follower.migratable || !follower.runnable) lose(first, 'runnable', follower)
    if (!follower.optional) lose(first, 'optional', follower)
  }
  if (has(rules, rule.firstElseThen) && onOptional && !first.runnable) {
    lose(follower, 'migratable', first)
    follower.pseudo = false
  }
  if (has(rules, rule.unrunnableFirstBlocks) && onRunnable && follower.runnable && !state.runnable) {
    lose(follower, 'runnable', first)
    lose(follower, 'migratable', first)
  }
  if (has(rules, rule.firstImpliesThen) && onOptional && !state.optional && !first.migratable) {
    lose(follower, 'optional', first)
  }
  if (has(rules, rule.restart)) applyRestart(first, follower, filter)
  const changed = { first: stateKey(first) !== firstBefore, follower: stateKey(follower) !== thenBefore }
  // Members of a group or clone have relations of their own that this may matter to.
  if (changed.follower && follower.unit?.parent) lookAt(settling, follower)
  return changed
}

const lossNames = { optional: 'required', runnable: 'unrunnable', migratable: 'unmigrateable' } as const

/** Takes a property away. The first loss that another resource causes is the reason that is shown. */
function lose(action: PlannedAction, property: keyof typeof lossNames, cause: PlannedAction): void {
  if (!action[property]) return
  action[property] = false
  if (action.unit === cause.unit || action.reason !== undefined) return
  action.reason = `${lossNames[property]}${cause.unit ? ` ${cause.unit.id}` : ''} ${cause.task}`
  action.cause = cause.unit && { kind: 'action', loss: lossNames[property], resource: cause.unit.id, task: cause.task }
}

/** Only what comes after an action that cannot run is concerned, and only if it is not in its wanted state already. */
function applyAsymmetric(first: PlannedAction, follower: PlannedAction): void {
  if (!follower.unit || first.runnable) return
  if (follower.optional) {
    const role = currentRole(follower.unit)
    if (role === 'Stopped' && follower.task === 'stop') return
    if (roleRank(role) >= roleRank('Started') && follower.task === 'start' && isWhereItShallBe(follower)) return
  }
  lose(follower, 'optional', first)
  lose(follower, 'runnable', first)
}

function isWhereItShallBe({ unit, node }: PlannedAction): boolean {
  if (unit?.kind !== 'primitive' || unit.assigned.node === undefined) return false
  const { active } = unit.resource.state
  return active.length === 1 && active[0]?.node === node?.name
}

function applyRestart(first: PlannedAction, follower: PlannedAction, filter: Filter): void {
  const isNeeded = filter !== 'runnable' && !follower.optional
  // What should restart but cannot start again is stopped all the same.
  const managed = follower.unit?.kind !== 'primitive' || follower.unit.assigned.managed
  const isStuck = filter !== 'optional' && !follower.runnable && managed && first.unit === follower.unit
  if (!isNeeded && !isStuck) return
  if (first.runnable || !follower.optional) lose(first, 'optional', follower)
  if (!follower.migratable) lose(first, 'migratable', follower)
  if (!first.optional && !first.runnable) lose(follower, 'runnable', first)
}

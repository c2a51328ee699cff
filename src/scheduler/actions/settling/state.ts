/**
 * What settling relations works with: the actions to look at again, the state of an action as it counts for a relation,
 * and what a step changed.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { findAction, type PlannedAction } from '../action.ts'
import type { Plan } from '../draft.ts'
import type { Rules } from '../relation.ts'
import { originalTask } from '../role-tasks.ts'
import { type BundleUnit, type CloneUnit, isInClone, partsDoing, type Unit } from '../unit.ts'

export interface Changed {
  readonly first: boolean
  readonly follower: boolean
}

export const unchanged: Changed = { first: false, follower: false }

export const either = (a: Changed, b: Changed): Changed => ({
  first: a.first || b.first,
  follower: a.follower || b.follower,
})

/** The two properties of an action that a relation looks at, as they hold for the node in question. */
export interface State {
  readonly optional: boolean
  readonly runnable: boolean
}

/** What a relation may change in this step. */
export type Filter = 'optional' | 'runnable' | 'both'

export interface Step {
  readonly first: PlannedAction
  readonly follower: PlannedAction
  readonly node: NodeStatus | undefined
  /** The state of `first` as it counts here; for the rule thenImpliesFirst that of the follower. */
  readonly state: State
  readonly filter: Filter
  readonly rules: Rules
}

export interface Settling {
  readonly plan: Plan
  readonly work: Worklist
  /** How far a change has been followed. */
  depth: number
}

/** Actions to be looked at again. What was added last comes first, so that a change is followed to its end. */
export class Worklist {
  readonly #stack: { readonly action: PlannedAction; readonly turn: number }[] = []
  /** The turn in which an action was added last: it is looked at once, however often it was added. */
  readonly #turns = new Map<PlannedAction, number>()
  #turn = 0

  add(action: PlannedAction): void {
    this.#turn++
    this.#turns.set(action, this.#turn)
    this.#stack.push({ action, turn: this.#turn })
  }

  addWithFollowers(action: PlannedAction): void {
    this.add(action)
    for (const { follower } of action.after) this.add(follower)
  }

  take(): PlannedAction | undefined {
    for (let top = this.#stack.pop(); top; top = this.#stack.pop()) {
      if (this.#turns.get(top.action) !== top.turn) continue
      this.#turns.delete(top.action)
      return top.action
    }
    return undefined
  }
}

export const stateKey = (action: PlannedAction): string =>
  `${action.runnable ? 'r' : '-'}${action.optional ? 'o' : '-'}${action.pseudo ? 'p' : '-'}${action.migratable ? 'm' : '-'}`

/**
 * The state as it counts for an order: for a clone on a node, whether it is needed on that node, but whether it can run
 * anywhere at all.
 */
export function stateForOrder(action: PlannedAction, node: NodeStatus | undefined): State {
  const anywhere = stateFor(action, undefined)
  if (!node || !action.unit || !isInClone(action.unit)) return anywhere
  const there = stateFor(action, node)
  return { optional: there.optional, runnable: there.runnable || anywhere.runnable }
}

/** A group's or clone's own point is needed when something below it is, and runnable when what is below it is. */
export function stateFor(action: PlannedAction, node: NodeStatus | undefined): State {
  const { unit } = action
  if (!unit || unit.kind === 'primitive') return action
  if (unit.kind === 'group') return groupState(action, unit.members, node)
  return collectiveState(action, unit, node)
}

function groupState(action: PlannedAction, members: readonly Unit[], node: NodeStatus | undefined): State {
  let optional = true
  let runnable = true
  const task = originalTask(action.task)
  for (const member of members) {
    const own = findAction(member, { task, node })
    if (own) {
      if (!own.optional) {
        optional = false
        action.optional = false
      }
      // The start of a group may begin although not all members can start; only `running` needs all of them.
      if (!own.runnable && task !== action.task) {
        runnable = false
        action.runnable = false
      }
    } else if (task !== 'stop' && task !== 'demote') {
      runnable = false
    }
  }
  return { optional, runnable }
}

function collectiveState(action: PlannedAction, unit: CloneUnit | BundleUnit, node: NodeStatus | undefined): State {
  const task = taskOfParts(
    action,
    unit.kind === 'clone' && unit.instances[0]?.kind === 'group' ? 'groups' : 'primitives',
  )
  let optional = true
  let runnable = false
  for (const instance of partsDoing(unit, task)) {
    const own = findAction(instance, { task, node: instance.kind === 'primitive' ? node : undefined })
    if (!own) continue
    const state = stateFor(own, node)
    if (!state.optional) {
      optional = false
      action.optional = false
    }
    if (state.runnable) runnable = true
  }
  if (!runnable && node === undefined) action.runnable = false
  return { optional, runnable }
}

/** What the parts of a clone do when the clone does this. */
export function taskOfParts(action: PlannedAction, parts: 'primitives' | 'groups'): string {
  const notified = /_(?:confirmed-)?(?:pre|post)_notify_([a-z]+)_0$/.exec(action.key)
  const task = notified?.[1] ?? action.task
  // Groups have points of their own for what is done everywhere.
  return parts === 'groups' ? task : originalTask(task)
}

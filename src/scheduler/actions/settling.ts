/**
 * What settling relations works with: the actions to look at again, the state of an action as it counts for a relation,
 * and what a step changed.
 */
import type { NodeStatus } from '../../status/index.ts'
import { findAction, type PlannedAction } from './action.ts'
import type { Plan } from './plan.ts'
import type { Rules } from './relation.ts'
import { originalTask } from './role-tasks.ts'
import { type BundleUnit, type CloneUnit, replicasOf, type Unit } from './unit.ts'

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
  /** The state of `first` as it counts here. */
  readonly state: State
  readonly filter: Filter
  readonly rules: Rules
}

export interface Settling {
  readonly plan: Plan
  readonly work: Worklist
}

/** Actions to be looked at again, latest first, each of them waiting at most once. */
export class Worklist {
  readonly #stack: PlannedAction[] = []
  readonly #waiting = new Set<PlannedAction>()

  add(action: PlannedAction): void {
    if (this.#waiting.has(action)) return
    this.#waiting.add(action)
    this.#stack.push(action)
  }

  addWithFollowers(action: PlannedAction): void {
    for (const { follower } of action.after) this.add(follower)
    this.add(action)
  }

  take(): PlannedAction | undefined {
    const action = this.#stack.pop()
    if (action) this.#waiting.delete(action)
    return action
  }
}

export const stateKey = (action: PlannedAction): string =>
  `${action.runnable ? 'r' : '-'}${action.optional ? 'o' : '-'}${action.pseudo ? 'p' : '-'}${action.migratable ? 'm' : '-'}`

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
      if (!own.runnable && runnable) {
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
  const task = collectiveTask(action)
  let optional = true
  let runnable = false
  for (const instance of replicasOf(unit)) {
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

function collectiveTask(action: PlannedAction): string {
  const notified = /_(?:confirmed-)?(?:pre|post)_notify_([a-z]+)_0$/.exec(action.key)
  return originalTask(notified?.[1] ?? action.task)
}

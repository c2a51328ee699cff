/** One rule that is applied to two actions, and what that changed. */
import type { NodeStatus } from '../../../status/index.ts'
import type { PlannedAction } from '../draft/action.ts'
import type { Counted } from './counted.ts'
import type { Consequence } from './rules.ts'

export interface Step {
  readonly first: PlannedAction
  readonly follower: PlannedAction
  readonly node: NodeStatus | undefined
  readonly counted: Counted
  readonly consequence: Consequence
}

export interface Changed {
  readonly first: boolean
  readonly follower: boolean
}

export const unchanged: Changed = { first: false, follower: false }

export const either = (a: Changed, b: Changed): Changed => {
  if (a === unchanged) return b
  return b === unchanged ? a : { first: a.first || b.first, follower: a.follower || b.follower }
}

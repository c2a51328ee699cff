/** An order between resources, whose actions are looked up once all of them are planned. */
import type { PlannedAction } from '../action.ts'
import type { Rules } from '../relation.ts'
import type { Unit } from '../unit.ts'

/** One side: an action, or those that a unit has with a key. */
export interface Side {
  readonly unit?: Unit | undefined
  readonly key?: string
  readonly action?: PlannedAction | undefined
}

export interface Ordering {
  readonly first: Side
  readonly follower: Side
  readonly rules: Rules
}

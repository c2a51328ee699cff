import type { ActionState } from '../action.ts'

/** The state of an action as it counts for another one. */
export type Counted = Readonly<Pick<ActionState, 'optional' | 'runnable'>>

/** The state of an action as it counts for another one. */
import type { ActionState } from '../draft/action.ts'

export type Counted = Readonly<Pick<ActionState, 'optional' | 'runnable'>>

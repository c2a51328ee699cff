/** The points around one change of a clone at which its instances are told. */
import type { NodeStatus } from '../../../status/index.ts'
import type { PlannedAction } from './action.ts'
import type { PlannedPrimitive } from './planned-resource.ts'

export type Change = 'start' | 'stop' | 'promote' | 'demote'

export interface NotificationBoundary<Action = PlannedAction> {
  readonly change: Change
  readonly pre?: Action
  readonly preDone?: Action
  readonly post?: Action
  readonly postDone?: Action
}

export type NotificationBoundaries<Action = PlannedAction> = Partial<
  Readonly<Record<Change, NotificationBoundary<Action>>>
>

/** Who is told that a stop was implied by fencing, and where. */
export interface FencingNotification<Action = PlannedAction> {
  readonly boundary: NotificationBoundary<Action>
  readonly rsc: PlannedPrimitive
  readonly told: readonly { readonly rsc: PlannedPrimitive; readonly node: NodeStatus }[]
}

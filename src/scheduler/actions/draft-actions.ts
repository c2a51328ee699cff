/** Everything that may take place, each action judged by itself, and what relates them: the table of contents of the draft. */
import { type Draft, finishDraft, startDraft } from './draft.ts'
import { draftFencing } from './fencing/fencing.ts'
import { orderAcrossConnections } from './orders/connection-orders.ts'
import type { Order } from './orders/order.ts'
import { draftPoints } from './orders/points.ts'
import { resolveOrders } from './orders/resolve.ts'
import { orderAfterProbes } from './probes/probe-orders.ts'
import { draftProbes } from './probes/probes.ts'
import { draftActionsOf } from './roles/collective-actions.ts'
import { draftConfigurationChanges } from './roles/configuration-changes.ts'
import { clearOrphanFailCounts, draftRecorded, endWithoutPlace } from './roles/recorded.ts'
import type { Setting } from './setting.ts'

export function draftActions(setting: Setting, configured: readonly Order[]): Draft {
  const draft = startDraft(setting)
  draftRecorded(draft)
  draftPoints(draft, configured)
  draftConfigurationChanges(draft)
  endWithoutPlace(draft)
  clearOrphanFailCounts(draft)
  draftProbes(draft)
  for (const unit of setting.tree.ordered) draftActionsOf(draft, unit)
  orderAcrossConnections(draft)
  draftFencing(draft)
  const orders = [...configured, ...draft.orders.orders]
  resolveOrders(draft, orders)
  orderAfterProbes(draft, orders)
  return finishDraft(draft)
}

/**
 * Everything that may take place, each action judged by itself, and what relates them: the table of contents of the draft. The
 * steps find actions, which are registered so that each exists once, and return the orders that follow from them; these are
 * turned into relations when all actions are known.
 */
import { type Draft, finishDraft, startDraft } from './draft/draft.ts'
import { requireFencing } from './draft/find-or-create-action.ts'
import type { Order } from './draft/order.ts'
import type { Setting } from './draft/setting.ts'
import { draftFencing } from './fencing/fencing.ts'
import { ordersAcrossConnections } from './orders/connection-orders.ts'
import { draftPoints } from './orders/points.ts'
import { resolveOrders } from './orders/resolve.ts'
import { orderAfterProbes } from './probes/probe-orders.ts'
import { draftProbes } from './probes/probes.ts'
import { draftResourceActions } from './roles/collective-actions.ts'
import { draftConfigurationChanges, draftConnectionChanges } from './roles/configuration-changes.ts'
import { clearOrphanFailCounts, draftRecorded, endWithoutPlace } from './roles/recorded.ts'

export function draftActions(setting: Setting, configured: readonly Order[]): Draft {
  const draft = startDraft(setting)
  draftRecorded(draft)
  draftPoints(draft, configured)
  const changes = draftConfigurationChanges(draft)
  endWithoutPlace(draft)
  const connectionChanges = draftConnectionChanges(draft)
  const cleaning = clearOrphanFailCounts(draft)
  const probes = draftProbes(draft)
  const roleChanges = draftResourceActions(draft)
  const connections = ordersAcrossConnections(draft)
  for (const { node, reason } of connections.fencing) requireFencing(draft, node, reason)
  draftFencing(draft)
  const orders = [
    ...configured,
    ...changes,
    ...connectionChanges,
    ...cleaning,
    ...probes,
    ...roleChanges,
    ...connections.orders,
  ]
  resolveOrders(draft, orders)
  orderAfterProbes(draft, orders)
  return finishDraft(draft)
}

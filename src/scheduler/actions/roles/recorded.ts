/**
 * What the history already holds and planning starts from: recurring operations that run, failures that expired, fencing
 * that the status asks for. A recurring operation that runs is an optional action; whether it goes on is decided later.
 */
import type { ExpiredRecurring } from '../../../status/index.ts'
import { isRecurring, operationKey } from '../draft/action.ts'
import type { Drafting } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { fenceAction, findOrCreateAction } from '../draft/find-or-create-action.ts'
import type { Order } from '../draft/order.ts'
import { OrderList } from '../draft/order-list.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { relate, rule } from '../draft/relation.ts'
import { isReachableNow } from '../draft/runnable.ts'
import { nodeNamed } from '../draft/setting.ts'
import { activeEntries } from './active-entries.ts'

export function draftRecorded(draft: Drafting): void {
  for (const node of draft.status.nodes) {
    const [reason] = node.fencingReasons
    if (node.unclean && node.kind !== 'guest' && reason !== undefined)
      fenceAction(draft, node, { optional: true, reason })
  }
  for (const rsc of draft.tree.primitives) draftRecordedOf(draft, rsc)
}

function draftRecordedOf(draft: Drafting, rsc: PlannedPrimitive): void {
  const { history, clearFailCountOn, expiredRecurring, demoteOn } = rsc.resource.state
  // A result is read for what it says of the fail count before it is known that a monitor goes on.
  for (const { node, reason } of clearFailCountOn)
    orderAfterFencing(draft, rsc, clearFailCount(draft, rsc, node, reason))
  for (const [name, entries] of history) {
    if (draft.status.nodesByName.get(name)?.online !== true) continue
    const node = nodeNamed(draft, name)
    for (const { operation, intervalMs, status } of activeEntries(entries)) {
      if (intervalMs > 0 && status !== -1)
        findOrCreateAction(draft, { rsc, task: operation, intervalMs, node, optional: true })
    }
  }
  draftRecovery(draft, rsc)
  for (const node of demoteOn)
    findOrCreateAction(draft, { rsc, task: 'demote', node: nodeNamed(draft, node), optional: false })
  for (const expired of expiredRecurring) setUpAgain(draft, rsc, expired)
  const { lockExpiredOn } = rsc.resource.state
  if (lockExpiredOn !== undefined) {
    findOrCreateAction(draft, { rsc, task: 'lrm_delete', node: nodeNamed(draft, lockExpiredOn), optional: false })
  }
}

/**
 * A monitor whose failure expired runs once more, to tell whether that is still so; not where the failure is older than the last start
 * or than another result of that monitor.
 */
function setUpAgain(draft: Drafting, rsc: PlannedPrimitive, { node, entry }: ExpiredRecurring): void {
  const { key, operation, intervalMs } = entry
  const results = activeEntries(rsc.resource.state.history.get(node) ?? [])
  if (results.find((result) => result.key === key) !== entry) return
  // The history may know the instance by another name.
  for (const action of draft.withKey(rsc, operationKey(rsc.id, operation, intervalMs)))
    if (action.node?.name === node) action.reschedule = true
}

/** What failed is stopped where that happened, or what contains it; a bundle's container wherever that is. */
function draftRecovery(draft: Drafting, rsc: PlannedPrimitive): void {
  const { mustStop, failed, active, onFail, recoverOn } = rsc.resource.state
  if (onFail?.action === 'restart-container' && rsc.container && !rsc.replica) {
    findOrCreateAction(draft, {
      rsc: rsc.container,
      task: 'stop',
      node: nodeNamed(draft, onFail.node),
      optional: false,
    })
  }
  if (!mustStop) return
  for (const { node } of active) {
    if (!failed || recoverOn.includes(node))
      findOrCreateAction(draft, { rsc, task: 'stop', node: nodeNamed(draft, node), optional: false })
  }
}

/** A connection that is made again only after a while counts as failed until the node that it leads to was fenced. */
function orderAfterFencing(draft: Drafting, { resource }: PlannedPrimitive, clear: DraftAction): void {
  const { connectionOf, reconnectIntervalMs } = resource
  if (connectionOf === undefined || !reconnectIntervalMs || !draft.status.options.fencingEnabled) return
  const fencing = fenceAction(draft, nodeNamed(draft, connectionOf), { optional: true })
  relate(fencing, clear, rule.firstImpliesThen)
}

export function clearFailCount(
  draft: Drafting,
  rsc: PlannedPrimitive,
  node: Parameters<typeof nodeNamed>[1],
  reason: string,
): DraftAction {
  const action = findOrCreateAction(draft, {
    rsc,
    task: 'clear_failcount',
    node: nodeNamed(draft, node),
    optional: false,
  })
  action.meta.set('op_no_wait', 'true')
  action.reason = reason
  if (!isReachableNow(draft, node)) action.runnable = false
  return action
}

/** What is no longer configured forgets its failures once it is stopped. */
export function clearOrphanFailCounts(draft: Drafting): readonly Order[] {
  const orders = new OrderList()
  for (const rsc of draft.tree.top) {
    if (rsc.kind !== 'primitive' || !rsc.resource.orphan) continue
    for (const node of draft.nodeList) {
      if (!node.online || (rsc.resource.state.failCounts.get(node.name)?.count ?? 0) === 0) continue
      const action = clearFailCount(draft, rsc, node.name, 'it is orphaned')
      orders.add({ action }, { rsc, task: 'stop' }, rule.ordered)
    }
  }
  return orders.orders
}

/** What shall be nowhere is not watched any more, but for monitors that see to it that it stays down. */
export function endWithoutPlace(draft: Drafting): void {
  for (const rsc of draft.tree.primitives) {
    if (rsc.assigned.node !== undefined) continue
    for (const action of draft.ofResource(rsc)) {
      if (action.task === 'stop') action.optional = false
      else if (action.task === 'start' || (isRecurring(action) && action.expectedRc !== 7)) action.runnable = false
    }
  }
}

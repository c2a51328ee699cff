/**
 * Recurring operations: a monitor runs while its resource has the role that it is for, and ends when that changes. A
 * monitor for the role `Stopped` runs on every node where the resource shall not be.
 */
import type { OperationDefinition } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { actionsExactlyOn, operationKey, probesOf } from '../draft/action.ts'
import { type Drafting, isUnclean, type Ordering } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { findOrCreateAction } from '../draft/find-or-create-action.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { relate, rule } from '../draft/relation.ts'
import { targetOf } from '../draft/setting.ts'
import { isForRole, type Recurring, recurringOf } from './recurring-operations.ts'

export function draftRecurring(draft: Ordering, rsc: PlannedPrimitive): void {
  if (rsc.assigned.blocked || rsc.resource.state.maintenance) return
  const node = targetOf(draft, rsc)
  if (node?.maintenance) return
  const staysActive = rsc.assigned.nextRole !== 'Stopped' || !rsc.assigned.managed
  const start =
    node && staysActive ? findOrCreateAction(draft, { rsc, task: 'start', node, optional: true }) : undefined
  for (const recurring of recurringOf(rsc)) {
    if (recurring.role === 'Stopped') draftInactive(draft, rsc, node, recurring)
    else if (start) draftActive(draft, rsc, { node, start, recurring })
  }
}

interface Active {
  readonly node: NodeStatus | undefined
  readonly start: DraftAction
  readonly recurring: Recurring
}

function draftActive(draft: Ordering, rsc: PlannedPrimitive, { node, start, recurring }: Active): void {
  const { definition, key } = recurring
  const { nextRole, managed } = rsc.assigned
  const optional = runsAlready(draft, rsc, node, { key, start })
  if (!isForRole(recurring, nextRole)) {
    if (optional) endForRoleChange(draft, rsc, node, definition)
    return
  }
  const monitor = findOrCreateAction(draft, {
    rsc,
    task: definition.name,
    intervalMs: definition.intervalMs,
    node,
    optional,
  })
  if (!start.runnable || !node?.online || isUnclean(draft, node)) monitor.runnable = false
  if (nextRole === 'Promoted') monitor.expectedRc = 8
  if (node && !managed) return
  const after = (task: string, rules: number): void => draft.orders.add({ rsc, task }, { action: monitor }, rules)
  after('start', rule.firstImpliesThen | rule.unrunnableFirstBlocks)
  after('reload-agent', rule.firstImpliesThen | rule.unrunnableFirstBlocks)
  if (nextRole === 'Promoted') after('promote', rule.ordered | rule.unrunnableFirstBlocks)
  else if (rsc.role === 'Promoted') after('demote', rule.ordered | rule.unrunnableFirstBlocks)
}

function runsAlready(
  draft: Drafting,
  rsc: PlannedPrimitive,
  node: NodeStatus | undefined,
  { key, start }: { readonly key: string; readonly start: DraftAction },
): boolean {
  if (!start.optional) return false
  const known = actionsExactlyOn(draft, rsc, key, node)
  return known.length > 0 && known.every(({ reschedule }) => !reschedule)
}

/** A monitor for the old role ends before the role changes. */
function endForRoleChange(
  draft: Ordering,
  rsc: PlannedPrimitive,
  node: NodeStatus | undefined,
  { name, intervalMs }: OperationDefinition,
): void {
  const end = cancel(draft, rsc, { name, intervalMs, node })
  const { role } = rsc
  const { nextRole } = rsc.assigned
  let change: string | undefined
  if (role === 'Promoted') {
    if (nextRole === 'Started' || nextRole === 'Unpromoted') change = 'demote'
    else if (nextRole === 'Stopped') change = 'stop'
  } else if (role === 'Started' || role === 'Unpromoted') {
    if (nextRole === 'Promoted') change = 'promote'
    else if (nextRole === 'Stopped') change = 'stop'
  }
  if (change !== undefined) {
    draft.orders.add({ action: end }, { rsc, task: change }, rule.unrunnableFirstBlocks)
  }
}

/** Ends a recurring operation; it takes the place of the operation itself, under the same key. */
export function cancel(
  draft: Drafting,
  rsc: PlannedPrimitive,
  {
    name,
    intervalMs,
    node,
  }: { readonly name: string; readonly intervalMs: number; readonly node: NodeStatus | undefined },
): DraftAction {
  const action = findOrCreateAction(draft, { rsc, task: name, intervalMs, node, optional: false })
  action.task = 'cancel'
  action.cancels = name
  return action
}

function draftInactive(
  draft: Ordering,
  rsc: PlannedPrimitive,
  node: NodeStatus | undefined,
  recurring: Recurring,
): void {
  const { definition, key } = recurring
  const { instance } = rsc.resource
  // Instances of an anonymous clone cannot be told apart on a node where one of them is active.
  if (instance && !instance.unique) return
  const { name, intervalMs } = definition
  if (node && actionsExactlyOn(draft, rsc, key, node).length > 0) {
    const end = cancel(draft, rsc, { name, intervalMs, node })
    if (rsc.assigned.nextRole === 'Started' || rsc.assigned.nextRole === 'Unpromoted') {
      draft.orders.add({ action: end }, { rsc, task: 'start' }, rule.unrunnableFirstBlocks)
    }
  }
  for (const other of draft.nodeList) {
    if (other.name === node?.name) continue
    const optional = actionsExactlyOn(draft, rsc, key, other).length > 0
    const monitor = findOrCreateAction(draft, { rsc, task: name, intervalMs, node: other, optional })
    monitor.expectedRc = 7
    if (rsc.assigned.managed) {
      for (const probe of probesOf(draft, rsc, other)) relate(probe, monitor, rule.unrunnableFirstBlocks)
    }
    orderAfterStops(draft, rsc, other, monitor)
    if (!other.online || isUnclean(draft, other)) monitor.runnable = false
  }
}

function orderAfterStops(draft: Ordering, rsc: PlannedPrimitive, node: NodeStatus, monitor: DraftAction): void {
  for (const stop of actionsExactlyOn(draft, rsc, operationKey(rsc.id, 'stop'), node)) {
    if (!stop.optional && !monitor.optional && !rsc.assigned.managed) monitor.optional = true
    if (!stop.runnable) monitor.runnable = false
    if (rsc.assigned.managed) {
      draft.orders.add(
        { rsc, task: 'stop', action: stop },
        { action: monitor },
        rule.firstImpliesThen | rule.unrunnableFirstBlocks,
      )
    }
  }
}

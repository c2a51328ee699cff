/**
 * Recurring operations: a monitor runs while its resource has the role that it is for, and ends when that changes. A
 * monitor for the role `Stopped` runs on every node where the resource shall not be.
 */
import type { OperationDefinition } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { actionsExactlyOn, operationKey, probesOf } from '../draft/action.ts'
import { type Drafting, isUnclean, type Ordering } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { obtain } from '../draft/obtain.ts'
import { relate, rule } from '../draft/relation.ts'
import { targetOf } from '../draft/setting.ts'
import type { PrimitiveUnit } from '../draft/unit.ts'
import { isForRole, type Recurring, recurringOf } from './recurring-operations.ts'

export function draftRecurring(draft: Ordering, unit: PrimitiveUnit): void {
  if (unit.assigned.blocked || unit.resource.state.maintenance) return
  const node = targetOf(draft, unit)
  if (node?.maintenance) return
  const staysActive = unit.assigned.nextRole !== 'Stopped' || !unit.assigned.managed
  const start = node && staysActive ? obtain(draft, { unit, task: 'start', node, optional: true }) : undefined
  for (const recurring of recurringOf(unit)) {
    if (recurring.role === 'Stopped') draftInactive(draft, unit, node, recurring)
    else if (start) draftActive(draft, unit, { node, start, recurring })
  }
}

interface Active {
  readonly node: NodeStatus | undefined
  readonly start: DraftAction
  readonly recurring: Recurring
}

function draftActive(draft: Ordering, unit: PrimitiveUnit, { node, start, recurring }: Active): void {
  const { definition, key } = recurring
  const { nextRole, managed } = unit.assigned
  const optional = runsAlready(draft, unit, node, { key, start })
  if (!isForRole(recurring, nextRole)) {
    if (optional) endForRoleChange(draft, unit, node, definition)
    return
  }
  const monitor = obtain(draft, { unit, task: definition.name, intervalMs: definition.intervalMs, node, optional })
  if (!start.runnable || !node?.online || isUnclean(draft, node)) monitor.runnable = false
  if (nextRole === 'Promoted') monitor.expectedRc = 8
  if (node && !managed) return
  const after = (task: string, rules: number): void =>
    draft.orders.add({ unit, task: task }, { action: monitor }, rules)
  after('start', rule.firstImpliesThen | rule.unrunnableFirstBlocks)
  after('reload-agent', rule.firstImpliesThen | rule.unrunnableFirstBlocks)
  if (nextRole === 'Promoted') after('promote', rule.ordered | rule.unrunnableFirstBlocks)
  else if (unit.role === 'Promoted') after('demote', rule.ordered | rule.unrunnableFirstBlocks)
}

function runsAlready(
  draft: Drafting,
  unit: PrimitiveUnit,
  node: NodeStatus | undefined,
  { key, start }: { readonly key: string; readonly start: DraftAction },
): boolean {
  if (!start.optional) return false
  const known = actionsExactlyOn(draft, unit, key, node)
  return known.length > 0 && known.every(({ reschedule }) => !reschedule)
}

/** A monitor for the old role ends before the role changes. */
function endForRoleChange(
  draft: Ordering,
  unit: PrimitiveUnit,
  node: NodeStatus | undefined,
  { name, intervalMs }: OperationDefinition,
): void {
  const end = cancel(draft, unit, { name, intervalMs, node })
  const { role } = unit
  const { nextRole } = unit.assigned
  let change: string | undefined
  if (role === 'Promoted') {
    if (nextRole === 'Started' || nextRole === 'Unpromoted') change = 'demote'
    else if (nextRole === 'Stopped') change = 'stop'
  } else if (role === 'Started' || role === 'Unpromoted') {
    if (nextRole === 'Promoted') change = 'promote'
    else if (nextRole === 'Stopped') change = 'stop'
  }
  if (change !== undefined) {
    draft.orders.add({ action: end }, { unit, task: change }, rule.unrunnableFirstBlocks)
  }
}

/** Ends a recurring operation; it takes the place of the operation itself, under the same key. */
export function cancel(
  draft: Drafting,
  unit: PrimitiveUnit,
  {
    name,
    intervalMs,
    node,
  }: { readonly name: string; readonly intervalMs: number; readonly node: NodeStatus | undefined },
): DraftAction {
  const action = obtain(draft, { unit, task: name, intervalMs, node, optional: false })
  action.task = 'cancel'
  action.cancels = name
  return action
}

function draftInactive(draft: Ordering, unit: PrimitiveUnit, node: NodeStatus | undefined, recurring: Recurring): void {
  const { definition, key } = recurring
  const { instance } = unit.resource
  // Instances of an anonymous clone cannot be told apart on a node where one of them is active.
  if (instance && !instance.unique) return
  const { name, intervalMs } = definition
  if (node && actionsExactlyOn(draft, unit, key, node).length > 0) {
    const end = cancel(draft, unit, { name, intervalMs, node })
    if (unit.assigned.nextRole === 'Started' || unit.assigned.nextRole === 'Unpromoted') {
      draft.orders.add({ action: end }, { unit, task: 'start' }, rule.unrunnableFirstBlocks)
    }
  }
  for (const other of draft.nodeList) {
    if (other.name === node?.name) continue
    const optional = actionsExactlyOn(draft, unit, key, other).length > 0
    const monitor = obtain(draft, { unit, task: name, intervalMs, node: other, optional })
    monitor.expectedRc = 7
    if (unit.assigned.managed) {
      for (const probe of probesOf(draft, unit, other)) relate(probe, monitor, rule.unrunnableFirstBlocks)
    }
    orderAfterStops(draft, unit, other, monitor)
    if (!other.online || isUnclean(draft, other)) monitor.runnable = false
  }
}

function orderAfterStops(draft: Ordering, unit: PrimitiveUnit, node: NodeStatus, monitor: DraftAction): void {
  for (const stop of actionsExactlyOn(draft, unit, operationKey(unit.id, 'stop'), node)) {
    if (!stop.optional && !monitor.optional && !unit.assigned.managed) monitor.optional = true
    if (!stop.runnable) monitor.runnable = false
    if (unit.assigned.managed) {
      draft.orders.add(
        { unit, task: 'stop', action: stop },
        { action: monitor },
        rule.firstImpliesThen | rule.unrunnableFirstBlocks,
      )
    }
  }
}

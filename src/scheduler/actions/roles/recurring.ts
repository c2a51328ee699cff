/**
 * Recurring operations: a monitor runs while its resource has the role that it is for, and ends when that changes. A
 * monitor for the role `Stopped` runs on every node where the resource shall not be.
 */
import type { OperationDefinition, Role } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { actionsExactlyOn, operationKey, type PlannedAction, probesOf } from '../action.ts'
import { isUnclean, obtain, order, type Plan, targetOf } from '../draft.ts'
import { isEnabled } from '../operation.ts'
import { relate, rule } from '../relation.ts'
import type { PrimitiveUnit } from '../unit.ts'

interface Recurring {
  readonly definition: OperationDefinition
  readonly key: string
  readonly role: Role | undefined
}

export function planRecurring(plan: Plan, unit: PrimitiveUnit): void {
  if (unit.assigned.blocked || unit.resource.state.maintenance) return
  const node = targetOf(plan, unit)
  if (node?.maintenance) return
  const staysActive = unit.assigned.nextRole !== 'Stopped' || !unit.assigned.managed
  const start = node && staysActive ? obtain(plan, { unit, task: 'start', node, optional: true }) : undefined
  for (const recurring of recurringOf(unit)) {
    if (recurring.role === 'Stopped') planInactive(plan, unit, node, recurring)
    else if (start) planActive(plan, unit, { node, start, recurring })
  }
}

const notRecurring = new Set([
  'start',
  'stop',
  'promote',
  'demote',
  'migrate_to',
  'migrate_from',
  'reload',
  'reload-agent',
])

/**
 * What is written twice with one name and interval does not run at all, since its results could not be told apart; a start
 * or stop with an interval is a mistake that is passed over.
 */
function recurringOf(unit: PrimitiveUnit): readonly Recurring[] {
  const written = new Map<string, number>()
  const keyOf = ({ name, intervalMs }: OperationDefinition): string => operationKey(unit.id, name, intervalMs)
  for (const definition of unit.resource.operations) {
    written.set(keyOf(definition), (written.get(keyOf(definition)) ?? 0) + 1)
  }
  return unit.resource.operations.flatMap((definition) => {
    const key = keyOf(definition)
    const isWanted = definition.intervalMs > 0 && !notRecurring.has(definition.name) && isEnabled(definition)
    return isWanted && written.get(key) === 1 ? [{ definition, key, role: roleOf(definition.attributes.role) }] : []
  })
}

const roles: Readonly<Record<string, Role>> = {
  stopped: 'Stopped',
  started: 'Started',
  unpromoted: 'Unpromoted',
  slave: 'Unpromoted',
  promoted: 'Promoted',
  master: 'Promoted',
}

const roleOf = (text: string | undefined): Role | undefined =>
  text === undefined ? undefined : roles[text.toLowerCase()]

interface Active {
  readonly node: NodeStatus | undefined
  readonly start: PlannedAction
  readonly recurring: Recurring
}

function planActive(plan: Plan, unit: PrimitiveUnit, { node, start, recurring }: Active): void {
  const { definition, key, role } = recurring
  const { nextRole, managed } = unit.assigned
  const optional = runsAlready(unit, node, { key, start })
  const isForRole = role === undefined ? nextRole !== 'Promoted' : nextRole === role
  if (!isForRole) {
    if (optional) endForRoleChange(plan, unit, node, definition)
    return
  }
  const monitor = obtain(plan, { unit, task: definition.name, intervalMs: definition.intervalMs, node, optional })
  if (!start.runnable || !node?.online || isUnclean(plan, node)) monitor.runnable = false
  if (nextRole === 'Promoted') monitor.expectedRc = 8
  if (node && !managed) return
  const after = (task: string, rules: number): void =>
    order(plan, { unit, key: operationKey(unit.id, task) }, { action: monitor }, rules)
  after('start', rule.firstImpliesThen | rule.unrunnableFirstBlocks)
  after('reload-agent', rule.firstImpliesThen | rule.unrunnableFirstBlocks)
  if (nextRole === 'Promoted') after('promote', rule.ordered | rule.unrunnableFirstBlocks)
  else if (unit.role === 'Promoted') after('demote', rule.ordered | rule.unrunnableFirstBlocks)
}

function runsAlready(
  unit: PrimitiveUnit,
  node: NodeStatus | undefined,
  { key, start }: { readonly key: string; readonly start: PlannedAction },
): boolean {
  if (!start.optional) return false
  const known = actionsExactlyOn(unit, key, node)
  return known.length > 0 && known.every(({ reschedule }) => !reschedule)
}

/** A monitor for the old role ends before the role changes. */
function endForRoleChange(
  plan: Plan,
  unit: PrimitiveUnit,
  node: NodeStatus | undefined,
  { name, intervalMs }: OperationDefinition,
): void {
  const end = cancel(plan, unit, { name, intervalMs, node })
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
    order(plan, { action: end }, { unit, key: operationKey(unit.id, change) }, rule.unrunnableFirstBlocks)
  }
}

/** Ends a recurring operation; it takes the place of the operation itself, under the same key. */
export function cancel(
  plan: Plan,
  unit: PrimitiveUnit,
  {
    name,
    intervalMs,
    node,
  }: { readonly name: string; readonly intervalMs: number; readonly node: NodeStatus | undefined },
): PlannedAction {
  const action = obtain(plan, { unit, task: name, intervalMs, node, optional: false })
  action.task = 'cancel'
  action.cancels = name
  return action
}

function planInactive(plan: Plan, unit: PrimitiveUnit, node: NodeStatus | undefined, recurring: Recurring): void {
  const { definition, key } = recurring
  const { instance } = unit.resource
  // Instances of an anonymous clone cannot be told apart on a node where one of them is active.
  if (instance && !instance.unique) return
  const { name, intervalMs } = definition
  if (node && actionsExactlyOn(unit, key, node).length > 0) {
    const end = cancel(plan, unit, { name, intervalMs, node })
    if (unit.assigned.nextRole === 'Started' || unit.assigned.nextRole === 'Unpromoted') {
      order(plan, { action: end }, { unit, key: operationKey(unit.id, 'start') }, rule.unrunnableFirstBlocks)
    }
  }
  for (const other of plan.nodeList) {
    if (other.name === node?.name) continue
    const optional = actionsExactlyOn(unit, key, other).length > 0
    const monitor = obtain(plan, { unit, task: name, intervalMs, node: other, optional })
    monitor.expectedRc = 7
    if (unit.assigned.managed) {
      for (const probe of probesOf(unit, other)) relate(probe, monitor, rule.unrunnableFirstBlocks)
    }
    orderAfterStops(plan, unit, other, monitor)
    if (!other.online || isUnclean(plan, other)) monitor.runnable = false
  }
}

function orderAfterStops(plan: Plan, unit: PrimitiveUnit, node: NodeStatus, monitor: PlannedAction): void {
  for (const stop of actionsExactlyOn(unit, operationKey(unit.id, 'stop'), node)) {
    if (!stop.optional && !monitor.optional && !unit.assigned.managed) monitor.optional = true
    if (!stop.runnable) monitor.runnable = false
    if (unit.assigned.managed) {
      order(
        plan,
        { unit, key: operationKey(unit.id, 'stop'), action: stop },
        { action: monitor },
        rule.firstImpliesThen | rule.unrunnableFirstBlocks,
      )
    }
  }
}

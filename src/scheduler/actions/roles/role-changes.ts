/**
 * What one instance needs to get from the role and node that it has to those it shall have: stop, start, promote, demote,
 * a restart in between where it failed or moves, and a live migration instead where that is possible.
 */
import type { Role } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { giveReason, operationKey, type PlannedAction, sameNode } from '../action.ts'
import { activeNodes, isUnclean, nodeNamed, obtain, orderTasks, type Plan, targetOf } from '../draft.ts'
import { fenceAction, isUnfenced, orderAfterUnfencing, requireUnfencing } from '../fencing/fence-action.ts'
import { mayMigrate, migrate } from '../migration/migration.ts'
import { relate, rule } from '../relation.ts'
import { type PrimitiveUnit, roleRank } from '../unit.ts'
import { planRecurring } from './recurring.ts'

export function planRoleChanges(plan: Plan, unit: PrimitiveUnit): void {
  const { state } = unit.resource
  const target = targetOf(plan, unit)
  const current = currentNode(plan, unit)
  for (const node of state.danglingMigrations) abortMigration(plan, unit, nodeNamed(plan, node))
  const isMoving =
    current !== undefined &&
    target !== undefined &&
    !sameNode(current, target) &&
    roleRank(unit.assigned.nextRole) >= roleRank('Started')
  let migrates = isMoving && mayMigrate(plan, unit, current)
  let needsStop = isMoving
  const partial = state.partialMigration
  const continues =
    partial !== undefined && migrates && current?.name === partial.source && target?.name === partial.target
  if (partial && !continues) migrates = false
  if (!continues && isMultiplyActive(plan, unit)) {
    const policy = unit.resource.meta.multipleActive
    if (policy === 'stop_start' || policy === 'stop_unexpected') needsStop = true
    if (policy === 'stop_unexpected') unit.stopsUnexpected = true
  }
  if (state.pending?.operation === 'start' && !isMoving) {
    const start = obtain(plan, { unit, task: 'start', node: current, optional: true })
    start.alwaysInGraph = true
  }
  const needsPromote = !isMoving && needsRepromotion(unit)
  if (!isMoving) needsStop ||= mustStop(plan, unit, current, target)
  planRestart(plan, unit, { current, target, needsStop, needsPromote })
  planNextRole(plan, unit, target)
  planRecurring(plan, unit)
  if (migrates && current && target) migrate(plan, unit, { current, target, continues })
}

/** The node that it is on; the source, while a live migration is under way. Of several, one that can still act. */
function currentNode(plan: Plan, unit: PrimitiveUnit): NodeStatus | undefined {
  const nodes = activeNodes(plan, unit)
  const source = unit.resource.state.partialMigration?.source
  const clean = (node: NodeStatus): boolean => node.online && !isUnclean(plan, node)
  if (source !== undefined) return nodes.find(({ name }) => name === source) ?? nodes[0]
  const { requires } = unit.resource.meta
  if (requires === 'nothing' || requires === 'quorum') return nodes.find(clean) ?? nodes[0]
  return nodes[0]
}

/** What does not require fencing is not taken to be active on a node that is lost. */
function isMultiplyActive(plan: Plan, unit: PrimitiveUnit): boolean {
  const nodes = activeNodes(plan, unit)
  const { requires } = unit.resource.meta
  const counts = requires === 'fencing' || requires === 'unfencing'
  return (counts ? nodes : nodes.filter((node) => node.online && !isUnclean(plan, node))).length > 1
}

function mustStop(
  plan: Plan,
  unit: PrimitiveUnit,
  current: NodeStatus | undefined,
  target: NodeStatus | undefined,
): boolean {
  const { state } = unit.resource
  if (state.mustStop) return true
  if (state.failed) return false
  if (unit.assigned.blocked) return true
  if (roleRank(unit.role) <= roleRank('Started') || !current || !target) return false
  // A promoted resource whose start is needed again has to come down first.
  return !obtain(plan, { unit, task: 'start', node: target, optional: true }).optional
}

const needsRepromotion = ({ resource, assigned }: PrimitiveUnit): boolean =>
  resource.state.failed && !resource.state.mustStop && assigned.nextRole === 'Promoted'

interface Restart {
  readonly current: NodeStatus | undefined
  readonly target: NodeStatus | undefined
  readonly needsStop: boolean
  readonly needsPromote: boolean
}

/** Down to a stop where it is and up again to its role where it shall be; all of it optional unless something asks for it. */
function planRestart(plan: Plan, unit: PrimitiveUnit, restart: Restart): void {
  const { role } = unit
  const { target, needsStop, needsPromote } = restart
  let reached: Role = role
  unit.restarting = true
  while (reached !== 'Stopped') {
    const next: Role = reached === 'Promoted' ? 'Unpromoted' : 'Stopped'
    if (next === 'Unpromoted') demote(plan, unit, !needsStop)
    else stop(plan, unit, !needsStop)
    reached = next
  }
  while (roleRank(role) <= roleRank(unit.assigned.nextRole) && reached !== role && !unit.assigned.blocked) {
    const next = roleTowards(reached, role)
    if (next === 'Promoted') promote(plan, unit, target, !(needsStop || needsPromote))
    else if (reached === 'Stopped') start(plan, unit, target, !needsStop)
    reached = next
  }
  unit.restarting = false
}

/** A step from one role towards another: what is promoted was unpromoted before. */
function roleTowards(from: Role, to: Role): Role {
  if (to === 'Promoted') return from === 'Stopped' ? 'Unpromoted' : 'Promoted'
  if (from === 'Promoted') return 'Unpromoted'
  return to
}

function planNextRole(plan: Plan, unit: PrimitiveUnit, target: NodeStatus | undefined): void {
  let reached = unit.role
  const wanted = unit.assigned.nextRole
  while (reached !== wanted) {
    const next = roleTowards(reached, wanted)
    if (next === 'Promoted') promote(plan, unit, target, false)
    else if (reached === 'Promoted') demote(plan, unit, false)
    else if (next === 'Stopped') stop(plan, unit, false)
    else if (reached === 'Stopped') start(plan, unit, target, false)
    if (next === reached) return
    reached = next
  }
}

/** With multiple-active=stop_unexpected, the copy on the node where it belongs is left alone. */
const isExpectedOn = (unit: PrimitiveUnit, node: NodeStatus | undefined): boolean =>
  unit.stopsUnexpected && roleRank(unit.assigned.nextRole) > 0 && node?.name === unit.assigned.node

function stop(plan: Plan, unit: PrimitiveUnit, isOptional: boolean): void {
  const { partialMigration } = unit.resource.state
  for (const node of activeNodes(plan, unit)) {
    let optional = isOptional
    if (isExpectedOn(unit, node)) continue
    if (partialMigration) {
      if (node.name === partialMigration.target && node.name === unit.assigned.node) continue
      optional = false
    }
    const action = obtain(plan, { unit, task: 'stop', node, optional })
    if (unit.assigned.node === undefined) giveReason(action, 'node availability', { overwrite: true })
    else if (unit.restarting && unit.stopsUnexpected) giveReason(action, 'being multiply active', { overwrite: true })
    if (!unit.assigned.managed) action.runnable = false
    if (plan.status.options.removeAfterStop) deleteHistory(plan, unit, node, optional)
    if (plan.status.unfencingEnabled && unit.resource.meta.requires === 'unfencing') {
      const unfence = fenceAction(plan, node, { action: 'on', optional: true })
      relate(action, unfence, rule.thenImpliesFirst)
      if (!isUnfenced(node)) requireUnfencing(plan, undefined, node, `required by ${unit.id}`)
    }
  }
}

function start(plan: Plan, unit: PrimitiveUnit, node: NodeStatus | undefined, optional: boolean): void {
  const action = obtain(plan, { unit, task: 'start', node, optional: true })
  orderAfterUnfencing(plan, unit, { node, action, rules: rule.firstImpliesThen })
  if (action.runnable && !optional) action.optional = false
  if (isExpectedOn(unit, node)) action.pseudo = true
}

function promote(plan: Plan, unit: PrimitiveUnit, node: NodeStatus | undefined, optional: boolean): void {
  const starts = startsOn(unit, node)
  if (starts.every(({ runnable }) => runnable)) {
    const action = obtain(plan, { unit, task: 'promote', node, optional })
    if (isExpectedOn(unit, node)) action.pseudo = true
    return
  }
  for (const action of unit.actionsByKey.get(operationKey(unit.id, 'promote')) ?? []) {
    if (sameNode(action.node, node)) action.runnable = false
  }
}

const startsOn = (unit: PrimitiveUnit, node: NodeStatus | undefined): readonly PlannedAction[] =>
  (unit.actionsByKey.get(operationKey(unit.id, 'start')) ?? []).filter((action) => sameNode(action.node, node))

function demote(plan: Plan, unit: PrimitiveUnit, optional: boolean): void {
  for (const node of activeNodes(plan, unit)) {
    if (!isExpectedOn(unit, node)) obtain(plan, { unit, task: 'demote', node, optional })
  }
}

/** A migration that left something behind on its source: it is stopped there, whatever else happens. */
function abortMigration(plan: Plan, unit: PrimitiveUnit, node: NodeStatus): void {
  const action = obtain(plan, { unit, task: 'stop', node, optional: false })
  action.abortsMigration = true
  if (plan.status.options.removeAfterStop) deleteHistory(plan, unit, node, false)
}

/** Has the executor of a node forget the resource, between a stop and the next start. */
export function deleteHistory(plan: Plan, unit: PrimitiveUnit, node: NodeStatus, optional: boolean): void {
  if (unit.resource.state.failed || isUnclean(plan, node) || !node.online) return
  obtain(plan, { unit, task: 'delete', node, optional })
  const rules = optional ? rule.firstImpliesThen : rule.ordered
  orderTasks(plan, { unit, task: 'stop' }, { unit, task: 'delete' }, rules)
  orderTasks(plan, { unit, task: 'delete' }, { unit, task: 'start' }, rules)
}

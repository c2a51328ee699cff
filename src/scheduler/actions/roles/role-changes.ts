/**
 * What one instance needs to get from the role and node that it has to those it shall have: stop, start, promote, demote,
 * a restart in between where it failed or moves, and a live migration instead where that is possible.
 */
import { roleRank } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { sameNode } from '../draft/action.ts'
import { currentNode } from '../draft/current-node.ts'
import { type Drafting, isUnclean, type Ordering } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { fenceAction, giveReason, obtain } from '../draft/obtain.ts'
import { relate, rule } from '../draft/relation.ts'
import { activeNodes, nodeNamed, targetOf } from '../draft/setting.ts'
import { migrationUnderWay } from '../draft/under-way.ts'
import type { PrimitiveUnit } from '../draft/unit.ts'
import { orderAfterUnfencing } from '../fencing/unfencing.ts'
import { mayMigrate, migrate } from '../migration/migration.ts'
import { draftRecurring } from './recurring.ts'
import { wayBetween } from './way.ts'

export function draftRoleChanges(draft: Ordering, unit: PrimitiveUnit): void {
  const { state } = unit.resource
  const target = targetOf(draft, unit)
  const current = currentNode(draft, unit)
  for (const node of state.danglingMigrations) abortMigration(draft, unit, nodeNamed(draft, node))
  const isMoving =
    current !== undefined &&
    target !== undefined &&
    !sameNode(current, target) &&
    roleRank(unit.assigned.nextRole) >= roleRank('Started')
  let migrates = isMoving && mayMigrate(draft, unit, current)
  let needsStop = isMoving
  const partial = state.partialMigration
  // What is active on a third node as well is not merely on its way.
  const continues =
    partial !== undefined &&
    migrates &&
    current?.name === partial.source &&
    target?.name === partial.target &&
    state.active.length <= 2
  if (partial && !continues) {
    draft.givenUpMigrations.add(unit)
    migrates = false
  }
  if (!continues && isMultiplyActive(draft, unit)) {
    const policy = unit.resource.meta.multipleActive
    if (policy === 'stop_start' || policy === 'stop_unexpected') needsStop = true
    if (policy === 'stop_unexpected') draft.keptWhereExpected.add(unit)
  }
  // A start that is under way is waited for.
  if (state.pending?.operation === 'start') {
    obtain(draft, { unit, task: 'start', node: target, optional: true }).alwaysInGraph = true
  }
  const needsPromote = !isMoving && needsRepromotion(unit)
  if (!isMoving) needsStop ||= mustStop(draft, unit, current, target)
  draftRestart(draft, unit, { target, needsStop, needsPromote })
  draftNextRole(draft, unit, target)
  draftRecurring(draft, unit)
  if (migrates && current && target) migrate(draft, unit, { current, target, continues })
}

/** What does not require fencing is not taken to be active on a node that is lost. */
function isMultiplyActive(draft: Drafting, unit: PrimitiveUnit): boolean {
  const nodes = activeNodes(draft, unit)
  const { requires } = unit.resource.meta
  const counts = requires === 'fencing' || requires === 'unfencing'
  return (counts ? nodes : nodes.filter((node) => node.online && !isUnclean(draft, node))).length > 1
}

function mustStop(
  draft: Drafting,
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
  return !obtain(draft, { unit, task: 'start', node: target, optional: true }).optional
}

const needsRepromotion = ({ resource, assigned }: PrimitiveUnit): boolean =>
  resource.state.failed && !resource.state.mustStop && assigned.nextRole === 'Promoted'

interface Restart {
  readonly target: NodeStatus | undefined
  readonly needsStop: boolean
  readonly needsPromote: boolean
}

/** Down to a stop where it is and up again to its role where it shall be; all of it optional unless something asks for it. */
function draftRestart(draft: Ordering, unit: PrimitiveUnit, { target, needsStop, needsPromote }: Restart): void {
  const { role, assigned } = unit
  const wanted = { optional: !needsStop, isRestart: true }
  for (const step of wayBetween(role, 'Stopped')) {
    if (step === 'stop') stop(draft, unit, wanted)
    else demote(draft, unit, wanted)
  }
  if (assigned.blocked || roleRank(role) > roleRank(assigned.nextRole)) return
  for (const step of wayBetween('Stopped', role)) {
    if (step === 'start') start(draft, unit, target, wanted)
    else promote(draft, unit, target, { ...wanted, optional: !needsStop && !needsPromote })
  }
}

function draftNextRole(draft: Ordering, unit: PrimitiveUnit, target: NodeStatus | undefined): void {
  const wanted = { optional: false, isRestart: false }
  for (const step of wayBetween(unit.role, unit.assigned.nextRole)) {
    switch (step) {
      case 'start':
        start(draft, unit, target, wanted)
        break
      case 'promote':
        promote(draft, unit, target, wanted)
        break
      case 'demote':
        demote(draft, unit, wanted)
        break
      case 'stop':
        stop(draft, unit, wanted)
    }
  }
}

interface Wanted {
  readonly optional: boolean
  /** It is going to come up again, in the role that it has. */
  readonly isRestart: boolean
}

/** With multiple-active=stop_unexpected, the copy on the node where it belongs is not restarted. */
const isExpectedOn = (
  draft: Drafting,
  unit: PrimitiveUnit,
  node: NodeStatus | undefined,
  { isRestart }: Wanted,
): boolean =>
  isRestart &&
  draft.keptWhereExpected.has(unit) &&
  roleRank(unit.assigned.nextRole) > roleRank('Stopped') &&
  node?.name === unit.assigned.node

function stop(draft: Ordering, unit: PrimitiveUnit, wanted: Wanted): void {
  const migration = migrationUnderWay(draft, unit)
  for (const node of activeNodes(draft, unit)) {
    let { optional } = wanted
    if (isExpectedOn(draft, unit, node, wanted)) continue
    if (migration) {
      if (node.name === migration.target && node.name === unit.assigned.node) continue
      optional = false
    }
    const action = obtain(draft, { unit, task: 'stop', node, optional })
    if (unit.assigned.node === undefined) giveReason(action, 'node availability', { overwrite: true })
    else if (wanted.isRestart && draft.keptWhereExpected.has(unit)) {
      giveReason(action, 'being multiply active', { overwrite: true })
    }
    if (!unit.assigned.managed) action.runnable = false
    if (draft.status.options.removeAfterStop) deleteHistory(draft, unit, node, optional)
    if (draft.status.unfencingEnabled && unit.resource.meta.requires === 'unfencing') {
      const unfence = fenceAction(draft, node, { action: 'on', optional: true })
      relate(action, unfence, rule.thenImpliesFirst)
    }
  }
}

function start(draft: Drafting, unit: PrimitiveUnit, node: NodeStatus | undefined, wanted: Wanted): void {
  const action = obtain(draft, { unit, task: 'start', node, optional: true })
  orderAfterUnfencing(draft, unit, { node, action, rules: rule.firstImpliesThen })
  if (action.runnable && !wanted.optional) action.optional = false
  if (isExpectedOn(draft, unit, node, wanted)) action.pseudo = true
}

function promote(draft: Drafting, unit: PrimitiveUnit, node: NodeStatus | undefined, wanted: Wanted): void {
  const starts = startsOn(draft, unit, node)
  if (starts.every(({ runnable }) => runnable)) {
    const action = obtain(draft, { unit, task: 'promote', node, optional: wanted.optional })
    if (isExpectedOn(draft, unit, node, wanted)) action.pseudo = true
    return
  }
  for (const action of draft.withTask(unit, 'promote')) {
    if (sameNode(action.node, node)) action.runnable = false
  }
}

const startsOn = (draft: Drafting, unit: PrimitiveUnit, node: NodeStatus | undefined): readonly DraftAction[] =>
  draft.withTask(unit, 'start').filter((action) => sameNode(action.node, node))

function demote(draft: Drafting, unit: PrimitiveUnit, wanted: Wanted): void {
  const { optional } = wanted
  for (const node of activeNodes(draft, unit)) {
    if (!isExpectedOn(draft, unit, node, wanted)) obtain(draft, { unit, task: 'demote', node, optional })
  }
}

/** A migration that left something behind on its source: it is stopped there, whatever else happens. */
function abortMigration(draft: Ordering, unit: PrimitiveUnit, node: NodeStatus): void {
  const action = obtain(draft, { unit, task: 'stop', node, optional: false })
  action.abortsMigration = true
  if (draft.status.options.removeAfterStop) deleteHistory(draft, unit, node, false)
}

/** Has the executor of a node forget the resource, between a stop and the next start. */
export function deleteHistory(draft: Ordering, unit: PrimitiveUnit, node: NodeStatus, optional: boolean): void {
  if (unit.resource.state.failed || isUnclean(draft, node) || !node.online) return
  obtain(draft, { unit, task: 'delete', node, optional })
  const rules = optional ? rule.firstImpliesThen : rule.ordered
  draft.orders.addTasks({ unit, task: 'stop' }, { unit, task: 'delete' }, rules)
  draft.orders.addTasks({ unit, task: 'delete' }, { unit, task: 'start' }, rules)
}

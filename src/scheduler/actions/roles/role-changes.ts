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
import { fenceAction, findOrCreateAction, giveReason } from '../draft/find-or-create-action.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { relate, rule } from '../draft/relation.ts'
import { activeNodes, nodeNamed, targetOf } from '../draft/setting.ts'
import { migrationUnderWay } from '../draft/under-way.ts'
import { orderAfterUnfencing } from '../fencing/unfencing.ts'
import { mayMigrate, migrate } from '../migration/migration.ts'
import { draftRecurring } from './recurring.ts'
import { roleSteps } from './role-steps.ts'

export function draftRoleChanges(draft: Ordering, rsc: PlannedPrimitive): void {
  const { state } = rsc.resource
  const target = targetOf(draft, rsc)
  const current = currentNode(draft, rsc)
  for (const node of state.danglingMigrations) abortMigration(draft, rsc, nodeNamed(draft, node))
  const isMoving =
    current !== undefined &&
    target !== undefined &&
    !sameNode(current, target) &&
    roleRank(rsc.assigned.nextRole) >= roleRank('Started')
  let migrates = isMoving && mayMigrate(draft, rsc, current)
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
    draft.givenUpMigrations.add(rsc)
    migrates = false
  }
  if (!continues && isMultiplyActive(draft, rsc)) {
    const policy = rsc.resource.meta.multipleActive
    if (policy === 'stop_start' || policy === 'stop_unexpected') needsStop = true
    if (policy === 'stop_unexpected') draft.keptWhereExpected.add(rsc)
  }
  // A start that is under way is waited for.
  if (state.pending?.operation === 'start') {
    findOrCreateAction(draft, { rsc, task: 'start', node: target, optional: true }).alwaysInGraph = true
  }
  const needsPromote = !isMoving && needsRepromotion(rsc)
  if (!isMoving) needsStop ||= mustStop(draft, rsc, current, target)
  draftRestart(draft, rsc, { target, needsStop, needsPromote })
  draftNextRole(draft, rsc, target)
  draftRecurring(draft, rsc)
  if (migrates && current && target) migrate(draft, rsc, { current, target, continues })
}

/** What does not require fencing is not taken to be active on a node that is lost. */
function isMultiplyActive(draft: Drafting, rsc: PlannedPrimitive): boolean {
  const nodes = activeNodes(draft, rsc)
  const { requires } = rsc.resource.meta
  const counts = requires === 'fencing' || requires === 'unfencing'
  return (counts ? nodes : nodes.filter((node) => node.online && !isUnclean(draft, node))).length > 1
}

function mustStop(
  draft: Drafting,
  rsc: PlannedPrimitive,
  current: NodeStatus | undefined,
  target: NodeStatus | undefined,
): boolean {
  const { state } = rsc.resource
  if (state.mustStop) return true
  if (state.failed) return false
  if (rsc.assigned.blocked) return true
  if (roleRank(rsc.role) <= roleRank('Started') || !current || !target) return false
  // A promoted resource whose start is needed again has to come down first.
  return !findOrCreateAction(draft, { rsc, task: 'start', node: target, optional: true }).optional
}

const needsRepromotion = ({ resource, assigned }: PlannedPrimitive): boolean =>
  resource.state.failed && !resource.state.mustStop && assigned.nextRole === 'Promoted'

interface Restart {
  readonly target: NodeStatus | undefined
  readonly needsStop: boolean
  readonly needsPromote: boolean
}

/** Down to a stop where it is and up again to its role where it shall be; all of it optional unless something asks for it. */
function draftRestart(draft: Ordering, rsc: PlannedPrimitive, { target, needsStop, needsPromote }: Restart): void {
  const { role, assigned } = rsc
  const wanted = { optional: !needsStop, isRestart: true }
  for (const step of roleSteps(role, 'Stopped')) {
    if (step === 'stop') stop(draft, rsc, wanted)
    else demote(draft, rsc, wanted)
  }
  if (assigned.blocked || roleRank(role) > roleRank(assigned.nextRole)) return
  for (const step of roleSteps('Stopped', role)) {
    if (step === 'start') start(draft, rsc, target, wanted)
    else promote(draft, rsc, target, { ...wanted, optional: !needsStop && !needsPromote })
  }
}

function draftNextRole(draft: Ordering, rsc: PlannedPrimitive, target: NodeStatus | undefined): void {
  const wanted = { optional: false, isRestart: false }
  for (const step of roleSteps(rsc.role, rsc.assigned.nextRole)) {
    switch (step) {
      case 'start':
        start(draft, rsc, target, wanted)
        break
      case 'promote':
        promote(draft, rsc, target, wanted)
        break
      case 'demote':
        demote(draft, rsc, wanted)
        break
      case 'stop':
        stop(draft, rsc, wanted)
    }
  }
}

interface ActionRequest {
  readonly optional: boolean
  /** It is going to come up again, in the role that it has. */
  readonly isRestart: boolean
}

/** With multiple-active=stop_unexpected, the copy on the node where it belongs is not restarted. */
const isExpectedOn = (
  draft: Drafting,
  rsc: PlannedPrimitive,
  node: NodeStatus | undefined,
  { isRestart }: ActionRequest,
): boolean =>
  isRestart &&
  draft.keptWhereExpected.has(rsc) &&
  roleRank(rsc.assigned.nextRole) > roleRank('Stopped') &&
  node?.name === rsc.assigned.node

function stop(draft: Ordering, rsc: PlannedPrimitive, wanted: ActionRequest): void {
  const migration = migrationUnderWay(draft, rsc)
  for (const node of activeNodes(draft, rsc)) {
    let { optional } = wanted
    if (isExpectedOn(draft, rsc, node, wanted)) continue
    if (migration) {
      if (node.name === migration.target && node.name === rsc.assigned.node) continue
      optional = false
    }
    const action = findOrCreateAction(draft, { rsc, task: 'stop', node, optional })
    if (rsc.assigned.node === undefined) giveReason(action, 'node availability', { overwrite: true })
    else if (wanted.isRestart && draft.keptWhereExpected.has(rsc)) {
      giveReason(action, 'being multiply active', { overwrite: true })
    }
    if (!rsc.assigned.managed) action.runnable = false
    if (draft.status.options.removeAfterStop) deleteHistory(draft, rsc, node, optional)
    if (draft.status.unfencingEnabled && rsc.resource.meta.requires === 'unfencing') {
      const unfence = fenceAction(draft, node, { action: 'on', optional: true })
      relate(action, unfence, rule.thenImpliesFirst)
    }
  }
}

function start(draft: Drafting, rsc: PlannedPrimitive, node: NodeStatus | undefined, wanted: ActionRequest): void {
  const action = findOrCreateAction(draft, { rsc, task: 'start', node, optional: true })
  orderAfterUnfencing(draft, rsc, { node, action, rules: rule.firstImpliesThen })
  if (action.runnable && !wanted.optional) action.optional = false
  if (isExpectedOn(draft, rsc, node, wanted)) action.pseudo = true
}

function promote(draft: Drafting, rsc: PlannedPrimitive, node: NodeStatus | undefined, wanted: ActionRequest): void {
  const starts = startsOn(draft, rsc, node)
  if (starts.every(({ runnable }) => runnable)) {
    const action = findOrCreateAction(draft, { rsc, task: 'promote', node, optional: wanted.optional })
    if (isExpectedOn(draft, rsc, node, wanted)) action.pseudo = true
    return
  }
  for (const action of draft.withTask(rsc, 'promote')) {
    if (sameNode(action.node, node)) action.runnable = false
  }
}

const startsOn = (draft: Drafting, rsc: PlannedPrimitive, node: NodeStatus | undefined): readonly DraftAction[] =>
  draft.withTask(rsc, 'start').filter((action) => sameNode(action.node, node))

function demote(draft: Drafting, rsc: PlannedPrimitive, wanted: ActionRequest): void {
  const { optional } = wanted
  for (const node of activeNodes(draft, rsc)) {
    if (!isExpectedOn(draft, rsc, node, wanted)) findOrCreateAction(draft, { rsc, task: 'demote', node, optional })
  }
}

/** A migration that left something behind on its source: it is stopped there, whatever else happens. */
function abortMigration(draft: Ordering, rsc: PlannedPrimitive, node: NodeStatus): void {
  const action = findOrCreateAction(draft, { rsc, task: 'stop', node, optional: false })
  action.abortsMigration = true
  if (draft.status.options.removeAfterStop) deleteHistory(draft, rsc, node, false)
}

/** Has the executor of a node forget the resource, between a stop and the next start. */
export function deleteHistory(draft: Ordering, rsc: PlannedPrimitive, node: NodeStatus, optional: boolean): void {
  if (rsc.resource.state.failed || isUnclean(draft, node) || !node.online) return
  findOrCreateAction(draft, { rsc, task: 'delete', node, optional })
  const rules = optional ? rule.firstImpliesThen : rule.ordered
  draft.orders.addTasks({ rsc, task: 'stop' }, { rsc, task: 'delete' }, rules)
  draft.orders.addTasks({ rsc, task: 'delete' }, { rsc, task: 'start' }, rules)
}

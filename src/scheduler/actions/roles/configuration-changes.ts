/**
 * What a changed configuration asks for: recurring operations that are no longer wanted end, resources whose parameters
 * changed restart, or reload where their agent can and nothing that needs a restart changed ("Agent Reload" in Pacemaker
 * Explained). The parameters that ran are known by their digests only.
 */
import type { NodeName } from '../../../base/index.ts'
import type { Md5 } from '../../../cib/index.ts'
import { compareDigests, type HistoryEntry, type NodeStatus, parametersTask } from '../../../status/index.ts'
import { giveReason, operationKey } from '../action.ts'
import { isUnclean, obtain, order, type Plan } from '../draft.ts'
import { requireUnfencing } from '../fencing/fence-action.ts'
import { findOperation, operationMeta, timeoutMs } from '../operation.ts'
import { parametersOf } from '../parameters.ts'
import { rule } from '../relation.ts'
import { type PrimitiveUnit, primitivesOf } from '../unit.ts'
import { activeEntries, clearFailCount } from './recorded.ts'
import { cancel } from './recurring.ts'
import { deleteHistory } from './role-changes.ts'

export function planConfigurationChanges(plan: Plan, md5: Md5): void {
  for (const unit of plan.tree.top.flatMap(primitivesOf)) {
    const { history, otherAgents } = unit.resource.state
    for (const node of nodesInOrder(plan, new Set([...history.keys(), ...otherAgents.keys()]))) {
      const entries = history.get(node.name) ?? []
      if (node.online) forgetChangedFailures(plan, { unit, node, md5 }, entries)
      if (!canAct(plan, node)) continue
      if (unit.resource.orphan) forget(plan, unit, node)
      else checkHistory(plan, { unit, node, md5 }, entries)
    }
  }
}

function nodesInOrder({ nodeList, nodes }: Plan, names: ReadonlySet<NodeName>): readonly NodeStatus[] {
  const [only, another] = names
  // An instance of a clone has a history on one node, and there may be a thousand of both.
  if (only !== undefined && another === undefined) return [nodes.get(only)].filter((node) => node !== undefined)
  return names.size === 0 ? [] : nodeList.filter(({ name }) => names.has(name))
}

interface Checked {
  readonly unit: PrimitiveUnit
  readonly node: NodeStatus
  readonly md5: Md5
}

/**
 * A failure with other parameters than there are now says nothing any more. The status knows that of all failures but those of
 * connections that are made to wherever their container is going to be.
 */
function forgetChangedFailures(plan: Plan, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { unit, node } = checked
  if (unit.resource.parametersOn(node.name).get('addr') !== '#uname') return
  const isOutdated = (entry: HistoryEntry): boolean =>
    entry.id.includes('last_failure') &&
    (entry.operation === 'start' || entry.operation === 'monitor') &&
    compare(plan, checked, entry) !== 'none'
  if (entries.some(isOutdated)) clearFailCount(plan, unit, node.name, 'resource parameters have changed')
}

/** A node that can run nothing is left alone, but for one in maintenance, whose monitors end. */
const canAct = (plan: Plan, node: NodeStatus): boolean =>
  node.maintenance || (node.online && !node.shutdown && !node.standby && !isUnclean(plan, node))

/** What is not configured any more is forgotten where it was, once it is stopped. */
function forget(plan: Plan, unit: PrimitiveUnit, node: NodeStatus): void {
  const { instance } = unit.resource
  if (!instance || instance.unique) deleteHistory(plan, unit, node, false)
}

const comparedOnce = new Set(['monitor', 'start', 'promote', 'migrate_from'])

function checkHistory(plan: Plan, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { unit, node } = checked
  const { state } = unit.resource
  const isActive = state.active.some((active) => active.node === node.name)
  // The history was made by another agent: nothing that it says holds for this one.
  if (state.otherAgents.has(node.name)) {
    requireUnfencing(plan, unit, node, 'Device definition changed')
    if (isActive) restartForNewAgent(plan, checked)
    deleteHistory(plan, unit, node, false)
  }
  if (!isActive) return
  for (const entry of activeEntries(entries)) {
    const { operation, intervalMs } = entry
    if (intervalMs > 0 && (state.maintenance || node.maintenance)) {
      cancelRecorded(plan, checked, entry)
    } else if (intervalMs > 0 || comparedOnce.has(operation)) {
      const changed = checkOperation(plan, checked, entry)
      const failures = state.failCounts.get(node.name)?.count ?? 0
      if (changed && failures !== 0) clearFailCount(plan, unit, node.name, 'action definition changed')
    }
  }
}

function restartForNewAgent(plan: Plan, { unit, node }: Checked): void {
  const stop = obtain(plan, { unit, task: 'stop', node, optional: false })
  giveReason(stop, 'resource definition change', { overwrite: true })
}

function cancelRecorded(plan: Plan, { unit, node }: Checked, entry: HistoryEntry): void {
  const action = cancel(plan, unit, { name: entry.operation, intervalMs: entry.intervalMs, node })
  action.meta.set('call-id', String(entry.callId))
  order(plan, { unit, key: operationKey(unit.id, 'stop') }, { action }, rule.ordered)
}

/** True where the operation's definition is another than the one that ran. */
function checkOperation(plan: Plan, checked: Checked, entry: HistoryEntry): boolean {
  const { unit, node } = checked
  const { operation, intervalMs } = entry
  if (intervalMs > 0 && !findOperation(unit.resource, operation, intervalMs)) {
    if (!plan.status.options.stopOrphanActions) return true
    cancelRecorded(plan, checked, entry)
    return true
  }
  const difference = compare(plan, checked, entry)
  if (difference === 'none') return false
  if (difference === 'restart') {
    forceRestart(plan, unit, node, entry)
  } else if (intervalMs > 0) {
    requireUnfencing(plan, unit, node, 'Device parameters changed (reschedule)')
    obtain(plan, { unit, task: operation, intervalMs, node, optional: true }).reschedule = true
  } else if (entry.attributes['op-restart-digest'] !== undefined) {
    requireUnfencing(plan, unit, node, 'Device parameters changed (reload)')
    reload(plan, unit, node)
  } else {
    forceRestart(plan, unit, node, entry)
  }
  return true
}

function forceRestart(plan: Plan, unit: PrimitiveUnit, node: NodeStatus, entry: HistoryEntry): void {
  const task = parametersTask(entry)
  const action = obtain(plan, { unit, task, intervalMs: entry.intervalMs, optional: false })
  giveReason(action, 'resource definition change', { overwrite: true })
  requireUnfencing(plan, unit, node, 'Device parameters changed')
}

function reload(plan: Plan, unit: PrimitiveUnit, node: NodeStatus): void {
  const { state } = unit.resource
  if (!unit.assigned.managed || state.failed) return
  if (state.pending?.operation === 'start') {
    obtain(plan, { unit, task: 'stop', node, optional: false })
    return
  }
  unit.reloads = true
  const action = obtain(plan, { unit, task: 'reload-agent', node, optional: false })
  giveReason(action, 'resource definition change')
  for (const task of ['stop', 'demote']) {
    order(plan, { action }, { unit, key: operationKey(unit.id, task) }, rule.ordered | rule.thenCancelsFirst)
  }
}

function compare(plan: Plan, { unit, node, md5 }: Checked, entry: HistoryEntry): ReturnType<typeof compareDigests> {
  const { operation, intervalMs } = entry
  const definition = findOperation(unit.resource, parametersTask(entry), intervalMs)
  const own = definition ? plan.status.operationParameters(definition, node.name) : new Map<string, string>()
  const configured = {
    agent: unit.resource.agent,
    parameters: parametersOf(plan, unit, { node: node.name, own }),
    hasOwnParameters: own.size > 0,
    timeoutMs: () => timeoutMs(operationMeta(plan.status, unit, operation, intervalMs)),
  }
  return compareDigests(entry, configured, { md5, isSanitized: plan.isSanitized })
}

/**
 * What a changed configuration asks for: recurring operations that are no longer wanted end, resources whose parameters
 * changed restart, or reload where their agent can and nothing that needs a restart changed ("Agent Reload" in Pacemaker
 * Explained). The parameters that ran are known by their digests only.
 */
import type { NodeName } from '../../../base/index.ts'
import { type HistoryEntry, type NodeStatus, type ParameterDifference, parametersTask } from '../../../status/index.ts'
import { type Drafting, isUnclean, type Ordering, ordersOf } from '../draft/draft.ts'
import { giveReason, obtain } from '../draft/obtain.ts'
import { findOperation } from '../draft/operation.ts'
import type { Order } from '../draft/order.ts'
import { rule } from '../draft/relation.ts'
import { isReachableNow } from '../draft/runnable.ts'
import type { PrimitiveUnit } from '../draft/unit.ts'
import { requireUnfencing } from '../fencing/unfencing.ts'
import { activeEntries } from './active-entries.ts'
import { type Checked, isCompared, parameterDifference } from './parameter-difference.ts'
import { clearFailCount } from './recorded.ts'
import { cancel } from './recurring.ts'
import { deleteHistory } from './role-changes.ts'

export const draftConfigurationChanges = (draft: Drafting): readonly Order[] => ordersOf(draft, checkHistories)

/**
 * The same for connections that are made to wherever their container is going to be: what they run with is known once everything has
 * its place, so that their old monitors are cancelled also where the connection ends.
 */
export const draftConnectionChanges = (draft: Drafting): readonly Order[] => ordersOf(draft, checkConnections)

function checkHistories(draft: Ordering): void {
  for (const unit of draft.tree.primitives) {
    const { history, otherAgents, namesakes } = unit.resource.state
    for (const node of nodesInOrder(draft, new Set([...history.keys(), ...otherAgents.keys()]))) {
      const entries = history.get(node.name) ?? []
      if (!canAct(draft, node)) continue
      if (unit.resource.orphan) forget(draft, unit, node)
      else for (const each of [entries, ...(namesakes.get(node.name) ?? [])]) checkHistory(draft, { unit, node }, each)
    }
  }
}

function checkConnections(draft: Ordering): void {
  for (const unit of draft.tree.primitives) {
    const { history } = unit.resource.state
    if (unit.resource.connectionOf === undefined) continue
    for (const node of nodesInOrder(draft, new Set(history.keys()))) {
      const checked = { unit, node }
      if (!isMadeToHost(checked)) continue
      const entries = history.get(node.name) ?? []
      if (node.online) forgetChangedFailures(draft, checked, entries)
      if (canAct(draft, node) && isActiveOn(checked)) checkOperations(draft, checked, entries)
    }
  }
}

const isMadeToHost = ({ unit, node }: Checked): boolean =>
  unit.resource.connectionOf !== undefined && unit.resource.parametersOn(node.name).get('addr') === '#uname'

const isActiveOn = ({ unit, node }: Checked): boolean =>
  unit.resource.state.active.some((active) => active.node === node.name)

function nodesInOrder({ nodeList, nodes }: Drafting, names: ReadonlySet<NodeName>): readonly NodeStatus[] {
  const [only, another] = names
  // An instance of a clone has a history on one node, and there may be a thousand of both.
  if (only !== undefined && another === undefined) return [nodes.get(only)].filter((node) => node !== undefined)
  return names.size === 0 ? [] : nodeList.filter(({ name }) => names.has(name))
}

/** A failure with other parameters than there are now says nothing any more. The status knows that of all but these connections. */
function forgetChangedFailures(draft: Drafting, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { unit, node } = checked
  const isOutdated = (entry: HistoryEntry): boolean =>
    entry.id.includes('last_failure') &&
    (entry.operation === 'start' || entry.operation === 'monitor') &&
    isKnownToDiffer(parameterDifference(draft, checked, entry))
  if (entries.some(isOutdated)) clearFailCount(draft, unit, node.name, 'resource parameters have changed')
}

const isKnownToDiffer = (difference: ParameterDifference): boolean =>
  difference === 'restart' || difference === 'reload'

/**
 * A node that can run nothing is left alone, but for one in maintenance, whose monitors end. A remote node counts as it is, not as it
 * will be: what begins with its connection begins with the parameters that there are now.
 */
function canAct(draft: Drafting, { name }: NodeStatus): boolean {
  const node = draft.status.nodesByName.get(name)
  return node !== undefined && (node.maintenance || (isUp(node) && !isUnclean(draft, node)))
}

const isUp = ({ online, shutdown, standby }: NodeStatus): boolean => online && !shutdown && !standby

/** What is not configured any more is forgotten where it was, once it is stopped. */
function forget(draft: Ordering, unit: PrimitiveUnit, node: NodeStatus): void {
  const { instance } = unit.resource
  if (!instance || instance.unique) deleteHistory(draft, unit, node, false)
}

function checkHistory(draft: Ordering, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { unit, node } = checked
  const { state } = unit.resource
  const isActive = isActiveOn(checked)
  // The history was made by another agent: nothing that it says holds for this one.
  if (state.otherAgents.has(node.name)) {
    requireUnfencing(draft, unit, node, 'Device definition changed')
    if (isActive) restartForNewAgent(draft, checked)
    deleteHistory(draft, unit, node, false)
  }
  if (!isActive) return
  for (const entry of activeEntries(entries)) if (isLeftAlone(checked, entry)) cancelRecorded(draft, checked, entry)
  if (!isMadeToHost(checked)) checkOperations(draft, checked, entries)
}

const isLeftAlone = ({ unit, node }: Checked, { intervalMs }: HistoryEntry): boolean =>
  intervalMs > 0 && (unit.resource.state.maintenance || node.maintenance)

function checkOperations(draft: Ordering, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { unit, node } = checked
  for (const entry of activeEntries(entries)) {
    if (isLeftAlone(checked, entry) || !isCompared(entry)) continue
    const changed = checkOperation(draft, checked, entry)
    const failures = unit.resource.state.failCounts.get(node.name)?.count ?? 0
    if (changed && failures !== 0) clearFailCount(draft, unit, node.name, 'action definition changed')
  }
}

function restartForNewAgent(draft: Drafting, { unit, node }: Checked): void {
  const stop = obtain(draft, { unit, task: 'stop', node, optional: false })
  giveReason(stop, 'resource definition change', { overwrite: true })
}

function cancelRecorded(draft: Ordering, { unit, node }: Checked, entry: HistoryEntry): void {
  const action = cancel(draft, unit, { name: entry.operation, intervalMs: entry.intervalMs, node })
  action.meta.set('call-id', String(entry.callId))
  if (!isReachableNow(draft, node.name)) action.runnable = false
  draft.orders.add({ unit, task: 'stop' }, { action }, rule.ordered)
}

/** True where the operation's definition is another than the one that ran. */
function checkOperation(draft: Ordering, checked: Checked, entry: HistoryEntry): boolean {
  const { unit, node } = checked
  const { operation, intervalMs } = entry
  if (intervalMs > 0 && !findOperation(unit.resource, operation, intervalMs)) {
    if (!draft.status.options.stopOrphanActions) return true
    cancelRecorded(draft, checked, entry)
    return true
  }
  const answer = answerTo(parameterDifference(draft, checked, entry), {
    isRecurring: intervalMs > 0,
    tellsWhatRestarts: entry.attributes['op-restart-digest'] !== undefined,
  })
  switch (answer) {
    case 'nothing':
      return false
    case 'restart':
      forceRestart(draft, unit, node, entry)
      return true
    case 'set up again':
      requireUnfencing(draft, unit, node, 'Device parameters changed (reschedule)')
      obtain(draft, { unit, task: operation, intervalMs, node, optional: true }).reschedule = true
      return true
    case 'reload':
      requireUnfencing(draft, unit, node, 'Device parameters changed (reload)')
      reload(draft, unit, node)
      return true
  }
}

interface Recorded {
  readonly isRecurring: boolean
  /** The history has a digest of the parameters whose change needs a restart, so that the others are known to need none. */
  readonly tellsWhatRestarts: boolean
}

/**
 * | what changed                     | of a recurring operation | of another, and it tells | and it does not tell |
 * | -------------------------------- | ------------------------ | ------------------------ | -------------------- |
 * | nothing                          | nothing                  | nothing                  | nothing              |
 * | a parameter that needs a restart | restart                  | restart                  | restart              |
 * | another, or nobody knows         | set up again             | reload                   | restart              |
 */
export function answerTo(
  difference: ParameterDifference,
  { isRecurring, tellsWhatRestarts }: Recorded,
): 'nothing' | 'restart' | 'set up again' | 'reload' {
  if (difference === 'none') return 'nothing'
  if (difference === 'restart') return 'restart'
  if (isRecurring) return 'set up again'
  return tellsWhatRestarts ? 'reload' : 'restart'
}

function forceRestart(draft: Drafting, unit: PrimitiveUnit, node: NodeStatus, entry: HistoryEntry): void {
  const task = parametersTask(entry)
  const action = obtain(draft, { unit, task, intervalMs: entry.intervalMs, optional: false })
  giveReason(action, 'resource definition change', { overwrite: true })
  requireUnfencing(draft, unit, node, 'Device parameters changed')
}

function reload(draft: Ordering, unit: PrimitiveUnit, node: NodeStatus): void {
  const { state } = unit.resource
  if (!unit.assigned.managed || state.failed) return
  if (state.pending?.operation === 'start') {
    obtain(draft, { unit, task: 'stop', node, optional: false })
    return
  }
  const action = obtain(draft, { unit, task: 'reload-agent', node, optional: false })
  giveReason(action, 'resource definition change')
  for (const task of ['stop', 'demote']) {
    draft.orders.add({ action }, { unit, task: task }, rule.ordered | rule.thenCancelsFirst)
  }
}

/**
 * What a changed configuration asks for: recurring operations that are no longer wanted end, resources whose parameters
 * changed restart, or reload where their agent can and nothing that needs a restart changed ("Agent Reload" in Pacemaker
 * Explained). The parameters that ran are known by their digests only.
 */
import type { NodeName } from '../../../base/index.ts'
import { type HistoryEntry, type NodeStatus, type ParameterDifference, parametersTask } from '../../../status/index.ts'
import { type Drafting, isUnclean, type Ordering, ordersOf } from '../draft/draft.ts'
import { findOrCreateAction, giveReason } from '../draft/find-or-create-action.ts'
import { findOperation } from '../draft/operation.ts'
import type { Order } from '../draft/order.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { rule } from '../draft/relation.ts'
import { isReachableNow } from '../draft/runnable.ts'
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
  for (const rsc of draft.tree.primitives) {
    const { history, otherAgents, namesakes } = rsc.resource.state
    for (const node of nodesInOrder(draft, new Set([...history.keys(), ...otherAgents.keys()]))) {
      const entries = history.get(node.name) ?? []
      if (!canAct(draft, node)) continue
      if (rsc.resource.orphan) forget(draft, rsc, node)
      else for (const each of [entries, ...(namesakes.get(node.name) ?? [])]) checkHistory(draft, { rsc, node }, each)
    }
  }
}

function checkConnections(draft: Ordering): void {
  for (const rsc of draft.tree.primitives) {
    const { history } = rsc.resource.state
    if (rsc.resource.connectionOf === undefined) continue
    for (const node of nodesInOrder(draft, new Set(history.keys()))) {
      const checked = { rsc, node }
      if (!isMadeToHost(checked)) continue
      const entries = history.get(node.name) ?? []
      if (node.online) forgetChangedFailures(draft, checked, entries)
      if (canAct(draft, node) && isActiveOn(checked)) checkOperations(draft, checked, entries)
    }
  }
}

const isMadeToHost = ({ rsc, node }: Checked): boolean =>
  rsc.resource.connectionOf !== undefined && rsc.resource.parametersOn(node.name).get('addr') === '#uname'

const isActiveOn = ({ rsc, node }: Checked): boolean =>
  rsc.resource.state.active.some((active) => active.node === node.name)

function nodesInOrder({ nodeList, nodes }: Drafting, names: ReadonlySet<NodeName>): readonly NodeStatus[] {
  const [only, another] = names
  // An instance of a clone has a history on one node, and there may be a thousand of both.
  if (only !== undefined && another === undefined) return [nodes.get(only)].filter((node) => node !== undefined)
  return names.size === 0 ? [] : nodeList.filter(({ name }) => names.has(name))
}

/** A failure with other parameters than there are now says nothing any more. The status knows that of all but these connections. */
function forgetChangedFailures(draft: Drafting, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { rsc, node } = checked
  const isOutdated = (entry: HistoryEntry): boolean =>
    entry.id.includes('last_failure') &&
    (entry.operation === 'start' || entry.operation === 'monitor') &&
    isKnownToDiffer(parameterDifference(draft, checked, entry))
  if (entries.some(isOutdated)) clearFailCount(draft, rsc, node.name, 'resource parameters have changed')
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
function forget(draft: Ordering, rsc: PlannedPrimitive, node: NodeStatus): void {
  const { instance } = rsc.resource
  if (!instance || instance.unique) deleteHistory(draft, rsc, node, false)
}

function checkHistory(draft: Ordering, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { rsc, node } = checked
  const { state } = rsc.resource
  const isActive = isActiveOn(checked)
  // The history was made by another agent: nothing that it says holds for this one.
  if (state.otherAgents.has(node.name)) {
    requireUnfencing(draft, rsc, node, 'Device definition changed')
    if (isActive) restartForNewAgent(draft, checked)
    deleteHistory(draft, rsc, node, false)
  }
  if (!isActive) return
  for (const entry of activeEntries(entries)) if (isLeftAlone(checked, entry)) cancelRecorded(draft, checked, entry)
  if (!isMadeToHost(checked)) checkOperations(draft, checked, entries)
}

const isLeftAlone = ({ rsc, node }: Checked, { intervalMs }: HistoryEntry): boolean =>
  intervalMs > 0 && (rsc.resource.state.maintenance || node.maintenance)

function checkOperations(draft: Ordering, checked: Checked, entries: readonly HistoryEntry[]): void {
  const { rsc, node } = checked
  for (const entry of activeEntries(entries)) {
    if (isLeftAlone(checked, entry) || !isCompared(entry)) continue
    const changed = checkOperation(draft, checked, entry)
    const failures = rsc.resource.state.failCounts.get(node.name)?.count ?? 0
    if (changed && failures !== 0) clearFailCount(draft, rsc, node.name, 'action definition changed')
  }
}

function restartForNewAgent(draft: Drafting, { rsc, node }: Checked): void {
  const stop = findOrCreateAction(draft, { rsc, task: 'stop', node, optional: false })
  giveReason(stop, 'resource definition change', { overwrite: true })
}

function cancelRecorded(draft: Ordering, { rsc, node }: Checked, entry: HistoryEntry): void {
  const action = cancel(draft, rsc, { name: entry.operation, intervalMs: entry.intervalMs, node })
  action.meta.set('call-id', String(entry.callId))
  if (!isReachableNow(draft, node.name)) action.runnable = false
  draft.orders.add({ rsc, task: 'stop' }, { action }, rule.ordered)
}

/** True where the operation's definition is another than the one that ran. */
function checkOperation(draft: Ordering, checked: Checked, entry: HistoryEntry): boolean {
  const { rsc, node } = checked
  const { operation, intervalMs } = entry
  if (intervalMs > 0 && !findOperation(rsc.resource, operation, intervalMs)) {
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
      forceRestart(draft, rsc, node, entry)
      return true
    case 'set up again':
      requireUnfencing(draft, rsc, node, 'Device parameters changed (reschedule)')
      findOrCreateAction(draft, { rsc, task: operation, intervalMs, node, optional: true }).reschedule = true
      return true
    case 'reload':
      requireUnfencing(draft, rsc, node, 'Device parameters changed (reload)')
      reload(draft, rsc, node)
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

function forceRestart(draft: Drafting, rsc: PlannedPrimitive, node: NodeStatus, entry: HistoryEntry): void {
  const task = parametersTask(entry)
  const action = findOrCreateAction(draft, { rsc, task, intervalMs: entry.intervalMs, optional: false })
  giveReason(action, 'resource definition change', { overwrite: true })
  requireUnfencing(draft, rsc, node, 'Device parameters changed')
}

function reload(draft: Ordering, rsc: PlannedPrimitive, node: NodeStatus): void {
  const { state } = rsc.resource
  if (!rsc.assigned.managed || state.failed) return
  if (state.pending?.operation === 'start') {
    findOrCreateAction(draft, { rsc, task: 'stop', node, optional: false })
    return
  }
  const action = findOrCreateAction(draft, { rsc, task: 'reload-agent', node, optional: false })
  giveReason(action, 'resource definition change')
  for (const task of ['stop', 'demote']) {
    draft.orders.add({ action }, { rsc, task }, rule.ordered | rule.thenCancelsFirst)
  }
}

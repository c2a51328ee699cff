/** Whether what runs of a resource on its node is what is configured: each recurring operation, and all with today's parameters. */
import type { HistoryEntry, NodeStatus } from '../../../status/index.ts'
import { operationKey } from '../action.ts'
import { activeEntries } from '../roles/active-entries.ts'
import { isCompared, parameterDifference } from '../roles/parameter-difference.ts'
import { isForRole, recurringOf } from '../roles/recurring-operations.ts'
import type { Setting } from '../setting.ts'
import type { PrimitiveUnit } from '../unit.ts'

export function runsAsConfigured(setting: Setting, unit: PrimitiveUnit, node: NodeStatus): boolean {
  const { history } = unit.resource.state
  for (const [name, entries] of history) {
    if (name !== node.name && entries.some(isRecurring) && activeEntries(entries).some(isRecurring)) return false
  }
  const entries = activeEntries(history.get(node.name) ?? [])
  if (!hasItsMonitors(unit, entries)) return false
  return entries.every(
    (entry) =>
      entry.status !== -1 && (!isCompared(entry) || parameterDifference(setting, { unit, node }, entry) === 'none'),
  )
}

/** Those for its role and no others. One for when it is stopped would run on every other node. */
function hasItsMonitors(unit: PrimitiveUnit, entries: readonly HistoryEntry[]): boolean {
  const configured = recurringOf(unit)
  if (configured.some(({ role }) => role === 'Stopped')) return false
  const wanted = configured.filter((one) => isForRole(one, unit.assigned.nextRole))
  const running = new Set(
    entries.filter(isRecurring).map(({ operation, intervalMs }) => operationKey(unit.id, operation, intervalMs)),
  )
  return running.size === wanted.length && wanted.every(({ key }) => running.has(key))
}

const isRecurring = ({ intervalMs }: HistoryEntry): boolean => intervalMs > 0

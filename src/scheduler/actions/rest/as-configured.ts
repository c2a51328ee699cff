/** Whether what runs of a resource on its node is what is configured: each recurring operation, and all with today's parameters. */
import type { HistoryEntry, NodeStatus } from '../../../status/index.ts'
import type { Setting } from '../draft/setting.ts'
import type { PrimitiveUnit } from '../draft/unit.ts'
import { activeEntries } from '../roles/active-entries.ts'
import { isCompared, parameterDifference } from '../roles/parameter-difference.ts'
import { isForRole, type Recurring, recurringOf } from '../roles/recurring-operations.ts'

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
  const running = entries.filter(isRecurring)
  const isSame = (entry: HistoryEntry, { definition }: Recurring): boolean =>
    entry.operation === definition.name && entry.intervalMs === definition.intervalMs
  return (
    wanted.every((one) => running.some((entry) => isSame(entry, one))) &&
    running.every((entry) => wanted.some((one) => isSame(entry, one)))
  )
}

const isRecurring = ({ intervalMs }: HistoryEntry): boolean => intervalMs > 0

/** Whether what runs of a resource on its node is what is configured: each recurring operation, and all with today's parameters. */
import type { HistoryEntry, NodeStatus } from '../../../status/index.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import type { Setting } from '../draft/setting.ts'
import { activeEntries } from '../roles/active-entries.ts'
import { isCompared, parameterDifference } from '../roles/parameter-difference.ts'
import { isForRole, type Recurring, recurringOf } from '../roles/recurring-operations.ts'

export function runsAsConfigured(setting: Setting, rsc: PlannedPrimitive, node: NodeStatus): boolean {
  const { history } = rsc.resource.state
  for (const [name, entries] of history) {
    if (name !== node.name && entries.some(isRecurring) && activeEntries(entries).some(isRecurring)) return false
  }
  const entries = activeEntries(history.get(node.name) ?? [])
  if (!hasItsMonitors(rsc, entries)) return false
  return entries.every(
    (entry) =>
      entry.status !== -1 && (!isCompared(entry) || parameterDifference(setting, { rsc, node }, entry) === 'none'),
  )
}

/** Those for its role and no others. One for when it is stopped would run on every other node. */
function hasItsMonitors(rsc: PlannedPrimitive, entries: readonly HistoryEntry[]): boolean {
  const configured = recurringOf(rsc)
  if (configured.some(({ role }) => role === 'Stopped')) return false
  const wanted = configured.filter((one) => isForRole(one, rsc.assigned.nextRole))
  const running = entries.filter(isRecurring)
  const isSame = (entry: HistoryEntry, { definition }: Recurring): boolean =>
    entry.operation === definition.name && entry.intervalMs === definition.intervalMs
  return (
    wanted.every((one) => running.some((entry) => isSame(entry, one))) &&
    running.every((entry) => wanted.some((one) => isSame(entry, one)))
  )
}

const isRecurring = ({ intervalMs }: HistoryEntry): boolean => intervalMs > 0

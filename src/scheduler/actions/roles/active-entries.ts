/** What of a history tells about the resource as it is now. */
import type { HistoryEntry } from '../../../status/index.ts'

/** Operations since the resource was last started; none of them where it was stopped after that. */
export function activeEntries(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let stopAt = -1
  let startAt = -1
  let monitorAt = -1
  let roleAt = -1
  entries.forEach(({ operation, status, exitCode }, index) => {
    if (operation === 'stop' && status === 0) stopAt = index
    else if (operation === 'start' || operation === 'migrate_from') startAt = index
    else if (operation === 'monitor' && monitorAt <= stopAt) {
      if (exitCode === 0 || exitCode === 8) monitorAt = index
    } else if (operation === 'promote' || operation === 'demote') roleAt = index
  })
  if (startAt < 0) startAt = roleAt >= 0 ? roleAt : monitorAt
  return startAt < stopAt ? [] : entries.slice(Math.max(startAt, 0))
}

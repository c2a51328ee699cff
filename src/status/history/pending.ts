/** An operation that was sent and has not been answered: it may have happened or not. */

import { isProbe } from './outcome.ts'
import type { Reading } from './reading.ts'
import { activeRole } from './success.ts'

export function applyPending(reading: Reading): void {
  const { entry, node, resource, world } = reading
  if (hasFailedSince(reading)) return
  const { state } = resource
  switch (entry.operation) {
    case 'start':
      // Whatever it was before, it is being started now.
      reading.role = activeRole(resource)
      break
    case 'promote':
      reading.role = 'Promoted'
      break
    case 'migrate_to':
      // A migration away from a node that must be fenced: its target has to be stopped before anything else.
      if (node.unclean && entry.migrateTarget !== undefined && world.nodes.has(entry.migrateTarget))
        state.danglingMigrations.push(entry.migrateTarget)
      break
  }
  if (state.pending !== undefined || isProbe(entry)) return
  state.pending = { node: node.name, operation: entry.operation, intervalMs: entry.intervalMs }
  state.askedOn = node.name
}

/** A failure is recorded in an entry of its own, and the one that was pending stays as it is: the same operation, failed no earlier than this one was sent. */
function hasFailedSince({ entry, lastFailure }: Reading): boolean {
  if (lastFailure?.operation !== entry.operation || lastFailure.intervalMs !== entry.intervalMs) return false
  return (lastFailure.lastChange ?? 0) >= (entry.lastChange ?? 0)
}

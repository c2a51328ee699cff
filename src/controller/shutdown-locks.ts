/**
 * Shutdown locks (Pacemaker Explained, cluster option `shutdown-lock`): what was running on a node that is shut down cleanly
 * waits for it. Which locks hold is the scheduler's answer: new ones for what is being stopped, old ones until the resource
 * runs again, the option is off or `shutdown-lock-limit` is over. The DC makes the records in the store say the same, before
 * the stops of the transition have ended; so the history remembers what no status shows any more. The node itself ends a lock with
 * the record of the start that it waited for.
 */
import type { ShutdownLockRecord } from '../cib/index.ts'
import type { Edit } from './effects.ts'
import { keys } from './keys.ts'

/** `recorded` by key. `holding`: undefined where nobody has said. */
export function shutdownLockEdits(
  recorded: ReadonlyMap<string, ShutdownLockRecord>,
  holding: readonly ShutdownLockRecord[] | undefined,
): readonly Edit[] {
  if (holding === undefined) return []
  const wanted = new Map(holding.map((lock) => [keys.shutdownLock(lock.node, lock.resource), lock]))
  const over = [...recorded.keys()].filter((key) => !wanted.has(key))
  const fresh = [...wanted].filter(([key, { since }]) => recorded.get(key)?.since !== since)
  return [
    ...over.map((key): Edit => ({ kind: 'delete-record', key })),
    ...fresh.map(([, lock]): Edit => ({ kind: 'put-shutdown-lock', lock })),
  ]
}

/** The fencing history in the store: written by the DC that fences, and ended by the next one where that DC did not live to. */
import type { FencingRecord } from '../../rpc/index.ts'
import type { Write } from '../../store/index.ts'
import { fencingNotes, type NotedFencing } from '../alerts/outbox.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'

/** With what alerts are sent for. */
export const recordWrites = (records: readonly NotedFencing[]): readonly Write[] => [
  ...records.map((record) => ({ kind: 'put', key: keys.fencingHistory(record.id), value: toBytes(record) }) as const),
  ...fencingNotes(records),
]

/**
 * Pending records as a new DC ends them, such as that of a DC which was fenced itself. As with Pacemaker they have failed: nobody
 * knows how they ended, and the new DC asks for what must still be fenced.
 */
export function abandoned(records: readonly FencingRecord[], now: Date): readonly FencingRecord[] {
  return records
    .filter(({ outcome }) => outcome === 'pending')
    .map((record) => ({
      ...record,
      outcome: 'failed',
      ended: now.toISOString(),
      message: 'the DC that asked for it was lost before it heard how it ended',
    }))
}

/** `stonith history cleanup`: what is over is forgotten; what is under way is not. */
import type { NodeName } from '../../base/index.ts'
import type { FencingRecord } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import { keys } from './keys.ts'

/** etcd takes 128 in a transaction. */
const maxWrites = 100

/** Of one node, or of all. Answers how many records that were. */
export async function forgetFencing(
  store: Store,
  records: readonly FencingRecord[],
  target: NodeName | undefined,
): Promise<number> {
  const over = records.filter(
    (record) => record.outcome !== 'pending' && (target === undefined || record.target === target),
  )
  const writes = over.map(({ id }) => ({ kind: 'delete', key: keys.fencingHistory(id) }) as const)
  for (let at = 0; at < writes.length; at += maxWrites)
    await store.transaction({ compare: [], writes: writes.slice(at, at + maxWrites) })
  return over.length
}

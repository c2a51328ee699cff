/** Writes of the DC: each transaction compares the DC's key with the term, so that an old DC's words never count. */
import { setTimeout as delay } from 'node:timers/promises'
import type { KeyWrite } from '../../controller/index.ts'
import { type Comparison, isStoreFailure, type Revision, type Store, type Write } from '../../store/index.ts'
import { toBytes } from './json-value.ts'
import { keys } from './keys.ts'

export type GuardedOutcome = { readonly outcome: 'applied' | 'refused'; readonly revision: number }

const retryMs = 100

/** Tries until the store has said yes or no, or `stillWanted` says that nobody asks any more. */
export async function writeAsDc(
  store: Store,
  term: number,
  {
    writes,
    stillWanted,
    alsoHolds = [],
  }: {
    readonly writes: readonly Write[]
    readonly stillWanted: () => boolean
    readonly alsoHolds?: readonly Comparison[]
  },
): Promise<GuardedOutcome> {
  for (;;) {
    try {
      const { applied, revision } = await store.transaction({
        compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, ...alsoHolds],
        writes,
      })
      return { outcome: applied ? 'applied' : 'refused', revision }
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      if (!stillWanted()) return { outcome: 'refused', revision: 0 }
      await delay(retryMs)
    }
  }
}

export function storeWrite(write: KeyWrite): Write {
  return write.kind === 'put' ? { ...write, value: toBytes(write.value) } : write
}

/** On the DC: deletes a record as it was seen, in the DC's term. True: nobody has changed it meanwhile. */
import type { Revision, Store } from '../../store/index.ts'
import { keys } from './keys.ts'

export async function freeRecord(
  store: Store,
  seen: { readonly key: string; readonly revision: Revision; readonly term: number },
): Promise<boolean> {
  const { key, revision, term } = seen
  const { applied } = await store.transaction({
    compare: [
      { kind: 'create-revision', key: keys.dc, equals: term as Revision },
      { kind: 'mod-revision', key, equals: revision },
    ],
    writes: [{ kind: 'delete', key }],
  })
  return applied
}

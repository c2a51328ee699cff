/**
 * Whether this host was removed from its cluster, as it sees for itself: nobody's word empties it. The list in the store counts, which only nodes with
 * quorum write. Whoever was removed while it was away reads the store no more: then more than half of the others, each reached by its certificate,
 * must say so.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import { createStore, type Store } from '../../store/index.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { storedList } from '../node-list/node-list.ts'
import { storeConfig } from '../store/store-config.ts'

const readWithinMs = 3000

/** `store`: this node's own, where it has quorum. Undefined: it cannot be read from here, or has none. */
export async function listInStore(reader: {
  readonly file: ClusterFile
  readonly self: NodeName
  readonly paths: Paths
  readonly store: Store | undefined
}): Promise<ClusterFile | undefined> {
  const { file, self, paths, store } = reader
  // The embedded store is this node's own, and open while it takes part.
  if (store === undefined && file.store.kind === 'embedded') return undefined
  const read = store ?? createStore(storeConfig(file, { name: self }, paths))
  const patience = new AbortController()
  try {
    const late = delay(readWithinMs, undefined, { signal: patience.signal, ref: false })
    return await Promise.race([storedList(read), late])
  } catch {
    return undefined
  } finally {
    patience.abort()
    if (store === undefined) await read.close()
  }
}

export type Place = 'listed' | 'leaving' | 'removed' | 'unknown'

/** Of a node or the witness, in the store's list. */
export function placeIn(list: ClusterFile | undefined, self: NodeName): Place {
  if (list === undefined) return 'unknown'
  const entry = [...list.nodes, ...(list.witness === undefined ? [] : [list.witness])].find(({ name }) => name === self)
  if (entry === undefined) return 'removed'
  return entry.leaving === true ? 'leaving' : 'listed'
}

/** Whether the store tells that this node is fenced through its disks: whoever does that writes it first. */
import { meansBoot } from '../../quorum/index.ts'
import type { Store } from '../../store/index.ts'
import { fromBytes } from '../records/json-value.ts'
import type { OwnDiskFencing } from './messages.ts'

/** As the store's majority has it now. A word that means another boot is over. */
export async function isFenced(store: Store, { key, bootId }: OwnDiskFencing): Promise<boolean> {
  const entry = await store.get(key)
  if (entry === undefined) return false
  const word = fromBytes(entry.value)
  const meant = typeof word === 'object' && word !== null && 'bootId' in word ? word.bootId : undefined
  return meansBoot(meant, bootId)
}

/** Whether the store tells that this node is fenced through its disks: whoever does that writes it first. */
import type { DiskFencing, MemberRecord } from '../../controller/index.ts'
import type { Store } from '../../store/index.ts'
import { fromBytes } from '../records/json-value.ts'
import type { FencingWord } from './messages.ts'

/** As the store's majority has it now. A word that means another boot is over. */
export async function isFenced(store: Store, { key, bootId }: FencingWord): Promise<boolean> {
  const entry = await store.get(key)
  if (entry === undefined) return false
  const word = fromBytes(entry.value)
  const meant = typeof word === 'object' && word !== null && 'bootId' in word ? word.bootId : undefined
  return meansBoot(meant, bootId)
}

/** How it says that this boot is to end; undefined: it does not. */
export function endingByWord(word: DiskFencing | undefined, bootId: string | undefined): 'off' | 'reset' | undefined {
  if (word === undefined || !meansBoot(word.bootId, bootId)) return undefined
  return word.action === 'off' ? 'off' : 'reset'
}

/** An earlier version of the daemon would fence through disks without a word; any member may become the DC. */
export const allTellStore = (members: readonly Pick<MemberRecord, 'knowsDisks'>[]): boolean =>
  members.every(({ knowsDisks }) => knowsDisks === true)

/** Whether a word for that boot is one for this boot; undefined: it is not known which. */
export const meansBoot = (meant: unknown, bootId: string | undefined): boolean =>
  meant === undefined || bootId === undefined || meant === bootId

/** The records of holds in the store: what an API call or an engine of the DC writes, in a transaction of its own or in one with its own state. */
import { type HoldRecord, parseHold } from '../../holds/index.ts'
import { type Comparison, type Entry, type Store, unchanged, type Write } from '../../store/index.ts'
import { fromBytes, toBytes } from './json-value.ts'
import { holdsPrefix, keys } from './keys.ts'

export interface StoredHold {
  readonly entry: Entry
  /** Undefined: of a newer version. */
  readonly hold: HoldRecord | undefined
}

/** What the store has now. */
export async function storedHolds(store: Store): Promise<readonly StoredHold[]> {
  const { entries } = await store.list(holdsPrefix)
  return entries.map((entry) => ({ entry, hold: parseHold(fromBytes(entry.value)) }))
}

export interface HoldWrites {
  readonly compare: readonly Comparison[]
  readonly writes: readonly Write[]
}

/** Puts a hold in force. With `before` it replaces that one; without, there must be none of its id. */
export const putHold = (hold: HoldRecord, before?: Entry): HoldWrites => ({
  compare: [unchanged(keys.hold(hold.id), before)],
  writes: [{ kind: 'put', key: keys.hold(hold.id), value: toBytes(hold) }],
})

export const deleteHold = ({ entry }: StoredHold): HoldWrites => ({
  compare: [unchanged(entry.key, entry)],
  writes: [{ kind: 'delete', key: entry.key }],
})

/** All of them, or none. */
export const together = (parts: readonly HoldWrites[]): HoldWrites => ({
  compare: parts.flatMap(({ compare }) => compare),
  writes: parts.flatMap(({ writes }) => writes),
})

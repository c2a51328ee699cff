/**
 * The configuration and every version that it ever had: who changed it, when, with which command. An edit is one
 * transaction that compares the current version's revision, so that of two at the same time one is told of the other.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Entry, Store } from '../../store/index.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { configHistoryPrefix, configVersionKey, keys } from '../records/keys.ts'

export interface ConfigRecord {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly node: string
  readonly user: string
  readonly command: string
  readonly xml: string
}

export function encodeConfig(record: ConfigRecord): Uint8Array {
  return gzipSync(toBytes(record))
}

export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError'
  constructor(key: string, cause?: unknown) {
    super(`The store holds something at ${key} that this version cannot read.`, { cause })
  }
}

export function decodeConfig(entry: Entry): ConfigRecord {
  const value = fromBytes(gunzipSync(entry.value))
  if (typeof value !== 'object' || value === null) throw new DamagedRecordError(entry.key)
  const { version, time, node, user, command, xml } = value as Readonly<Record<string, unknown>>
  if (typeof version !== 'number' || typeof xml !== 'string') throw new DamagedRecordError(entry.key)
  return { version, xml, time: String(time), node: String(node), user: String(user), command: String(command) }
}

export type PushOutcome =
  | { readonly kind: 'saved'; readonly version: number }
  | { readonly kind: 'conflict'; readonly version: number }

/** Saves a new version, if `expectedVersion` (0: none yet) is still the current one. */
export async function pushConfig(
  store: Store,
  change: Omit<ConfigRecord, 'version' | 'time'> & { readonly expectedVersion: number },
): Promise<PushOutcome> {
  const current = await store.get(keys.configuration)
  const version = current ? decodeConfig(current).version : 0
  if (version !== change.expectedVersion) return { kind: 'conflict', version }
  const { node, user, command, xml } = change
  const record: ConfigRecord = { version: version + 1, time: new Date().toISOString(), node, user, command, xml }
  const value = encodeConfig(record)
  const result = await store.transaction({
    compare: [
      current
        ? { kind: 'mod-revision', key: keys.configuration, equals: current.modRevision }
        : { kind: 'absent', key: keys.configuration },
    ],
    writes: [
      { kind: 'put', key: keys.configuration, value },
      { kind: 'put', key: configVersionKey(record.version), value },
    ],
  })
  if (result.applied) return { kind: 'saved', version: record.version }
  const winner = await store.get(keys.configuration)
  return { kind: 'conflict', version: winner ? decodeConfig(winner).version : 0 }
}

/** Oldest first, without their documents. */
export async function listConfigVersions(store: Store): Promise<readonly ConfigRecord[]> {
  const { entries } = await store.list(configHistoryPrefix)
  return entries.map(decodeConfig)
}

export async function readConfigVersion(store: Store, version: number): Promise<ConfigRecord | undefined> {
  const entry = await store.get(configVersionKey(version))
  return entry && decodeConfig(entry)
}

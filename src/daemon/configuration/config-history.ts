/**
 * The configuration and every version that it ever had: who changed it, when, with which command. An edit is one
 * transaction that compares the current version's revision, so that of two at the same time one is told of the other.
 */
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { type Comparison, type Entry, type Store, unchanged, type Write } from '../../store/index.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { configHistoryPrefix, configVersionKey, keys } from '../records/keys.ts'
import { type CibEpochs, isEpochs, nextEpochs, noEpochs } from './epochs.ts'
import { type HistoryBounds, oldestKept } from './history-bounds.ts'

export interface ConfigRecord {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly node: string
  readonly user: string
  readonly command: string
  readonly xml: string
  /** Left out by older versions: then the epoch is the version. */
  readonly epochs?: CibEpochs
  /** By which a client knows its change again. */
  readonly changeId?: string
}

export function encodeConfig(record: ConfigRecord): Uint8Array {
  return gzipSync(toBytes(record))
}

export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError'
  constructor(key: string, cause?: unknown) {
    super(`This version cannot read the record ${key} of the store.`, { cause })
  }
}

export function decodeConfig(entry: Entry): ConfigRecord {
  const value = fromBytes(gunzipSync(entry.value))
  if (typeof value !== 'object' || value === null) throw new DamagedRecordError(entry.key)
  const { version, time, node, user, command, xml } = value as Readonly<Record<string, unknown>>
  if (typeof version !== 'number' || typeof xml !== 'string') throw new DamagedRecordError(entry.key)
  const { epochs } = value as { readonly epochs?: unknown }
  const { changeId } = value as { readonly changeId?: unknown }
  const known = isEpochs(epochs) ? { epochs: { adminEpoch: epochs.adminEpoch, epoch: epochs.epoch } } : {}
  return {
    version,
    xml,
    time: String(time),
    node: String(node),
    user: String(user),
    command: String(command),
    ...known,
    ...(typeof changeId === 'string' && { changeId }),
  }
}

export const epochsOfRecord = ({ version, epochs }: Pick<ConfigRecord, 'version' | 'epochs'>): CibEpochs =>
  epochs ?? { adminEpoch: 0, epoch: version }

export type PushOutcome =
  | { readonly kind: 'saved'; readonly version: number }
  | { readonly kind: 'conflict'; readonly version: number }

export interface MadeVersion {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  /** What there was before; undefined where no new version is made. */
  readonly before: ConfigRecord | undefined
}

/** Saves a new version, if `expectedVersion` (0: none yet) is still the current one. `epochs` are those of the document that is pushed. */
export async function pushConfig(
  store: Store,
  change: Omit<ConfigRecord, 'version' | 'time'> & {
    readonly expectedVersion: number
    /** So many versions stay in the history; all where it is left out. */
    readonly versionsKept?: number
    /** Holds as well, or nothing is saved. */
    readonly compare?: readonly Comparison[]
    /** More of the same transaction. */
    readonly beside?: (made: MadeVersion) => readonly Write[]
  },
): Promise<PushOutcome> {
  const current = await store.get(keys.configuration)
  const before = current && decodeConfig(current)
  const version = before?.version ?? 0
  if (version !== change.expectedVersion) return (await savedBefore(store, change)) ?? { kind: 'conflict', version }
  const { node, user, command, xml, versionsKept, changeId } = change
  // A description of what is there already is remembered, and is no new version.
  if (current && before && change.beside && before.xml === xml) {
    const { applied } = await store.transaction({
      compare: [unchanged(keys.configuration, current), ...(change.compare ?? [])],
      writes: change.beside({ version, time: new Date().toISOString(), before: undefined }),
    })
    return { kind: applied ? 'saved' : 'conflict', version }
  }
  const epochs = nextEpochs(before === undefined ? noEpochs : epochsOfRecord(before), change.epochs)
  const record: ConfigRecord = {
    version: version + 1,
    time: new Date().toISOString(),
    epochs,
    node,
    user,
    command,
    ...(changeId !== undefined && { changeId }),
    xml,
  }
  const value = encodeConfig(record)
  const result = await store.transaction({
    compare: [unchanged(keys.configuration, current), ...(change.compare ?? [])],
    writes: [
      { kind: 'put', key: keys.configuration, value },
      { kind: 'put', key: configVersionKey(record.version), value },
      ...(change.beside?.({ version: record.version, time: record.time, before }) ?? []),
      ...(versionsKept === undefined ? [] : forgottenBelow(record.version - versionsKept + 1)),
    ],
  })
  if (result.applied) return { kind: 'saved', version: record.version }
  const winner = await store.get(keys.configuration)
  return { kind: 'conflict', version: winner ? decodeConfig(winner).version : 0 }
}

/** The answer to a change that its author asks for again, not knowing that it was saved: the version after the expected one is of this user and has the id of the change. */
export async function savedBefore(
  store: Store,
  change: { readonly expectedVersion: number; readonly user: string; readonly changeId?: string | undefined },
): Promise<PushOutcome | undefined> {
  if (change.changeId === undefined) return undefined
  const version = change.expectedVersion + 1
  const next = await readConfigVersion(store, version)
  return next?.changeId === change.changeId && next.user === change.user ? { kind: 'saved', version } : undefined
}

/**
 * All versions below one, however many there are and although nobody has counted them: by the beginnings that their keys have. Below 1234 these
 * are 0…, 10…, 11…, 120…, 121…, 122… and so on, each with its zeros before it.
 */
export function forgottenBelow(version: number): readonly Write[] {
  if (version <= 1) return []
  const key = configVersionKey(version)
  const digits = key.length - configHistoryPrefix.length
  return Array.from({ length: digits }, (_, at) => key.length - digits + at).flatMap((at) =>
    Array.from({ length: Number(key[at]) }, (_, digit): Write => {
      const prefix = `${key.slice(0, at)}${digit}`
      return at === key.length - 1 ? { kind: 'delete', key: prefix } : { kind: 'delete-prefix', prefix }
    }),
  )
}

/** Takes away what is too old or too much by now. All entries are read for it: not to be done at every change. */
export async function trimHistory(store: Store, bounds: HistoryBounds, nowMs: number): Promise<void> {
  const { entries } = await store.list(configHistoryPrefix)
  const versions = entries.map((entry) => ({ ...decodeHead(entry), bytes: entry.value.length }))
  const [first] = versions
  const kept = oldestKept(versions, bounds, nowMs)
  if (first !== undefined && first.version < kept)
    await store.transaction({ compare: [], writes: forgottenBelow(kept) })
}

/** Oldest first, without their documents. */
export async function listConfigVersions(store: Store): Promise<readonly Omit<ConfigRecord, 'xml'>[]> {
  const { entries } = await store.list(configHistoryPrefix)
  return entries.map(decodeHead)
}

/** More than what stands before the document takes. */
const headBytes = 32 * 1024
const documentBegins = ',"xml":"'

/** The document is the last entry and by far the largest: it is not unpacked. No quote within a text is written as this one. */
function decodeHead(entry: Entry): Omit<ConfigRecord, 'xml'> {
  const start = gunzipSync(entry.value.subarray(0, headBytes), { finishFlush: constants.Z_SYNC_FLUSH }).toString()
  const end = start.indexOf(documentBegins)
  const head = end < 0 ? undefined : fromBytes(Buffer.from(`${start.slice(0, end)}}`))
  if (typeof head !== 'object' || head === null) return decodeConfig(entry)
  const { version, time, node, user, command } = head as Readonly<Record<string, unknown>>
  if (typeof version !== 'number') throw new DamagedRecordError(entry.key)
  return { version, time: String(time), node: String(node), user: String(user), command: String(command) }
}

export async function readConfigVersion(store: Store, version: number): Promise<ConfigRecord | undefined> {
  const entry = await store.get(configVersionKey(version))
  return entry && decodeConfig(entry)
}

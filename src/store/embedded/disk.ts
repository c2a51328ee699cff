/**
 * The embedded store's files: one lmdb environment with the entries, the leases and the revision. `overlappingSync: false`
 * makes a commit resolve after fdatasync, so that what was confirmed survives a power cut (traced: one fdatasync for each batch).
 */
import { type Database, open, type RootDatabase } from 'lmdb'
import { assert } from '../../base/index.ts'
import type { Entry, LeaseId, Revision } from '../port/store.ts'
import type { Staged } from './evaluate.ts'

const headerBytes = 17
const revisionKey = 'revision'

export class StoreFiles {
  readonly #root: RootDatabase<Buffer, string>
  readonly #entries: Database<Buffer, string>
  readonly #leases: Database<Buffer, string>
  readonly #meta: Database<Buffer, string>

  constructor(directory: string) {
    this.#root = open<Buffer, string>({
      path: directory,
      encoding: 'binary',
      overlappingSync: false,
      // A commit is exactly one `batch`; the turn's own batch around it would keep a promise whose failure nobody can see.
      eventTurnBatching: false,
      maxDbs: 4,
    })
    this.#entries = this.#root.openDB<Buffer, string>({ name: 'entries', encoding: 'binary' })
    this.#leases = this.#root.openDB<Buffer, string>({ name: 'leases', encoding: 'binary' })
    this.#meta = this.#root.openDB<Buffer, string>({ name: 'meta', encoding: 'binary' })
  }

  revision(): Revision {
    const bytes = this.#meta.get(revisionKey)
    return (bytes === undefined ? 0 : bytes.readDoubleBE(0)) as Revision
  }

  get(key: string): Entry | undefined {
    const bytes = this.#entries.get(key)
    return bytes === undefined ? undefined : decodeEntry(key, bytes)
  }

  *keysUnder(prefix: string): Iterable<string> {
    for (const key of this.#entries.getKeys({ start: prefix })) {
      if (!key.startsWith(prefix)) return
      yield key
    }
  }

  *entriesUnder(prefix: string): Iterable<Entry> {
    for (const { key, value } of this.#entries.getRange({ start: prefix })) {
      if (!key.startsWith(prefix)) return
      yield decodeEntry(key, value)
    }
  }

  *leases(): Iterable<{ readonly lease: LeaseId; readonly ttlMs: number }> {
    for (const { key, value } of this.#leases.getRange({}))
      yield { lease: key as LeaseId, ttlMs: value.readDoubleBE(0) }
  }

  /** One transaction; resolves when it is on the disk. */
  async commit(staged: Staged): Promise<void> {
    const parts: Promise<unknown>[] = []
    const whole = this.#root.batch(() => {
      for (const [key, entry] of staged.entries)
        parts.push(entry === undefined ? this.#entries.remove(key) : this.#entries.put(key, encodeEntry(entry)))
      for (const [lease, ttlMs] of staged.leases)
        parts.push(ttlMs === undefined ? this.#leases.remove(lease) : this.#leases.put(lease, double(ttlMs)))
      parts.push(this.#meta.put(revisionKey, double(staged.revision)))
    })
    // Where a commit fails, every part of it is rejected, each with a promise of the reason.
    const failures = (await Promise.allSettled([whole, ...parts])).filter((part) => part.status === 'rejected')
    const reasons = await Promise.allSettled(failures.map(({ reason }) => commitError(reason)))
    const [first] = reasons
    if (first !== undefined) throw first.status === 'rejected' ? first.reason : first.value
  }

  close(): Promise<void> {
    return this.#root.close()
  }
}

function commitError(reason: unknown): unknown {
  return reason instanceof Error && 'commitError' in reason ? reason.commitError : reason
}

function encodeEntry(entry: Entry): Buffer {
  const lease = Buffer.from(entry.lease ?? '', 'latin1')
  assert(lease.length < 256, 'a lease id is short')
  const header = Buffer.alloc(headerBytes)
  header.writeDoubleBE(entry.createRevision, 0)
  header.writeDoubleBE(entry.modRevision, 8)
  header.writeUInt8(lease.length, 16)
  return Buffer.concat([header, lease, entry.value])
}

function decodeEntry(key: string, bytes: Buffer): Entry {
  const valueAt = headerBytes + bytes.readUInt8(16)
  const lease = bytes.toString('latin1', headerBytes, valueAt)
  return {
    key,
    // A copy: lmdb reuses the buffer behind what it returns.
    value: Uint8Array.from(bytes.subarray(valueAt)),
    createRevision: bytes.readDoubleBE(0) as Revision,
    modRevision: bytes.readDoubleBE(8) as Revision,
    ...(lease === '' ? {} : { lease: lease as LeaseId }),
  }
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/**
 * The embedded adapter: one process, its own files. Transactions queue; each turn takes all that wait, evaluates them one
 * after the other, writes them to disk in one commit, and only then publishes them. So a reader never sees what a power cut
 * could take back, and many writers share one fdatasync.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { assert } from '../../base/index.ts'
import { type Clock, machineClock } from '../port/clock.ts'
import { messageOf, StoreTimeoutError, StoreUnavailableError } from '../port/errors.ts'
import type {
  LeaseId,
  Revision,
  Store,
  StoreEvent,
  Transaction,
  TransactionResult,
  Watch,
  WatchListener,
} from '../port/store.ts'
import { assertTransaction } from '../port/transaction.ts'
import { lockDirectory } from './directory-lock.ts'
import { StoreFiles } from './disk.ts'
import {
  emptyStage,
  type Staged,
  type StateReader,
  stageLeaseEnd,
  stageLeaseGrant,
  stageTransaction,
} from './evaluate.ts'
import { EventHistory, eventsUnder } from './history.ts'
import { LeaseTable } from './lease-table.ts'

const defaultTimeoutMs = 5000
const expiryRetryMs = 1000

export interface EmbeddedStoreOptions {
  readonly directory: string
  readonly clock?: Clock
  /** How much a watch can catch up on; what is older is lost. */
  readonly historyRevisions?: number
  readonly historyBytes?: number
}

interface Job {
  /** Evaluates; the function that it returns is called once the result is on disk. */
  readonly stage: (staged: Staged) => () => void
  readonly fail: (error: Error) => void
}

interface Watcher {
  readonly prefix: string
  readonly listener: WatchListener
}

export class EmbeddedStore implements Store {
  readonly #clock: Clock
  readonly #directory: string
  readonly #unlock: () => void
  readonly #files: StoreFiles
  readonly #leases = new LeaseTable()
  readonly #history: EventHistory
  readonly #watchers = new Set<Watcher>()
  readonly #jobs: Job[] = []
  #revision: Revision
  #draining = false
  #drained: Promise<void> = Promise.resolve()
  #cancelExpiry: () => void = () => undefined
  #closed = false
  readonly #reader: StateReader = {
    get: (key) => this.#files.get(key),
    keysUnder: (prefix) => this.#files.keysUnder(prefix),
    hasLease: (lease) => this.#leases.has(lease),
    keysOfLease: (lease) => this.#leases.keys(lease),
  }

  constructor(options: EmbeddedStoreOptions) {
    this.#clock = options.clock ?? machineClock
    this.#directory = options.directory
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
    this.#unlock = lockDirectory(options.directory)
    this.#files = new StoreFiles(options.directory)
    this.#revision = this.#files.revision()
    this.#history = new EventHistory({
      start: this.#revision,
      maxRevisions: options.historyRevisions ?? 10_000,
      maxBytes: options.historyBytes ?? 32 * 1024 * 1024,
    })
    const now = this.#clock.now()
    for (const { lease, ttlMs } of this.#files.leases()) this.#leases.grant(lease, ttlMs, now)
    for (const entry of this.#files.entriesUnder('')) this.#leases.follow(entry.key, entry)
    this.#planExpiry()
  }

  async get(key: string) {
    this.#assertOpen()
    return this.#files.get(key)
  }

  async list(prefix: string) {
    this.#assertOpen()
    return { revision: this.#revision, entries: [...this.#files.entriesUnder(prefix)] }
  }

  transaction(transaction: Transaction): Promise<TransactionResult> {
    assertTransaction(transaction)
    return this.#run((staged) => stageTransaction(this.#reader, staged, transaction), transaction.timeoutMs)
  }

  watch(prefix: string, from: Revision, listener: WatchListener): Watch {
    this.#assertOpen()
    const watcher: Watcher = { prefix, listener }
    this.#watchers.add(watcher)
    const missed = this.#history.since(from)
    if (missed === undefined)
      queueMicrotask(() => {
        if (this.#watchers.delete(watcher)) listener.onLost()
      })
    else for (const { revision, events } of missed) this.#deliver(watcher, revision, events)
    return { close: () => this.#watchers.delete(watcher) }
  }

  grantLease(ttlMs: number): Promise<{ readonly lease: LeaseId; readonly ttlMs: number }> {
    assert(ttlMs > 0, 'a lease has a time to live')
    const lease = randomUUID() as LeaseId
    return this.#run((staged) => {
      stageLeaseGrant(staged, lease, ttlMs)
      return { lease, ttlMs }
    })
  }

  async keepAlive(lease: LeaseId): Promise<{ readonly ttlMs: number } | 'lost'> {
    this.#assertOpen()
    const ttlMs = this.#leases.renew(lease, this.#clock.now())
    if (ttlMs === 'lost') return ttlMs
    this.#planExpiry()
    return { ttlMs }
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    await this.#run((staged) => stageLeaseEnd(this.#reader, staged, lease))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#cancelExpiry()
    this.#watchers.clear()
    await this.#drained
    await this.#files.close()
    this.#unlock()
  }
  #assertOpen(): void {
    if (this.#closed) throw closedError(this.#directory)
  }

  #run<T>(stage: (staged: Staged) => T, timeoutMs = defaultTimeoutMs): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError(this.#directory))
      const cancel = this.#clock.after(timeoutMs, () => reject(slowDiskError(this.#directory, timeoutMs)))
      this.#jobs.push({
        stage: (staged) => {
          const result = stage(staged)
          return () => {
            cancel()
            resolve(result)
          }
        },
        fail: (error) => {
          cancel()
          reject(error)
        },
      })
      if (!this.#draining) this.#drained = this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#draining = true
    while (this.#jobs.length > 0) {
      const batch = this.#jobs.splice(0)
      const staged = emptyStage(this.#revision)
      const settle = batch.map((job) => job.stage(staged))
      try {
        if (staged.entries.size > 0 || staged.leases.size > 0) await this.#files.commit(staged)
      } catch (cause) {
        const error = new StoreUnavailableError(
          `The store in ${this.#directory} could not be written (${messageOf(cause)}). Nothing was changed: make room on the disk or repair it, then repeat.`,
          cause,
        )
        for (const job of batch) job.fail(error)
        continue
      }
      this.#publish(staged)
      for (const resolve of settle) resolve()
    }
    this.#draining = false
  }

  #publish(staged: Staged): void {
    const now = this.#clock.now()
    for (const [lease, ttlMs] of staged.leases) if (ttlMs !== undefined) this.#leases.grant(lease, ttlMs, now)
    for (const [key, entry] of staged.entries) this.#leases.follow(key, entry)
    for (const [lease, ttlMs] of staged.leases) if (ttlMs === undefined) this.#leases.end(lease)
    this.#revision = staged.revision
    for (const { revision, events } of staged.history) {
      this.#history.add(revision, events)
      for (const watcher of this.#watchers) this.#deliver(watcher, revision, events)
    }
    if (staged.leases.size > 0) this.#planExpiry()
  }

  /** In a turn of its own: a listener that throws ends the process that is wrong, and leaves this store's state whole. */
  #deliver(watcher: Watcher, revision: Revision, all: readonly StoreEvent[]): void {
    const events = eventsUnder(watcher.prefix, all)
    if (events.length === 0) return
    queueMicrotask(() => {
      if (this.#watchers.has(watcher)) watcher.listener.onEvents(events, revision)
    })
  }

  #planExpiry(): void {
    this.#cancelExpiry()
    const next = this.#leases.nextEnd()
    if (next === undefined || this.#closed) return
    this.#cancelExpiry = this.#clock.after(next - this.#clock.now(), () => {
      // A process that was stopped or busy first reads the keep-alives that wait in its sockets, then counts.
      setImmediate(() => setImmediate(() => this.#expire()))
    })
  }

  #expire(): void {
    if (this.#closed) return
    const ended = this.#leases.expired(this.#clock.now())
    if (ended.length === 0) {
      this.#planExpiry()
      return
    }
    this.#run((staged) => {
      for (const lease of ended) stageLeaseEnd(this.#reader, staged, lease)
    }).catch(() => {
      // The disk is full or broken: the keys stay, nobody can renew the lease, and the expiry is tried again.
      if (!this.#closed) this.#cancelExpiry = this.#clock.after(expiryRetryMs, () => this.#expire())
    })
  }
}

function closedError(directory: string): StoreUnavailableError {
  return new StoreUnavailableError(`The store in ${directory} has been closed.`)
}

function slowDiskError(directory: string, timeoutMs: number): StoreTimeoutError {
  return new StoreTimeoutError(
    `The disk of the store in ${directory} did not confirm within ${timeoutMs} ms. The change may be saved: read, then repeat.`,
  )
}

/** On the DC: frees locks whose time has run, and those of nodes that have left. It counts by its own clock from when it first saw a record, so never too early. */
import type { MonotonicMs } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { parseJob } from '../../jobs/index.ts'
import type { Entry, Revision, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { freeRecord } from '../records/free-record.ts'
import { fromBytes } from '../records/json-value.ts'
import { jobKey, locksPrefix } from '../records/keys.ts'
import { hasLeft, type LockRecord, parseLock } from './lock-record.ts'

export interface LockKeeperPorts {
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly below: (prefix: string) => readonly Entry[]
  /** This node's term while it is the DC and has quorum. */
  readonly term: () => number | undefined
  readonly now: () => MonotonicMs
}

interface Seen {
  readonly revision: Revision
  readonly at: number
}

const retryMs = 500
/** Timers take no more; it is looked at again then. */
const longestWaitMs = 60 * 60_000

export class LockKeeper {
  readonly #ports: LockKeeperPorts
  readonly #seen = new Map<string, Seen>()
  readonly #freeing = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: LockKeeperPorts) {
    this.#ports = ports
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    const { term, below } = this.#ports
    clearTimeout(this.#timer)
    const current = this.#closed ? undefined : term()
    if (current === undefined) {
      this.#seen.clear()
      return
    }
    const entries = below(locksPrefix)
    const present = new Set(entries.map(({ key }) => key))
    for (const key of this.#seen.keys()) if (!present.has(key)) this.#seen.delete(key)
    let nextMs = Number.POSITIVE_INFINITY
    for (const entry of entries) nextMs = Math.min(nextMs, this.#lookAt(entry, current))
    if (nextMs < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.look(), Math.min(Math.max(nextMs, 1), longestWaitMs))
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** After how many milliseconds it must be looked at again. */
  #lookAt(entry: Entry, term: number): number {
    const now = this.#ports.now()
    const before = this.#seen.get(entry.key)
    const since = before?.revision === entry.modRevision ? before.at : now
    this.#seen.set(entry.key, { revision: entry.modRevision, at: since })
    const lock = parseLock(fromBytes(entry.value))
    if (lock === undefined) return Number.POSITIVE_INFINITY
    const leftMs = since + lock.ttlMs - now
    const why = lock.job === undefined ? this.#whyFree(lock, leftMs) : this.#whyJobFrees(lock.job)
    if (why === undefined) return lock.job === undefined ? leftMs : Number.POSITIVE_INFINITY
    this.#free(entry, { term, lock, why })
    return retryMs
  }

  #whyFree(lock: LockRecord, leftMs: number): string | undefined {
    if (hasLeft(this.#ports.view(), lock)) return `${lock.node} has left`
    return leftMs <= 0 ? 'its time has run' : undefined
  }

  /** It is held for as long as the job goes on, whichever nodes come and go. */
  #whyJobFrees(id: string): string | undefined {
    const entry = this.#ports.below(jobKey(id)).find(({ key }) => key === jobKey(id))
    const job = entry && parseJob(fromBytes(entry.value))
    if (entry === undefined) return `the job ${id} is gone`
    return job?.state === 'done' ? `the job ${id} has ended` : undefined
  }

  #free(entry: Entry, how: { readonly term: number; readonly lock: LockRecord; readonly why: string }): void {
    const { log, store } = this.#ports
    if (this.#freeing.has(entry.key)) return
    this.#freeing.add(entry.key)
    freeRecord(store(), { key: entry.key, revision: entry.modRevision, term: how.term })
      .then((applied) => {
        if (applied) log.info('a lock is free', { lock: how.lock.name, owner: how.lock.owner, why: how.why })
      })
      .catch((error: unknown) => log.warn('a lock could not be freed yet', { key: entry.key, error }))
      .finally(() => this.#freeing.delete(entry.key))
  }
}

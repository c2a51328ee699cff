/**
 * Leases of the embedded store: which run out when, and which keys are under them. Remaining times are not on disk: after a
 * restart every lease starts with its whole time again, as in etcd after an election, because its holder could not renew it.
 */
import { type MonotonicMs, monotonicMs } from '../../base/index.ts'
import type { Entry, LeaseId } from '../port/store.ts'

interface Lease {
  readonly ttlMs: number
  readonly endsAt: MonotonicMs
  readonly keys: Set<string>
}

export class LeaseTable {
  readonly #leases = new Map<LeaseId, Lease>()
  readonly #leaseOfKey = new Map<string, LeaseId>()

  has(lease: LeaseId): boolean {
    return this.#leases.has(lease)
  }

  keys(lease: LeaseId): Iterable<string> {
    return this.#leases.get(lease)?.keys ?? []
  }

  grant(lease: LeaseId, ttlMs: number, now: MonotonicMs): void {
    this.#leases.set(lease, { ttlMs, endsAt: monotonicMs(now + ttlMs), keys: new Set() })
  }

  end(lease: LeaseId): void {
    this.#leases.delete(lease)
  }

  /** A lease that has run out is lost, even where its expiry has not been carried out yet. */
  renew(lease: LeaseId, now: MonotonicMs): number | 'lost' {
    const held = this.#leases.get(lease)
    if (held === undefined || held.endsAt <= now) return 'lost'
    this.#leases.set(lease, { ...held, endsAt: monotonicMs(now + held.ttlMs) })
    return held.ttlMs
  }

  /** Keeps the index of keys in step with an entry that was put or deleted. */
  follow(key: string, entry: Entry | undefined): void {
    const before = this.#leaseOfKey.get(key)
    if (before === entry?.lease) return
    if (before !== undefined) this.#leases.get(before)?.keys.delete(key)
    this.#leaseOfKey.delete(key)
    if (entry?.lease === undefined) return
    this.#leases.get(entry.lease)?.keys.add(key)
    this.#leaseOfKey.set(key, entry.lease)
  }

  expired(now: MonotonicMs): readonly LeaseId[] {
    return [...this.#leases].filter(([, { endsAt }]) => endsAt <= now).map(([lease]) => lease)
  }

  nextEnd(): MonotonicMs | undefined {
    let next: MonotonicMs | undefined
    for (const { endsAt } of this.#leases.values()) if (next === undefined || endsAt < next) next = endsAt
    return next
  }
}

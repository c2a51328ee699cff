/**
 * The etcd adapter: the port's calls as etcd requests, each repeated over the members until it is answered or its time is up.
 * Reads are linearizable unless asked otherwise; a transaction is applied at most once (exactly-once.ts).
 */
import { assert } from '../../base/index.ts'
import { type Clock, machineClock } from '../port/clock.ts'
import { messageOf, StoreTimeoutError } from '../port/errors.ts'
import type {
  Entry,
  LeaseId,
  Revision,
  Snapshot,
  Store,
  Transaction,
  TransactionResult,
  Watch,
  WatchListener,
} from '../port/store.ts'
import { assertTransaction } from '../port/transaction.ts'
import { api, keyBytes, prefixEnd, type RangeRequest, type RangeResponse } from './api.ts'
import { Members, type Outcome, type Step } from './attempts.ts'
import { Endpoint, type EndpointAddress, meaningOf, type TlsFiles } from './endpoint.ts'
import {
  comparisonOnly,
  firstAttempt,
  type GuardedRequest,
  repeatedAttempt,
  toRevision,
  type Verdict,
  verdictOf,
} from './exactly-once.ts'
import { LeaseRenewal } from './lease-renewal.ts'
import {
  grantLease,
  inTime,
  newLeaseId,
  type OpenSession,
  refusedBy,
  Sessions,
  sessionPrefix,
  unanswered,
} from './session.ts'
import { openWatch, toEntry } from './watch-stream.ts'

export interface EtcdStoreOptions {
  /** `host:port` of the members' client ports, this node's own first. */
  readonly endpoints: readonly EndpointAddress[]
  readonly tls?: TlsFiles
  readonly clock?: Clock
  /** For calls that name no time limit of their own. */
  readonly timeoutMs?: number
}

/**
 * A lease is renewed long before it ends. Longer than a heartbeat interval, so that the timer is never the thread's next one: Node.js
 * wakes for a timer that was taken back, if it was the next.
 */
const renewalPatienceMs = 400

type Decision = Verdict | { readonly kind: 'lease-lost' } | { readonly kind: 'refused'; readonly error: unknown }

export class EtcdStore implements Store {
  readonly #members: Members
  readonly #tls: TlsFiles | undefined
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #sessions: Sessions
  readonly #leases = new LeaseRenewal()
  readonly #watches = new Set<Watch>()

  constructor(options: EtcdStoreOptions) {
    assert(options.endpoints.length > 0, 'a store has endpoints')
    this.#clock = options.clock ?? machineClock
    this.#timeoutMs = options.timeoutMs ?? 5000
    this.#tls = options.tls
    this.#members = new Members(
      options.endpoints.map((address) => new Endpoint(address, options.tls)),
      this.#clock,
    )
    this.#sessions = new Sessions(this.#members, this.#clock)
  }

  async get(key: string): Promise<Entry | undefined> {
    const { kvs } = await this.#range({ key: keyBytes(key) }, `read '${key}'`)
    return kvs[0] === undefined ? undefined : toEntry(kvs[0])
  }

  async list(prefix: string, options: { readonly serializable?: boolean } = {}): Promise<Snapshot> {
    const request: RangeRequest = {
      key: prefix === '' ? Uint8Array.of(0) : keyBytes(prefix),
      range_end: prefixEnd(prefix),
      serializable: options.serializable ?? false,
    }
    const { header, kvs } = await this.#range(request, `list '${prefix}'`)
    return { revision: toRevision(header.revision), entries: kvs.map(toEntry) }
  }

  async transaction(transaction: Transaction): Promise<TransactionResult> {
    assertTransaction(transaction)
    const endsAt = this.#clock.now() + (transaction.timeoutMs ?? this.#timeoutMs)
    if (transaction.writes.length === 0) return this.#compare(transaction, endsAt - this.#clock.now())
    for (;;) {
      const leftMs = endsAt - this.#clock.now()
      const open = await this.#sessions.open(leftMs)
      const result = await this.#guardedTransaction(open, transaction, endsAt - this.#clock.now())
      if (result !== 'session-lost') return result
    }
  }

  watch(prefix: string, from: Revision, listener: WatchListener): Watch {
    const watch = openWatch(this.#members, this.#clock, { prefix, from, listener })
    this.#watches.add(watch)
    return {
      close: () => {
        this.#watches.delete(watch)
        watch.close()
      },
    }
  }

  async grantLease(ttlMs: number): Promise<{ readonly lease: LeaseId; readonly ttlMs: number }> {
    const lease = newLeaseId()
    const ttlSeconds = Math.max(1, Math.ceil(ttlMs / 1000))
    const seconds = await grantLease(this.#members, { lease, ttlSeconds, timeoutMs: this.#timeoutMs })
    return { lease: lease as LeaseId, ttlMs: seconds * 1000 }
  }

  async keepAlive(lease: LeaseId): Promise<{ readonly ttlMs: number } | 'lost'> {
    const endsAt = this.#clock.now() + this.#timeoutMs
    for (;;) {
      const leftMs = endsAt - this.#clock.now()
      const outcome = await this.#members.attempt<number | 'unconfirmed', number>(leftMs, {
        send: (endpoint) => this.#leases.keepAlive(endpoint, lease),
        accept: (seconds) => (seconds === 'unconfirmed' ? { kind: 'again' } : { kind: 'answer', value: seconds }),
        firstPatienceMs: renewalPatienceMs,
      })
      if (outcome.kind === 'none') throw unanswered('renew a lease', this.#timeoutMs, outcome.lastError)
      if (outcome.value > 0) return { ttlMs: outcome.value * 1000 }
      if (await this.#leaseIsGone(lease, endsAt - this.#clock.now())) return 'lost'
    }
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    const outcome = await this.#members.attempt(this.#timeoutMs, {
      send: (endpoint) => endpoint.call(api.leaseRevoke, { ID: lease }),
      accept: () => ({ kind: 'answer', value: undefined }),
      acceptFailure: (error) =>
        meaningOf(error) === 'lease-not-found' ? { kind: 'answer', value: undefined } : undefined,
    })
    if (outcome.kind === 'none') throw unanswered('revoke a lease', this.#timeoutMs, outcome.lastError)
  }

  useEndpoints(endpoints: readonly EndpointAddress[]): void {
    assert(endpoints.length > 0, 'a store has endpoints')
    const known = new Map(this.#members.endpoints.map((endpoint) => [endpoint.address, endpoint]))
    const wanted = endpoints.map((one) => known.get(typeof one === 'string' ? one : one.address))
    if (wanted.length === known.size && wanted.every((one, at) => one === this.#members.endpoints[at])) return
    this.#members.replace(endpoints.map((address, at) => wanted[at] ?? new Endpoint(address, this.#tls)))
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    this.#watches.clear()
    this.#leases.close()
    await this.#sessions.close()
    for (const endpoint of this.#members.endpoints) endpoint.close()
  }

  async #range(request: RangeRequest, what: string): Promise<RangeResponse> {
    const outcome = await this.#members.attempt<RangeResponse, RangeResponse>(this.#timeoutMs, {
      send: (endpoint) => endpoint.call(api.range, request),
      accept: (response) => ({ kind: 'answer', value: response }),
    })
    if (outcome.kind === 'none') throw unanswered(what, this.#timeoutMs, outcome.lastError)
    return outcome.value
  }

  async #compare(transaction: Transaction, timeoutMs: number): Promise<TransactionResult> {
    const request = comparisonOnly(transaction)
    const outcome = await this.#members.attempt<
      { succeeded: boolean; header: { revision: string } },
      TransactionResult
    >(timeoutMs, {
      send: (endpoint) => endpoint.call(api.txn, request),
      accept: ({ succeeded, header }) => ({
        kind: 'answer',
        value: { applied: succeeded, revision: toRevision(header.revision) },
      }),
    })
    if (outcome.kind === 'none') throw unanswered('compare', timeoutMs, outcome.lastError)
    return outcome.value
  }

  async #guardedTransaction(
    open: OpenSession,
    transaction: Transaction,
    timeoutMs: number,
  ): Promise<TransactionResult | 'session-lost'> {
    const slot = open.take()
    const request: GuardedRequest = { session: open.session, slot, id: open.nextId(), transaction }
    let attempts = 0
    const outcome: Outcome<Decision> = await this.#members.attempt(timeoutMs, {
      send: (endpoint, n) => {
        attempts = n + 1
        return endpoint.call(api.txn, n === 0 ? firstAttempt(request) : repeatedAttempt(request))
      },
      accept: (response, n, sent): Step<Decision> => {
        const verdict = verdictOf(request, response)
        // The first attempt's refusal is not written down: it counts only while there is no other attempt.
        const provisional = n === 0 && sent > 1 && verdict.kind === 'decided' && verdict.slotValue === slot.value
        return provisional ? { kind: 'again' } : { kind: 'answer', value: verdict }
      },
      acceptFailure: (error): Step<Decision> | undefined => {
        const meaning = meaningOf(error)
        if (meaning === 'lease-not-found') return { kind: 'answer', value: { kind: 'lease-lost' } }
        if (meaning === 'no-space' || meaning === 'too-large' || meaning === 'refused')
          return { kind: 'answer', value: { kind: 'refused', error } }
        return undefined
      },
    })
    if (outcome.kind === 'none') {
      if (!outcome.everSent) {
        open.giveBack(slot)
        throw unanswered('save a change', timeoutMs, outcome.lastError)
      }
      throw unknownFate(timeoutMs, outcome.lastError)
    }
    return this.#conclude(open, request, outcome.value, attempts)
  }

  async #conclude(
    open: OpenSession,
    { slot }: GuardedRequest,
    decision: Decision,
    attempts: number,
  ): Promise<TransactionResult | 'session-lost'> {
    switch (decision.kind) {
      case 'decided':
        open.giveBack({ key: slot.key, value: decision.slotValue })
        return decision.result
      case 'session-lost':
        this.#sessions.forget(open)
        // Other attempts can't apply any more, but one may have applied before the session was lost.
        if (attempts > 1) throw unknownFate(this.#timeoutMs, new Error('the session in etcd has run out'))
        return 'session-lost'
      case 'lease-lost':
        if (attempts === 1) open.giveBack(slot)
        return { applied: false, revision: (await this.list(open.session.key)).revision, leaseLost: true }
      case 'refused':
        // The store may have become full between an attempt that applied and this one.
        if (attempts > 1 && meaningOf(decision.error) === 'no-space') throw unknownFate(this.#timeoutMs, decision.error)
        if (attempts === 1) open.giveBack(slot)
        throw refusedBy('save a change', decision.error)
    }
  }

  /** A leader that is new may not know a lease yet, and say that it is gone. A write under the lease is decided by the log. */
  async #leaseIsGone(lease: LeaseId, timeoutMs: number): Promise<boolean> {
    const key = `${sessionPrefix}lease/${lease}`
    const written = await this.transaction({
      compare: [],
      writes: [{ kind: 'put', key, value: new Uint8Array(), lease }],
      timeoutMs: Math.max(1, timeoutMs),
    })
    return written.leaseLost === true
  }
}

/** Without a cause: no member has answered at all. */
function unknownFate(timeoutMs: number, cause: unknown): StoreTimeoutError {
  const why = cause === undefined ? '' : ` (${messageOf(cause)})`
  return new StoreTimeoutError(
    `The store did not confirm a change ${inTime(timeoutMs)}${why}. It may be saved: read, then repeat.`,
    cause,
  )
}

/**
 * This client's session in etcd and its slots (see exactly-once.ts). The lease is long: it only has to outlive any pause in
 * which the client could still want to know what became of a request, and it cleans up after a client that is gone.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, machineClock } from '../port/clock.ts'
import { messageOf, StoreUnavailableError } from '../port/errors.ts'
import { api, keyBytes, type TxnRequest } from './api.ts'
import type { Members } from './attempts.ts'
import { meaningOf } from './endpoint.ts'
import type { Session, Slot } from './exactly-once.ts'

export const sessionPrefix = '/systole-request/'
const sessionTtlSeconds = 300
const renewEveryMs = 100_000

export class Sessions {
  readonly #members: Members
  readonly #clock: Clock
  #current: Promise<OpenSession> | undefined
  #cancelRenewal: () => void = () => undefined
  #closed = false

  constructor(members: Members, clock: Clock = machineClock) {
    this.#members = members
    this.#clock = clock
  }

  /** The session, made at the first use and again after it was lost. */
  async open(timeoutMs: number): Promise<OpenSession> {
    this.#current ??= this.#create(timeoutMs).catch((error: unknown) => {
      this.#current = undefined
      throw error
    })
    return this.#current
  }

  /** What was found lost is made anew for the next request. */
  forget(session: OpenSession): void {
    if (session.forgotten) return
    session.forgotten = true
    this.#cancelRenewal()
    this.#current = undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelRenewal()
    const session = await this.#current?.catch(() => undefined)
    if (session === undefined) return
    // Best effort: the lease runs out by itself.
    await this.#members.attempt(500, {
      send: (endpoint) => endpoint.call(api.leaseRevoke, { ID: session.session.lease }),
      accept: () => ({ kind: 'answer', value: undefined }),
      acceptFailure: () => ({ kind: 'answer', value: undefined }),
    })
  }

  async #create(timeoutMs: number): Promise<OpenSession> {
    const lease = newLeaseId()
    await grantLease(this.#members, { lease, ttlSeconds: sessionTtlSeconds, timeoutMs })
    const key = `${sessionPrefix}${randomUUID()}`
    const create: TxnRequest = {
      compare: [{ result: 'EQUAL', target: 'CREATE', key: keyBytes(key), create_revision: '0' }],
      success: [{ request_put: { key: keyBytes(key), value: new Uint8Array(), lease } }],
      // Made by an earlier attempt of this same request: nobody else knows the key.
      failure: [{ request_range: { key: keyBytes(key) } }],
    }
    const outcome = await this.#members.attempt(timeoutMs, {
      send: (endpoint) => endpoint.call(api.txn, create),
      accept: (response) => ({
        kind: 'answer',
        value: response.responses[0]?.response_range?.kvs[0]?.create_revision ?? response.header.revision,
      }),
    })
    if (outcome.kind === 'none') throw unanswered('open a session', timeoutMs, outcome.lastError)
    this.#planRenewal(lease)
    return new OpenSession({ key, createRevision: outcome.value, lease })
  }

  #planRenewal(lease: string): void {
    if (this.#closed) return
    this.#cancelRenewal = this.#clock.after(renewEveryMs, () => {
      this.#members
        .attempt(renewEveryMs / 2, {
          send: (endpoint) => endpoint.exchange(api.leaseKeepAlive, { ID: lease }),
          accept: () => ({ kind: 'answer', value: undefined }),
        })
        // A session that is lost shows itself at the next request.
        .then(
          () => this.#planRenewal(lease),
          () => this.#planRenewal(lease),
        )
    })
  }
}

/** A session and its slots; one request at a time uses a slot, and one whose fate stayed unknown is never used again. */
export class OpenSession {
  readonly session: Session
  forgotten = false
  readonly #free: Slot[] = []
  #slots = 0
  #requests = 0

  constructor(session: Session) {
    this.session = session
  }

  take(): Slot {
    return this.#free.pop() ?? { key: `${this.session.key}/${this.#slots++}`, value: undefined }
  }

  giveBack(slot: Slot): void {
    this.#free.push(slot)
  }

  nextId(): string {
    return String(this.#requests++)
  }
}

/** The client chooses the id, so that a repeated grant finds the lease that the first one made. */
export function newLeaseId(): string {
  const bytes = randomBytes(8)
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  const id = bytes.readBigInt64BE()
  return String(id === 0n ? 1n : id)
}

/** The seconds that were granted. */
export async function grantLease(
  members: Members,
  wanted: { readonly lease: string; readonly ttlSeconds: number; readonly timeoutMs: number },
): Promise<number> {
  const outcome = await members.attempt<{ readonly TTL: string }, { seconds: number } | { error: unknown }>(
    wanted.timeoutMs,
    {
      send: (endpoint) => endpoint.call(api.leaseGrant, { TTL: wanted.ttlSeconds, ID: wanted.lease }),
      accept: (response) => ({ kind: 'answer', value: { seconds: Number(response.TTL) } }),
      acceptFailure: (error) => {
        const meaning = meaningOf(error)
        if (meaning === 'lease-exists') return { kind: 'answer', value: { seconds: wanted.ttlSeconds } }
        if (meaning === 'no-space' || meaning === 'refused') return { kind: 'answer', value: { error } }
        return undefined
      },
    },
  )
  if (outcome.kind === 'none') throw unanswered('grant a lease', wanted.timeoutMs, outcome.lastError)
  if ('error' in outcome.value) throw refusedBy('grant a lease', outcome.value.error)
  return outcome.value.seconds
}

export function unanswered(what: string, timeoutMs: number, cause: unknown): StoreUnavailableError {
  const why = cause === undefined ? 'no member answered' : withoutWrapping(messageOf(cause))
  return new StoreUnavailableError(
    `The store could not ${what} ${inTime(timeoutMs)} (${why}). Most of its voters must be up and reach each other: see 'systole quorum status'.`,
    cause,
  )
}

/** Of a connection that was never made gRPC tells more about itself than about the cause. */
function withoutWrapping(message: string): string {
  return (
    /^14 UNAVAILABLE: No connection established\. Last error: (?:Error: )?(.+?)\. Resolution note: .*$/s.exec(
      message,
    )?.[1] ?? message
  )
}

/** A process that stood still finds that the time is over before it has asked anybody. */
export function inTime(timeoutMs: number): string {
  return timeoutMs < 1 ? 'in its time' : `within ${Math.round(timeoutMs)} ms`
}

export function refusedBy(what: string, cause: unknown): StoreUnavailableError {
  if (meaningOf(cause) === 'no-space')
    return new StoreUnavailableError(
      `The store is full and could not ${what}. It is being compacted; if this stays, delete old configuration history or raise the store's quota.`,
      cause,
    )
  if (meaningOf(cause) === 'too-large')
    return new StoreUnavailableError(`The store could not ${what}: the change is larger than etcd accepts.`, cause)
  return new StoreUnavailableError(`The store refused to ${what}: ${messageOf(cause)}.`, cause)
}

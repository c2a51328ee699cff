/**
 * Performs what the quorum core asks of the store: get a lease, keep it alive, give it back. Everything that must vanish
 * with the node hangs on the lease: its entry among the members, and the DC's key.
 */
import {
  initialQuorum,
  nextQuorumAt,
  type QuorumInput,
  type QuorumState,
  type QuorumTimings,
  quorateUntil,
  quorumStep,
} from '../../quorum/index.ts'
import type { EndpointAddress, LeaseId, Store } from '../../store/index.ts'
import { Alarm } from '../host/alarm.ts'
import { monotonicNow } from '../host/clock.ts'
import type { FromPulse } from './messages.ts'

export class Lease {
  readonly #store: Store
  readonly #tell: (message: FromPulse) => void
  #state: QuorumState
  readonly #alarm = new Alarm(() => this.feed({ kind: 'tick' }))
  #lastTrouble = ''
  #ended = false
  /** No lease is asked for before somebody lets this node. */
  #held: boolean

  constructor(store: Store, timings: QuorumTimings, tell: (message: FromPulse) => void, held: boolean) {
    this.#store = store
    this.#held = held
    this.#tell = tell
    this.#state = initialQuorum(timings, monotonicNow())
  }

  release(): void {
    this.#held = false
    this.feed({ kind: 'tick' })
  }

  /** Now: what this node knows of the others is what the store has. */
  get isHeld(): boolean {
    return monotonicNow() < quorateUntil(this.#state)
  }

  feed(input: QuorumInput): void {
    if (this.#ended || this.#held) return
    const { state, effects } = quorumStep(this.#state, input, monotonicNow())
    const changed = quorateUntil(state) !== quorateUntil(this.#state) || state.lease !== this.#state.lease
    this.#state = state
    for (const effect of effects)
      if (effect.kind === 'request-lease') void this.#request(effect.ttlMs)
      else if (effect.kind === 'keep-alive') void this.#keepAlive(effect.lease as LeaseId)
      else if (effect.kind === 'quorum-lost') this.#tell({ kind: 'quorum-lost', why: effect.why })
    if (changed) this.#tell({ kind: 'quorum', lease: state.lease, until: quorateUntil(state) })
    this.#alarm.set(nextQuorumAt(state))
  }

  /** From the next renewal on: what is to be left of the lease then. */
  keepInReserve(reserveMs: number | undefined): void {
    const { reserveMs: _before, ...timings } = this.#state.timings
    this.#state = { ...this.#state, timings: { ...timings, ...(reserveMs === undefined ? {} : { reserveMs }) } }
  }

  useEndpoints(endpoints: readonly EndpointAddress[]): void {
    if (!this.#ended) this.#store.useEndpoints?.(endpoints)
  }

  async leave(): Promise<void> {
    const { lease } = this.#state
    this.feed({ kind: 'leave' })
    this.#ended = true
    this.#alarm.cancel()
    if (lease !== undefined)
      await this.#store.revokeLease(lease as LeaseId).catch((error: unknown) => this.#trouble(error))
    await this.#store.close()
  }

  async #request(ttlMs: number): Promise<void> {
    const askedAt = monotonicNow()
    try {
      const granted = await this.#store.grantLease(ttlMs)
      this.#lastTrouble = ''
      this.feed({ kind: 'granted', lease: granted.lease, ttlMs: granted.ttlMs, askedAt })
    } catch (error) {
      this.#trouble(error)
      this.feed({ kind: 'no-answer' })
    }
  }

  async #keepAlive(lease: LeaseId): Promise<void> {
    const askedAt = monotonicNow()
    try {
      const kept = await this.#store.keepAlive(lease)
      this.#lastTrouble = ''
      if (kept === 'lost') this.feed({ kind: 'lost', lease })
      else this.feed({ kind: 'confirmed', lease, ttlMs: kept.ttlMs, askedAt })
    } catch (error) {
      this.#trouble(error)
      this.feed({ kind: 'no-answer' })
    }
  }

  /** The store may be away for any time: the same trouble is told once, until something succeeds. */
  #trouble(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    if (text !== this.#lastTrouble) this.#tell({ kind: 'trouble', error: text })
    this.#lastTrouble = text
  }
}

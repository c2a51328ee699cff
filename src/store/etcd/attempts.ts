/**
 * One request, as many attempts as its time limit allows. After the death of etcd's leader a follower takes a request,
 * forwards it to the dead leader and waits seconds for it (measured: 6 s with the usual client). So an attempt that has no
 * answer after 100 ms gets company: another one on the next member, and so on, every 50 ms at first; the first answer
 * wins. A member that has noticed the loss keeps an attempt until there is a leader, so one of them is always in time.
 * A store that is slow under load is not helped by more requests: patience grows with the time that answers usually take.
 */
import type { Clock } from '../port/clock.ts'
import { type Endpoint, meaningOf, type PendingCall } from './endpoint.ts'

const firstPatienceMs = 100
const patienceMs = 50
/** After this long the store is more likely down than electing: then it is asked more calmly. */
const calmAfterMs = 2000
const calmPatienceMs = 200
/** The oldest attempt of a request is given up for a new one beyond this many. */
const maxPending = 8
/** Attempts of all requests of this client together, beyond one for each: what an overloaded store has to bear in addition. */
const maxRepeated = 32

export type Step<T> = { readonly kind: 'answer'; readonly value: T } | { readonly kind: 'again' }

export interface Attempted<Response, T> {
  /** Sends attempt number `n` (from 0). It needs no deadline: it is cancelled when the request ends. */
  readonly send: (endpoint: Endpoint, n: number) => PendingCall<Response>
  /** 'again': this answer decides nothing. `sent` is the number of attempts so far. */
  readonly accept: (response: Response, n: number, sent: number) => Step<T>
  /** A failure that is an answer. Undefined: try again. */
  readonly acceptFailure?: (error: unknown, n: number, sent: number) => Step<T> | undefined
  /** How long the first attempt stays alone: for what is not urgent. */
  readonly firstPatienceMs?: number
}

export type Outcome<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'none'; readonly everSent: boolean; readonly lastError: unknown }

export class Members {
  #endpoints: readonly Endpoint[]
  readonly #clock: Clock
  /** The member that answered last: a hung one is left alone until its successor fails. */
  #preferred = 0
  #usualMs = 5
  #requests = 0
  #inFlight = 0

  constructor(endpoints: readonly Endpoint[], clock: Clock) {
    this.#endpoints = endpoints
    this.#clock = clock
  }

  get endpoints(): readonly Endpoint[] {
    return this.#endpoints
  }

  /** Attempts on a member that is not among them any more fail, and go on with the others. */
  replace(endpoints: readonly Endpoint[]): void {
    const gone = this.#endpoints.filter((endpoint) => !endpoints.includes(endpoint))
    const preferred = this.#endpoints[this.#preferred]
    this.#endpoints = endpoints
    this.#preferred = Math.max(0, preferred === undefined ? 0 : endpoints.indexOf(preferred))
    for (const endpoint of gone) endpoint.close()
  }

  /** The `n`th choice, the member that answered last being the first. */
  choice(n: number): Endpoint {
    const endpoint = this.endpoints[(this.#preferred + n) % this.endpoints.length]
    if (endpoint === undefined) throw new Error('a store has endpoints')
    return endpoint
  }

  answered(endpoint: Endpoint, tookMs: number): void {
    this.#preferred = Math.max(0, this.endpoints.indexOf(endpoint))
    // One answer that waited for an election must not make the next election's requests patient: an outlier counts little.
    const sample = Math.min(tookMs, 4 * this.#usualMs + 10)
    this.#usualMs = 0.8 * this.#usualMs + 0.2 * sample
  }

  /** What an answer usually takes, lately. */
  get usualMs(): number {
    return this.#usualMs
  }

  async attempt<Response, T>(timeoutMs: number, attempted: Attempted<Response, T>): Promise<Outcome<T>> {
    this.#requests++
    try {
      return await new Race(this, this.#clock, timeoutMs, attempted).run()
    } finally {
      this.#requests--
    }
  }

  count(change: 1 | -1): void {
    this.#inFlight += change
  }

  get mayRepeat(): boolean {
    return this.#inFlight - this.#requests < maxRepeated
  }
}

class Race<Response, T> {
  readonly #members: Members
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #endsAt: number
  readonly #attempted: Attempted<Response, T>
  /** In the order in which they were sent. */
  readonly #pending = new Map<number, PendingCall<Response>>()
  #sent = 0
  #everSent = false
  #lastError: unknown
  #answer: { readonly value: T } | undefined
  #changed: () => void = () => undefined

  constructor(members: Members, clock: Clock, timeoutMs: number, attempted: Attempted<Response, T>) {
    this.#members = members
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#endsAt = this.#startedAt + timeoutMs
    this.#attempted = attempted
  }

  async run(): Promise<Outcome<T>> {
    try {
      while (this.#clock.now() < this.#endsAt) {
        const sentAt = this.#clock.now()
        if (!this.#makeRoom()) {
          await this.#until(sentAt + this.#patience(this.#sent), () => this.#pending.size === 0)
          if (this.#answer !== undefined) return { kind: 'answer', value: this.#answer.value }
          continue
        }
        const n = this.#sent++
        this.#send(n)
        await this.#until(sentAt + this.#patience(n), () => !this.#pending.has(n))
        // Each member once without delay; after that, no faster than a connection can be made again.
        if (this.#answer === undefined && this.#sent >= this.#members.endpoints.length)
          await this.#until(sentAt + this.#patience(this.#sent), () => false)
        if (this.#answer !== undefined) return { kind: 'answer', value: this.#answer.value }
      }
      return { kind: 'none', everSent: this.#everSent || this.#pending.size > 0, lastError: this.#lastError }
    } finally {
      for (const n of [...this.#pending.keys()]) this.#giveUp(n)
    }
  }

  #patience(n: number): number {
    const { usualMs } = this.#members
    if (n === 0) return Math.max(this.#attempted.firstPatienceMs ?? firstPatienceMs, 4 * usualMs)
    const base = this.#clock.now() - this.#startedAt < calmAfterMs ? patienceMs : calmPatienceMs
    return Math.max(base, 2 * usualMs)
  }

  /** Whether another attempt may go out; an older one of this request makes room for it where need be. */
  #makeRoom(): boolean {
    const crowded = !this.#members.mayRepeat
    if (this.#pending.size === 0 || (!crowded && this.#pending.size < maxPending)) return true
    if (crowded && this.#pending.size === 1) return false
    const oldest = this.#pending.keys().next()
    if (!oldest.done) this.#giveUp(oldest.value)
    return true
  }

  #giveUp(n: number): void {
    const call = this.#pending.get(n)
    if (!this.#pending.delete(n)) return
    this.#members.count(-1)
    this.#everSent = true
    call?.cancel()
  }

  #send(n: number): void {
    const endpoint = this.#members.choice(n)
    const sentAt = this.#clock.now()
    const call = this.#attempted.send(endpoint, n)
    this.#pending.set(n, call)
    this.#members.count(1)
    call.answer
      .then((response) => {
        this.#members.answered(endpoint, this.#clock.now() - sentAt)
        this.#take(n, this.#attempted.accept(response, n, this.#sent))
      })
      .catch((error: unknown) => {
        const meaning = this.#attempted.acceptFailure?.(error, n, this.#sent)
        if (meaningOf(error) !== 'not-sent') this.#everSent = true
        if (this.#pending.has(n)) this.#lastError = error
        this.#take(n, meaning ?? { kind: 'again' })
      })
  }

  #take(n: number, step: Step<T>): void {
    if (this.#pending.delete(n)) this.#members.count(-1)
    if (step.kind === 'answer') this.#answer ??= { value: step.value }
    this.#changed()
  }

  /** Until that time, an answer, or the condition. */
  async #until(time: number, condition: () => boolean): Promise<void> {
    const end = Math.min(time, this.#endsAt)
    while (this.#answer === undefined && !condition()) {
      const left = end - this.#clock.now()
      if (left <= 0) return
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(left, resolve)
        this.#changed = () => {
          cancel()
          resolve()
        }
      })
    }
  }
}

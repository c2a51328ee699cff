/**
 * One request, as many attempts as its time limit allows. After the death of etcd's leader a follower takes a request,
 * forwards it to the dead leader and waits seconds for it (measured: 6 s with the usual client). So an attempt that has no
 * answer after 100 ms gets company: another one on the next member, and so on, every 50 ms at first; the first answer
 * wins. A member that has noticed the loss keeps an attempt until there is a leader, so one of them is always in time.
 */
import type { Clock } from '../clock.ts'
import { type Endpoint, meaningOf, type PendingCall } from './endpoint.ts'

const firstPatienceMs = 100
const patienceMs = 50
/** After this long the store is more likely down than electing: then it is asked more calmly. */
const calmAfterMs = 2000
const calmPatienceMs = 200
/** The oldest attempt is given up for a new one beyond this many. */
const maxPending = 8

export type Step<T> = { readonly kind: 'answer'; readonly value: T } | { readonly kind: 'again' }

export interface Attempted<Response, T> {
  /** Sends attempt number `n` (from 0). */
  readonly send: (endpoint: Endpoint, n: number, deadlineMs: number) => PendingCall<Response>
  /** 'again': this answer decides nothing. `sent` is the number of attempts so far. */
  readonly accept: (response: Response, n: number, sent: number) => Step<T>
  /** A failure that is an answer. Undefined: try again. */
  readonly acceptFailure?: (error: unknown, n: number, sent: number) => Step<T> | undefined
}

export type Outcome<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'none'; readonly everSent: boolean; readonly lastError: unknown }

export class Members {
  readonly endpoints: readonly Endpoint[]
  readonly #clock: Clock
  /** The member that answered last: a hung one is left alone until its successor fails. */
  #preferred = 0

  constructor(endpoints: readonly Endpoint[], clock: Clock) {
    this.endpoints = endpoints
    this.#clock = clock
  }

  /** The `n`th choice, the member that answered last being the first. */
  choice(n: number): Endpoint {
    const endpoint = this.endpoints[(this.#preferred + n) % this.endpoints.length]
    if (endpoint === undefined) throw new Error('a store has endpoints')
    return endpoint
  }

  answered(endpoint: Endpoint): void {
    this.#preferred = this.endpoints.indexOf(endpoint)
  }

  attempt<Response, T>(timeoutMs: number, attempted: Attempted<Response, T>): Promise<Outcome<T>> {
    return new Race(this, this.#clock, timeoutMs, attempted).run()
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
        const n = this.#sent++
        const sentAt = this.#clock.now()
        this.#send(n)
        await this.#until(sentAt + this.#patience(n), () => !this.#pending.has(n))
        // Each member once without delay; after that, no faster than a connection can be made again.
        if (this.#answer === undefined && this.#sent >= this.#members.endpoints.length)
          await this.#until(sentAt + this.#patience(this.#sent), () => false)
        if (this.#answer !== undefined) return { kind: 'answer', value: this.#answer.value }
      }
      return { kind: 'none', everSent: this.#everSent || this.#pending.size > 0, lastError: this.#lastError }
    } finally {
      for (const call of this.#pending.values()) call.cancel()
    }
  }

  #patience(n: number): number {
    if (n === 0) return firstPatienceMs
    return this.#clock.now() - this.#startedAt < calmAfterMs ? patienceMs : calmPatienceMs
  }

  #send(n: number): void {
    const oldest = this.#pending.keys().next()
    if (this.#pending.size >= maxPending && !oldest.done) {
      this.#pending.get(oldest.value)?.cancel()
      this.#pending.delete(oldest.value)
      this.#everSent = true
    }
    const endpoint = this.#members.choice(n)
    const call = this.#attempted.send(endpoint, n, this.#endsAt - this.#clock.now())
    this.#pending.set(n, call)
    call.answer
      .then((response) => {
        this.#members.answered(endpoint)
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
    this.#pending.delete(n)
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

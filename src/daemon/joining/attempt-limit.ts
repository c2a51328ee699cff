/**
 * Wrong secrets. From one address: after some within a minute the others are not looked at. From all addresses together, of which a stranger may have
 * any number: beyond some within a minute they are not written down any more, and whoever comes waits for a short turn. Nobody is refused for what
 * others do: a host with a good token is let in all the same. A secret cannot be guessed anyway; this keeps strangers from filling the log and the
 * history, and from keeping the store busy. Times are monotonic milliseconds.
 */
import { setTimeout as delay } from 'node:timers/promises'

const windowMs = 60_000
const mostFailures = 5
/** More addresses than that at once are one flood: the oldest are forgotten. */
const mostAddresses = 1000
export const mostNoted = 60
/** With the 32 connections that strangers have at 7704, nobody waits for longer than 1.6 s. */
const turnMs = 50

export class AttemptLimit {
  readonly #failures = new Map<string, readonly number[]>()
  /** The newest ones. */
  #all: readonly number[] = []
  #turn: Promise<unknown> = Promise.resolve()

  mayTry(address: string, now: number): boolean {
    return this.#recent(address, now).length < mostFailures
  }

  /** Answers whether it is written down, or is the first that is not. */
  failed(address: string, now: number): 'noted' | 'too-many' | 'ignored' {
    const failures = [...this.#recent(address, now), now]
    // The address that was seen last is the last of the map.
    this.#failures.delete(address)
    this.#failures.set(address, failures)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > mostAddresses && oldest !== undefined) this.#failures.delete(oldest)
    const before = this.#recentOfAll(now)
    this.#all = [...before, now].slice(-mostNoted - 1)
    if (before.length < mostNoted) return 'noted'
    return before.length === mostNoted ? 'too-many' : 'ignored'
  }

  /** At once, but while there are too many wrong ones. */
  async turn(now: number): Promise<void> {
    if (this.#recentOfAll(now).length <= mostNoted) return
    this.#turn = this.#turn.then(async () => await delay(turnMs))
    await this.#turn
  }

  #recent(address: string, now: number): readonly number[] {
    return (this.#failures.get(address) ?? []).filter((time) => now - time < windowMs)
  }

  #recentOfAll(now: number): readonly number[] {
    return this.#all.filter((time) => now - time < windowMs)
  }
}

/**
 * Who may try to log in now. Each attempt counts until it has succeeded, so that many at a time are no way around it. An address with several waits, twice
 * as long after each further one. A user at whom many addresses guess can log in from those alone where he has before: strangers do not lock him out.
 */

const windowMs = 10 * 60_000
const freeOfAddress = 5
const firstWaitMs = 1000
const longestWaitMs = 5 * 60_000
const mostOfUser = 30
const mostKept = 5000
const mostKnown = 1000

interface Attempt {
  readonly user: string
  readonly address: string
  readonly at: number
}

export class LoginLimit {
  #attempts: readonly Attempt[] = []
  /** Where users have logged in, the last ones. */
  readonly #known = new Set<string>()

  /** How long this one must wait; 0: it may try now. */
  waitMs({ user, address }: Omit<Attempt, 'at'>, now: number): number {
    this.#attempts = this.#attempts.filter(({ at }) => at + windowMs > now)
    return Math.max(this.#waitOfAddress(address, now), this.#waitOfUser(user, address, now))
  }

  begin(attempt: Omit<Attempt, 'at'>, now: number): void {
    this.#attempts = [...this.#attempts, { ...attempt, at: now }].slice(-mostKept)
  }

  /** What it took is not part of the wait. */
  failed({ user, address }: Omit<Attempt, 'at'>, now: number): void {
    const last = this.#attempts.findLastIndex((one) => one.user === user && one.address === address)
    this.#attempts = this.#attempts.map((one, index) => (index === last ? { ...one, at: now } : one))
  }

  succeeded({ user, address }: Omit<Attempt, 'at'>): void {
    this.#attempts = this.#attempts.filter((one) => one.user !== user || one.address !== address)
    const key = keyOf(user, address)
    this.#known.delete(key)
    this.#known.add(key)
    const [oldest] = this.#known
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  #waitOfAddress(address: string, now: number): number {
    const own = this.#attempts.filter((one) => one.address === address)
    const last = own.at(-1)
    if (last === undefined || own.length < freeOfAddress) return 0
    const wait = Math.min(firstWaitMs * 2 ** (own.length - freeOfAddress), longestWaitMs)
    return Math.max(0, last.at + wait - now)
  }

  #waitOfUser(user: string, address: string, now: number): number {
    if (this.#known.has(keyOf(user, address))) return 0
    const own = this.#attempts.filter((one) => one.user === user)
    const last = own.at(-mostOfUser)
    return last === undefined ? 0 : last.at + windowMs - now
  }
}

const keyOf = (user: string, address: string): string => `${user}\n${address}`

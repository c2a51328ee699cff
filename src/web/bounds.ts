/** How much of this process anybody may have: pure but for the time that is passed in. */
import { ownerOfAddress } from '../base/index.ts'
import { Problem } from './problem.ts'

export const bounds = {
  /** Requests under way, of all and of one token. */
  requests: 64,
  requestsOfToken: 16,
  /** That a connection has asked and not read the answers of: each is kept, and takes some ten KiB. */
  requestsOfConnection: 16,
  streams: 256,
  streamsOfToken: 64,
  /** Health checks, which need no token, of all and of one address. */
  healthChecks: 64,
  healthChecksOfAddress: 16,
  /** Logins under way, of all and of one address. */
  logins: 16,
  loginsOfAddress: 4,
  /** Wrong tokens of an address in a minute; beyond, the address is not listened to until the minute is over. */
  wrongTokens: 10,
  wrongForMs: 60_000,
  addresses: 1000,
} as const

/** Counts what is under way. `enter` throws, or answers what to do when it is over. */
export class Room {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #what: string
  readonly #whose: 'token' | 'address'
  readonly #ofOne = new Map<string, number>()
  #all = 0

  constructor(
    what: string,
    {
      most,
      mostOfOne,
      whose = 'token',
    }: { readonly most: number; readonly mostOfOne: number; readonly whose?: 'token' | 'address' },
  ) {
    this.#what = what
    this.#most = most
    this.#mostOfOne = mostOfOne
    this.#whose = whose
  }

  get size(): number {
    return this.#all
  }

  enter(shown: string): () => void {
    const who = this.#whose === 'address' ? ownerOfAddress(shown) : shown
    const own = this.#ofOne.get(who) ?? 0
    if (own >= this.#mostOfOne)
      throw new Problem(429, `This ${this.#whose} has ${own} ${this.#what} under way, which is the most.`, {
        headers: { 'retry-after': '1' },
      })
    if (this.#all >= this.#most)
      throw new Problem(503, `The API has ${this.#all} ${this.#what} under way, which is the most.`, {
        headers: { 'retry-after': '1' },
      })
    this.#all += 1
    this.#ofOne.set(who, own + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#all -= 1
      const left = (this.#ofOne.get(who) ?? 1) - 1
      if (left > 0) this.#ofOne.set(who, left)
      else this.#ofOne.delete(who)
    }
  }
}

/** Addresses that guess. */
export class Guesses {
  readonly #byAddress = new Map<string, { count: number; until: number }>()

  refuse(from: string, now: number): void {
    const address = ownerOfAddress(from)
    const known = this.#byAddress.get(address)
    if (known === undefined || known.count < bounds.wrongTokens) return
    if (known.until <= now) this.#byAddress.delete(address)
    else
      throw new Problem(429, `This address has shown ${known.count} wrong tokens or certificates. Wait a minute.`, {
        headers: { 'retry-after': String(Math.ceil((known.until - now) / 1000)) },
      })
  }

  /** True for the one that closes the door. */
  note(from: string, now: number): boolean {
    const address = ownerOfAddress(from)
    const known = this.#byAddress.get(address)
    const count = known === undefined || known.until <= now ? 1 : known.count + 1
    this.#byAddress.delete(address)
    this.#byAddress.set(address, { count, until: now + bounds.wrongForMs })
    const [oldest] = this.#byAddress.keys()
    if (this.#byAddress.size > bounds.addresses && oldest !== undefined) this.#byAddress.delete(oldest)
    return count === bounds.wrongTokens
  }
}

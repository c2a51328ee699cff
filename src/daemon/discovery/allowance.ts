/**
 * How many questions are answered in a second: of one address, and of all. An address of UDP may be forged, and its owner be flooded with what was never
 * asked: beyond its share an address gets answers that are no longer than its questions and say "ask by TCP", and beyond twice its share none.
 */
import { ownerOfAddress } from '../../base/index.ts'

export interface Shares {
  readonly ofAddress: number
  readonly ofAll: number
  /** How many addresses are told apart. */
  readonly addresses: number
}

export type Allowed = 'answer' | 'short' | 'nothing'

export const usualShares: Shares = { ofAddress: 2000, ofAll: 20_000, addresses: 10_000 }
const windowMs = 1000

export class Allowance {
  readonly #shares: Shares
  #counts = new Map<string, number>()
  #all = 0
  #since = Number.NEGATIVE_INFINITY

  constructor(shares: Shares = usualShares) {
    this.#shares = shares
  }

  /** `isKnown`: this host and the cluster's nodes share only what there is for all. */
  take(address: string, { now, isKnown }: { readonly now: number; readonly isKnown: boolean }): Allowed {
    if (now - this.#since >= windowMs) {
      this.#counts = new Map()
      this.#all = 0
      this.#since = now
    }
    if (++this.#all > this.#shares.ofAll) return 'nothing'
    if (isKnown) return 'answer'
    const key = ownerOfAddress(address)
    const count = (this.#counts.get(key) ?? 0) + 1
    if (count === 1 && this.#counts.size >= this.#shares.addresses) return 'short'
    this.#counts.set(key, count)
    if (count <= this.#shares.ofAddress) return 'answer'
    return count <= 2 * this.#shares.ofAddress ? 'short' : 'nothing'
  }
}

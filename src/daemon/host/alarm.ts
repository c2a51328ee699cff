/**
 * A timer for "wake me then at the latest", whose time is told again and again: one that is set for earlier is left to ring
 * early instead of being taken back, for a timer that is set anew with every message wakes the process twice.
 */
import type { MonotonicMs } from '../../base/index.ts'
import { monotonicNow } from './clock.ts'

const longestMs = 60_000

export class Alarm {
  readonly #ring: () => void
  #timer: NodeJS.Timeout | undefined
  #at = Number.POSITIVE_INFINITY

  /** `ring` tells the next time again. */
  constructor(ring: () => void) {
    this.#ring = ring
  }

  /** undefined and infinity: not at all, although a timer that runs already still rings. */
  set(at: MonotonicMs | undefined): void {
    if (at === undefined || !Number.isFinite(at) || this.#at <= at) return
    clearTimeout(this.#timer)
    // Node.js cuts a fraction off, and counts from the beginning of the event loop's turn: it would ring too early and once more.
    const waitMs = Math.min(Math.max(1, Math.ceil(at - monotonicNow()) + 1), longestMs)
    this.#at = at
    this.#timer = setTimeout(() => {
      this.#at = Number.POSITIVE_INFINITY
      // A turn that took long makes it early all the same.
      if (waitMs < longestMs && monotonicNow() < at) this.set(at)
      else this.#ring()
    }, waitMs)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#at = Number.POSITIVE_INFINITY
  }
}

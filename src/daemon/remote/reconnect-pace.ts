/**
 * When to connect again to a remote node whose connection broke. One that held a while is made again at once. One that ends as soon as it has
 * begun would otherwise be made ten times a second, and each time writes the store: a remote node that answers wrongly does that.
 */

/** A connection that held so long was a good one. */
const steadyMs = 5000
const firstPauseMs = 200
const longestPauseMs = 10_000

export class ReconnectPace {
  #upAt = 0
  #brief = 0

  up(nowMs: number): void {
    this.#upAt = nowMs
  }

  /** The pause before the next attempt, after a connection that was up has ended. */
  ended(nowMs: number): number {
    this.#brief = nowMs - this.#upAt < steadyMs ? this.#brief + 1 : 0
    // The first brief one may be bad luck.
    return this.#brief < 2 ? 0 : Math.min(firstPauseMs * 2 ** (this.#brief - 2), longestPauseMs)
  }
}

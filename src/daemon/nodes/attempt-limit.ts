/**
 * Wrong secrets from one address: after some within a minute the others are not looked at. A secret cannot be guessed anyway; this keeps a
 * stranger from filling the log and the history. Times are monotonic milliseconds.
 */
const windowMs = 60_000
const mostFailures = 5
/** More addresses than that at once are one flood: the oldest are forgotten. */
const mostAddresses = 1000

export class AttemptLimit {
  readonly #failures = new Map<string, readonly number[]>()

  mayTry(address: string, now: number): boolean {
    return this.#recent(address, now).length < mostFailures
  }

  failed(address: string, now: number): void {
    const failures = [...this.#recent(address, now), now]
    // The address that was seen last is the last of the map.
    this.#failures.delete(address)
    this.#failures.set(address, failures)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > mostAddresses && oldest !== undefined) this.#failures.delete(oldest)
  }

  #recent(address: string, now: number): readonly number[] {
    return (this.#failures.get(address) ?? []).filter((time) => now - time < windowMs)
  }
}

/** What somebody outside can cause as often as they like is told once a minute of each: a log must not be filled by it. */
const everyMs = 60_000
const mostKeys = 1000

export class Seldom {
  readonly #toldAt = new Map<string, number>()

  mayTell(key: string, now: number): boolean {
    const before = this.#toldAt.get(key)
    if (before !== undefined && now - before < everyMs) return false
    this.#toldAt.delete(key)
    this.#toldAt.set(key, now)
    const [oldest] = this.#toldAt.keys()
    if (this.#toldAt.size > mostKeys && oldest !== undefined) this.#toldAt.delete(oldest)
    return true
  }
}

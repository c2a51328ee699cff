/** Virtual time: what happens when, in one order for one seed. Milliseconds from 0. */
export class Timeline {
  now = 0
  readonly #heap: { readonly at: number; readonly order: number; readonly run: () => void }[] = []
  #order = 0

  after(ms: number, run: () => void): void {
    const event = { at: this.now + Math.max(0, ms), order: this.#order++, run }
    this.#heap.push(event)
    let child = this.#heap.length - 1
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (!this.#isEarlier(child, parent)) break
      this.#swap(child, parent)
      child = parent
    }
  }

  /** Runs the next event; false when there is none before that time. */
  step(until: number): boolean {
    const first = this.#heap[0]
    if (first === undefined || first.at > until) {
      this.now = until
      return false
    }
    const last = this.#heap.pop()
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last
      this.#sink()
    }
    this.now = first.at
    first.run()
    return true
  }

  #sink(): void {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1
      let least = parent
      if (left < this.#heap.length && this.#isEarlier(left, least)) least = left
      if (left + 1 < this.#heap.length && this.#isEarlier(left + 1, least)) least = left + 1
      if (least === parent) return
      this.#swap(parent, least)
      parent = least
    }
  }

  #isEarlier(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (one === undefined || other === undefined) return false
    return one.at < other.at || (one.at === other.at && one.order < other.order)
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (one === undefined || other === undefined) return
    this.#heap[a] = other
    this.#heap[b] = one
  }
}

/** Chance from the seed, and nothing else. */
export class Chance {
  readonly #next: () => number

  constructor(next: () => number) {
    this.#next = next
  }

  real(): number {
    return this.#next()
  }

  between(low: number, high: number): number {
    return low + this.#next() * (high - low)
  }

  happens(probability: number): boolean {
    return this.#next() < probability
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#next() * items.length)]
  }
}

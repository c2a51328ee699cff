/**
 * When a check of this node may begin: some time after the one before, while not too many are under way, and of one resource fewer, so that checks of one
 * that hang do not keep the others waiting. Whoever has waited longest comes first.
 */
const apartMs = 10
const mostTogether = 32
const mostOfResource = 8

interface Waiting {
  readonly resource: string
  readonly begin: () => void
}

export class CheckTurns {
  /** By resource. */
  readonly #underWay = new Map<string, number>()
  #waiting: readonly Waiting[] = []
  #last = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  /** What is done in a turn; undefined where nobody wants it any more before its turn comes. */
  async within<Value>(
    { resource, signal }: { readonly resource: string; readonly signal: AbortSignal },
    perform: () => Promise<Value>,
  ): Promise<Value | undefined> {
    await new Promise<void>((resolve) => {
      const begin = (): void => {
        // A check repeats for as long as its service is there: nothing may be left of a turn.
        signal.removeEventListener('abort', withdraw)
        resolve()
      }
      const one = { resource, begin }
      const withdraw = (): void => this.#begin(one)
      signal.addEventListener('abort', withdraw, { once: true })
      this.#waiting = [...this.#waiting, one]
      this.#look()
    })
    try {
      return signal.aborted ? undefined : await perform()
    } finally {
      this.#count(resource, -1)
      this.#look()
    }
  }

  #look(): void {
    clearTimeout(this.#timer)
    const next = this.#waiting.find(({ resource }) => (this.#underWay.get(resource) ?? 0) < mostOfResource)
    if (next === undefined || this.#together() >= mostTogether) return
    const restMs = this.#last + apartMs - performance.now()
    if (restMs > 0) {
      this.#timer = setTimeout(() => this.#look(), restMs)
      return
    }
    this.#last = performance.now()
    this.#begin(next)
    this.#look()
  }

  #begin(one: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== one)
    this.#count(one.resource, 1)
    one.begin()
  }

  #together(): number {
    return [...this.#underWay.values()].reduce((sum, count) => sum + count, 0)
  }

  #count(resource: string, more: number): void {
    const count = (this.#underWay.get(resource) ?? 0) + more
    if (count === 0) this.#underWay.delete(resource)
    else this.#underWay.set(resource, count)
  }
}

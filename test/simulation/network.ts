/** The network between hosts: delay, loss, partitions (also of single links). A host that is off is not reached. */
import type { NodeName } from '../../src/base/index.ts'
import type { Chance, Timeline } from './timeline.ts'

export class Network {
  loss = 0
  extraDelayMs = 0
  readonly #cut = new Set<string>()
  readonly #chance: Chance
  readonly #timeline: Timeline
  readonly #isUp: (node: NodeName) => boolean

  constructor(timeline: Timeline, chance: Chance, isUp: (node: NodeName) => boolean) {
    this.#timeline = timeline
    this.#chance = chance
    this.#isUp = isUp
  }

  cut(a: NodeName, b: NodeName): void {
    this.#cut.add(linkOf(a, b))
  }

  /** Cuts every link between the two sides. */
  partition(sides: readonly [readonly NodeName[], readonly NodeName[]]): void {
    for (const a of sides[0]) for (const b of sides[1]) this.cut(a, b)
  }

  heal(): void {
    this.#cut.clear()
  }

  get isWhole(): boolean {
    return this.#cut.size === 0
  }

  connects(a: NodeName, b: NodeName): boolean {
    return this.#isUp(a) && this.#isUp(b) && (a === b || !this.#cut.has(linkOf(a, b)))
  }

  /** Delivers, or never does; nobody is told. */
  send(from: NodeName, to: NodeName, deliver: () => void): void {
    if (!this.connects(from, to) || (from !== to && this.#chance.happens(this.loss))) return
    this.#timeline.after(this.delayMs(), () => {
      if (this.connects(from, to)) deliver()
    })
  }

  delayMs(): number {
    return this.#chance.between(0.3, 2) + this.#chance.real() * this.extraDelayMs
  }
}

function linkOf(a: NodeName, b: NodeName): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}

/**
 * What is wrong with this node and needs a person, though the cluster goes on: every node tells it of itself among the members, so that
 * `status` shows it wherever it is asked. What comes and goes within seconds is not told; what was told stays until it has been gone for as long.
 */
import { isDeepStrictEqual } from 'node:util'

const lookMs = 5000

export class OwnTroubles {
  readonly #find: () => readonly string[]
  readonly #onChange: (troubles: readonly string[]) => void
  #before: readonly string[] = []
  #told: readonly string[] = []
  readonly #timer: NodeJS.Timeout

  /** `find`: what is wrong at the moment, a sentence each. */
  constructor(find: () => readonly string[], onChange: (troubles: readonly string[]) => void) {
    this.#find = find
    this.#onChange = onChange
    this.#timer = setInterval(() => this.#look(), lookMs)
    this.#timer.unref()
  }

  get told(): readonly string[] {
    return this.#told
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const found = this.#find()
    const told = steadyTroubles({ told: this.#told, before: this.#before, found })
    this.#before = found
    if (isDeepStrictEqual(told, this.#told)) return
    this.#told = told
    this.#onChange(told)
  }
}

/** Of two looks: what both found is told; what was told is told on until neither finds it. */
export function steadyTroubles(looks: {
  readonly told: readonly string[]
  readonly before: readonly string[]
  readonly found: readonly string[]
}): readonly string[] {
  const { told, before, found } = looks
  const isTold = (trouble: string): boolean =>
    told.includes(trouble) || (before.includes(trouble) && found.includes(trouble))
  return [...new Set([...before, ...found])].filter(isTold).sort()
}

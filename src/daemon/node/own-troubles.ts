/**
 * What is wrong with this node and needs a person, though the cluster goes on: every node reports it of itself among the members, so that
 * `status` shows it wherever it is asked. What comes and goes within seconds is not reported; what was reported stays until it has been gone for as long.
 */
import { isDeepStrictEqual } from 'node:util'

const lookMs = 5000

export class OwnTroubles {
  readonly #find: () => readonly string[]
  readonly #onChange: (troubles: readonly string[]) => void
  #before: readonly string[] = []
  #lasting: readonly string[] = []
  readonly #timer: NodeJS.Timeout

  /** `find`: what is wrong at the moment, a sentence each. */
  constructor(find: () => readonly string[], onChange: (troubles: readonly string[]) => void) {
    this.#find = find
    this.#onChange = onChange
    this.#timer = setInterval(() => this.#look(), lookMs)
    this.#timer.unref()
  }

  get lasting(): readonly string[] {
    return this.#lasting
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const found = this.#find()
    const lasting = steadyTroubles({ lasting: this.#lasting, before: this.#before, found })
    this.#before = found
    if (isDeepStrictEqual(lasting, this.#lasting)) return
    this.#lasting = lasting
    this.#onChange(lasting)
  }
}

/** Of two looks: what both found lasts, until neither finds it. */
export function steadyTroubles(looks: {
  readonly lasting: readonly string[]
  readonly before: readonly string[]
  readonly found: readonly string[]
}): readonly string[] {
  const { lasting, before, found } = looks
  const lasts = (trouble: string): boolean =>
    lasting.includes(trouble) || (before.includes(trouble) && found.includes(trouble))
  return [...new Set([...before, ...found])].filter(lasts).sort()
}

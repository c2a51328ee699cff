/**
 * The services as they are known, with a number for each that grows when something of it changes: whoever has an answer with a number waits for a larger
 * one. It begins with the time, so that after a restart, and on another node, numbers are not those of an old answer.
 */
import { eventOf, type Service } from '../../services/index.ts'
import type { KnownServices } from './messages.ts'

export class IndexedServices {
  #known: KnownServices | undefined
  #last = Date.now()
  /** By service: what it was, as text, and since when. */
  readonly #entries = new Map<string, { readonly text: string; readonly index: number }>()
  /** When one came or went, or its tags changed. */
  #names = { text: '', index: this.#last }
  #gone = this.#last
  #addresses = ''

  get known(): KnownServices | undefined {
    return this.#known
  }

  /** True where something has changed. */
  take(known: KnownServices): boolean {
    const index = Math.max(this.#last + 1, Date.now())
    const addresses = JSON.stringify(known.nodes)
    const isFirst = this.#known === undefined
    this.#known = known
    let changed = isFirst || addresses !== this.#addresses
    this.#addresses = addresses
    const here = new Set<string>()
    for (const service of known.catalogue.services) {
      const { name } = service.definition
      here.add(name)
      const text = textOf(service) + addresses
      if (this.#entries.get(name)?.text === text) continue
      this.#entries.set(name, { text, index })
      changed = true
    }
    for (const name of this.#entries.keys()) {
      if (here.has(name)) continue
      this.#entries.delete(name)
      this.#gone = index
      changed = true
    }
    const names = JSON.stringify(known.catalogue.services.map(({ definition }) => [definition.name, definition.tags]))
    if (names !== this.#names.text) this.#names = { text: names, index }
    if (changed) this.#last = index
    return changed
  }

  /** Of a service that is not there: since when the last one is gone. */
  readonly indexOf = (service: string): number => this.#entries.get(service)?.index ?? this.#gone

  /** Of the list of services. */
  get namesIndex(): number {
    return this.#names.index
  }

  get last(): number {
    return this.#last
  }
}

const textOf = (service: Service): string => JSON.stringify([service.definition, eventOf(service)])

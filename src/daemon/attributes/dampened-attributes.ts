/** On the DC: writes the attributes whose dampening is over. When that is, src/attributes decides. */
import {
  type DampeningEffect,
  type DampeningInput,
  type DampeningState,
  dampeningStep,
  initialDampening,
  nextDampeningAt,
  releaseAll,
} from '../../attributes/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Comparison, Entry, Revision, Store } from '../../store/index.ts'
import { CoreLoop } from '../host/core-loop.ts'
import type { Log } from '../host/log.ts'
import { attributeWrite, knownAttributes } from '../records/attribute-writes.ts'
import { keys } from '../records/keys.ts'

export interface DampeningPorts {
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly entry: (key: string) => Entry | undefined
  /** This node's term while it is the DC and has quorum. */
  readonly term: () => number | undefined
  readonly log: Log
}

export class DampenedAttributes {
  readonly #ports: DampeningPorts
  readonly #loop: CoreLoop<DampeningState, DampeningInput, DampeningEffect>

  constructor(ports: DampeningPorts) {
    this.#ports = ports
    this.#loop = new CoreLoop<DampeningState, DampeningInput, DampeningEffect>({
      initial: initialDampening,
      step: dampeningStep,
      perform: ({ name }) => this.#write(name),
      nextAt: nextDampeningAt,
      tick: { kind: 'tick' },
    })
  }

  /** After every change of the store. */
  look(): void {
    const { term, view } = this.#ports
    const nothingWaits = view().withheld.size === 0 && this.#loop.state.waiting.size === 0
    if (nothingWaits) return
    this.#loop.feed(term() === undefined ? { kind: 'not-dc' } : { kind: 'known', known: knownAttributes(view()) })
  }

  close(): void {
    this.#loop.end()
  }

  #write(name: string): void {
    const { log, store, view, entry, term } = this.#ports
    const current = term()
    if (current === undefined) return
    const waiting = [...view().withheld].filter(([, attribute]) => attribute.name === name)
    const seen = waiting.map(([key]): Comparison => {
      const equals = entry(key)?.modRevision
      return equals === undefined ? { kind: 'present', key } : { kind: 'mod-revision', key, equals }
    })
    const isDc: Comparison = { kind: 'create-revision', key: keys.dc, equals: current as Revision }
    const writes = releaseAll(knownAttributes(view()), name).map(attributeWrite)
    store()
      .transaction({ compare: [isDc, ...seen], writes })
      .catch((error: unknown) => log.warn('an attribute could not be written yet', { name, error }))
  }
}

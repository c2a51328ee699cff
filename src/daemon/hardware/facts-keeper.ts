/**
 * Keeps the facts of a machine among the transient node attributes of its node, this one or a remote node (remote-hardware.ts): read once the node takes part, and again every `facts-interval`. What was
 * read is compared with what is recorded after every change of the store, so that facts which are lost with a membership come back with it.
 */
import type { NodeName } from '../../base/index.ts'
import { parseDurationMs, timerMs } from '../../base/index.ts'
import { clusterOptionValue } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { type Facts, factChanges, factsOf, knownFacts } from '../../hardware/index.ts'
import { LinkEndedError } from '../../remote/index.ts'
import type { AttributeChanges } from '../attributes/attribute-changes.ts'
import type { Log } from '../host/log.ts'
import { attributesOfNode } from './node-attributes.ts'
import type { Reading } from './read-hardware.ts'

export interface FactsPorts {
  /** The node of that machine. */
  readonly self: NodeName
  readonly log: Log
  readonly view: () => ClusterView
  readonly quorate: () => boolean
  readonly attributes: Pick<AttributeChanges, 'setAll'>
  readonly read: (timeoutMs: number) => Reading
}

/** A node that has just come has more important things to do. */
const firstMs = 2000
const leastMs = 10_000
const readingMs = 60_000
const apartMs = 5000

export class FactsKeeper {
  readonly #ports: FactsPorts
  #facts: Facts | undefined
  #reading: Reading | undefined
  #timer: NodeJS.Timeout | undefined
  #intervalMs: number | undefined
  #isWriting = false
  #pause: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: FactsPorts) {
    this.#ports = ports
  }

  /** After every change of what this node knows. */
  look(): void {
    const { view, quorate } = this.#ports
    const { configuration } = view()
    if (this.#closed || configuration === undefined || !quorate()) return
    const written = parseDurationMs(clusterOptionValue(configuration.typed, 'facts-interval')) ?? 0
    const intervalMs = written <= 0 ? 0 : Math.max(leastMs, written)
    if (intervalMs !== this.#intervalMs) {
      this.#intervalMs = intervalMs
      this.#facts = intervalMs === 0 ? new Map() : this.#facts
      if (intervalMs > 0) this.#readIn(firstMs)
      else clearTimeout(this.#timer)
    }
    this.#record()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#pause)
    this.#reading?.end()
  }

  #readIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#read(), timerMs(ms)).unref()
  }

  async #read(): Promise<void> {
    if (this.#closed || this.#reading !== undefined || !this.#intervalMs) return
    const { log, read, self } = this.#ports
    try {
      this.#reading = read(readingMs)
      const facts = factsOf(await this.#reading.result)
      if (this.#intervalMs) this.#facts = facts
    } catch (error) {
      // Whoever has the connection next reads them.
      if (!this.#closed && !(error instanceof LinkEndedError))
        log.warn('the facts of a machine could not be read', { machine: self, error })
    } finally {
      this.#reading = undefined
    }
    if (this.#closed || !this.#intervalMs) return
    this.#readIn(this.#intervalMs)
    this.look()
  }

  #record(): void {
    const { view, self, attributes, log } = this.#ports
    if (this.#facts === undefined || this.#isWriting || this.#pause !== undefined) return
    const changes = factChanges(knownFacts(attributesOfNode(view(), self)), this.#facts)
    if (changes.length === 0) return
    this.#isWriting = true
    attributes
      .setAll(
        changes.map(({ attribute, value }) => ({
          node: self,
          set: '',
          name: attribute,
          ...(value === undefined ? {} : { value }),
        })),
      )
      .then(() => log.info('the facts of a machine are recorded', { machine: self, changed: changes.length }))
      .catch((error: unknown) => log.debug('the facts of a machine could not be recorded', { machine: self, error }))
      .finally(() => {
        this.#isWriting = false
        if (this.#closed) return
        // Whoever deletes them again and again does not keep the cluster busy.
        this.#pause = setTimeout(() => {
          this.#pause = undefined
          this.look()
        }, apartMs).unref()
      })
  }
}

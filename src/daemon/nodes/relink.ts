/**
 * Brings this node's member of the store to the links that the list of nodes has for it. It must be started anew for that, which costs the
 * store a second where it leads or where every member is needed: so nodes take turns, by a key under the lease of whoever has its turn.
 */
import type { LeaseId, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { toBytes } from '../records/json-value.ts'
import { relinkTurnKey } from '../records/keys.ts'

export interface RelinkPorts {
  readonly self: string
  readonly log: Log
  readonly store: () => Store
  /** Under which this node may act now; undefined without quorum. */
  readonly lease: () => string | undefined
  readonly mustRelink: () => boolean
  readonly relink: () => Promise<void>
  /** A link may get its address later than this daemon began. */
  readonly mayChange: () => boolean
}

const turnMs = 500
const lookMs = 5000

export class Relink {
  readonly #ports: RelinkPorts
  #timer: NodeJS.Timeout | undefined
  #working = false
  #hasTurn = false
  #closed = false

  constructor(ports: RelinkPorts) {
    this.#ports = ports
  }

  /** After the list of nodes has changed, and when this node gets quorum. */
  look(): void {
    clearTimeout(this.#timer)
    if (this.#working || this.#closed) return
    if (!this.#hasTurn && !this.#ports.mustRelink()) {
      if (this.#ports.mayChange()) this.#lookIn(lookMs)
      return
    }
    this.#working = true
    this.#work()
      .catch((error: unknown) => this.#ports.log.warn('this node’s member does not have its links yet', { error }))
      .finally(() => {
        this.#working = false
        this.#lookIn(turnMs)
      })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => this.look(), ms)
    this.#timer.unref()
  }

  async #work(): Promise<void> {
    const { log, relink, mustRelink, store } = this.#ports
    if (!(await this.#takeTurn())) return
    if (mustRelink()) {
      log.info('the member of the store is brought to the links of this node', {})
      await relink()
    }
    await store().transaction({ compare: [], writes: [{ kind: 'delete', key: relinkTurnKey }] })
    this.#hasTurn = false
  }

  async #takeTurn(): Promise<boolean> {
    if (this.#hasTurn) return true
    const { self, lease, store } = this.#ports
    const own = lease()
    if (own === undefined) return false
    const { applied } = await store().transaction({
      compare: [{ kind: 'absent', key: relinkTurnKey }],
      writes: [{ kind: 'put', key: relinkTurnKey, value: toBytes({ node: self }), lease: own as LeaseId }],
    })
    this.#hasTurn = applied
    return applied
  }
}

/**
 * Brings this node's member of the store to the links that the list of nodes has for it. It must be started anew for that, which costs the
 * store a second where it leads or where every member is needed: so nodes take turns, by a key under the lease of whoever has its turn.
 */
import type { LeaseId, Revision, Store } from '../../store/index.ts'
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
  /** What it is given is asked before the member stops: whether this node still has its turn. */
  readonly relink: (hasTurn: () => Promise<boolean>) => Promise<void>
  /** A link may get its address later than this daemon began. */
  readonly mayChange: () => boolean
}

const turnMs = 500
const lookMs = 5000

export class Relink {
  readonly #ports: RelinkPorts
  #timer: NodeJS.Timeout | undefined
  #working = false
  /** Also after an attempt that had no answer, and until the turn is given back. */
  #mayHaveTurn = false
  #closed = false

  constructor(ports: RelinkPorts) {
    this.#ports = ports
  }

  /** After the list of nodes has changed, and when this node gets quorum. */
  look(): void {
    clearTimeout(this.#timer)
    if (this.#working || this.#closed) return
    if (!this.#mayHaveTurn && !this.#ports.mustRelink()) {
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

  /** A turn that ends with an error is kept: the member does not answer yet, and no other may stop as well. */
  async #work(): Promise<void> {
    const { relink, mustRelink, store } = this.#ports
    if (mustRelink() && !(await this.#askForTurn())) return
    const turn = await this.#turn()
    if (turn === undefined) return
    if (mustRelink()) await relink(async () => (await this.#turn()) === turn)
    await store().transaction({
      compare: [{ kind: 'mod-revision', key: relinkTurnKey, equals: turn }],
      writes: [{ kind: 'delete', key: relinkTurnKey }],
    })
    this.#mayHaveTurn = false
  }

  /** False without quorum. The turn may be another node's all the same. */
  async #askForTurn(): Promise<boolean> {
    const { self, lease, store } = this.#ports
    const own = lease()
    if (own === undefined) return false
    this.#mayHaveTurn = true
    await store().transaction({
      compare: [{ kind: 'absent', key: relinkTurnKey }],
      writes: [{ kind: 'put', key: relinkTurnKey, value: toBytes({ node: self }), lease: own as LeaseId }],
    })
    return true
  }

  /** The revision of this node's turn, as the store has it: an earlier lease is over with all that hung on it. */
  async #turn(): Promise<Revision | undefined> {
    const { lease, store } = this.#ports
    const entry = await store().get(relinkTurnKey)
    const own = lease()
    if (own !== undefined && entry?.lease === own) return entry.modRevision
    if (own !== undefined) this.#mayHaveTurn = false
    return undefined
  }
}

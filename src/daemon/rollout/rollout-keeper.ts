/**
 * On the DC: goes on with rollouts. Each step is one transaction, compared with the DC's term and with what the step was made from; the next step is made
 * when this node has seen it, so that no two rollouts take a node each where one may go.
 */
import type { ClusterView } from '../../controller/index.ts'
import { hasEnded, rolloutStep } from '../../rollout/index.ts'
import { isStoreFailure, type Revision, type Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { keys } from '../records/keys.ts'
import { rolloutInput } from './rollout-input.ts'
import { type Below, type StoredRollout, storedRollouts, writesOfStep } from './rollout-records.ts'

export interface RolloutKeeperPorts {
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly below: Below
  readonly file: () => ClusterFile
  readonly witnessUp: () => boolean
  /** This node's term while it is the DC and has quorum. */
  readonly term: () => number | undefined
  /** The scheduler has nothing left to do for what the view shows. */
  readonly settled: () => boolean
}

/** Time limits, windows and retries: what no change of the store announces. */
const lookAgainMs = 1000

export class RolloutKeeper {
  readonly #ports: RolloutKeeperPorts
  #timer: NodeJS.Timeout | undefined
  #writing = false
  /** The view must have come as far as this. */
  #written = 0 as Revision
  #closed = false

  constructor(ports: RolloutKeeperPorts) {
    this.#ports = ports
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    clearTimeout(this.#timer)
    const { term, below, view } = this.#ports
    const current = this.#closed ? undefined : term()
    if (current === undefined || this.#writing) return
    const active = storedRollouts(below).filter(({ record }) => !hasEnded(record))
    if (active.length === 0) return
    this.#lookLater()
    if (view().revision < this.#written) return
    for (const one of active) if (this.#step(one, active, current)) return
  }

  #lookLater(): void {
    clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = setTimeout(() => this.look(), lookAgainMs)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** True: it is being written, and nothing else is until then. */
  #step({ entry, record }: StoredRollout, active: readonly StoredRollout[], term: number): boolean {
    const { view, file, below, witnessUp, settled } = this.#ports
    const now = Date.now()
    const sights = { view: view(), file: file(), below, witnessUp: witnessUp(), settled: settled(), now }
    const input = rolloutInput(sights, record, active)
    if (input === undefined) return false
    const { state, effects } = rolloutStep(record, input, now)
    if (state === record && effects.length === 0) return false
    const written = writesOfStep({ before: entry, record: state, effects, below, now: new Date(now).toISOString() })
    if (state === record && written.writes.length === 1) return false
    this.#write(written, term)
    return true
  }

  #write({ compare, writes }: ReturnType<typeof writesOfStep>, term: number): void {
    const { store, log } = this.#ports
    this.#writing = true
    let isWritten = false
    store()
      .transaction({
        compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, ...compare],
        writes,
      })
      .then(({ applied, revision }) => {
        isWritten = applied
        if (applied) this.#written = revision
      })
      .catch((error: unknown) => {
        if (!isStoreFailure(error)) throw error
        log.warn('a step of a rollout could not be written yet', { error })
      })
      .finally(() => {
        this.#writing = false
        if (isWritten) this.look()
        // The view is behind, or another node leads by now: a change of the store shows it, and until then the store is asked seldom.
        else this.#lookLater()
      })
  }
}

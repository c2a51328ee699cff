/**
 * What this node knows of the cluster: its copy of the store, folded into the view that the cores decide from, and the planner,
 * which computes from the same. Kept by a watch once it could be listed.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Change, type ClusterView, emptyView, observe } from '../../controller/index.ts'
import { type Entry, isStoreFailure, type Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Planned, Question, ServiceAnswer, ServiceQuestion } from '../planner/messages.ts'
import { Planner } from '../planner/planner.ts'
import { allKeys } from '../records/keys.ts'
import { openStoreView, type StoreChange, type StoreView } from '../records/store-view.ts'
import { observationOf } from './observations.ts'

export interface KnownStatePorts {
  readonly log: Log
  readonly store: () => Store
  /** Called with everything at first, then with what has changed. */
  readonly onChanges: (changes: readonly StoreChange[], observed: readonly Change[]) => void
  /** Whether the copy of this node's own member will do where there is no majority: it may be old. */
  readonly ownCopyWillDo: () => boolean
  /** What must be in the store before anybody relies on it. */
  readonly prepare: () => Promise<void>
}

const retryMs = 100

export class KnownState {
  readonly #ports: KnownStatePorts
  readonly #planner: Planner
  #view: ClusterView = emptyView
  #storeView: StoreView | undefined
  #trouble: string | undefined
  #closed = false

  constructor(ports: KnownStatePorts) {
    this.#ports = ports
    this.#planner = new Planner(() => this.below(allKeys), {
      onKept: (kept) => {
        if ('error' in kept) ports.log.warn('what a transition was computed from could not be kept', kept)
        else ports.log.debug('what a transition was computed from is kept', kept)
      },
    })
  }

  get view(): ClusterView {
    return this.#view
  }

  /** Why it could not be listed yet. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Resolves with true once it is there, with false where the node has ended before. */
  async open(): Promise<boolean> {
    const { store, log, ownCopyWillDo, prepare } = this.#ports
    while (!this.#closed) {
      try {
        const serializable = ownCopyWillDo()
        this.#storeView ??= await openStoreView(store(), log, this.#take, { serializable })
        await prepare()
        this.#trouble = undefined
        return !this.#closed
      } catch (error) {
        if (!isStoreFailure(error)) throw error
        this.#trouble = error.message
        await delay(retryMs)
      }
    }
    return false
  }

  get = (key: string): Entry | undefined => this.#storeView?.get(key)

  below = (prefix: string): readonly Entry[] => this.#storeView?.below(prefix) ?? []

  async plan(asked: Omit<Question, 'now'>): Promise<Planned> {
    return await this.#planner.schedule({ now: Math.floor(Date.now() / 1000), ...asked }, this.#view.revision)
  }

  async services(asked: Omit<ServiceQuestion, 'now'>): Promise<ServiceAnswer> {
    return await this.#planner.services({ now: Math.floor(Date.now() / 1000), ...asked }, this.#view.revision)
  }

  warmUp(): void {
    this.#planner.warmUp(this.#view.revision)
  }

  close(): void {
    this.#closed = true
    this.#storeView?.close()
    this.#planner.close()
  }

  readonly #take = (changes: readonly StoreChange[], revision: number): void => {
    const observed = observe(this.#view, changes.map(observationOf), revision)
    this.#view = observed.view
    this.#ports.log.debug('the store changed', { revision, first: changes[0]?.key, changes: changes.length })
    this.#planner.observe(changes, revision)
    this.#ports.onChanges(changes, observed.changes)
  }
}

/**
 * What this node knows of the cluster: its copy of the store, folded into the view that the cores decide from, and the planner,
 * which computes from the same. When it is listed and followed the node's core decides.
 */
import { type Change, type ClusterView, emptyView, observe } from '../../controller/index.ts'
import type { StoreCopyEffect, StoreCopyInput } from '../../node/index.ts'
import { type Entry, isStoreFailure, type Revision, type Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Planned, Question, ServiceAnswer, ServiceQuestion } from '../planner/messages.ts'
import { Planner } from '../planner/planner.ts'
import { allKeys } from '../records/keys.ts'
import { OwnWrites } from '../records/own-writes.ts'
import { type StoreChange, StoreCopy } from '../records/store-view.ts'
import { observationOf } from './observations.ts'

export interface KnownStatePorts {
  readonly log: Log
  readonly store: () => Store
  /** Called with everything at first, then with what has changed. */
  readonly onChanges: (changes: readonly StoreChange[], observed: readonly Change[]) => void
  readonly feed: (input: StoreCopyInput) => void
  /** A bug. */
  readonly fail: (error: unknown) => void
}

export class KnownState {
  readonly #ports: KnownStatePorts
  readonly #planner: Planner
  readonly #copy: StoreCopy
  readonly writes: OwnWrites
  #view: ClusterView = emptyView
  #listed = false
  #closed = false

  constructor(ports: KnownStatePorts) {
    this.#ports = ports
    this.#copy = new StoreCopy(ports.store, (changes, revision) => this.#take(changes, revision))
    this.writes = new OwnWrites({ copy: this.#copy, log: ports.log })
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

  perform(effect: StoreCopyEffect): void {
    if (effect.kind === 'list') void this.#list(effect.mayBeOld)
    else this.#copy.follow(effect.after as Revision, () => this.#ports.feed({ kind: 'lost' }))
  }

  async #list(mayBeOld: boolean): Promise<void> {
    const { feed, fail } = this.#ports
    try {
      const revision = await this.#copy.list({ serializable: mayBeOld })
      this.#listed = true
      if (!this.#closed) feed({ kind: 'listed', revision })
    } catch (error) {
      if (this.#closed) return
      if (this.#listed || isStoreFailure(error)) feed({ kind: 'not-listed', why: messageOf(error) })
      else fail(error)
    }
  }

  get = (key: string): Entry | undefined => this.#copy.get(key)

  below = (prefix: string): readonly Entry[] => this.#copy.below(prefix)

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
    this.#copy.close()
    this.#planner.close()
  }

  #take(changes: readonly StoreChange[], revision: number): void {
    const observed = observe(this.#view, changes.map(observationOf), revision)
    this.#view = observed.view
    this.#ports.log.debug('the store changed', { revision, first: changes[0]?.key, changes: changes.length })
    this.#planner.observe(changes, revision)
    this.#ports.onChanges(changes, observed.changes)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

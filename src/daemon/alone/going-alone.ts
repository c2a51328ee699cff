/**
 * This node makes the store its own, without nodes that are off: the word is written down first, so that a daemon that dies in between
 * goes on with it; then etcd begins as a cluster of one; then the store is told who is off and votes no more.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import { type ClusterView, knownIncarnation } from '../../controller/index.ts'
import type { FencingRecord } from '../../fencing/index.ts'
import type { PeerWord } from '../../quorum/index.ts'
import type { Store } from '../../store/index.ts'
import { recordWrites } from '../fencing/fencing-records.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../nodes/cluster-file.ts'
import { type AloneEntries, AloneJournal } from './alone-journal.ts'
import { becomeOnlyVoter, type OnlyVoter } from './only-voter.ts'
import { noteMet } from './wait-for-all.ts'

export interface GoingAlonePorts {
  readonly paths: Paths
  readonly log: Log
  readonly file: () => ClusterFile
  readonly store: () => Store
  readonly view: () => ClusterView
  /** The store becomes this node's own. */
  readonly goAlone: () => Promise<void>
  readonly onNodeList: (file: ClusterFile) => void
}

const retryMs = 1000

export class GoingAlone {
  readonly #ports: GoingAlonePorts
  readonly #journal: AloneJournal
  #underWay = false
  #telling = false

  constructor(ports: GoingAlonePorts) {
    this.#ports = ports
    this.#journal = new AloneJournal(ports.paths)
  }

  get underWay(): boolean {
    return this.#underWay
  }

  /** A word that nothing has come of yet. */
  get granted(): AloneEntries['granted'] {
    return this.#journal.entries.granted
  }

  record(record: FencingRecord): void {
    this.#journal.record(record)
  }

  async without(lost: readonly NodeName[], word: PeerWord): Promise<void> {
    const { log, paths, view, goAlone } = this.#ports
    log.warn('this node goes on alone', { without: lost, because: word })
    this.#underWay = true
    try {
      this.#journal.grant(lost, word)
      // Known before: another life of it may begin as soon as the store is back.
      const known = new Map(lost.map((node) => [node, knownIncarnation(view(), node)]))
      await goAlone()
      await this.declareOff(known, word)
      noteMet(paths)
    } finally {
      this.#underWay = false
    }
  }

  /** What a daemon that died has begun is ended. */
  async finish({ lost, word }: NonNullable<AloneEntries['granted']>, over: () => boolean): Promise<void> {
    while (!over())
      try {
        return await this.without(lost, word)
      } catch (error) {
        this.#ports.log.error('this node could not go on alone yet', { error })
        await delay(retryMs)
      }
  }

  /** Into the store, which is this node's own. */
  async declareOff(lost: OnlyVoter['lost'], word: PeerWord): Promise<void> {
    const { store, file, onNodeList } = this.#ports
    const { records } = this.#journal.entries
    onNodeList(await becomeOnlyVoter({ store: store(), file: file(), lost, word, records }))
    this.#journal.clear()
  }

  /** What was fenced without a majority belongs into the history, once the store takes it; `isBack`: so is whoever was to be left. */
  tell(isBack: boolean): void {
    if (this.#underWay || this.#telling) return
    const { records, granted } = this.#journal.entries
    if (records.length === 0 && granted === undefined) return
    // A word that nothing came of, because the other was back before: it does not count for the next time.
    if (granted && !isBack) return
    this.#telling = true
    this.#ports
      .store()
      .transaction({ compare: [], writes: recordWrites(records) })
      .then(() => this.#journal.clear())
      .catch((error: unknown) => this.#ports.log.warn('fencing could not be recorded yet', { error }))
      .finally(() => {
        this.#telling = false
      })
  }
}

/**
 * This node makes the store its own, without nodes that are off: the word is written down right before etcd begins as a cluster of one, so
 * that a daemon that dies after that ends it; then the store is told who is off and votes no more.
 */
import type { NodeName } from '../../base/index.ts'
import { type ClusterView, knownIncarnation } from '../../controller/index.ts'
import type { FencingRecord } from '../../fencing/index.ts'
import type { WhyPeerIsOff } from '../../quorum/index.ts'
import type { Store } from '../../store/index.ts'
import { recordWrites } from '../fencing/fencing-records.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { type AloneEntries, AloneJournal } from './alone-journal.ts'
import { becomeOnlyVoter, type OnlyVoter } from './only-voter.ts'
import { noteMet } from './wait-for-all.ts'

export interface GoingAlonePorts {
  readonly paths: Paths
  readonly log: Log
  readonly file: () => ClusterFile
  readonly store: () => Store
  readonly view: () => ClusterView
  /** The store becomes this node's own. What fails before `onPointOfNoReturn` has changed nothing. */
  readonly goAlone: (onPointOfNoReturn: () => void) => Promise<void>
  readonly onNodeList: (file: ClusterFile) => void
}

export class GoingAlone {
  readonly #ports: GoingAlonePorts
  readonly #journal: AloneJournal
  #underWay = false
  #telling = false
  /** The lives of the lost nodes that were known before the store became this node's own. */
  #lives: OnlyVoter['lost'] = new Map()

  constructor(ports: GoingAlonePorts) {
    this.#ports = ports
    this.#journal = new AloneJournal(ports.paths)
  }

  get underWay(): boolean {
    return this.#underWay
  }

  /** A word that was begun with and is not ended. */
  get granted(): AloneEntries['granted'] {
    return this.#journal.entries.granted
  }

  record(record: FencingRecord): void {
    this.#journal.record(record)
  }

  /** What it has fenced without a majority, and the store does not know yet. */
  get records(): AloneEntries['records'] {
    return this.#journal.entries.records
  }

  async without(lost: readonly NodeName[], word: WhyPeerIsOff): Promise<void> {
    const { log, paths, view, goAlone } = this.#ports
    log.warn('this node goes on alone', { without: lost, because: word })
    this.#underWay = true
    try {
      // Known before: another life of it may begin as soon as the store is back.
      const lives = new Map(lost.map((node) => [node, knownIncarnation(view(), node)]))
      await goAlone(() => {
        this.#journal.grant(lost, word)
        this.#lives = lives
      })
      await this.declareOff(lives, word)
      noteMet(paths)
    } finally {
      this.#underWay = false
    }
  }

  /** The store is this node's own already, and does not know yet who is off. `over`: which life of each, as the store has it. */
  async finish(over: OnlyVoter['lost']): Promise<void> {
    const { granted } = this
    if (!granted) return
    const { lost, word } = granted
    this.#ports.log.warn('this node ends what it began when it went on alone', { without: lost, because: word })
    await this.declareOff(new Map(lost.map((node) => [node, this.#lives.get(node) ?? over.get(node)])), word)
    noteMet(this.#ports.paths)
  }

  /** Nothing came of the word, and it does not count for the next time. */
  forgetConfirmation(): void {
    if (!this.granted) return
    this.#ports.log.warn('an earlier confirmation to continue alone no longer counts', { without: this.granted.lost })
    this.#journal.forgetConfirmation()
  }

  /** Into the store, which is this node's own. */
  async declareOff(lost: OnlyVoter['lost'], word: WhyPeerIsOff): Promise<void> {
    const { store, file, onNodeList } = this.#ports
    const { records } = this.#journal.entries
    onNodeList(await becomeOnlyVoter({ store: store(), file: file(), lost, word, records }))
    this.#journal.clear()
  }

  /** What was fenced without a majority belongs into the history, once the store takes it. */
  tell(): void {
    if (this.#underWay || this.#telling) return
    const { records, granted } = this.#journal.entries
    // With a word, the records go with what comes of it.
    if (records.length === 0 || granted) return
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

/** Writes down what happens in the cluster, as this node sees it in the store. Which events there are decides `happenings` (src/journal). */
import type { Change, ClusterView, WalkReport } from '../../controller/index.ts'
import {
  type Happening,
  happenings,
  isTrouble,
  type JournalState,
  type NotedCall,
  noCalls,
  noteCall,
  nothingSeen,
} from '../../journal/index.ts'
import { fencingRecordOf } from '../cluster-state/cluster-state.ts'
import type { Log } from '../host/log.ts'
import { fencingHistoryPrefix } from '../records/keys.ts'
import type { StoreChange } from '../records/store-view.ts'
import { JournalFile } from './journal-file.ts'

export interface JournalPorts {
  readonly self: string
  readonly log: Log
  readonly path: string
  readonly view: () => ClusterView
}

export class JournalKeeper {
  readonly #ports: JournalPorts
  readonly #file: JournalFile
  #state: JournalState = nothingSeen
  #quorate: boolean | undefined
  #calls = noCalls
  #hasFailed = false
  /** By `performance.now`, when something went wrong last that has been written down here. */
  troubleAt: number | undefined

  constructor(ports: JournalPorts) {
    this.#ports = ports
    this.#file = new JournalFile(ports.path)
  }

  take(stored: readonly StoreChange[], changes: readonly Change[]): void {
    const fencing = stored.flatMap(({ key, entry }) =>
      entry !== undefined && key.startsWith(fencingHistoryPrefix) ? fencingRecordOf(entry) : [],
    )
    const { state, events } = happenings(this.#state, { view: this.#ports.view(), changes, fencing })
    this.#state = state
    this.#write(events)
  }

  /** After every change of this node's place in the cluster. */
  look(quorate: boolean): void {
    const was = this.#quorate
    this.#quorate = quorate
    if (was !== undefined && was !== quorate) this.#write([{ kind: 'quorum', node: this.#ports.self, quorate }])
  }

  /** Of the DC alone: where the time of a transition went. */
  walked(report: WalkReport): void {
    this.#write([{ kind: 'transition', ...report }])
  }

  /** Somebody changes something through the HTTPS API of this node. */
  noteCall(call: Omit<NotedCall, 'kind'>): void {
    const what = { kind: 'call', ...call } as const
    const { noted, isWritten } = noteCall(this.#calls, what, Date.now())
    this.#calls = noted
    if (isWritten) this.#write([what])
  }

  #write(events: readonly Happening[]): void {
    if (events.length === 0) return
    if (events.some(isTrouble)) this.troubleAt = performance.now()
    const { self, view, log } = this.#ports
    const common = { revision: view().revision, at: Date.now(), by: self }
    try {
      this.#file.append(events.map((what) => ({ ...common, what })))
      this.#hasFailed = false
    } catch (error) {
      // Nothing waits for the journal.
      if (!this.#hasFailed) log.warn('the journal cannot be written', { error })
      this.#hasFailed = true
    }
  }
}

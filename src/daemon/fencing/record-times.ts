/** When each fencing action began and had its result, by the time of day: the core knows none. */
import type { FencingRecord } from '../../fencing/index.ts'
import type { RecordedFencing } from '../../node/index.ts'

type Progress = Omit<FencingRecord, 'begun' | 'ended'>

export class RecordTimes {
  readonly #begun = new Map<string, string>()
  /** Of those that have had a result. */
  readonly #ended = new Map<string, string>()
  readonly #now: () => string

  constructor(now: () => string = () => new Date().toISOString()) {
    this.#now = now
  }

  /** As they stand in the history. */
  know(records: readonly RecordedFencing[]): void {
    for (const { id, begun, ended } of records) {
      if (!this.#begun.has(id)) this.#begun.set(id, begun)
      if (ended !== undefined && !this.#ended.has(id)) this.#ended.set(id, ended)
    }
  }

  recordOf(progress: Progress): FencingRecord {
    const { id, outcome } = progress
    const begun = this.#begun.get(id) ?? this.#now()
    this.#begun.set(id, begun)
    if (outcome === 'pending') return { ...progress, begun }
    // Whatever is told of it afterwards.
    const ended = this.#ended.get(id) ?? this.#now()
    this.#ended.set(id, ended)
    return { ...progress, begun, ended }
  }
}

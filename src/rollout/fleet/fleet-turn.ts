/** One step of a rollout over clusters: the record as it is by now. */
import { assert } from '../../base/index.ts'
import { type FleetPart, type FleetRolloutRecord, linesKept } from './fleet-record.ts'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type Droppable = 'id' | 'seen' | 'wanted' | 'away' | 'why'

export class FleetTurn {
  readonly now: number
  #record: FleetRolloutRecord

  constructor(record: FleetRolloutRecord, now: number) {
    this.#record = record
    this.now = now
  }

  get record(): FleetRolloutRecord {
    return this.#record
  }

  set(change: Partial<FleetRolloutRecord>): void {
    this.#record = { ...this.#record, ...change }
  }

  replace(record: FleetRolloutRecord): void {
    this.#record = record
  }

  part(cluster: string): FleetPart {
    const found = this.#record.parts.find((one) => one.cluster === cluster)
    assert(found !== undefined, 'a step is about a cluster of the rollout')
    return found
  }

  setPart(cluster: string, change: Partial<FleetPart>, drop: readonly Droppable[] = []): void {
    const changed = (one: FleetPart): FleetPart => {
      const next: Mutable<FleetPart> = { ...one, ...change }
      for (const field of drop) delete next[field]
      return next
    }
    this.set({ parts: this.#record.parts.map((one) => (one.cluster === cluster ? changed(one) : one)) })
  }

  tell(text: string, cluster?: string): void {
    const line = { at: new Date(this.now).toISOString(), text, ...(cluster !== undefined && { cluster }) }
    this.set({ journal: [...this.#record.journal, line].slice(-linesKept), lines: this.#record.lines + 1 })
  }

  halt(why: string): void {
    const { state } = this.#record
    if (state !== 'running' && state !== 'paused' && state !== 'unconfirmed' && state !== 'aborting') return
    this.set({ state: 'halted', why })
    this.tell(`halted: ${why}`)
  }

  end(state: 'complete' | 'aborted', text: string, why?: string): void {
    const { why: _, confirmBy: _until, ...rest } = this.#record
    this.#record = { ...rest, state, ended: this.now, ...(why !== undefined && { why }) }
    this.tell(`${state}: ${text}`)
  }
}

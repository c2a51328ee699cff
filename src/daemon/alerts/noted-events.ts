/**
 * What the store notes of nodes and fencing, and which calls for it are still to be made: the DC makes them, and a note goes when all have been begun.
 * A call whose program asks for another attempt is noted again, so that the next DC makes it where this one cannot.
 */
import { type OutboxEvent, parseOutboxEvent, type QueuedCall } from '../../alerts/index.ts'
import type { Store, Write } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { writeAsDc } from '../records/guarded-writes.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { alertEventsPrefix } from '../records/keys.ts'
import type { StoreView } from '../records/store-view.ts'

export interface NotePorts {
  readonly log: Log
  readonly store: () => Store
  readonly below: StoreView['below']
  /** Undefined: this node is not the DC. */
  readonly term: () => number | undefined
  /** The calls for an event, except for the lanes that were served. */
  readonly callsFor: (event: OutboxEvent, served: ReadonlySet<string>) => readonly QueuedCall[]
  readonly send: (calls: readonly QueuedCall[]) => void
}

interface Noted {
  readonly key: string
  /** As the store has it. */
  readonly event: object
  /** The lanes of the calls that are to be made. */
  readonly waiting: Map<number, string>
  /** The lanes that were served, here or by an earlier DC. */
  readonly served: Set<string>
  /** What is written of it follows what was written before. */
  written: Promise<unknown>
  isOver: boolean
  /** Was deleted and is written again, and the store has not shown it yet. */
  comesBack: boolean
}

export class NotedEvents {
  readonly #ports: NotePorts
  /** By key: what the store notes and this DC has taken up. */
  readonly #noted = new Map<string, Noted>()
  /** Of the calls that have been begun and have not ended. */
  readonly #begun = new Map<number, Noted>()

  constructor(ports: NotePorts) {
    this.#ports = ports
  }

  takeUp(): void {
    const notes = this.#ports.below(alertEventsPrefix)
    const keys = new Set(notes.map(({ key }) => key))
    for (const [key, noted] of this.#noted) {
      if (keys.has(key)) noted.comesBack = false
      else if (!noted.comesBack) this.#noted.delete(key)
    }
    for (const { key, value } of [...notes].sort((a, b) => (a.key < b.key ? -1 : 1))) {
      if (this.#noted.has(key)) continue
      const read = fromBytes(value)
      const event = parseOutboxEvent(read)
      const served = new Set(servedLanes(read))
      const calls = event === undefined ? [] : this.#ports.callsFor(event, served)
      const waiting = new Map(calls.map(({ id, lane }) => [id, lane]))
      const state = { written: Promise.resolve(), isOver: false, comesBack: false }
      const noted: Noted = { key, event: event ?? {}, waiting, served, ...state }
      this.#noted.set(key, noted)
      if (calls.length === 0) this.#write(noted)
      else this.#ports.send(calls)
    }
  }

  /** The next DC sends what has not begun here: those calls. */
  leave(): ReadonlySet<number> {
    const ids = new Set([...this.#noted.values()].flatMap(({ waiting }) => [...waiting.keys()]))
    this.#noted.clear()
    return ids
  }

  /** This process may have been paused since it took up the note: then it is the next DC's to send, and is forgotten here. */
  isAnothers(id: number): boolean {
    if (this.#ports.term() !== undefined) return false
    const noted = this.#waitingFor(id)
    if (noted === undefined) return false
    this.#noted.delete(noted.key)
    return true
  }

  /** The store need not know of this call any more. */
  served(id: number): void {
    const noted = this.#waitingFor(id)
    const lane = noted?.waiting.get(id)
    if (noted === undefined || lane === undefined) return
    noted.waiting.delete(id)
    noted.served.add(lane)
    this.#begun.set(id, noted)
    this.#write(noted)
  }

  /** The program asks for another attempt: the store is to know of it again. */
  again(id: number, lane: string): void {
    const noted = this.#begun.get(id)
    if (noted === undefined || this.#ports.term() === undefined) return
    noted.served.delete(lane)
    noted.waiting.set(id, lane)
    if (noted.isOver) noted.comesBack = true
    noted.isOver = false
    this.#noted.set(noted.key, noted)
    this.#write(noted)
  }

  ended(id: number): void {
    this.#begun.delete(id)
  }

  #waitingFor(id: number): Noted | undefined {
    return [...this.#noted.values()].find(({ waiting }) => waiting.has(id))
  }

  /** With the last call the note has done its work; before that it says which lanes the next DC need not serve again. */
  #write(noted: Noted): void {
    const { store, term, log } = this.#ports
    const own = term()
    const { key, event, waiting, served } = noted
    if (own === undefined || noted.isOver) return
    noted.isOver = waiting.size === 0
    const write: Write = noted.isOver
      ? { kind: 'delete', key }
      : { kind: 'put', key, value: toBytes({ ...event, served: [...served] }) }
    noted.written = noted.written
      .then(async () => await writeAsDc(store(), own, { writes: [write], stillWanted: () => term() === own }))
      .catch((error: unknown) => log.warn('an alert that was sent may be sent again', { key, error }))
  }
}

function servedLanes(note: unknown): readonly string[] {
  const served = typeof note === 'object' && note !== null && 'served' in note ? note.served : undefined
  return Array.isArray(served) ? served.filter((lane) => typeof lane === 'string') : []
}

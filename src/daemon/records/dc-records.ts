/**
 * Records of one kind that the DC goes on with: each is parsed once for each of its revisions, and written by comparison, one change at a time, in the
 * term of this DC. What the view does not show yet is not written again.
 */
import { type Entry, isStoreFailure, type Revision, type Store, type Transaction } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { fromBytes } from './json-value.ts'
import { keys } from './keys.ts'

export interface DcRecordsPorts<Value> {
  readonly log: Log
  readonly store: () => Store
  readonly below: (prefix: string) => readonly Entry[]
  readonly prefix: string
  /** Undefined: none that this version understands. */
  readonly parse: (value: unknown) => Value | undefined
  /** The line of the log where the store does not answer. */
  readonly notYet: string
  /** A change came while an earlier one was under way: everything is to be looked at again. */
  readonly onMissed: () => void
  /** Somebody else was first, or the store did not answer: in a moment it may work. */
  readonly onFailed: () => void
}

export interface Stored<Value> {
  readonly entry: Entry
  readonly value: Value
}

export class DcRecords<Value> {
  readonly #ports: DcRecordsPorts<Value>
  readonly #read = new Map<string, { readonly revision: Revision; readonly value: Value | undefined }>()
  /** Until its outcome is known: undefined; then the revision that it has made, which the view may not show yet. */
  readonly #written = new Map<string, Revision | undefined>()
  #missed = false
  /** What the list was made from. */
  #entries: readonly Entry[] | undefined
  #list: readonly Stored<Value>[] = []

  constructor(ports: DcRecordsPorts<Value>) {
    this.#ports = ports
  }

  list(): readonly Stored<Value>[] {
    const { below, prefix, parse } = this.#ports
    const entries = below(prefix)
    if (entries === this.#entries) return this.#list
    this.#entries = entries
    const present = new Set(entries.map(({ key }) => key))
    for (const key of this.#read.keys())
      if (!present.has(key)) {
        this.#read.delete(key)
        this.#written.delete(key)
      }
    this.#list = entries.flatMap((entry) => {
      const known = this.#read.get(entry.key)
      const value = known?.revision === entry.modRevision ? known.value : parse(fromBytes(entry.value))
      this.#read.set(entry.key, { revision: entry.modRevision, value })
      return value === undefined ? [] : [{ entry, value }]
    })
    return this.#list
  }

  write(
    term: number,
    { key, modRevision }: Entry,
    change: Pick<Transaction, 'compare' | 'writes'> & { readonly onWritten?: () => void },
  ): void {
    const { store, log, notYet, onMissed } = this.#ports
    const written = this.#written.get(key)
    if (this.#written.has(key) && (written === undefined || modRevision < written)) {
      // What came meanwhile is not lost.
      this.#missed = true
      return
    }
    this.#written.set(key, undefined)
    store()
      .transaction({
        compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, ...change.compare],
        writes: change.writes,
      })
      .then(({ applied, revision }) => {
        if (!applied) return this.#again(key)
        this.#written.set(key, revision)
        change.onWritten?.()
      })
      .catch((error: unknown) => {
        if (!isStoreFailure(error)) throw error
        log.warn(notYet, { key, error })
        this.#again(key)
      })
      .finally(() => {
        if (!this.#missed) return
        this.#missed = false
        onMissed()
      })
  }

  #again(key: string): void {
    this.#written.delete(key)
    this.#ports.onFailed()
  }
}

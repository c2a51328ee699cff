/**
 * This node's copy of everything below /systole/: listed once, then kept by a watch. Whoever reads the cluster's state
 * reads it here; the history of configurations is left out, since it is large and rarely asked for.
 *
 * The copy follows the store within milliseconds while the node is connected. A decision that must not be based on an
 * old copy is guarded by a comparison in its transaction instead.
 */
import { changesToListed } from '../../node/index.ts'
import type { Entry, Revision, Store, StoreEvent, Watch } from '../../store/index.ts'
import { allKeys, configHistoryPrefix, unconfirmedDocumentsPrefix } from './keys.ts'

export interface StoreChange {
  readonly key: string
  /** undefined: deleted. */
  readonly entry: Entry | undefined
}

export interface StoreView {
  readonly get: (key: string) => Entry | undefined
  /** Sorted by key. The same list as before, where nothing in it has changed. */
  readonly below: (prefix: string) => readonly Entry[]
  readonly revision: () => Revision
  readonly close: () => void
}

export type OnChanges = (changes: readonly StoreChange[], revision: Revision) => void

/** What is below a prefix is asked for after every change, by many, and most changes are below another one. */
const mostLists = 500

/** When it is listed and from where on it is followed somebody else decides (`node/start-up.ts`). */
export class StoreCopy implements StoreView {
  readonly #entries = new Map<string, Entry>()
  /** The same by kind: `/systole/tasks/`. */
  readonly #kinds = new Map<string, Map<string, Entry>>()
  /** What is below a prefix, until something there changes. */
  readonly #lists = new Map<string, readonly Entry[]>()
  readonly #store: () => Store
  readonly #onChanges: OnChanges
  readonly #waiting = new Set<{ readonly holds: () => boolean; readonly end: (isReached: boolean) => void }>()
  #revision = 0 as Revision
  #watch: Watch | undefined
  #closed = false

  constructor(store: () => Store, onChanges: OnChanges) {
    this.#store = store
    this.#onChanges = onChanges
  }

  get = (key: string): Entry | undefined => this.#entries.get(key)

  below = (prefix: string): readonly Entry[] => {
    const known = this.#lists.get(prefix)
    if (known !== undefined) return known
    // A prefix without a slash behind its kind may be the beginning of several.
    const kind = kindOf(prefix)
    const isWhole = kind.length > allKeys.length && kind.endsWith('/')
    const among = isWhole ? this.#kinds.get(kind) : this.#entries
    const list = [...(among?.values() ?? [])]
      .filter(({ key }) => key.startsWith(prefix))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
    if (this.#lists.size >= mostLists) this.#lists.clear()
    this.#lists.set(prefix, list)
    return list
  }

  revision = (): Revision => this.#revision

  close = (): void => {
    this.#closed = true
    this.#watch?.close()
    for (const { end } of this.#waiting) end(false)
  }

  /** True once that holds, which is looked at after each change; false after that time, or when the copy is closed. */
  async until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
    if (this.#closed || holds()) return holds()
    return await new Promise((resolve) => {
      const end = (isReached: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve(isReached)
      }
      const waiting = { holds, end }
      const timer = setTimeout(() => end(false), timeoutMs)
      this.#waiting.add(waiting)
    })
  }

  /** `onChanges` has been called with all that differs when it resolves; with `serializable` that may be old. */
  async list(options: { readonly serializable?: boolean } = {}): Promise<Revision> {
    const snapshot = await this.#store().list(allKeys, options)
    const listed = snapshot.entries.filter(({ key }) => !isDocument(key))
    const changes = changesToListed(this.#entries, listed).map((change) => ({ entry: undefined, ...change }))
    this.#apply(changes, snapshot.revision)
    return snapshot.revision
  }

  follow(after: Revision, onLost: () => void): void {
    if (this.#closed) return
    this.#watch?.close()
    this.#watch = this.#store().watch(allKeys, after, {
      onEvents: (events, revision) => this.#apply(changesOf(events), revision),
      onLost,
    })
  }

  #put(key: string, entry: Entry | undefined): void {
    for (const prefix of this.#lists.keys()) if (key.startsWith(prefix)) this.#lists.delete(prefix)
    const kind = kindOf(key)
    const among = this.#kinds.get(kind) ?? new Map<string, Entry>()
    if (entry) {
      this.#kinds.set(kind, among)
      among.set(key, entry)
      this.#entries.set(key, entry)
      return
    }
    this.#entries.delete(key)
    among.delete(key)
    if (among.size === 0) this.#kinds.delete(kind)
  }

  #apply(changes: readonly StoreChange[], revision: Revision): void {
    if (this.#closed) return
    this.#revision = revision
    for (const { key, entry } of changes) this.#put(key, entry)
    if (changes.length > 0) this.#onChanges(changes, revision)
    for (const waiting of this.#waiting) if (waiting.holds()) waiting.end(true)
  }
}

/** With its slash; a key that stands alone, such as `/systole/dc`, is of its own kind. */
function kindOf(key: string): string {
  const end = key.indexOf('/', allKeys.length)
  return end < 0 ? key : key.slice(0, end + 1)
}

/** Large, and read from the store where it is needed. */
const isDocument = (key: string): boolean =>
  key.startsWith(configHistoryPrefix) || key.startsWith(unconfirmedDocumentsPrefix)

function changesOf(events: readonly StoreEvent[]): readonly StoreChange[] {
  return events.flatMap((event): readonly StoreChange[] => {
    const key = event.kind === 'put' ? event.entry.key : event.key
    if (isDocument(key)) return []
    return [{ key, entry: event.kind === 'put' ? event.entry : undefined }]
  })
}

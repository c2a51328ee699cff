/**
 * This node's copy of everything below /systole/: listed once, then kept by a watch. Whoever reads the cluster's state
 * reads it here; the history of configurations is left out, since it is large and rarely asked for.
 *
 * The copy follows the store within milliseconds while the node is connected. A decision that must not be based on an
 * old copy is guarded by a comparison in its transaction instead.
 */
import type { Entry, Revision, Store, StoreEvent, Watch } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { allKeys, configHistoryPrefix, unconfirmedDocumentsPrefix } from './keys.ts'

export interface StoreChange {
  readonly key: string
  /** undefined: deleted. */
  readonly entry: Entry | undefined
}

export interface StoreView {
  readonly get: (key: string) => Entry | undefined
  /** Sorted by key. */
  readonly below: (prefix: string) => readonly Entry[]
  readonly revision: () => Revision
  readonly close: () => void
}

export type OnChanges = (changes: readonly StoreChange[], revision: Revision) => void

/** Resolves when the first listing is there; `onChanges` has then been called with all of it. */
export async function openStoreView(
  store: Store,
  log: Log,
  onChanges: OnChanges,
  /** With `serializable`, the first listing may be an old one. */
  options: { readonly serializable?: boolean } = {},
): Promise<StoreView> {
  const view = new View(store, log, onChanges)
  await view.list(options)
  return view
}

const retryMs = 250

class View implements StoreView {
  readonly #entries = new Map<string, Entry>()
  readonly #store: Store
  readonly #log: Log
  readonly #onChanges: OnChanges
  #revision = 0 as Revision
  #watch: Watch | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(store: Store, log: Log, onChanges: OnChanges) {
    this.#store = store
    this.#log = log
    this.#onChanges = onChanges
  }

  get = (key: string): Entry | undefined => this.#entries.get(key)

  below = (prefix: string): readonly Entry[] =>
    [...this.#entries.values()].filter(({ key }) => key.startsWith(prefix)).sort((a, b) => (a.key < b.key ? -1 : 1))

  revision = (): Revision => this.#revision

  close = (): void => {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#watch?.close()
  }

  async list(options: { readonly serializable?: boolean } = {}): Promise<void> {
    const snapshot = await this.#store.list(allKeys, options)
    if (this.#closed) return
    const listed = snapshot.entries.filter(({ key }) => !isDocument(key))
    const changes: StoreChange[] = listed
      .filter((entry) => this.#entries.get(entry.key)?.modRevision !== entry.modRevision)
      .map((entry) => ({ key: entry.key, entry }))
    const kept = new Set(listed.map(({ key }) => key))
    for (const key of this.#entries.keys()) if (!kept.has(key)) changes.push({ key, entry: undefined })
    this.#apply(changes, snapshot.revision)
    this.#watch = this.#store.watch(allKeys, snapshot.revision, {
      onEvents: (events, revision) => this.#apply(changesOf(events), revision),
      onLost: () => {
        this.#log.warn('the watch of the store fell behind: listing again')
        this.#listAgain()
      },
    })
  }

  #listAgain(): void {
    if (this.#closed) return
    this.list().catch((error: unknown) => {
      this.#log.warn('the store could not be listed: trying again', { error })
      this.#retry = setTimeout(() => this.#listAgain(), retryMs)
    })
  }

  #apply(changes: readonly StoreChange[], revision: Revision): void {
    if (this.#closed) return
    this.#revision = revision
    for (const { key, entry } of changes)
      if (entry) this.#entries.set(key, entry)
      else this.#entries.delete(key)
    if (changes.length > 0) this.#onChanges(changes, revision)
  }
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

/**
 * The events of the last revisions, from which a watch catches up. It is bounded, and empty after a restart: a watch that
 * asks for older events is told that they are lost, and lists again.
 */
import type { Revision, StoreEvent } from '../port/store.ts'

export interface RevisionEvents {
  readonly revision: Revision
  readonly events: readonly StoreEvent[]
}

export class EventHistory {
  readonly #maxRevisions: number
  readonly #maxBytes: number
  readonly #kept: (RevisionEvents & { readonly bytes: number })[] = []
  #bytes = 0
  /** Everything after this revision is here. */
  #compacted: Revision
  #last: Revision

  constructor(options: { readonly start: Revision; readonly maxRevisions: number; readonly maxBytes: number }) {
    this.#maxRevisions = options.maxRevisions
    this.#maxBytes = options.maxBytes
    this.#compacted = options.start
    this.#last = options.start
  }

  add(revision: Revision, events: readonly StoreEvent[]): void {
    const bytes = events.reduce((sum, event) => sum + eventBytes(event), 0)
    this.#kept.push({ revision, events, bytes })
    this.#bytes += bytes
    this.#last = revision
    let drop = 0
    while (
      this.#kept.length - drop > this.#maxRevisions ||
      (this.#bytes > this.#maxBytes && drop < this.#kept.length)
    ) {
      const oldest = this.#kept[drop]
      if (oldest === undefined) break
      this.#bytes -= oldest.bytes
      this.#compacted = oldest.revision
      drop++
    }
    if (drop > 0) this.#kept.splice(0, drop)
  }

  /** Undefined where they are not all here; also for a revision that does not exist yet, because then the store was reset. */
  since(from: Revision): readonly RevisionEvents[] | undefined {
    if (from < this.#compacted || from > this.#last) return undefined
    return this.#kept.filter(({ revision }) => revision > from)
  }
}

/** What a watch on a prefix is told of one revision. */
export function eventsUnder(prefix: string, events: readonly StoreEvent[]): readonly StoreEvent[] {
  return events.filter((event) => (event.kind === 'put' ? event.entry.key : event.key).startsWith(prefix))
}

function eventBytes(event: StoreEvent): number {
  return event.kind === 'put' ? event.entry.key.length + event.entry.value.length + 64 : event.key.length + 64
}

/**
 * The event stream: what has changed in `status`, for each token as the token may see it. All streams of a token share one watch of the daemon. Events
 * have numbers, and the last of them are kept for a while, so that whoever was cut off goes on where he was; where that is too long ago, or the node
 * another, he gets the whole status again.
 */
import { type Change, changesBetween } from './changes.ts'

export interface StreamEvent {
  readonly id: string
  readonly event: 'snapshot' | 'change'
  readonly data: unknown
}

export interface Source {
  /** The status now, as `status --json` has it; throws where it is refused. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>
  /** Calls after every change, until the signal ends it; rejects where it is refused. */
  readonly watch: (onChange: () => void, signal: AbortSignal) => Promise<void>
}

export interface Listener {
  readonly send: (event: StreamEvent) => void
  readonly end: (why: unknown) => void
}

const mostKept = 500
/** After the last stream has gone, for one that comes back. */
const keptMs = 60_000

/** Of one token. */
export class EventHub {
  readonly #source: Source
  readonly #onIdle: () => void
  readonly #listeners = new Set<Listener>()
  /** Of this hub alone: numbers of another are not known here. */
  readonly #name = `${Date.now().toString(36)}${Math.floor(Math.random() * 1e9).toString(36)}`
  readonly #ended = new AbortController()
  #last = 0
  #kept: readonly StreamEvent[] = []
  #facts: Readonly<Record<string, unknown>> | undefined
  #looking: Promise<void> | undefined
  #isStale = false
  #idle: NodeJS.Timeout | undefined

  constructor(source: Source, onIdle: () => void) {
    this.#source = source
    this.#onIdle = onIdle
    this.#source
      .watch(() => void this.#look(), this.#ended.signal)
      .then(
        () => this.#end(undefined),
        (error: unknown) => this.#end(error),
      )
  }

  get size(): number {
    return this.#listeners.size
  }

  /** The first event is sent before this resolves. Throws where the status is refused. */
  async join(listener: Listener, lastId: string | undefined): Promise<() => void> {
    clearTimeout(this.#idle)
    if (this.#facts === undefined) await this.#look()
    if (this.#ended.signal.aborted) throw this.#ended.signal.reason
    const missed = this.#since(lastId)
    if (missed === undefined) listener.send(this.#event('snapshot', this.#facts))
    else for (const event of missed) listener.send(event)
    this.#listeners.add(listener)
    return () => this.#leave(listener)
  }

  close(why: unknown): void {
    this.#end(why)
  }

  #leave(listener: Listener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
    this.#idle = setTimeout(() => this.#end(undefined), keptMs)
    this.#idle.unref()
  }

  /** Undefined: they are not kept any more, or were another hub's. */
  #since(lastId: string | undefined): readonly StreamEvent[] | undefined {
    const [name, number] = lastId?.split('-') ?? []
    if (name !== this.#name) return undefined
    const from = Number(number)
    const first = this.#last - this.#kept.length
    return from >= first && from <= this.#last ? this.#kept.slice(from - first) : undefined
  }

  /** One at a time: what changes meanwhile is looked at once more. */
  async #look(): Promise<void> {
    this.#isStale = true
    this.#looking ??= this.#lookAll().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  async #lookAll(): Promise<void> {
    while (this.#isStale && !this.#ended.signal.aborted) {
      this.#isStale = false
      try {
        const facts = await this.#source.status()
        const before = this.#facts
        this.#facts = facts
        if (before !== undefined) for (const change of changesBetween(before, facts)) this.#tell(change)
      } catch (error) {
        this.#end(error)
      }
    }
  }

  #tell(change: Change): void {
    this.#last += 1
    const event = this.#event('change', change)
    this.#kept = [...this.#kept, event].slice(-mostKept)
    for (const listener of this.#listeners) listener.send(event)
  }

  #event(event: StreamEvent['event'], data: unknown): StreamEvent {
    return { id: `${this.#name}-${this.#last}`, event, data }
  }

  #end(why: unknown): void {
    if (this.#ended.signal.aborted) return
    clearTimeout(this.#idle)
    this.#ended.abort(why)
    for (const listener of this.#listeners) listener.end(why)
    this.#listeners.clear()
    this.#onIdle()
  }
}

/**
 * A watch that survives its members: it remembers the last revision that it delivered and, when a stream ends, errs or goes
 * silent, asks the next member for what came after. A member that is stopped answers no progress request; one that has lost
 * its leader ends the stream (`hasleader`).
 */
import { assert } from '../../base/index.ts'
import type { Clock } from '../port/clock.ts'
import type { Entry, LeaseId, Revision, StoreEvent, Watch, WatchListener } from '../port/store.ts'
import { api, type KeyValue, keyBytes, keyText, prefixEnd, type WatchResponse } from './api.ts'
import type { Members } from './attempts.ts'
import { toRevision } from './exactly-once.ts'

const firstAnswerMs = 1000
/** How often a member is asked for a sign of life, which must be there by the next time. */
const askEveryMs = 2000
const firstRetryMs = 20
const lastRetryMs = 200
/** A watch that had to leave this node's own member goes back to it, more and more calmly where it does not last there. */
const firstReturnMs = 5000
const lastReturnMs = 80_000

export function openWatch(
  members: Members,
  clock: Clock,
  wanted: { readonly prefix: string; readonly from: Revision; readonly listener: WatchListener },
): Watch {
  const watch = new WatchStream(members, clock, wanted)
  watch.connect()
  return { close: () => watch.close() }
}

class WatchStream {
  readonly #members: Members
  readonly #clock: Clock
  readonly #prefix: string
  readonly #listener: WatchListener
  #delivered: Revision
  /** Which member is watched: the first is this node's own. Another may lie on a node that is lost, which takes a second to notice. */
  #turn = 0
  #returnMs = firstReturnMs
  /** Since the last message of a member. */
  #failures = 0
  #closed = false
  #drop: () => void = () => undefined

  constructor(
    members: Members,
    clock: Clock,
    wanted: { readonly prefix: string; readonly from: Revision; readonly listener: WatchListener },
  ) {
    assert(wanted.prefix !== '', 'a watch names a prefix')
    this.#members = members
    this.#clock = clock
    this.#prefix = wanted.prefix
    this.#delivered = wanted.from
    this.#listener = wanted.listener
  }

  close(): void {
    this.#closed = true
    this.#drop()
  }

  connect(): void {
    if (this.#closed) return
    const { endpoints } = this.#members
    const endpoint = endpoints[this.#turn % endpoints.length]
    assert(endpoint !== undefined, 'a store has endpoints')
    const stream = endpoint.stream(api.watch, { hasLeader: true })
    let live = true
    let cancelTimer: () => void = () => undefined
    let cancelReturn: () => void = () => undefined
    const drop = () => {
      live = false
      cancelTimer()
      cancelReturn()
      stream.cancel()
    }
    const fail = () => {
      if (!live) return
      drop()
      this.#turn++
      this.#retry()
    }
    const returnHome = () => {
      if (endpoint === endpoints[0]) return
      cancelReturn = this.#clock.after(this.#returnMs, () => {
        if (endpoints[0]?.isReady() !== true) return returnHome()
        this.#returnMs = Math.min(lastReturnMs, this.#returnMs * 2)
        this.#turn = 0
        drop()
        this.connect()
      })
    }
    returnHome()
    let heard = false
    // One timer, left alone: Node.js wakes for those that were taken back, too.
    const ask = () => {
      if (!heard) return fail()
      heard = false
      stream.write({ progress_request: {} })
      cancelTimer = this.#clock.after(askEveryMs, ask)
    }
    this.#drop = drop
    stream.on('error', fail)
    stream.on('end', fail)
    stream.on('data', (message: WatchResponse) => {
      if (!live) return
      this.#failures = 0
      heard = true
      if (message.canceled) {
        if (message.compact_revision === '0') return fail()
        drop()
        this.#closed = true
        return this.#listener.onLost()
      }
      this.#deliver(message)
    })
    stream.write({
      create_request: {
        key: keyBytes(this.#prefix),
        range_end: prefixEnd(this.#prefix),
        start_revision: String(this.#delivered + 1),
      },
    })
    cancelTimer = this.#clock.after(firstAnswerMs, ask)
  }

  #retry(): void {
    const round = Math.floor(this.#failures++ / this.#members.endpoints.length)
    const delayMs = Math.min(lastRetryMs, firstRetryMs * 2 ** round)
    this.#drop = this.#clock.after(delayMs, () => this.connect())
  }

  #deliver(message: WatchResponse): void {
    const byRevision = new Map<Revision, StoreEvent[]>()
    for (const { type, kv } of message.events) {
      const revision = toRevision(kv.mod_revision)
      const events = byRevision.get(revision) ?? []
      events.push(
        type === 'PUT' ? { kind: 'put', entry: toEntry(kv) } : { kind: 'delete', key: keyText(kv.key), revision },
      )
      byRevision.set(revision, events)
    }
    for (const [revision, events] of byRevision) {
      if (revision <= this.#delivered) continue
      this.#delivered = revision
      this.#listener.onEvents(events, revision)
      if (this.#closed) return
    }
  }
}

export function toEntry(kv: KeyValue): Entry {
  return {
    key: keyText(kv.key),
    value: Uint8Array.from(kv.value),
    createRevision: toRevision(kv.create_revision),
    modRevision: toRevision(kv.mod_revision),
    // A parser at the edge: etcd's lease ids become ours here.
    ...(kv.lease === '0' ? {} : { lease: kv.lease as LeaseId }),
  }
}

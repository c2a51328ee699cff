/** On the DC: frees holds whose owner is gone. What is to be freed decides `holdStep` (src/holds). */
import type { MonotonicMs } from '../../base/index.ts'
import { type HoldEffect, holdStep, noHoldsSeen, parseHold } from '../../holds/index.ts'
import type { Entry, Revision, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { freeRecord } from '../records/free-record.ts'
import { fromBytes } from '../records/json-value.ts'
import { holdsPrefix, jobKey, keys, rolloutKey } from '../records/keys.ts'

export interface HoldKeeperPorts {
  readonly log: Log
  readonly store: () => Store
  readonly below: (prefix: string) => readonly Entry[]
  /** This node's term while it is the DC and has quorum. */
  readonly term: () => number | undefined
  readonly now: () => MonotonicMs
  readonly calendarMs: () => number
}

/** Timers take no more; it is looked at again then. */
const longestWaitMs = 60 * 60_000

export class HoldKeeper {
  readonly #ports: HoldKeeperPorts
  readonly #freeing = new Set<string>()
  #state = noHoldsSeen
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: HoldKeeperPorts) {
    this.#ports = ports
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    const { term, below, now, calendarMs } = this.#ports
    clearTimeout(this.#timer)
    const current = this.#closed ? undefined : term()
    const holds = below(holdsPrefix).flatMap((entry) => {
      const hold = parseHold(fromBytes(entry.value))
      return hold === undefined ? [] : [{ hold, revision: Number(entry.modRevision) }]
    })
    const input =
      current === undefined
        ? ({ kind: 'stopped' } as const)
        : ({ kind: 'looked', holds, running: this.#running, calendarMs: calendarMs() } as const)
    const { state, effects } = holdStep(this.#state, input, now())
    this.#state = state
    if (current !== undefined) for (const effect of effects) this.#perform(effect, current)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** One of a newer version that this one cannot read is not over for that. */
  readonly #running = (kind: 'rollout' | 'job', name: string): boolean => {
    const key = kind === 'rollout' ? rolloutKey(name) : jobKey(name)
    const entry = this.#ports.below(key).find((one) => one.key === key)
    const value = entry && fromBytes(entry.value)
    if (typeof value !== 'object' || value === null) return entry !== undefined
    return !('ended' in value) || value.ended === undefined || value.ended === null
  }

  #perform(effect: HoldEffect, term: number): void {
    if (effect.kind === 'wake')
      this.#timer = setTimeout(() => this.look(), Math.min(Math.max(effect.afterMs, 1), longestWaitMs))
    else this.#free(effect, term)
  }

  #free({ id, revision, why }: Extract<HoldEffect, { kind: 'free' }>, term: number): void {
    const { log, store } = this.#ports
    if (this.#freeing.has(id)) return
    this.#freeing.add(id)
    freeRecord(store(), { key: keys.hold(id), revision: revision as Revision, term })
      .then((applied) => {
        if (applied) log.info('a hold has ended', { hold: id, why })
      })
      .catch((error: unknown) => log.warn('a hold could not be ended yet', { hold: id, error }))
      .finally(() => this.#freeing.delete(id))
  }
}

/**
 * On the DC: goes on with rollouts over clusters of the fleet. What is to be asked follows from the record (src/rollout/fleet), which is written first, compared with
 * the DC's term; then the clusters are asked, each one thing at a time, and what they answer goes into the next step.
 */
import {
  type FleetAnswer,
  type FleetAsk,
  type FleetRolloutRecord,
  fleetStep,
  hasFleetEnded,
  isFleetRolloutRecord,
  partKey,
} from '../../rollout/index.ts'
import { type Entry, isStoreFailure, type Revision, unchanged } from '../../store/index.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { fleetNewsPrefix, fleetPrefix, fleetRolloutKey, fleetRolloutsPrefix, keys } from '../records/keys.ts'
import type { FleetPorts, FleetRecord } from './fleet.ts'
import type { FleetNews } from './news.ts'

const lookMs = 1000
const askEveryMs = 2000

export interface StoredFleetRollout {
  readonly entry: Entry
  readonly record: FleetRolloutRecord
}

type Below = (prefix: string) => readonly Entry[]

export const fleetRolloutsIn = (entries: readonly Entry[]): readonly StoredFleetRollout[] =>
  entries.flatMap((entry) => {
    const record = fromBytes(entry.value)
    return isFleetRolloutRecord(record) ? [{ entry, record }] : []
  })

export const fleetMembers = (below: Below): readonly FleetRecord[] =>
  below(fleetPrefix).map(({ value }) => fromBytes(value) as FleetRecord)

/** Those that have said how they are, and have quorum. */
export const fleetReached = (below: Below): ReadonlySet<string> =>
  new Set(
    below(fleetNewsPrefix)
      .map(({ value }) => fromBytes(value) as FleetNews)
      .filter(({ told }) => told.kind === 'news' && told.news.quorate)
      .map(({ name }) => name),
  )

export class FleetRollouts {
  readonly #ports: FleetPorts
  readonly #timer: NodeJS.Timeout
  readonly #answers = new Map<string, readonly FleetAnswer[]>()
  /** By rollout and cluster. */
  readonly #asking = new Set<string>()
  /** The same is asked again after a while; something else at once. */
  readonly #asked = new Map<string, number>()
  readonly #writing = new Set<string>()
  #closed = false

  constructor(ports: FleetPorts) {
    this.#ports = ports
    this.#timer = setInterval(() => this.#look(), lookMs)
    this.#timer.unref()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
  }

  readonly #below: Below = (prefix) => this.#ports.seen(prefix) ?? []

  #look(): void {
    const term = this.#closed ? undefined : this.#ports.term()
    if (term === undefined) {
      this.#answers.clear()
      this.#asked.clear()
      return
    }
    for (const stored of fleetRolloutsIn(this.#below(fleetRolloutsPrefix)))
      if (!hasFleetEnded(stored.record) && !this.#writing.has(stored.record.id)) this.#step(stored, term)
  }

  #step({ entry, record }: StoredFleetRollout, term: number): void {
    const answers = this.#answers.get(record.id) ?? []
    const members = new Set(fleetMembers(this.#below).map(({ name }) => name))
    const input = { answers, members, reached: fleetReached(this.#below) }
    const { state, effects } = fleetStep(record, input, Date.now())
    if (state === record) {
      this.#answers.delete(record.id)
      for (const ask of effects) this.#ask(record, ask)
      return
    }
    this.#writing.add(record.id)
    this.#write({ entry, state, term })
      .then((applied) => {
        // One that was changed meanwhile is looked at again, with the same answers.
        if (!applied) return
        this.#answers.set(
          record.id,
          (this.#answers.get(record.id) ?? []).filter((one) => !answers.includes(one)),
        )
        for (const ask of effects) this.#ask(state, ask)
      })
      .catch((error: unknown) => {
        if (!isStoreFailure(error)) throw error
        this.#ports.log.warn('a step of a rollout over clusters could not be written yet', { error })
      })
      .finally(() => this.#writing.delete(record.id))
  }

  async #write({
    entry,
    state,
    term,
  }: {
    readonly entry: Entry
    readonly state: FleetRolloutRecord
    readonly term: number
  }): Promise<boolean> {
    const key = fleetRolloutKey(state.id)
    const outcome = await this.#ports.store()?.transaction({
      compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, unchanged(key, entry)],
      writes: [{ kind: 'put', key, value: toBytes(state) }],
    })
    return outcome?.applied === true
  }

  #ask(record: FleetRolloutRecord, ask: FleetAsk): void {
    const place = `${record.id} ${ask.cluster}`
    const what = `${record.id} ${JSON.stringify(ask)}`
    const now = performance.now()
    const last = this.#asked.get(what) ?? Number.NEGATIVE_INFINITY
    const target = fleetMembers(this.#below).find(({ name }) => name === ask.cluster)
    if (target === undefined || this.#asking.has(place) || now - last < askEveryMs) return
    // Somebody else may be the DC since the step was written.
    if (this.#closed || this.#ports.term() === undefined) return
    this.#asked.set(what, now)
    this.#asking.add(place)
    const { file } = record
    const part = { ...ask, file, key: partKey(record, ask) }
    this.#ports.asks
      .part(target, part)
      .then((answer) => {
        this.#answers.set(record.id, [...(this.#answers.get(record.id) ?? []), { ask, answer }])
      })
      .catch((error: unknown) => this.#ports.log.warn('a cluster of a rollout was not asked', { ...ask, error }))
      .finally(() => {
        this.#asking.delete(place)
        this.#look()
      })
  }
}

/**
 * Moves and drains that are interrupted at any step: the client is killed, the DC is lost, all power is lost, an answer does not arrive. The rules are the shipped ones (what a call makes of the records, the
 * view of a node, the keeper of the DC); the clients are those of the command line, step by step. One seed is one run: `SEED=4711 RUNS=1`, or `RUNS=10000`.
 */
import { expect, test } from 'vitest'
import { monotonicMs, seededRandom } from '../../src/base/index.ts'
import { parseXml, printXml, readConfiguration, type XmlElement } from '../../src/cib/index.ts'
import { type ClusterView, emptyView, keys, observe } from '../../src/controller/index.ts'
import { acquiring, type HoldStep, releasing } from '../../src/daemon/api/hold-api.ts'
import type { StoredHold } from '../../src/daemon/records/hold-records.ts'
import { type HoldRecord, holdStep, noHoldsSeen, parseHold } from '../../src/holds/index.ts'
import type { Entry, Revision } from '../../src/store/index.ts'
import { hold } from './hold.ts'

const runs = Number(process.env.RUNS ?? 2000)
const firstSeed = Number(process.env.SEED ?? 1)

const read =
  parseXml(`<cib validate-with="pacemaker-3.9" epoch="3" num_updates="0" admin_epoch="0"><configuration><crm_config/>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration></cib>`)
if (!read.ok) throw new Error('not XML')
const cib: XmlElement = read.value
const unheld = printXml(cib)
const configuration = { version: 1, cib, typed: readConfiguration(cib) }

const renewEveryMs = 4000
const keptTtlMs = 20_000
const began = Date.parse('2026-11-23T14:00:00Z')

type Random = () => number

class World {
  nowMs = 0
  readonly records = new Map<string, { readonly hold: HoldRecord; readonly revision: number }>()
  #revision = 1
  #view: ClusterView
  /** A DC leads from then on; before, nobody does. */
  #leadsFrom = 0
  #keeper = noHoldsSeen
  #wakeAt = Number.POSITIVE_INFINITY
  /** How each hold ended by the DC, for the checks. */
  readonly freed: { readonly hold: HoldRecord; readonly at: number }[] = []

  constructor() {
    const put = { kind: 'put', key: keys.configuration, value: undefined, configuration, createRevision: 1 } as const
    this.#view = observe(emptyView, [put], 1).view
  }

  composed(): string {
    return printXml(this.#view.configuration?.cib ?? cib)
  }

  stored(): readonly StoredHold[] {
    return [...this.records].map(([key, { hold: one, revision }]) => ({
      hold: one,
      entry: {
        key: keys.hold(key),
        value: new Uint8Array(),
        modRevision: revision as Revision,
        createRevision: revision as Revision,
      } as Entry,
    }))
  }

  /** One call of the API, whole: it is a transaction. */
  call(step: (stored: readonly StoredHold[]) => HoldStep): HoldStep {
    const made = step(this.stored())
    for (const write of made.writes?.writes ?? [])
      if (write.kind === 'put') this.#put(parseHold(JSON.parse(new TextDecoder().decode(write.value))))
      else if (write.kind === 'delete') this.#delete(decodeURIComponent(write.key.slice(keys.hold('').length)))
    return made
  }

  #put(one: HoldRecord | undefined): void {
    if (one === undefined) throw new Error('a record that cannot be read was written')
    this.records.set(one.id, { hold: one, revision: ++this.#revision })
    const put = { kind: 'put', key: keys.hold(one.id), value: one, createRevision: this.#revision } as const
    this.#view = observe(this.#view, [put], this.#revision).view
    this.#look()
  }

  #delete(id: string): void {
    this.records.delete(id)
    this.#view = observe(this.#view, [{ kind: 'delete', key: keys.hold(id) }], ++this.#revision).view
    this.#look()
  }

  loseDc(untilAnother: number): void {
    this.#keeper = noHoldsSeen
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#leadsFrom = this.nowMs + untilAnother
  }

  advance(ms: number): void {
    const end = this.nowMs + ms
    for (;;) {
      const next = Math.min(this.nowMs < this.#leadsFrom ? this.#leadsFrom : this.#wakeAt, end)
      this.nowMs = Math.max(next, this.nowMs)
      if (this.nowMs >= this.#leadsFrom && this.nowMs >= Math.min(this.#wakeAt, this.#leadsFrom)) this.#look()
      if (this.nowMs >= end) return
    }
  }

  #look(): void {
    if (this.nowMs < this.#leadsFrom) return
    const holds = [...this.records.values()].map(({ hold: one, revision }) => ({ hold: one, revision }))
    const input = { kind: 'looked', holds, running: () => false, calendarMs: began + this.nowMs } as const
    const { state, effects } = holdStep(this.#keeper, input, monotonicMs(this.nowMs))
    this.#keeper = state
    this.#wakeAt = Number.POSITIVE_INFINITY
    for (const effect of effects) if (effect.kind === 'wake') this.#wakeAt = this.nowMs + effect.afterMs
    for (const effect of effects) {
      const found = effect.kind === 'free' ? this.records.get(effect.id) : undefined
      if (effect.kind !== 'free' || found?.revision !== effect.revision) continue
      this.freed.push({ hold: found.hold, at: this.nowMs })
      this.#delete(effect.id)
    }
  }
}

interface Client {
  /** Steps, each of one call. The last has ended what it asked for. */
  readonly steps: readonly ((world: World) => void)[]
  /** A process renews it. */
  readonly holder?: string
  readonly drain?: { readonly id: string; readonly ttlMs?: number }
}

const since = (world: World): string => new Date(began + world.nowMs).toISOString()

function moveBy(holder: string, random: Random): Client {
  const owner = { kind: 'command', name: 'resource move web n2', user: 'root', node: 'n1' }
  const wanted = (world: World): HoldRecord =>
    hold(random() < 0.5 ? 'prefer' : 'ban', {
      resource: 'web',
      node: 'n2',
      id: `${holder}-1`,
      owner,
      holder,
      ttlMs: keptTtlMs,
      since: since(world),
    })
  const renew = (world: World) => {
    world.advance(renewEveryMs)
    world.call((stored) => {
      const own = stored.find((one) => one.hold?.id === `${holder}-1`)?.hold
      if (own === undefined) return { outcome: 'free', holds: [] }
      const puts = acquiring(stored, [{ ...own, renewed: since(world) }])
      return { ...puts, outcome: 'renewed' }
    })
  }
  return {
    holder,
    steps: [
      (world) => void world.call((stored) => acquiring(stored, [wanted(world)])),
      ...Array.from({ length: Math.floor(random() * 8) }, () => renew),
      (world) =>
        void world.call((stored) => releasing(stored, { ids: [`${holder}-1`], holder, force: false, user: 'root' })),
    ],
  }
}

function drainBy(node: string, random: Random): Client {
  const id = `drain-${node}`
  const ttlMs = random() < 0.5 ? Math.floor(random() * 100_000) + 1000 : undefined
  return {
    drain: { id, ...(ttlMs !== undefined && { ttlMs }) },
    steps: [
      (world) =>
        void world.call((stored) =>
          acquiring(stored, [hold('drain', { node, since: since(world), ...(ttlMs !== undefined && { ttlMs }) })]),
        ),
      (world) => world.advance(Math.floor(random() * 30_000)),
      (world) => void world.call((stored) => releasing(stored, { ids: [id], force: false, user: 'root' })),
    ],
  }
}

function run(seed: number): { readonly world: World; readonly expected: readonly string[] } {
  const random = seededRandom(seed)
  const world = new World()
  const kept = new Set<string>()
  for (let turn = 0; turn < 3; turn++) {
    const client = random() < 0.6 ? moveBy(`h${turn}`, random) : drainBy(random() < 0.5 ? 'n1' : 'n2', random)
    const killedAt = Math.floor(random() * (client.steps.length + 1))
    client.steps.slice(0, killedAt).forEach((step, at) => {
      const before = world.freed.length
      step(world)
      // Who is alive and renews keeps what it holds, whoever is the DC.
      const own = world.freed
        .slice(before)
        .filter((one) => one.hold.holder === client.holder && client.holder !== undefined)
      expect(own, `seed ${seed}: freed while its process renews it`).toEqual([])
      if (client.drain !== undefined && client.drain.ttlMs === undefined) {
        if (at === 0) kept.add(client.drain.id)
        if (at === client.steps.length - 1) kept.delete(client.drain.id)
      }
      if (client.drain?.ttlMs !== undefined && at === 0) kept.delete(client.drain.id)
      if (random() < 0.2) world.loseDc(Math.floor(random() * 10_000))
    })
    // The power of all: the records are all that is left.
    if (random() < 0.3) world.loseDc(Math.floor(random() * 60_000))
    world.advance(Math.floor(random() * 5000))
  }
  return { world, expected: [...kept].sort() }
}

test(`of ${runs} times three moves and drains that are interrupted anywhere nothing outlives its owner`, {
  timeout: 300_000,
}, () => {
  let freed = 0
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const { world, expected } = run(seed)
    // Once things are quiet: the last DC leads, and whoever was killed is dead for longer than any time.
    world.advance(60_000 + keptTtlMs)
    const holders = [...world.records.values()].filter(({ hold: one }) => one.holder !== undefined)
    expect(holders, `seed ${seed}`).toEqual([])
    world.advance(200_000)
    expect([...world.records.keys()].sort(), `seed ${seed}`).toEqual(expected)
    for (const id of expected) world.call((stored) => releasing(stored, { ids: [id], force: false, user: 'root' }))
    expect(world.composed(), `seed ${seed}`).toBe(unheld)
    freed += world.freed.length
  }
  expect(freed).toBeGreaterThan(runs / 10)
})

/** What every driver of a node's core promises: the daemon's, over a real store, and the simulation's. The same cases run against both. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type MonotonicMs, monotonicMs, type NodeName, nodeName } from '../../src/base/index.ts'
import { type ClusterView, emptyView, keys, type Observation, observe } from '../../src/controller/index.ts'
import { FencingDriver } from '../../src/daemon/fencing/fencing-driver.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import { NodeDriver } from '../../src/daemon/node/node-driver.ts'
import { defaultTimings } from '../../src/daemon/node-list/cluster-file.ts'
import { fromBytes } from '../../src/daemon/records/json-value.ts'
import { type CommandAnswer, isQuorate, type NodeInput, type NodeState } from '../../src/node/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { configurationOf, initialWishes } from '../simulation/configuration.ts'
import { SimDaemon } from '../simulation/daemon.ts'
import { World } from '../simulation/world.ts'
import { planOf, stopOfWeb } from './driven-node.ts'

const beta = nodeName('beta')
type Command = Parameters<NodeDriver['takeCommand']>[0]

const command: Command = { term: 1, plannedFrom: 1, transitionKey: 'k', timeoutMs: 1000, action: stopOfWeb }

interface Entry {
  readonly value: unknown
  readonly createRevision: number
  readonly lease?: string
}

/** A node with a driver, and the world around it. */
interface Driven {
  readonly self: NodeName
  readonly incarnation: number
  readonly state: () => NodeState
  readonly now: () => MonotonicMs
  readonly feed: (input: NodeInput) => void
  readonly grant: () => Promise<string>
  readonly entry: (key: string) => Promise<Entry | undefined>
  /** Lets time pass until it holds. */
  readonly until: (what: string, holds: () => boolean | Promise<boolean>) => Promise<void>
  readonly take: (asked: Command) => Promise<Pick<CommandAnswer, 'accepted' | 'why'>>
  readonly executorHasQuorum: () => boolean | undefined
  readonly end: () => void
}

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function daemonDriver(): Driven {
  const self = nodeName('alpha')
  const root = mkdtempSync(join(tmpdir(), 'systole-contract-'))
  const store = new EmbeddedStore({ directory: join(root, 'store') })
  const log = openLog('alpha', 'silent')
  const paths = pathsBelow(root)
  let executorQuorum: boolean | undefined
  const executor = {
    highestTerm: 2,
    history: [],
    mayRun: [],
    setQuorum: (quorate: boolean) => {
      executorQuorum = quorate
    },
    stopLocally: async () => await Promise.resolve([]),
    perform: async () => await Promise.resolve({ kind: 'taken', done: true }),
  }
  const view = (): ClusterView => driver.state.view
  const driver: NodeDriver = new NodeDriver({
    self,
    incarnation: 7,
    timings: defaultTimings,
    list: { nodes: [{ name: self, votes: true }], store: { kind: 'etcd' } },
    met: false,
    log,
    controller: {
      peers: { to: () => ({}) },
      store: () => store,
      view,
      plan: async () => await Promise.resolve({ ...planOf(), blocked: [], shutdownLocks: [] }),
      fencingHistory: () => [],
      takeUpLeftOff: (term: number) => fencing.takeUpLeftOff(term, []),
    },
    presence: () => ({
      store,
      member: { node: self, id: '1', incarnation: 7, address: 'a', daemonVersion: '' },
      resultsWritten: async () => await Promise.resolve(),
    }),
    executor: () => executor,
    route: async () => await Promise.reject(new Error('there are no remote nodes')),
    planOwnStops: async () => await Promise.resolve(planOf(stopOfWeb)),
    twoNode: () => undefined,
    fencing: (effect: Parameters<FencingDriver['perform']>[0]) => fencing.perform(effect),
    twoNodeWaits: () => undefined,
    votes: () => undefined,
    quorumGained: () => undefined,
    quorumLost: () => undefined,
    endSelf: () => undefined,
    restart: () => undefined,
    depart: () => undefined,
  } as unknown as ConstructorParameters<typeof NodeDriver>[0])
  const fencing: FencingDriver = new FencingDriver({
    self,
    log,
    paths,
    peers: { to: () => ({}) } as never,
    store: () => store,
    view,
    holdsTerm: driver.holdsTerm,
    core: () => driver.state,
    feed: driver.feed,
    recordAlone: () => undefined,
    recordedAlone: () => [],
    planWithout: async () => await Promise.reject(new Error('no planner')),
  })
  closing.push(async () => {
    driver.end()
    await store.close()
    rmSync(root, { recursive: true, force: true })
  })
  return {
    self,
    incarnation: 7,
    state: () => driver.state,
    now: monotonicNow,
    feed: driver.feed,
    grant: async () => (await store.grantLease(60_000)).lease,
    entry: async (key) => {
      const found = await store.get(key)
      return found && { value: fromBytes(found.value), createRevision: found.createRevision, ...lease(found) }
    },
    until: async (what, holds) => {
      for (let tries = 0; !(await holds()); tries++, await delay(10))
        if (tries > 3000) throw new Error(`never: ${what}`)
    },
    take: async (asked) => await driver.takeCommand(asked),
    executorHasQuorum: () => executorQuorum,
    end: () => driver.end(),
  }
}

const lease = (entry: { readonly lease?: string | undefined }): { readonly lease?: string } =>
  entry.lease === undefined ? {} : { lease: entry.lease }

function simulated(): Driven {
  const world = new World({ seed: 1, nodes: 3, fencing: true, watchdogs: false })
  const self = world.nodeNames[0]
  const host = self === undefined ? undefined : world.hosts.get(self)
  if (self === undefined || host === undefined) throw new Error('an empty world')
  const daemon = new SimDaemon(world, host)
  world.daemons.set(self, daemon)
  return {
    self,
    incarnation: daemon.incarnation,
    state: () => daemon.core.state,
    now: () => daemon.now(),
    feed: daemon.core.feed,
    grant: async () => await Promise.resolve(world.store.grant(60_000)),
    entry: async (key) => await Promise.resolve(world.store.entries.get(key)),
    until: async (what, holds) => {
      for (const end = world.timeline.now + 30_000; !(await holds()); world.timeline.step(end))
        if (world.timeline.now >= end) throw new Error(`never: ${what}`)
    },
    take: async (asked) => {
      let given: CommandAnswer | undefined
      daemon.takeCommand(asked as unknown as Parameters<SimDaemon['takeCommand']>[0], (answer) => {
        given = answer
      })
      for (const end = world.timeline.now + 30_000; given === undefined && world.timeline.now < end; )
        world.timeline.step(end)
      return given ?? (await Promise.reject(new Error('never answered')))
    },
    executorHasQuorum: () => daemon.executor.core.state.quorate,
    end: () => daemon.die(),
  }
}

/** What the store has under these keys is shown to the core, as a watch would. */
class Watched {
  readonly node: Driven
  #view = emptyView
  #revision = 1000

  constructor(node: Driven) {
    this.node = node
  }

  show(...observations: readonly Observation[]): void {
    const { view, changes } = observe(this.#view, observations, ++this.#revision)
    this.#view = view
    this.node.feed({ kind: 'store', view, changes })
  }

  configure(): void {
    const machines = [this.node.self, beta]
    const nodes = machines.map((name) => ({ id: name, name }))
    const made = { fencing: true, device: true, watchdogs: false, disks: [], rich: false, noQuorumPolicy: 'stop' }
    const configuration = configurationOf(initialWishes({ nodes, machines, ...made }), 1)
    this.show({ kind: 'put', key: keys.configuration, value: undefined, configuration, createRevision: 1 })
  }

  /** As the store has it now. */
  async follow(key: string): Promise<Entry> {
    await this.node.until(`${key} is written`, async () => (await this.node.entry(key)) !== undefined)
    const entry = await this.node.entry(key)
    if (entry === undefined) throw new Error(`${key} is gone`)
    this.show({ kind: 'put', key, ...entry })
    return entry
  }

  async quorum(): Promise<void> {
    const granted = await this.node.grant()
    this.node.feed({ kind: 'quorum', lease: granted, until: monotonicMs(this.node.now() + 60_000) })
  }

  /** Registered, and elected. */
  async leads(): Promise<number> {
    this.configure()
    this.node.feed({ kind: 'began' })
    await this.quorum()
    await this.follow(keys.member(this.node.self))
    return (await this.follow(keys.dc)).createRevision
  }
}

describe.each([
  { name: 'of the daemon', driven: daemonDriver },
  { name: 'of the simulation', driven: simulated },
])('the driver $name', ({ driven }) => {
  test('tells the executor of quorum, and that it is over', async () => {
    const watched = new Watched(driven())
    await watched.quorum()
    expect(watched.node.executorHasQuorum()).toBe(true)
    watched.node.feed({ kind: 'quorum', until: monotonicMs(Number.NEGATIVE_INFINITY) })
    watched.node.feed({ kind: 'quorum-lost', why: 'left' })
    expect(watched.node.executorHasQuorum()).toBe(false)
  })

  test('registers the node under its lease, and feeds back that this is written', async () => {
    const watched = new Watched(driven())
    const { node } = watched
    watched.configure()
    node.feed({ kind: 'began' })
    await watched.quorum()
    expect(node.state().presence.writing).toBe(true)
    const { value, lease: under } = await watched.follow(keys.member(node.self))
    expect(value).toMatchObject({ node: node.self, incarnation: node.incarnation, state: 'joining' })
    expect(under).toBe(node.state().lease)
    await node.until('the answer is fed back', () => !node.state().presence.writing)
  })

  test('campaigns under the lease, and writes under the term that comes of it', async () => {
    const watched = new Watched(driven())
    const term = await watched.leads()
    expect(watched.node.state().controller.dcState?.term).toBe(term)
    await watched.follow(keys.nodeState(watched.node.self))
  })

  test('answers every plan and every end of own stops', async () => {
    const watched = new Watched(driven())
    const { node } = watched
    watched.configure()
    node.feed({ kind: 'began' })
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    expect(node.state().ownStops.attempts).toHaveLength(1)
    await node.until('nothing is left to stop', () => node.state().ownStops.attempts.length === 0)
  })

  test('answers a command of a former term', async () => {
    const watched = new Watched(driven())
    const { node } = watched
    watched.configure()
    node.feed({ kind: 'began' })
    await watched.quorum()
    const action = { ...stopOfWeb, kind: 'cluster', operation: 'do_shutdown' } as unknown as Command['action']
    expect(await node.take({ ...command, term: -1, action })).toMatchObject({ accepted: false })
  })

  test('records a fencing under its term, runs its device, and feeds back the result', async () => {
    const watched = new Watched(driven())
    const { node } = watched
    const term = await watched.leads()
    const request = { kind: 'fence', id: 'f1', term, target: beta, action: 'off', timeoutMs: 5000 } as const
    const asked = { ...request, delayMs: 0, reason: 'a test' }
    node.feed({ kind: 'fencing', input: { kind: 'fence', request: asked, random: 0 } })
    const outcome = async () => (await node.entry(keys.fencingHistory('f1')))?.value
    await node.until('it is recorded', async () => (await outcome()) !== undefined)
    await node.until('it has ended', () => !node.state().fencing.asked.has('f1'))
    expect(await outcome()).toMatchObject({ id: 'f1', target: 'beta', outcome: /succeeded|failed/ })
    expect(await outcome()).toHaveProperty('begun')
    expect(await outcome()).toHaveProperty('ended')
    expect(node.state().fencing.dc.calls.size).toBe(0)
  })

  test('refuses a record of a term that is not the store’s', async () => {
    const watched = new Watched(driven())
    const { node } = watched
    const term = await watched.leads()
    const request = { kind: 'fence', id: 'f2', term: term + 1, target: beta, action: 'off', timeoutMs: 5000 } as const
    node.feed({
      kind: 'fencing',
      input: { kind: 'fence', request: { ...request, delayMs: 0, reason: 'a test' }, random: 0 },
    })
    await node.until('it has ended', () => !node.state().fencing.asked.has('f2'))
    expect(await node.entry(keys.fencingHistory('f2'))).toBeUndefined()
    expect(node.state().fencing.dc.requests).toEqual([])
  })

  test('performs nothing once it has ended, and knows until when its lease holds', async () => {
    const watched = new Watched(driven())
    const { node } = watched
    watched.configure()
    node.feed({ kind: 'began' })
    node.end()
    await watched.quorum()
    expect(isQuorate(node.state(), node.now())).toBe(true)
    expect(node.executorHasQuorum()).not.toBe(true)
    expect(await node.entry(keys.member(node.self))).toBeUndefined()
  })

  test('wakes the core when it wants to be', async () => {
    const watched = new Watched(driven())
    const { node } = watched
    watched.configure()
    node.feed({ kind: 'began' })
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    expect(node.state().ownStops.attempts[0]?.phase.kind).toBe('waits')
    await node.until('its moment is over', () => node.state().ownStops.attempts[0]?.phase.kind !== 'waits')
  })
})

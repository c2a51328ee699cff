/**
 * A cluster of simulated hosts on a simulated network, driven from a seed: faults for a while, then repair, then it must
 * settle. The same seed gives the same run, to the last event.
 */
import { type NodeName, nodeName, type ResourceId, resourceId, seededRandom } from '../../src/base/index.ts'
import { formatTransitionKey, type OperationRecord, type TransitionKey } from '../../src/cib/index.ts'
import { type ClusterView, type KeyWrite, keys, subjectOf } from '../../src/controller/index.ts'
import { type ClusterFile, storeHosts } from '../../src/daemon/nodes/cluster-file.ts'
import type { NodeList } from '../../src/daemon/nodes/node-list.ts'
import type { Operation } from '../../src/executor/index.ts'
import { type DeviceAnswer, watchdogDeviceId } from '../../src/fencing/index.ts'
import type { Pulse } from '../../src/membership/index.ts'
import { Checkers, type Violation } from './checkers.ts'
import {
  ban,
  configurationOf,
  initialWishes,
  isCloned,
  order,
  type StoredConfiguration,
  servicesOf,
  type Wishes,
} from './configuration.ts'
import { SimDaemon } from './daemon.ts'
import { Faults } from './faults.ts'
import { Host, type Outcome } from './host.ts'
import { Network } from './network.ts'
import { firstList, nodeListKey, witnessName } from './node-list.ts'
import { type Scheduled, scheduleView } from './scheduling.ts'
import { type SimComparison, SimStore, type SimWrite } from './store.ts'
import { Chance, Timeline } from './timeline.ts'

/** Ways to break the product on purpose: the checkers must notice. */
export type Mutation =
  | 'ignore-terms'
  | 'ignore-own-decisions'
  | 'ignore-own-history'
  | 'start-before-fencing'
  | 'ignore-quorum'
  | 'ignore-witness'
  | 'feed-always'
  | 'lose-all-who-owe'
  | 'fence-who-is-heard'
  | 'leave-off'
  | 'fence-needed-voters'

export interface SimulationOptions {
  readonly seed: number
  readonly mutations?: readonly Mutation[]
  /** Keeps the log of events, for people. */
  readonly keepLog?: boolean
  readonly nodes?: number
  readonly fencing?: boolean
  /** Nodes feed watchdogs; there may be no other fence device. */
  readonly watchdogs?: boolean
  /** Also clones, a promotable clone, migration, an order and a ban. */
  readonly rich?: boolean
  /** Beside two nodes: a host that votes and is no node. */
  readonly witness?: boolean
  /** Only these happen, by their names in `faults.ts`: for what else takes thousands of histories to show. */
  readonly faults?: readonly string[]
  /** Reboots by the fence device are off and on. */
  readonly splitReboot?: boolean
  /** `pcmk_delay_base` of the fence device. */
  readonly fencingDelay?: string
  /** For how long they happen. */
  readonly faultsLastMs?: number
}

export interface SimulationReport {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly log: readonly string[]
  /** What the run was like, so that a suite can show that it was not idle. */
  readonly counts: {
    readonly starts: number
    readonly fencings: number
    readonly faults: number
    readonly terms: number
    /** Transitions that were computed beside what was under way. */
    readonly beside: number
    /** One of two has gone on without the other. */
    readonly alone: number
    readonly promotions: number
    /** Moves of a running resource that began. */
    readonly migrations: number
    readonly watchdogResets: number
    readonly fencedByWatchdog: number
    /** Because a result was missing. */
    readonly fencedForAnswers: number
  }
  readonly settledAfterMs: number
}

const usualFaultsLastMs = 36_000
const settleWithinMs = 180_000

export class World {
  readonly timeline = new Timeline()
  readonly chance: Chance
  readonly network: Network
  readonly store: SimStore
  readonly checkers: Checkers
  readonly nodeNames: readonly NodeName[]
  readonly hosts = new Map<NodeName, Host>()
  readonly daemons = new Map<NodeName, SimDaemon>()
  readonly mutations: ReadonlySet<Mutation>
  readonly fencing: boolean
  readonly lines: string[] = []
  readonly watchdogs: boolean
  readonly rich: boolean
  readonly services: readonly string[]
  readonly witness: boolean
  readonly splitReboot: boolean
  readonly counts = {
    starts: 0,
    fencings: 0,
    faults: 0,
    terms: 0,
    beside: 0,
    alone: 0,
    promotions: 0,
    migrations: 0,
    watchdogResets: 0,
    fencedByWatchdog: 0,
    fencedForAnswers: 0,
  }
  /** How the fence device behaves: it works, it fails, or it says that it failed and switches the host off later. */
  device: 'works' | 'fails' | 'late' = 'works'
  readonly #keepLog: boolean
  readonly #faults: readonly string[] | undefined
  readonly #faultsLastMs: number
  #checked = 0

  constructor(options: SimulationOptions) {
    this.chance = new Chance(seededRandom(options.seed))
    this.mutations = new Set(options.mutations)
    this.#keepLog = options.keepLog ?? false
    this.#faults = options.faults
    this.#faultsLastMs = options.faultsLastMs ?? usualFaultsLastMs
    const size = options.nodes ?? (this.chance.happens(0.7) ? 3 : 5)
    this.nodeNames = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].slice(0, size).map(nodeName)
    this.fencing = options.fencing ?? this.chance.happens(0.8)
    this.watchdogs = options.watchdogs ?? (this.fencing && size > 2 && this.chance.happens(0.4))
    this.splitReboot = options.splitReboot ?? [1, 2, 3].includes(options.seed % 7)
    this.rich = options.rich ?? this.chance.happens(0.5)
    this.services = servicesOf(this)
    this.witness = size === 2 && (options.witness ?? this.chance.happens(0.5))
    this.network = new Network(this.timeline, this.chance, (node) => this.#isReachable(node))
    this.store = new SimStore(this.timeline, this.chance, this.network, this.hostNames)
    this.checkers = new Checkers(() => this.timeline.now)
    const policies = ['stop', 'stop', 'demote', 'fence', ...(this.fencing ? ['freeze'] : [])]
    const policy = this.chance.pick(policies) ?? 'stop'
    const { nodeNames: nodes, fencing, watchdogs, rich } = this
    const device = !watchdogs || this.chance.happens(0.5)
    const { fencingDelay } = options
    const delayed = fencingDelay === undefined ? {} : { fencingDelay }
    this.#seedConfiguration(
      initialWishes({ ...delayed, nodes, fencing, device, watchdogs, rich, noQuorumPolicy: policy }),
    )
    const list = firstList(this.nodeNames, this.witness)
    this.store.transaction([], [{ kind: 'put', key: nodeListKey, value: list }])
    for (const name of this.hostNames) this.hosts.set(name, new Host(name, list, this.timeline, this.chance))
    this.#letJoin()
  }

  run(): SimulationReport {
    for (const node of this.nodeNames) this.timeline.after(this.chance.between(0, 800), () => this.startDaemon(node))
    const faults = new Faults(this, this.#faults)
    this.timeline.after(this.chance.between(1500, 5000), () => faults.next(this.#faultsLastMs))
    this.#runUntil(this.#faultsLastMs)
    this.log('all', 'repair', 'faults stop, everything is repaired')
    faults.repair()
    const settledAt = this.#runUntilSettled()
    return {
      seed: 0,
      violations: this.checkers.violations,
      log: this.lines,
      counts: this.counts,
      settledAfterMs: settledAt - this.#faultsLastMs,
    }
  }

  #runUntil(time: number): void {
    while (this.checkers.violations.length === 0 && this.timeline.step(time)) this.#check()
  }

  #runUntilSettled(): number {
    let calmSince: number | undefined
    while (this.checkers.violations.length === 0 && this.timeline.now < this.#faultsLastMs + settleWithinMs) {
      this.#runUntil(this.timeline.now + 250)
      const trouble = this.#unsettled()
      if (trouble !== undefined) calmSince = undefined
      else calmSince ??= this.timeline.now
      if (calmSince !== undefined && this.timeline.now - calmSince > 5000) return calmSince
    }
    const trouble = this.#unsettled()
    if (this.checkers.violations.length === 0)
      this.checkers.violated('when faults stop, the cluster settles', trouble ?? 'it does not stay settled')
    return this.timeline.now
  }

  /** One of two makes the store its own. The others have not, and cannot have a majority of their own. */
  goesAlone(node: NodeName): void {
    const { voters } = this.store
    const others = voters.filter((voter) => voter !== node)
    if (!voters.includes(node) || others.length > voters.length / 2)
      this.checkers.violated('whoever goes on alone leaves no majority behind', `${node} does, and ${others} vote`)
    this.counts.alone++
    this.store.vote([node])
  }

  get list(): ClusterFile {
    return this.store.entries.get(nodeListKey)?.value as ClusterFile
  }

  /** In one transaction. */
  changeList(change: (list: NodeList) => NodeList): 'done' {
    const { witness: _before, ...rest } = this.list
    const after = { ...rest, ...change(this.list) }
    if (JSON.stringify(after) === JSON.stringify(this.list)) return 'done'
    const value = { ...after, nodesVersion: this.list.nodesVersion + 1 }
    this.log(
      'all',
      'votes',
      storeHosts(value)
        .map(({ name, votes }) => `${name} ${votes ? 'votes' : 'does not'}`)
        .join(', '),
    )
    this.store.transaction([], [{ kind: 'put', key: nodeListKey, value }])
    return 'done'
  }

  /** A host that the list gives a vote and that has no data joins as a learner and is promoted; one whose vote was taken discards its data. */
  #letJoin(): void {
    this.timeline.after(this.chance.between(300, 1000), () => {
      // Until then the list gives votes that are taken already.
      const isGoingAlone = [...this.hosts.values()].some(({ word }) => word !== undefined)
      for (const { name, votes } of storeHosts(this.list)) {
        const host = this.hosts.get(name)
        const isTold = name === witnessName || host?.list.nodesVersion === this.list.nodesVersion
        if (host === undefined || !this.#isReachable(name) || !this.store.serves(name) || !isTold) continue
        if (!votes) host.hasData = false
        else if (!this.store.voters.includes(name) && !isGoingAlone && this.store.mayJoin(name)) {
          this.store.vote([...this.store.voters, name])
          host.hasData = true
        }
      }
      this.#letJoin()
    })
  }

  /** Why the cluster is not as it should be; undefined where it is. */
  #unsettled(): string | undefined {
    const { wishes } = this.configuration()
    const transition = this.store.entries.get(keys.transition)?.value
    const state = fieldOf(transition, 'state')
    if (state !== 'idle') return `the transition is ${String(state)}: ${JSON.stringify(transition)}`
    const voteless = storeHosts(this.list).find(({ name }) => !this.store.voters.includes(name))
    if (voteless !== undefined) return `${voteless.name} has no vote`
    for (const node of this.nodeNames)
      if (fieldOf(this.store.entries.get(keys.nodeState(node))?.value, 'join') !== 'member')
        return `${node} is no member`
    for (const resource of [...this.services, ...(this.fencing && wishes.device ? ['fence'] : [])]) {
      const on = this.nodeNames.filter((node) =>
        [...(this.hosts.get(node)?.active ?? [])].some((name) => name === resource),
      )
      if (on.length !== this.#wantedInstances(resource, wishes))
        return `${resource} is active on ${on.join(' and ') || 'no node'}`
    }
    if (!this.rich || wishes.stopped.includes('data')) return undefined
    const promoted = this.nodeNames.filter((node) => this.hosts.get(node)?.promoted.has(resourceId('data')))
    return promoted.length === 1 ? undefined : `data is promoted on ${promoted.join(' and ') || 'no node'}`
  }

  #wantedInstances(resource: string, { stopped, standby }: Wishes): number {
    const without = (other: string) => stopped.includes(other)
    // What comes after another stops with it: in a group, and by an order.
    const off =
      without(resource) ||
      (resource === 'second' && without('first')) ||
      (this.rich &&
        resource === order.later &&
        this.#wantedInstances(order.first, { stopped, standby } as Wishes) === 0) ||
      (this.rich && resource === 'vm' && without('disk'))
    if (off) return 0
    const nodes = this.nodeNames.filter((node) => !standby.includes(node))
    if (isCloned(resource)) return nodes.length
    return this.rich && resource === ban.resource && nodes.every((node) => node === ban.node) ? 0 : 1
  }

  // ------------------------------------------------------------------ hosts and daemons

  /** The nodes, and the witness. */
  get hostNames(): readonly NodeName[] {
    return this.witness ? [...this.nodeNames, witnessName] : this.nodeNames
  }

  #isReachable(node: NodeName): boolean {
    const host = this.hosts.get(node)
    return host?.isOn === true && !host.isPaused
  }

  startDaemon(node: NodeName): void {
    const host = this.hosts.get(node)
    if (host?.isOn !== true || this.daemons.get(node)?.isAlive || !this.nodeNames.includes(node)) return
    const daemon = new SimDaemon(this, host)
    this.daemons.set(node, daemon)
    daemon.start()
  }

  killDaemon(node: NodeName): void {
    this.daemons.get(node)?.die()
    if (this.nodeNames.length === 2) this.#nobodyKnows(node)
    this.log(node, 'fault', 'systoled is killed')
  }

  /** It ends, and its supervisor starts another. */
  restartDaemon(node: NodeName, why: string): void {
    this.killDaemon(node)
    this.log(node, 'daemon', `ends, to be started again: ${why}`)
    this.hosts.get(node)?.after(this.chance.between(200, 1000), () => this.startDaemon(node))
  }

  daemonLeft(node: NodeName): void {
    this.daemons.get(node)?.die()
    this.log(node, 'daemon', 'has left')
    const active = [...(this.hosts.get(node)?.active ?? [])]
    if (active.length === 0) this.#leftEmpty.add(node)
    else this.log(node, 'daemon', `left while ${active} ran`)
  }

  /** Not by a fence device: nobody but the host knows. */
  losePower(node: NodeName, why: string): void {
    const host = this.hosts.get(node)
    if (host === undefined || !host.isOn) return
    this.log(node, 'power', `off: ${why}`)
    this.checkers.hostDied(node, host.active)
    this.#switchOff(node)
  }

  #switchOff(node: NodeName): void {
    // The survivor of two that dies as well knows of no device when it boots without the other: a person switches that on.
    if (this.nodeNames.length === 2) this.#nobodyKnows(node)
    this.hosts.get(node)?.powerOff()
    this.daemons.get(node)?.die()
  }

  /** Who was switched off to be rebooted, and by whom. */
  #nobodyKnows(runner: NodeName): void {
    for (const [target, by] of this.#leftOff) if (by === runner) this.#leftOff.delete(target)
  }

  readonly #leftOff = new Map<NodeName, NodeName>()

  powerOn(node: NodeName): void {
    const host = this.hosts.get(node)
    // Whoever has switched it off to reboot it switches it on.
    if (host === undefined || host.isOn || this.#leftOff.has(node)) return
    host.isOn = true
    this.log(node, 'power', 'on')
    host.after(this.chance.between(1500, 4000), () => this.startDaemon(node))
  }

  /** The node ends itself, hard, and boots again. */
  panic(node: NodeName, why: string): void {
    this.losePower(node, `by itself: ${why}`)
    this.timeline.after(500, () => this.powerOn(node))
  }

  // ------------------------------------------------------------------ what daemons ask of the world

  /** Seconds since the epoch. */
  calendar(): number {
    return 1_700_000_000 + Math.floor(this.timeline.now / 1000)
  }

  log(node: string, part: string, text: string): void {
    if (this.#keepLog)
      this.lines.push(
        `${(this.timeline.now / 1000).toFixed(3).padStart(8)} ${node.padEnd(7)} ${part.padEnd(10)} ${text}`,
      )
  }

  schedule(view: ClusterView, asked: Parameters<typeof scheduleView>[2]): Scheduled {
    return scheduleView(view, this.calendar(), asked)
  }

  /** The DC has a node fenced that is heard, and that owes a result. Where nothing else goes wrong, the others are a majority. */
  fencesForAnswers(target: NodeName): void {
    this.counts.fencedForAnswers++
    const lost = this.nodeNames.filter(
      (node) => node === target || fieldOf(this.store.entries.get(keys.nodeState(node))?.value, 'join') !== 'member',
    )
    const isMinority = this.nodeNames.length === 2 ? lost.length === 1 : lost.length * 2 < this.nodeNames.length
    if (this.#faults?.every((name) => name === 'mute') && !isMinority)
      this.checkers.violated('missing answers cost no majority', `${lost} of ${this.nodeNames} are gone`)
  }

  /** The DC asks for it. Who has known for a while that there is no majority without the target waits for that, for a minute. */
  fences(by: NodeName, target: NodeName): void {
    const { voters } = this.store
    if (this.nodeNames.length === 2 || !voters.includes(target)) return
    const off = voters
      .filter((voter) => voter !== target && this.hosts.get(voter)?.isOn !== true)
      .map((voter) => this.hosts.get(voter)?.offSince ?? 0)
      .toSorted((a, b) => a - b)
    // So many of the others must be missing that the rest is none.
    const neededMs = this.timeline.now - (off[Math.ceil(voters.length / 2) - 2] ?? Number.POSITIVE_INFINITY)
    if (neededMs > 3000 && neededMs < 55_000)
      this.checkers.violated('fencing costs no majority', `${by} has ${target} fenced, of ${voters}`)
  }

  sendPulse(from: NodeName, to: NodeName, pulse: Pulse): void {
    this.network.send(from, to, () => {
      const daemon = this.daemons.get(to)
      if (daemon?.isAlive) daemon.after(0, () => daemon.receivePulse(pulse))
      else
        this.network.send(to, from, () => {
          const sender = this.daemons.get(from)
          sender?.after(0, () => sender.heartbeat.feed({ kind: 'connection-failed', peer: to, how: 'refused' }))
        })
    })
  }

  /** A call to another daemon; no answer comes where one of the ways is cut or the daemon is not there. */
  request<Answer>(
    from: SimDaemon,
    to: NodeName,
    handle: (peer: SimDaemon, reply: (answer: Answer) => void) => void,
    answer: (answer: Answer) => void,
  ): void {
    this.network.send(from.node, to, () => {
      const peer = this.daemons.get(to)
      if (!peer?.isAlive) return
      peer.after(0, () =>
        handle(peer, (result) => this.network.send(to, from.node, () => from.after(0, () => answer(result)))),
      )
    })
  }

  get rulingTerm(): number | undefined {
    return this.store.entries.get(keys.dc)?.createRevision
  }

  writeUnderTerm(
    node: NodeName,
    term: number,
    writes: readonly KeyWrite[],
    alsoHolds: readonly SimComparison[],
  ): { readonly applied: boolean; readonly revision: number } {
    const compare = this.mutations.has('ignore-terms')
      ? []
      : [{ kind: 'create-revision', key: keys.dc, equals: term } as const]
    const ruling = this.rulingTerm
    const result = this.store.transaction([...compare, ...alsoHolds], writes)
    if (result.applied) this.checkers.wroteUnderTerm(node, term, ruling)
    return result
  }

  announce(
    node: NodeName,
    of: {
      readonly term: number
      readonly memberRevision: number
      readonly writes: readonly SimWrite[]
      readonly key: TransitionKey
    },
  ): boolean {
    const ruling = this.rulingTerm
    const guard = [
      { kind: 'create-revision', key: keys.dc, equals: of.term },
      { kind: 'create-revision', key: keys.member(node), equals: of.memberRevision },
    ] as const
    const { applied } = this.store.transaction(this.mutations.has('ignore-terms') ? [] : guard, of.writes)
    if (applied) this.checkers.announced(node, formatTransitionKey(of.key), { term: of.term, ruling })
    return applied
  }

  agentBegins(daemon: SimDaemon, operation: Operation): void {
    // A fence device "runs" where it is monitored; the cluster starts it elsewhere before it can fence anybody with it.
    if (operation.agent.class === 'stonith') return
    const { resource, key } = operation
    switch (operation.operation) {
      case 'start': {
        this.counts.starts++
        const alsoOn = isCloned(resource) ? [] : this.#others(daemon, ({ active }) => active.has(resource))
        this.checkers.starts(daemon.node, resource, {
          key: formatTransitionKey(key),
          alsoOn,
          fencing: this.fencing && !isCloned(resource),
        })
        this.#checkStart(daemon.node, operation)
        return
      }
      case 'promote':
        this.counts.promotions++
        this.checkers.promotes(
          daemon.node,
          resource,
          this.#others(daemon, ({ promoted }) => promoted.has(resource)),
        )
        return
      case 'stop':
        // What a node does by itself without quorum knows nothing of the others.
        if (operation.term !== undefined) this.#checkStop(daemon.node, resource)
        this.#stopped.set(resource, { node: daemon.node, byItself: operation.term === undefined })
        this.#known.set(resource, 'stopping')
        return
      case 'migrate_to':
        this.counts.migrations++
        return
    }
  }

  /** Who has left with nothing running, and was not integrated since. */
  readonly #leftEmpty = new Set<NodeName>()
  /** The boot of each node in which the DC has integrated it last. */
  readonly #integratedIn = new Map<NodeName, unknown>()
  /** What the agents have said last of each resource, whatever has become of it since. */
  readonly #known = new Map<ResourceId, 'started' | 'stopping' | 'stopped'>()
  /** Where it was stopped last, and whether that node has decided it. */
  readonly #stopped = new Map<ResourceId, { readonly node: NodeName; readonly byItself: boolean }>()

  agentEnds(daemon: SimDaemon, { resource, operation }: Operation, outcome: Outcome): void {
    const worked = outcome.status === 'done' && outcome.exitCode === 0
    if (operation === 'start' && worked) {
      this.#known.set(resource, 'started')
      this.#stopped.delete(resource)
    }
    if (operation === 'stop' && worked) this.#known.set(resource, 'stopped')
    if (operation === 'monitor' && outcome.status === 'done' && outcome.exitCode === 7)
      this.checkers.isNotThere(daemon.node, resource)
    if (operation === 'monitor' && worked && daemon.isAlive && this.#known.get(resource) !== 'stopping')
      this.#known.set(resource, 'started')
  }

  #others(daemon: SimDaemon, has: (host: Host) => boolean): readonly NodeName[] {
    return this.nodeNames.filter((node) => {
      const host = this.hosts.get(node)
      return node !== daemon.node && host !== undefined && has(host)
    })
  }

  #checkStart(node: NodeName, operation: Operation): void {
    if (!this.rich) return
    const { resource } = operation
    if (resource === ban.resource && node === ban.node)
      this.checkers.violated('nothing starts where it may not', `${resource} starts on ${node}`)
    if (resource !== order.later) return
    const first = this.#known.get(resourceId(order.first))
    if (first !== 'started' && this.#isKnown(resourceId(order.first), node, operation))
      this.checkers.violated(
        'orders are kept',
        `${resource} starts on ${node} while ${order.first} is ${first ?? 'stopped'}`,
      )
  }

  /** That a resource was stopped: by the node that has decided it, and by whoever planned from where it was recorded. */
  #isKnown(resource: ResourceId, node: NodeName, { plannedFrom = 0 }: Operation): boolean {
    const stopped = this.#stopped.get(resource)
    if (stopped === undefined || (stopped.byItself && stopped.node === node)) return true
    const last = this.store.entries.get(keys.history(stopped.node, resource, `${resource}_last_0`))
    const isRecorded = (last?.value as OperationRecord | undefined)?.attributes.operation === 'stop'
    return isRecorded && (last?.modRevision ?? 0) <= plannedFrom
  }

  #checkStop(node: NodeName, resource: ResourceId): void {
    if (!this.rich || resource !== order.first || this.#known.get(resourceId(order.later)) !== 'started') return
    const where = this.nodeNames.filter((name) => this.hosts.get(name)?.active.has(resourceId(order.later)))
    // One that is lost, which the store knows first, is fenced or has stopped by itself: no agent says so.
    const isMember = (name: NodeName): boolean => this.store.entries.has(keys.member(name))
    const seen = where.filter((name) => isMember(name) && this.daemons.get(name)?.isQuorate())
    if (seen.length > 0)
      this.checkers.violated('orders are kept', `${resource} stops on ${node} while ${order.later} runs on ${seen}`)
  }

  /** It runs there now, and here no more; false where it cannot get there. */
  migrate(resource: ResourceId, from: Host, to: string): boolean {
    const host = this.hosts.get(nodeName(to))
    if (host === undefined || !host.isOn || host.isPaused || !this.network.connects(from.name, host.name)) return false
    from.kill(resource)
    host.active.add(resource)
    this.log(from.name, 'host', `${resource} moves to ${to}`)
    return true
  }

  watchdogResets(node: NodeName): void {
    this.counts.watchdogResets++
    this.losePower(node, 'its watchdog')
    // Some machines take longer to boot than the others wait.
    this.timeline.after(this.chance.between(500, 20_000), () => this.powerOn(node))
  }

  runDevice(
    runner: NodeName,
    asked: {
      readonly action: string
      readonly target: NodeName
      readonly timeoutMs: number
      readonly isReboot: boolean
    },
    reply: (answer: DeviceAnswer) => void,
  ): void {
    const { action, target, timeoutMs, isReboot } = asked
    const host = this.hosts.get(target)
    const answer = (succeeded: boolean, message: string, timedOut = false) => {
      const power = host?.isOn ? 'on' : 'off'
      reply({ succeeded, timedOut, output: '', message, ...(action === 'status' && succeeded ? { power } : {}) })
    }
    const mode = action === 'status' && this.device === 'late' ? 'works' : this.device
    const switchIt = () => {
      this.counts.fencings++
      this.log(target, 'device', `${action}, asked by ${runner}`)
      if (action === 'off' || action === 'reboot') {
        // Whatever ran there ends now, but nobody may rely on it before the confirmation is recorded.
        if (host?.isOn) this.checkers.hostDied(target, host.active)
        this.#switchOff(target)
        const isKnown = this.nodeNames.length > 2 || this.daemons.get(runner)?.isAlive === true
        if (action === 'off' && isReboot && mode === 'works' && isKnown) this.#leftOff.set(target, runner)
      }
      if (action === 'on') {
        this.#leftOff.delete(target)
        this.powerOn(target)
      }
      if (action === 'reboot') this.timeline.after(800, () => this.powerOn(target))
    }
    if (mode === 'fails') {
      this.timeline.after(this.chance.between(100, 800), () => answer(false, 'the device does not work'))
      return
    }
    if (mode === 'late') {
      this.timeline.after(timeoutMs, () => answer(false, 'the device took too long', true))
      this.timeline.after(timeoutMs + this.chance.between(500, 6000), switchIt)
      return
    }
    this.timeline.after(this.chance.between(200, 1500), () => {
      if (action !== 'status' && action !== 'monitor') switchIt()
      answer(true, '')
    })
  }

  // ------------------------------------------------------------------ the administrator

  configuration(): StoredConfiguration {
    return this.store.entries.get(keys.configuration)?.value as StoredConfiguration
  }

  #seedConfiguration(wishes: Wishes): void {
    this.store.transaction([], [{ kind: 'put', key: keys.configuration, value: configurationOf(wishes, 1) }])
  }

  /** By compare-and-swap, through a node; the change counts as saved only when the answer says so. */
  edit(node: NodeName, change: (wishes: Wishes) => Wishes): void {
    const before = this.store.entries.get(keys.configuration)
    const { wishes, version } = this.configuration()
    if (before === undefined) return
    const marker = version
    const after = { ...change(wishes), markers: [...wishes.markers, marker] }
    const value = configurationOf(after, version + 1)
    const guard = { kind: 'mod-revision', key: keys.configuration, equals: before.modRevision } as const
    this.store.call(
      node,
      () => this.store.transaction([guard], [{ kind: 'put', key: keys.configuration, value }]).applied,
      (applied) => {
        if (applied === true) this.checkers.saved(marker)
      },
    )
  }

  /** Forgets all failures, as `resource cleanup` does. */
  cleanUp(): void {
    const failures = [...this.store.entries.keys()].flatMap((key): readonly SimWrite[] => {
      const subject = subjectOf(key)
      if (subject?.kind === 'attribute' && /^(fail-count|last-failure)-/.test(subject.name))
        return [{ kind: 'delete', key }]
      if (subject?.kind === 'history' && subject.recordId.endsWith('_last_failure_0'))
        return [{ kind: 'delete-prefix', prefix: keys.historyOfResource(subject.node, subject.resource) }]
      return []
    })
    if (failures.length > 0) this.store.transaction([], failures)
  }

  // ------------------------------------------------------------------ checks

  /** Reads what the store has written since the last look. */
  #check(): void {
    const { history } = this.store
    for (; this.#checked < history.length; this.#checked++)
      for (const { key, entry } of history[this.#checked]?.events ?? []) this.#checkEvent(key, entry?.value)
  }

  #checkEvent(key: string, value: unknown): void {
    const subject = subjectOf(key)
    if (subject?.kind === 'dc' && value !== undefined) this.counts.terms++
    if (subject?.kind === 'configuration') this.checkers.configurationIs(this.configuration().wishes.markers)
    if (subject?.kind === 'node-state' && fieldOf(value, 'join') === 'member') {
      this.checkers.nodeIsClean(subject.node)
      this.#leftEmpty.delete(subject.node)
      this.#integratedIn.set(subject.node, fieldOf(fieldOf(value, 'attributes'), 'boot_id'))
    }
    if (subject?.kind !== 'fencing-history' || fieldOf(value, 'outcome') !== 'succeeded') return
    if (fieldOf(value, 'isFollowUp') === true) return
    const target = nodeName(String(fieldOf(value, 'target')))
    this.checkers.nodeIsClean(target)
    if (fieldOf(value, 'device') !== watchdogDeviceId) return
    this.counts.fencedByWatchdog++
    const host = this.hosts.get(target)
    const wasReset = host?.isOn !== true || host.bootId !== this.#integratedIn.get(target)
    this.checkers.countsAsReset(target, wasReset || this.#leftEmpty.has(target))
  }
}

export function simulate(options: SimulationOptions): SimulationReport {
  return { ...new World(options).run(), seed: options.seed }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

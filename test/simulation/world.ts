/**
 * A cluster of simulated hosts on a simulated network, driven from a seed: faults for a while, then repair, then it must
 * settle. The same seed gives the same run, to the last event.
 */

import { type NodeName, nodeName, type ResourceId, resourceId, seededRandom } from '../../src/base/index.ts'
import { formatTransitionKey, type OperationRecord, type TransitionKey } from '../../src/cib/index.ts'
import { type ClusterView, type KeyWrite, keys, subjectOf } from '../../src/controller/index.ts'
import { type ClusterFile, storeHosts } from '../../src/daemon/node-list/cluster-file.ts'
import { isKnown } from '../../src/daemon/node-list/known-node.ts'
import type { NodeList } from '../../src/daemon/node-list/node-list.ts'
import type { ListAnswer } from '../../src/daemon/peers/ask-for-list.ts'
import type { Operation } from '../../src/executor/index.ts'
import { type DeviceAnswer, watchdogDeviceId } from '../../src/fencing/index.ts'
import type { Pulse } from '../../src/membership/index.ts'
import { nextVoteStep, otherOfTwo } from '../../src/quorum/index.ts'
import { Administrator } from './administrator.ts'
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
import { SimDisks } from './disks.ts'
import { Faults } from './faults.ts'
import { Host, type Outcome } from './host.ts'
import { Network } from './network.ts'
import { firstList, nodeListKey, witnessName } from './node-list.ts'
import { type Scheduled, scheduleView } from './scheduling.ts'
import { type Loss, loseOneWhileNodesChange } from './single-loss.ts'
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
  | 'write-no-disk-word'

export interface SimulationOptions {
  readonly seed: number
  readonly mutations?: readonly Mutation[]
  /** Keeps the log of events, for people. */
  readonly keepLog?: boolean
  readonly nodes?: number
  readonly fencing?: boolean
  /** Nodes feed watchdogs; there may be no other fence device. */
  readonly watchdogs?: boolean
  /** Nodes are fenced through disks of SBD, and not otherwise. */
  readonly disks?: boolean
  /** Also clones, a promotable clone, migration, an order and a ban. */
  readonly rich?: boolean
  /** Beside two nodes: a host that votes and is no node. */
  readonly witness?: boolean
  /** Nodes are added, removed and replaced. */
  readonly changing?: boolean
  /** One node comes or goes, one machine is lost while that is done, and nothing else fails. */
  readonly singleLoss?: boolean
  /** What takes time when a node begins takes its time, and a copy of the store falls behind: so in a quarter of the usual histories. */
  readonly boots?: boolean
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
    readonly fencedThroughDisks: number
    /** Because a result was missing. */
    readonly fencedForAnswers: number
    readonly added: number
    readonly removed: number
    readonly cancelled: number
    /** One machine, while nodes came or went, that the others had to answer. */
    readonly losses: number
    /** A node that booted gave way to the other of two. */
    readonly gaveWay: number
    /** Copies of the store that fell behind and were listed again. */
    readonly listedAgain: number
  }
  readonly settledAfterMs: number
}

const allNames = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta']
const usualFaultsLastMs = 36_000
const settleWithinMs = 180_000

export class World {
  readonly timeline = new Timeline()
  readonly chance: Chance
  readonly network: Network
  readonly store: SimStore
  readonly administrator: Administrator
  readonly checkers: Checkers
  /** All that are nodes, were or may become one. */
  readonly machines: readonly NodeName[]
  /** Nodes are added, removed and replaced. */
  readonly changing: boolean
  /** Nodes that boot wait for the others; whoever was cut off for some seconds lists the store again. */
  readonly boots: boolean
  readonly hosts = new Map<NodeName, Host>()
  readonly daemons = new Map<NodeName, SimDaemon>()
  readonly mutations: ReadonlySet<Mutation>
  readonly fencing: boolean
  readonly lines: string[] = []
  readonly watchdogs: boolean
  readonly disks: SimDisks | undefined
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
    fencedThroughDisks: 0,
    fencedForAnswers: 0,
    added: 0,
    removed: 0,
    cancelled: 0,
    losses: 0,
    gaveWay: 0,
    listedAgain: 0,
  }
  /** How the fence device behaves: it works, it fails, or it says that it failed and switches the host off later. */
  device: 'works' | 'fails' | 'late' = 'works'
  readonly #founders: readonly NodeName[]
  readonly #keepLog: boolean
  readonly #faults: readonly string[] | undefined
  readonly faultsLastMs: number
  readonly #singleLoss: boolean
  /** These stay off. */
  readonly broken = new Set<NodeName>()
  #checked = 0

  constructor(options: SimulationOptions) {
    this.chance = new Chance(seededRandom(options.seed))
    this.mutations = new Set(options.mutations)
    this.#keepLog = options.keepLog ?? false
    this.#faults = options.faults
    this.#singleLoss = options.singleLoss ?? false
    this.faultsLastMs = options.faultsLastMs ?? (this.#singleLoss ? 130_000 : usualFaultsLastMs)
    const size = options.nodes ?? (this.chance.happens(0.7) ? 3 : 5)
    const isUsual = this.mutations.size === 0 && options.faults === undefined
    this.changing = options.changing ?? (this.#singleLoss || (isUsual && options.seed % 4 === 0))
    this.boots = options.boots ?? (isUsual && !this.#singleLoss && [2, 5].includes(options.seed % 8))
    this.machines = allNames.slice(0, size + (this.changing ? 2 : 0)).map(nodeName)
    this.#founders = this.machines.slice(0, size)
    const readsDisks = options.disks ?? (isUsual && size > 2 && !this.#singleLoss && options.seed % 16 === 9)
    this.fencing = readsDisks || (options.fencing ?? this.chance.happens(0.8))
    this.watchdogs = !readsDisks && (options.watchdogs ?? (this.fencing && size > 2 && this.chance.happens(0.4)))
    this.disks = readsDisks ? new SimDisks(this.chance.happens(0.5) ? 1 : 3, this.timeline, this.chance) : undefined
    this.splitReboot = options.splitReboot ?? [1, 2, 3].includes(options.seed % 7)
    this.rich = options.rich ?? this.chance.happens(0.5)
    this.services = servicesOf(this)
    this.witness = size === 2 && (options.witness ?? this.chance.happens(0.5))
    this.network = new Network(this.timeline, this.chance, (node) => this.#isReachable(node))
    const list = firstList(this.#founders, this.witness, this.changing)
    const voters = storeHosts(list).flatMap(({ name, votes }) => (votes ? [name] : []))
    this.store = new SimStore(this, voters, (host) => (this.changing ? this.#votersKnownTo(host) : this.store.voters))
    if (this.boots) this.store.beginCompacting()
    this.checkers = new Checkers(() => this.timeline.now)
    const policies = ['stop', 'stop', 'demote', 'fence', ...(this.fencing ? ['freeze'] : [])]
    const policy = this.chance.pick(policies) ?? 'stop'
    const { fencing, watchdogs, rich, machines } = this
    const nodes = list.nodes.map(({ id, name }) => ({ id, name }))
    const device = !watchdogs || this.chance.happens(0.5)
    const { fencingDelay } = options
    const disks = this.disks?.paths ?? []
    const delayed = fencingDelay === undefined ? {} : { fencingDelay }
    this.#seedConfiguration(
      initialWishes({ ...delayed, nodes, machines, fencing, device, watchdogs, disks, rich, noQuorumPolicy: policy }),
    )
    this.store.transaction([], [{ kind: 'put', key: nodeListKey, value: list }])
    for (const name of this.hostNames) this.hosts.set(name, new Host(name, list, this.timeline, this.chance))
    this.administrator = new Administrator(this)
    this.#letJoin()
  }

  run(): SimulationReport {
    for (const node of this.#founders) this.timeline.after(this.chance.between(0, 800), () => this.startDaemon(node))
    const faults = new Faults(this, this.#faults)
    if (this.changing) this.administrator.begin()
    if (this.#singleLoss) {
      const lost = loseOneWhileNodesChange(this)
      this.#runUntil(this.faultsLastMs)
      this.#checkService(lost())
    } else {
      this.timeline.after(this.chance.between(1500, 5000), () => faults.next(this.faultsLastMs))
      this.#runUntil(this.faultsLastMs)
    }
    this.log('all', 'repair', 'faults stop, everything is repaired')
    faults.repair()
    const settledAt = this.#runUntilSettled()
    return {
      seed: 0,
      violations: this.checkers.violations,
      log: this.lines,
      counts: this.counts,
      settledAfterMs: settledAt - this.faultsLastMs,
    }
  }

  /** After one loss, and time for the others to answer it. */
  #checkService(loss: Loss | undefined): void {
    if (loss === undefined || !loss.othersCan) return
    const { node: lost } = loss
    this.counts.losses++
    const off = this.services.filter((resource) => {
      const on = this.machines.filter((node) => this.hosts.get(node)?.active.has(resourceId(resource)))
      // Fenced, and back: it is lost no more.
      return on.length !== 1 || (on[0] === lost && this.daemons.get(lost)?.isQuorate() !== true)
    })
    if (this.checkers.violations.length === 0 && off.length > 0)
      this.checkers.violated('any single loss leaves the service running', `${off} do not run, and ${lost} is lost`)
  }

  #runUntil(time: number): void {
    while (this.checkers.violations.length === 0 && this.timeline.step(time)) this.#check()
  }

  #runUntilSettled(): number {
    let calmSince: number | undefined
    while (this.checkers.violations.length === 0 && this.timeline.now < this.faultsLastMs + settleWithinMs) {
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

  /** By the list in the store. */
  get nodeNames(): readonly NodeName[] {
    return this.changing ? this.list.nodes.map(({ name }) => name) : this.#founders
  }

  /** Two vote, or one that went on alone: what holds for more does not hold for them. */
  get isOfTwo(): boolean {
    return this.changing ? this.list.nodes.filter(({ votes }) => votes).length <= 2 : this.nodeNames.length === 2
  }

  /** By its own list, where the others still admit it. */
  #votersKnownTo(node: NodeName): readonly NodeName[] | undefined {
    const host = this.hosts.get(node)
    if (host === undefined || (node !== witnessName && !this.isAdmitted(host, this.list))) return undefined
    return storeHosts(host.list).flatMap(({ name, votes }) => (votes ? [name] : []))
  }

  isAdmitted(host: Host, by: ClusterFile): boolean {
    return host.joined && isKnown(by.nodes, { name: host.name, key: host.key })
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

  isListed(node: NodeName): boolean {
    return this.list.nodes.some(({ name }) => name === node)
  }

  /** As it is: keys are added without a new version. */
  putList(value: ClusterFile): 'done' {
    if (JSON.stringify(value) !== JSON.stringify(this.list))
      this.store.transaction([], [{ kind: 'put', key: nodeListKey, value }])
    return 'done'
  }

  /** A node asks another for its list; a host that the other does not know is told that it was removed. */
  knock(from: SimDaemon, to: NodeName, answer: (answer: ListAnswer | 'removed') => void): void {
    this.network.send(from.node, to, () => {
      const peer = this.daemons.get(to)
      if (!peer?.isAlive) return
      const knows = this.isAdmitted(from.host, peer.host.list)
      const isInStore = this.store.serves(to) && this.isAdmitted(from.host, this.list)
      const hasOtherKey = peer.host.list.nodes.some(({ name }) => name === from.node)
      if (!knows && !isInStore && hasOtherKey) return
      const given = knows || isInStore ? { file: peer.host.list, quorate: peer.isQuorate() } : 'removed'
      this.network.send(to, from.node, () => from.after(0, () => answer(given)))
    })
  }

  /** A host that the list gives a vote and that has no data joins as a learner and is promoted; one whose vote was taken discards its data. */
  #letJoin(): void {
    this.timeline.after(this.chance.between(300, 1000), () => {
      // Until then the list gives votes that are taken already.
      const isGoingAlone = [...this.hosts.values()].some(
        ({ word, list, name }) => word !== undefined && otherOfTwo(list, name) !== undefined,
      )
      for (const { name, votes } of storeHosts(this.list)) {
        const host = this.hosts.get(name)
        const isTold = name === witnessName || host?.list.nodesVersion === this.list.nodesVersion
        if (host === undefined || !this.#isReachable(name) || !this.store.serves(name) || !isTold) continue
        // It is taken out before its data goes, wherever it has come in by a list that was about to change.
        if (!votes) host.hasData = this.store.takeVote(name) === 'refused'
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
    const voteless = storeHosts(this.list).find(({ name, votes }) => votes !== this.store.voters.includes(name))
    if (voteless !== undefined) return `${voteless.name} has a vote in the list or in the store, and not in both`
    const step = nextVoteStep(this.list, () => 'up')
    if (step.kind !== 'none') return `to ${step.kind} the vote of ${step.node}`
    const change = this.#unsettledNode()
    if (change !== undefined) return change
    for (const node of this.nodeNames)
      if (fieldOf(this.store.entries.get(keys.nodeState(node))?.value, 'join') !== 'member')
        return `${node} is no member`
    for (const resource of [...this.services, ...(this.fencing && wishes.device ? ['fence'] : [])]) {
      const on = this.machines.filter((node) =>
        [...(this.hosts.get(node)?.active ?? [])].some((name) => name === resource),
      )
      if (on.length !== this.#wantedInstances(resource, wishes))
        return `${resource} is active on ${on.join(' and ') || 'no node'}`
    }
    if (!this.rich || wishes.stopped.includes('data')) return undefined
    const promoted = this.machines.filter((node) => this.hosts.get(node)?.promoted.has(resourceId('data')))
    const wanted = Math.min(1, this.#wantedInstances('data', wishes))
    return promoted.length === wanted ? undefined : `data is promoted on ${promoted.join(' and ') || 'no node'}`
  }

  /** Of nodes that come and go. */
  #unsettledNode(): string | undefined {
    const { nodes } = this.list
    const leaving = nodes.find((entry) => entry.leaving === true)
    if (leaving !== undefined) return `${leaving.name} is leaving`
    const stranger = nodes.find(({ name }) => !this.#isAtHome(name))
    if (stranger !== undefined) return `${stranger.name} is listed and has not joined`
    const configured = this.configuration().wishes.nodes.map(({ name }) => name)
    if (
      configured.toSorted().join() !==
      nodes
        .map(({ name }) => name)
        .toSorted()
        .join()
    )
      return `${configured} are configured, and ${nodes.map(({ name }) => name)} are nodes`
    const removed = this.machines.filter((machine) => !this.nodeNames.includes(machine))
    const recorded = removed.find((node) => this.store.entries.has(keys.nodeState(node)))
    if (recorded !== undefined) return `${recorded} was removed, and its state is still recorded`
    return undefined
  }

  #isAtHome(node: NodeName): boolean {
    const host = this.hosts.get(node)
    return host !== undefined && this.isAdmitted(host, this.list)
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
    if (isCloned(resource) || nodes.length === 0) return nodes.length
    return this.rich && resource === ban.resource && nodes.every((node) => node === ban.node) ? 0 : 1
  }

  // ------------------------------------------------------------------ hosts and daemons

  /** The machines, and the witness. */
  get hostNames(): readonly NodeName[] {
    return this.witness ? [...this.machines, witnessName] : this.machines
  }

  #isReachable(node: NodeName): boolean {
    const host = this.hosts.get(node)
    return host?.isOn === true && !host.isPaused
  }

  startDaemon(node: NodeName): void {
    const host = this.hosts.get(node)
    if (host?.isOn !== true || !host.joined || this.daemons.get(node)?.isAlive || node === witnessName) return
    const daemon = new SimDaemon(this, host)
    this.daemons.set(node, daemon)
    daemon.start()
  }

  killDaemon(node: NodeName): void {
    this.daemons.get(node)?.die()
    if (this.isOfTwo) this.#nobodyKnows(node)
    this.log(node, 'fault', 'systoled is killed')
  }

  /** It ends, and its supervisor starts another. */
  restartDaemon(node: NodeName, why: string): void {
    this.killDaemon(node)
    this.log(node, 'daemon', `ends, to be started again: ${why}`)
    this.hosts.get(node)?.after(this.chance.between(200, 1000), () => this.startDaemon(node))
  }

  /** It belongs to the cluster no more, as it has found out. */
  forgets(node: NodeName, why: string): void {
    this.log(node, 'daemon', `forgets its cluster: ${why}`)
    this.daemons.get(node)?.die()
    this.hosts.get(node)?.forget()
  }

  /** Its machine is another one. */
  reinstall(node: NodeName): void {
    this.#leftOff.delete(node)
    this.hosts.get(node)?.forget()
    this.powerOn(node)
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
    if (this.isOfTwo) this.#nobodyKnows(node)
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
    if (host === undefined || host.isOn || this.#leftOff.has(node) || this.broken.has(node)) return
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
    const isMinority = this.isOfTwo ? lost.length === 1 : lost.length * 2 < this.nodeNames.length
    if (this.#faults?.every((name) => name === 'mute') && !isMinority)
      this.checkers.violated('missing answers cost no majority', `${lost} of ${this.nodeNames} are gone`)
  }

  /** The DC asks for it. Who has known for a while that there is no majority without the target waits for that, for a minute. */
  fences(by: NodeName, target: NodeName): void {
    const { voters } = this.store
    if (this.isOfTwo || !voters.includes(target)) return
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
      const sender = this.hosts.get(from)
      if (this.changing && daemon?.isAlive && sender !== undefined && !this.isAdmitted(sender, daemon.host.list)) return
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
      if (!peer?.isAlive || (this.changing && !this.isAdmitted(from.host, peer.host.list))) return
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
    if (operation === 'stop' && worked) {
      this.#known.set(resource, 'stopped')
      this.checkers.isNotThere(daemon.node, resource)
    }
    if (operation === 'monitor' && outcome.status === 'done' && outcome.exitCode === 7)
      this.checkers.isNotThere(daemon.node, resource)
    if (operation === 'monitor' && worked && daemon.isAlive && this.#known.get(resource) !== 'stopping')
      this.#known.set(resource, 'started')
  }

  #others(daemon: SimDaemon, has: (host: Host) => boolean): readonly NodeName[] {
    return this.machines.filter((node) => {
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
    const where = this.machines.filter((name) => this.hosts.get(name)?.active.has(resourceId(order.later)))
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
    if (this.disks !== undefined && (action === 'off' || action === 'reboot')) {
      this.counts.fencings++
      this.log(target, 'device', `${action} through disks, asked by ${runner}`)
      this.disks.send(runner, target, action === 'off' ? 'off' : 'reset', (sent) =>
        answer(sent, sent ? '' : 'too few disks can be written'),
      )
      return
    }
    const switchIt = () => {
      this.counts.fencings++
      this.log(target, 'device', `${action}, asked by ${runner}`)
      if (action === 'off' || action === 'reboot') {
        // Whatever ran there ends now, but nobody may rely on it before the confirmation is recorded.
        if (host?.isOn) this.checkers.hostDied(target, host.active)
        this.#switchOff(target)
        const isKnown = !this.isOfTwo || this.daemons.get(runner)?.isAlive === true
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

  /** In one transaction, as `editCib` does it in the end. */
  editNodes(change: (wishes: Wishes) => Wishes): 'done' {
    const { wishes, version } = this.configuration()
    const after = change(wishes)
    if (after === wishes) return 'done'
    const value = configurationOf(after, version + 1)
    this.store.transaction([], [{ kind: 'put', key: keys.configuration, value }])
    return 'done'
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
    if (fieldOf(value, 'device') === watchdogDeviceId) this.counts.fencedByWatchdog++
    else if (this.disks !== undefined) this.counts.fencedThroughDisks++
    else return
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

/**
 * One life of `systoled` on a simulated host: the simulation's driver of the node's core, and the other cores of a daemon, with the contracts
 * that stand at the top of each. It ends with a crash, a restart or the host's power.
 */

import { clearFailureEdits, failureEdits } from '../../src/attributes/index.ts'
import { type MonotonicMs, monotonicMs, type NodeName, type ResourceId } from '../../src/base/index.ts'
import type { NodeStateRecord } from '../../src/cib/index.ts'
import {
  type ClusterView,
  type ControllerEffect,
  type ControllerInput,
  type ControllerState,
  emptyView,
  type KeyWrite,
  keys,
  type Observation,
  observe,
  writesOfEdits,
} from '../../src/controller/index.ts'
import type { ClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { newerFile } from '../../src/daemon/node-list/node-list.ts'
import type { ListAnswer } from '../../src/daemon/peers/ask-for-list.ts'
import { inputOfCommand, ownOperationOf } from '../../src/executor/index.ts'
import {
  agreedSilence,
  type HeartbeatEffect,
  type HeartbeatInput,
  type HeartbeatState,
  heartbeatStep,
  initialHeartbeat,
  nextHeartbeatAt,
  peerViews,
} from '../../src/membership/index.ts'
import {
  answerOf,
  type CommandAnswer,
  changesToListed,
  heardFrom,
  initialNode,
  isQuorate,
  type NodeEffect,
  type NodeInput,
  NodeLoop,
  type NodeState,
  nodeStep,
  nodeTimings,
  type OwnWatchdogEffect,
  type OwnWatchdogInput,
  type StartUpEffect,
  type StartUpInput,
  type StoreCopyEffect,
  type StoreCopyInput,
  saidOf,
  silentOf,
} from '../../src/node/index.ts'
import {
  hasNeverJoined,
  hasVote,
  initialQuorum,
  initialWatchdog,
  meansBoot,
  meetsFirst,
  nextQuorumAt,
  nextWatchdogAt,
  otherOfTwo,
  type QuorumEffect,
  type QuorumInput,
  type QuorumState,
  quorateUntil,
  quorumStep,
  type VoterList,
  type WatchdogEffect,
  type WatchdogInput,
  type WatchdogState,
  watchdogStep,
} from '../../src/quorum/index.ts'
import { fenceAgentMetadata, watchdogMs } from './configuration.ts'
import { Core } from './core.ts'
import { ExecutorDriver } from './executor-driver.ts'
import { FencingDriver } from './fencing-driver.ts'
import type { Host } from './host.ts'
import { NodeChangesDriver } from './node-changes-driver.ts'
import { entryOf, nodeListKey } from './node-list.ts'
import type { SimComparison, SimEntry, SimEvent, SimWrite } from './store.ts'
import { answerToKeepAlive, describeGraph, observationOf } from './translate.ts'
import { TwoNodeDriver } from './two-node-driver.ts'
import { SimVotes } from './votes.ts'
import type { World } from './world.ts'

const timings = {
  tokenMs: 1000,
  heartbeatIntervalMs: 200,
  restartGraceMs: 5000,
  leaseTtlMs: 5000,
  leaseMarginMs: 500,
  stopTimeMs: 5000,
}

export class SimDaemon {
  readonly host: Host
  readonly node: NodeName
  readonly incarnation: number
  isAlive = true
  readonly world: World
  #view: ClusterView = emptyView
  #ownMemberRevision = 0
  #lastCommand = 0
  readonly #replies = new Map<number, (answer: CommandAnswer) => void>()
  /** Own stops that the executor carries out. */
  readonly #stopping: number[] = []
  #timer = 0

  readonly heartbeat: Core<HeartbeatState, HeartbeatInput, HeartbeatEffect>
  readonly quorum: Core<QuorumState, QuorumInput, QuorumEffect>
  readonly core: NodeLoop
  readonly executor: ExecutorDriver
  readonly fencing: FencingDriver
  readonly twoNode: TwoNodeDriver
  readonly votes: SimVotes
  readonly nodes: NodeChangesDriver
  readonly watchdog: Core<WatchdogState, WatchdogInput, WatchdogEffect>
  readonly timings = timings
  /** Its pulse thread asks for no lease before the core releases it. */
  #held: boolean
  /** Its copy of the store, by the revisions of what it knows. */
  readonly #entries = new Map<string, SimEntry>()
  /** Which watch of the store is not closed. */
  #watching = 0
  #peerHas: ClusterFile | undefined

  constructor(world: World, host: Host) {
    this.world = world
    this.host = host
    this.node = host.name
    this.incarnation = Math.round(world.timeline.now * 10) + 1
    const now = this.#now()
    const self = this.node
    const before = { met: host.met, ...(host.word === undefined ? {} : { wasGoingAlone: true as const }) }
    this.#held = meetsFirst({ list: this.#voters(), self, ...before }) !== undefined
    this.heartbeat = new Core(
      this,
      initialHeartbeat({ self, incarnation: this.incarnation, timings }, now),
      heartbeatStep,
      (effect) => this.#performHeartbeat(effect),
      nextHeartbeatAt,
    )
    const quorum = initialQuorum(timings, now)
    this.quorum = new Core(
      this,
      quorum,
      quorumStep,
      (effect) => this.#performQuorum(effect),
      nextQuorumAt,
      () => this.#tellQuorum(),
    )
    this.core = new NodeLoop(
      initialNode(
        {
          self,
          incarnation: this.incarnation,
          list: this.#voters(),
          ...before,
          bootId: host.bootId,
          slotsOfBoot: host.slots === undefined ? undefined : [...host.slots],
          // Agents are quick here: half of what they do counts as slow.
          timings: nodeTimings(timings, { startupWaitMs: 5000, overlapAfterMs: 200 }),
        },
        now,
      ),
      {
        now: () => this.#now(),
        perform: (effect) => this.#perform(effect),
        random: () => world.chance.real(),
        wakeAt: (at) => this.#wakeAt(at),
      },
      (state, input, at) => mutatedStep(world.mutations, { state, input, at }),
    )
    this.watchdog = new Core(
      this,
      initialWatchdog(),
      watchdogStep,
      (effect) => this.#performWatchdog(effect),
      (state) => nextWatchdogAt(state),
    )
    this.executor = new ExecutorDriver(this, (failed) => {
      for (const id of this.#stopping.splice(0)) this.#stopsEnded(id, failed)
    })
    this.fencing = new FencingDriver(this)
    this.twoNode = new TwoNodeDriver(this)
    this.votes = new SimVotes(this)
    this.nodes = new NodeChangesDriver(this)
  }

  start(): void {
    this.log('daemon', `starts, incarnation ${this.incarnation}`)
    this.#tellPulse()
    this.core.feed({ kind: 'fencing', input: { kind: 'agents', metadata: fenceAgentMetadata(this.world.splitReboot) } })
    this.#feedQuorum({ kind: 'tick' })
    this.executor.core.feed({ kind: 'quorum', quorate: false })
    this.#feedStartUp({ kind: 'start' })
    this.#every(250, () => this.twoNode.look())
    this.#every(250, () => this.votes.look())
    if (this.world.changing) {
      this.#every(250, () => this.nodes.look())
      this.#every(1000, () => this.nodes.askForList())
      this.#every(2000, () => this.nodes.bringList())
    }
  }

  /** SIGKILL, or the end of the host. Agents and what they started are not its children's children any more. */
  die(): void {
    this.isAlive = false
    this.core.end()
  }

  leave(): void {
    this.log('daemon', 'wants to leave')
    this.core.feed({ kind: 'leave' })
  }

  /** In this life only. */
  after(ms: number, run: () => void): void {
    this.host.after(ms, () => {
      if (this.isAlive) run()
    })
  }

  receivePulse(pulse: Extract<HeartbeatInput, { kind: 'pulse' }>['pulse']): void {
    this.heartbeat.feed({ kind: 'pulse', pulse })
  }

  /** Of this node's own entry among the members: gone with its lease, another one when it comes back. */
  get memberRevision(): number {
    return this.#ownMemberRevision
  }

  get view(): ClusterView {
    return this.#view
  }

  now(): MonotonicMs {
    return this.#now()
  }

  #now(): MonotonicMs {
    return monotonicMs(this.world.timeline.now)
  }

  #every(ms: number, run: () => void): void {
    this.after(ms, () => {
      run()
      this.#every(ms, run)
    })
  }

  log(part: string, text: string): void {
    this.world.log(this.node, part, text)
  }

  // ------------------------------------------------------------------ the store

  /** Once; without an answer it is not known whether it has happened. */
  ask<Answer>(operation: () => Answer, answer: (result: Answer | undefined) => void): void {
    this.world.store.call(this.node, operation, (result) => this.after(0, () => answer(result)))
  }

  /** Repeated until an answer comes; the writes are idempotent. */
  untilKnown<Answer>(operation: () => Answer, answer: (result: Answer) => void): void {
    this.ask(operation, (result) => {
      if (result !== undefined) answer(result)
      else this.after(100, () => this.untilKnown(operation, answer))
    })
  }

  guarded(
    term: number,
    writes: readonly KeyWrite[],
    answer: (result: { readonly applied: boolean; readonly revision: number }) => void,
    alsoHolds: readonly SimComparison[] = [],
  ): void {
    this.ask(
      () => this.world.writeUnderTerm(this.node, term, writes, alsoHolds),
      (result) => {
        if (result !== undefined) answer(result)
        else if (!this.#holdsTerm(term)) answer({ applied: false, revision: 0 })
        else this.after(100, () => this.guarded(term, writes, answer, alsoHolds))
      },
    )
  }

  /** By its own view, which may lag. */
  #holdsTerm(term: number): boolean {
    return this.isQuorate() && this.core.state.view.dc?.term === term
  }

  // ------------------------------------------------------------------ how it begins, and its copy of the store

  readonly #feedStartUp = (input: StartUpInput): void => this.core.feed({ kind: 'start-up', input })
  readonly #feedCopy = (input: StoreCopyInput): void => this.core.feed({ kind: 'store-copy', input })

  #performStartUp(effect: StartUpEffect): void {
    const { world } = this
    switch (effect.kind) {
      case 'release':
        this.#held = false
        this.#feedQuorum({ kind: 'tick' })
        return
      case 'ask-peer':
        this.#askPeer(effect.peer)
        return
      case 'look-up-peer':
        this.ask(
          () => (world.store.entries.get(keys.nodeState(effect.peer))?.value ?? 'absent') as NodeStateRecord | 'absent',
          (found) => this.#feedStartUp({ kind: 'peer-looked-up', neverJoined: hasNeverJoined(found ?? 'unknown') }),
        )
        return
      case 'give-way':
        this.#giveWayTo(this.#peerHas)
        return
      case 'declare-off':
        throw new Error('Nobody confirms here that a node is off.')
      case 'ask-others':
        if (world.boots) this.nodes.askOthers(() => this.#feedStartUp({ kind: 'others-answered' }))
        else this.#feedStartUp({ kind: 'others-answered' })
        return
      case 'end-going-alone':
        this.#whenEnded()
        return
      case 'prepare':
        this.#prepare(effect)
        return
      case 'start-parts':
        this.#startParts()
    }
  }

  /** As `askNode` does it. */
  #askPeer(peer: NodeName): void {
    let isOver = false
    const answer = (given: ListAnswer | undefined): void => {
      if (isOver) return
      isOver = true
      this.#peerHas = given?.file
      const met = given && { list: given.file, quorate: given.quorate }
      this.#feedStartUp({ kind: 'peer-answered', ...(met && { answer: met }) })
    }
    this.world.knock(this, peer, (given) => answer(given === 'removed' ? undefined : given))
    this.after(1200, () => answer(undefined))
  }

  /** With the list of the other, and without its own data where that gives it no vote. */
  #giveWayTo(list: ClusterFile | undefined): void {
    if (list === undefined) return
    this.world.counts.gaveWay++
    this.host.list = list
    if (!hasVote(list, this.node)) this.host.hasData = false
    if (list.nodes.some(({ name }) => name === this.node))
      this.world.restartDaemon(this.node, 'the other has gone on without this one')
    else this.world.forgets(this.node, 'the list of the other has it no more')
  }

  /** `look` of the rules for two nodes settles it. */
  #whenEnded(): void {
    if (this.host.word === undefined) this.#feedStartUp({ kind: 'going-alone-ended' })
    else this.after(100, () => this.#whenEnded())
  }

  #prepare({ stale, configure }: Extract<StartUpEffect, { kind: 'prepare' }>): void {
    const writes = stale.map((key) => ({ kind: 'delete', key }) as const)
    if (writes.length === 0 && !configure) {
      this.#feedStartUp({ kind: 'prepared' })
      return
    }
    this.ask(
      () => this.world.store.transaction([], writes),
      (result) =>
        this.#feedStartUp(result === undefined ? { kind: 'not-prepared', why: 'no answer' } : { kind: 'prepared' }),
    )
  }

  #startParts(): void {
    this.executor.open([...this.#view.operations.values()].filter(({ node }) => node === this.node))
    this.executor.adoptAgents()
    this.core.feed({ kind: 'began' })
  }

  #performCopy(effect: StoreCopyEffect): void {
    if (effect.kind === 'list') this.#list(effect.mayBeOld)
    else this.#watch(effect.after)
  }

  #list(mayBeOld: boolean): void {
    const { store } = this.world
    const listed = (copy: { readonly revision: number; readonly entries: readonly SimEntry[] }): void => {
      this.#apply(changesToListed(this.#entries, copy.entries), copy.revision)
      this.#feedCopy({ kind: 'listed', revision: copy.revision })
    }
    if (mayBeOld) {
      // Its own member answers; one that has no data has begun with nothing, and is not there.
      if (!this.host.hasData) this.after(1500, () => this.#feedCopy({ kind: 'not-listed', why: 'no answer' }))
      else if (this.world.boots) this.after(this.world.network.delayMs(), () => listed(store.copyOf(this.node)))
      else listed(store.copyOf(this.node))
      return
    }
    this.ask(
      () => ({ revision: store.revision, entries: [...store.entries.values()] }),
      (copy) => {
        if (copy === undefined) {
          this.#feedCopy({ kind: 'not-listed', why: 'no answer' })
          return
        }
        if (!this.world.boots) this.#revokeEarlierLeases(copy.entries)
        listed(copy)
      },
    )
  }

  /** Where nothing takes time at a start, neither does the end of an earlier life's lease. */
  #revokeEarlierLeases(entries: readonly SimEntry[]): void {
    const { lease } = entries.find(({ key }) => key === keys.member(this.node)) ?? {}
    if (lease !== undefined)
      this.untilKnown(
        () => this.world.store.revoke(lease),
        () => undefined,
      )
  }

  /** Events arrive in order, those of one revision together; after a time without the store all that was missed, or the news that it is gone. */
  #watch(after: number): void {
    const { store, network } = this.world
    const watch = ++this.#watching
    let [seen, asked] = [after, false]
    const isOpen = (): boolean => this.isAlive && watch === this.#watching
    const pull = () => {
      asked = false
      if (!isOpen() || !store.serves(this.node)) return
      if (seen < store.compacted) {
        this.#watching++
        this.world.counts.listedAgain++
        this.#feedCopy({ kind: 'lost' })
        return
      }
      const next = store.eventsAfter(seen)
      const last = next.at(-1)
      if (last === undefined) return
      seen = last.revision
      this.#apply(
        next.flatMap(({ events }) => events),
        last.revision,
      )
    }
    const ask = () => {
      if (asked) return
      asked = true
      this.after(network.delayMs(), pull)
    }
    const end = store.onWrite(() => (isOpen() ? ask() : end()))
    const look = () => {
      if (!isOpen()) return
      ask()
      this.after(250, look)
    }
    this.after(250, look)
  }

  #apply(changes: readonly SimEvent[], revision: number): void {
    for (const { key, entry } of changes)
      if (entry === undefined) this.#entries.delete(key)
      else this.#entries.set(key, entry)
    this.#observe(
      changes.map(({ key, entry }): Observation => (entry ? observationOf(entry) : { kind: 'delete', key })),
      revision,
    )
  }

  #observe(observations: readonly Observation[], revision: number): void {
    const { view, changes } = observe(this.#view, observations, revision)
    this.#view = view
    for (const observation of observations)
      if (observation.key === nodeListKey && observation.kind === 'put') this.follow(observation.value as ClusterFile)
      else if (observation.key === keys.member(this.node))
        this.#ownMemberRevision = observation.kind === 'put' ? observation.createRevision : 0
    if (this.world.changing && changes.some(({ kind }) => kind === 'member')) this.#tellPulse()
    this.core.feed({ kind: 'store', view, changes })
  }

  /** From the store; another node's word is a reason to look there. */
  follow(listed: ClusterFile, from: 'store' | 'node' = 'store'): void {
    const list = newerFile(this.host.list, listed)
    if (list === undefined) return
    if (!list.nodes.some(({ name }) => name === this.node)) {
      if (from === 'store') this.world.forgets(this.node, 'the list has it no more')
      return
    }
    this.host.list = list
    this.core.feed({ kind: 'list', list: this.#voters() })
    if (!this.world.changing && !hasVote(list, this.node)) this.host.hasData = false
    if (this.world.changing) this.#tellPulse()
  }

  /** As `ClusterNode` tells its pulse thread. Where the nodes stay the same, all are members from the beginning: earlier histories stay what they were. */
  #tellPulse(): void {
    const peers = this.host.list.nodes.map(({ name }) => name)
    const members = this.world.changing ? [...this.#view.members.keys()] : peers
    this.heartbeat.feed({ kind: 'nodes', peers, members })
  }

  /** By the list that this node knows. */
  otherOfTwo(): VoterList['nodes'][number] | undefined {
    return otherOfTwo(this.#voters(), this.node)
  }

  #voters(): VoterList {
    const { witness, ...list } = this.host.list
    return witness === undefined || this.world.mutations.has('ignore-witness') ? list : { ...list, witness }
  }

  // ------------------------------------------------------------------ the watchdog, and the pulse thread that feeds it

  #driveWatchdog(effect: OwnWatchdogEffect): void {
    const feed = (input: OwnWatchdogInput): void => this.core.feed({ kind: 'watchdog', input })
    switch (effect.kind) {
      case 'prepare':
        feed({ kind: 'prepared', timeoutMs: effect.timeoutMs ?? watchdogMs })
        return
      case 'arm': {
        const { timeoutMs } = effect
        this.#feedWatchdog()
        this.watchdog.feed(
          effect.disks === undefined ? { kind: 'armed', timeoutMs } : { kind: 'armed', timeoutMs, disks: effect.disks },
        )
        feed({ kind: 'armed' })
        return
      }
      case 'permit':
        this.watchdog.feed({ kind: 'permit', permit: effect.permit })
        return
      case 'disarm':
        this.watchdog.feed({ kind: 'disarm' })
        feed({ kind: 'stopped' })
        return
      case 'disk-read':
        this.watchdog.feed(effect)
        return
      case 'disk': {
        const { disk, call, request } = effect
        this.world.disks?.ask(this.host, disk, request, (answer) => {
          if (this.isAlive) feed({ kind: 'disk-answered', disk, call, answer })
        })
        return
      }
      case 'ask-fenced':
        this.#askFenced((fenced) => {
          if (fenced) feed({ kind: 'fenced-through-disks' })
        })
        return
      case 'changed':
      case 'read-disks':
        return
    }
  }

  #performWatchdog(effect: WatchdogEffect): void {
    if (effect.kind === 'feed') this.#feedWatchdog()
    else if (effect.kind === 'disarm') this.host.stopWatchdog()
    else if (effect.kind === 'ask-store') {
      const at = this.#now()
      this.#askFenced((fenced) => {
        if (fenced === false) this.watchdog.feed({ kind: 'store-read', at })
      })
    } else if (effect.kind === 'starving') {
      this.log('watchdog', `is not fed: ${effect.why}`)
      if (this.world.mutations.has('feed-always')) this.#every(500, () => this.#feedWatchdog())
    }
  }

  /** Undefined: the store does not answer. */
  #askFenced(answer: (fenced: boolean | undefined) => void): void {
    const { store } = this.world
    const key = keys.diskFencing(this.node)
    this.ask(
      () => ({ word: store.entries.get(key)?.value as { readonly bootId?: string } | undefined }),
      (found) => answer(found && found.word !== undefined && meansBoot(found.word.bootId, this.host.bootId)),
    )
  }

  #feedWatchdog(): void {
    this.host.feedWatchdog(watchdogMs, () => this.world.watchdogResets(this.node))
  }

  // ------------------------------------------------------------------ membership and quorum

  #performHeartbeat(effect: HeartbeatEffect): void {
    if (effect.kind === 'send-pulse') {
      for (const peer of effect.to) this.world.sendPulse(this.node, peer, effect.pulse)
      return
    }
    if (effect.kind === 'doubt-own-lease') {
      this.log('membership', `stood still for ${Math.round(effect.pausedMs)} ms`)
      this.#feedQuorum({ kind: 'doubt' })
      return
    }
    const now = this.#now()
    const peers = peerViews(this.heartbeat.state, now)
    const silent = silentOf(peers)
    const agreed = agreedSilence(this.heartbeat.state, now)
    this.log('membership', `silent: ${silent.join(',') || 'nobody'}; agreed: ${agreed.join(',') || 'nobody'}`)
    this.core.feed({ kind: 'heartbeats', peers, agreed })
  }

  #performQuorum(effect: QuorumEffect): void {
    const askedAt = this.#now()
    const { store } = this.world
    switch (effect.kind) {
      case 'request-lease':
        this.ask(
          () => store.grant(effect.ttlMs),
          (lease) =>
            this.#feedQuorum(
              lease === undefined ? { kind: 'no-answer' } : { kind: 'granted', lease, ttlMs: effect.ttlMs, askedAt },
            ),
        )
        return
      case 'keep-alive':
        this.ask(
          () => store.renew(effect.lease),
          (ttlMs) => this.#feedQuorum(answerToKeepAlive(effect.lease, ttlMs, askedAt)),
        )
        return
      case 'quorum-gained':
        return
      case 'quorum-lost':
        this.core.feed({ kind: 'quorum-lost', why: effect.why })
    }
  }

  #feedQuorum(input: QuorumInput): void {
    if (!this.#held) this.quorum.feed(input)
  }

  /** After every step of the quorum core: the others learn until when this node may act. */
  #tellQuorum(): void {
    const { lease } = this.quorum.state
    const { until, ...rest } = this.#confirmed()
    const { core } = this
    this.watchdog.feed({ kind: 'quorum', lease, until: quorateUntil(this.quorum.state) })
    if (until === core.state.quorateUntil && lease === core.state.lease) return
    core.feed({ kind: 'quorum', until, ...rest })
  }

  #confirmed(): { readonly until: MonotonicMs; readonly lease?: string } {
    const { lease } = this.quorum.state
    const ignores = this.world.mutations.has('ignore-quorum') && lease !== undefined
    const until = ignores ? monotonicMs(Number.POSITIVE_INFINITY) : quorateUntil(this.quorum.state)
    return lease === undefined ? { until } : { until, lease }
  }

  isQuorate(): boolean {
    return isQuorate(this.core.state, this.#now())
  }

  // ------------------------------------------------------------------ the core of the node

  #wakeAt(at: MonotonicMs | undefined): void {
    const timer = ++this.#timer
    if (at === undefined) return
    this.after(Math.max(0.5, at - this.#now()), () => {
      if (timer === this.#timer) this.core.tick()
    })
  }

  toController(input: ControllerInput): void {
    this.core.feed({ kind: 'controller', input })
  }

  #perform(effect: NodeEffect): void {
    if (!this.isAlive) return
    switch (effect.kind) {
      case 'controller':
        this.#performController(effect.effect)
        return
      case 'presence':
        this.#performPresence(effect.effect)
        return
      case 'start-up':
        this.#performStartUp(effect.effect)
        return
      case 'store-copy':
        this.#performCopy(effect.effect)
        return
      case 'two-node':
        this.twoNode.perform(effect.effect)
        return
      case 'two-node-situation':
        this.twoNode.seen(effect.situation)
        return
      case 'two-node-waits':
        return
      case 'executor-quorum':
        this.executor.core.feed({ kind: 'quorum', quorate: effect.quorate })
        return
      case 'quorum-gained':
        this.host.met = true
        return
      case 'quorum-lost':
        return
      case 'fencing':
        this.fencing.perform(effect.effect)
        return
      case 'watchdog':
        this.#driveWatchdog(effect.effect)
        return
      case 'votes':
        this.votes.perform(effect.effect)
        return
      case 'plan-own-stops':
        this.#planOwnStops(effect)
        return
      case 'stop-own':
        this.#stopOwn(effect)
        return
      case 'perform-command':
        this.#reply(effect.id, this.#performCommand(effect.command))
        return
      case 'route-command':
        throw new Error('There are no remote nodes here.')
      case 'answer-command':
        this.#reply(effect.id, effect.answer)
        return
      case 'end-self':
        this.#endSelf(effect.why)
        return
      case 'restart':
        this.world.restartDaemon(this.node, effect.why)
        return
      case 'depart':
        this.#depart(effect)
        return
      case 'log':
        this.log('node', `${effect.message} ${JSON.stringify(effect.fields)}`)
    }
  }

  /** The reboot is quick, where it works; the watchdog of whoever was asked to end is sure. */
  #endSelf(why: string): void {
    this.log('daemon', why)
    if (!this.core.state.watchdog.doomed || this.world.chance.happens(0.5)) this.world.panic(this.node, why)
  }

  /** Computing takes a moment. */
  #planOwnStops({ id, stopEverything }: Extract<NodeEffect, { kind: 'plan-own-stops' }>): void {
    this.after(this.world.chance.between(5, 40), () => {
      const { view } = this.core.state
      if (view.configuration === undefined) {
        this.core.feed({ kind: 'own-stops-not-planned', id, message: 'there is no configuration' })
        return
      }
      const own = { node: this.node, operations: this.executor.history }
      const ignores = this.world.mutations.has('ignore-own-history')
      const asked = { haveQuorum: false, stopEverything, ...(ignores ? {} : { own }) }
      const plan = this.world.schedule(view, asked)
      this.log('executor', `without quorum (${plan.noQuorumPolicy}): ${describeGraph(plan.graph)}`)
      this.core.feed({ kind: 'own-stops-planned', id, plan })
    })
  }

  #stopOwn({ id, stages }: Extract<NodeEffect, { kind: 'stop-own' }>): void {
    if (stages.length === 0) {
      this.#stopsEnded(id, [])
      return
    }
    this.#stopping.push(id)
    this.executor.core.feed({ kind: 'stop-locally', stages: stages.map((stage) => stage.map(ownOperationOf)) })
  }

  #stopsEnded(id: number, failed: readonly ResourceId[]): void {
    const mayRun = this.world.mutations.has('ignore-own-history') ? failed : this.executor.mayRun
    this.core.feed({ kind: 'own-stops-ended', id, failed, mayRun })
  }

  #depart({ lease, disarm }: Extract<NodeEffect, { kind: 'depart' }>): void {
    const { store } = this.world
    if (disarm && !this.core.state.watchdog.doomed) this.host.slots = undefined
    this.log('membership', 'leaves')
    this.host.met = false
    this.quorum.feed({ kind: 'leave' })
    const end = () => this.world.daemonLeft(this.node)
    if (lease === undefined) end()
    else this.executor.whenFlushed(() => this.untilKnown(() => store.revoke(lease), end))
  }

  #performPresence(effect: Extract<NodeEffect, { kind: 'presence' }>['effect']): void {
    const { store } = this.world
    switch (effect.kind) {
      case 'register':
        this.executor.whenFlushed(() => {
          const value = this.#memberRecord(effect.as)
          const write: SimWrite = { kind: 'put', key: keys.member(this.node), value, lease: effect.lease }
          this.ask(
            () => store.transaction([], [write]),
            (result) => this.#presenceWritten(result?.applied === true),
          )
        })
        return
      case 'request-shutdown': {
        const value = String(this.world.calendar())
        const record = { node: this.node, set: '', name: 'shutdown', value }
        const write: SimWrite = { kind: 'put', key: keys.attribute(this.node, '', 'shutdown'), value: record }
        this.untilKnown(
          () => store.transaction([], [write]),
          () => this.#presenceWritten(true),
        )
      }
    }
  }

  #presenceWritten(ok: boolean): void {
    this.core.feed({ kind: 'presence', input: { kind: 'written', ok } })
  }

  #memberRecord(state: 'joining' | 'member' | 'leaving'): unknown {
    return {
      node: this.node,
      id: entryOf(this.host.list, this.node).id,
      incarnation: this.incarnation,
      address: this.node,
      daemonVersion: 'simulated',
      state,
      since: this.world.calendar(),
      bootId: this.host.bootId,
      knowsDisks: true,
      ...saidOf(this.core.state),
    }
  }

  // ------------------------------------------------------------------ controller

  #performController(effect: ControllerEffect): void {
    const { store } = this.world
    switch (effect.kind) {
      case 'campaign': {
        const write: SimWrite = { kind: 'put', key: keys.dc, value: { node: this.node }, lease: effect.lease }
        this.ask(
          () => store.transaction([{ kind: 'absent', key: keys.dc }], [write]),
          (answer) => {
            this.toController({ kind: 'campaigned' })
            if (answer?.applied === true) this.fencing.takeUpLeftOff(answer.revision)
          },
        )
        return
      }
      case 'resign':
        this.ask(
          () =>
            store.transaction(
              [{ kind: 'create-revision', key: keys.dc, equals: effect.term }],
              [{ kind: 'delete', key: keys.dc }],
            ),
          () => this.toController({ kind: 'campaigned' }),
        )
        return
      case 'write':
        this.#answerWrite(effect.id, effect.term, writesOfEdits(effect.edits))
        return
      case 'record-failures': {
        const edits = failureEdits(this.#view.attributes.values(), effect.failures)
        this.#answerWrite(effect.id, effect.term, writesOfEdits(edits))
        return
      }
      case 'clear-failures': {
        const { node, resource } = effect
        const edits = clearFailureEdits(this.#view.attributes.values(), { resource, node })
        this.#answerWrite(effect.id, effect.term, writesOfEdits([...edits, ...effect.edits]))
        return
      }
      case 'compute':
        this.#compute(effect)
        return
      case 'execute':
        this.#execute(effect)
        return
      case 'fence':
        this.#fence(effect)
        return
      case 'withdraw-fencing':
        this.log('controller', `takes back the fencing of ${effect.node}`)
        return
      case 'revoke-lease':
        this.log('controller', `ends the lease of ${effect.node}`)
        this.ask(
          () => store.revoke(effect.lease),
          () => undefined,
        )
        return
      case 'publish':
        this.guarded(effect.record.term, [{ kind: 'put', key: keys.transition, value: effect.record }], () => undefined)
        return
      case 'walked':
        return
      case 'log':
        this.log('controller', `${effect.message} ${JSON.stringify(effect.fields)}`)
    }
  }

  /** The loop passes it on to the fencing of the core. */
  #fence({ id, target, action, reason }: Extract<ControllerEffect, { kind: 'fence' }>): void {
    this.log('controller', `asks for fencing of ${target}: ${reason}`)
    if (reason === owes) this.world.fencesForAnswers(target)
    this.world.fences(this.node, target)
    this.fencing.wants(id)
    if (!this.world.mutations.has('start-before-fencing')) return
    const at = this.world.calendar()
    this.after(1, () =>
      this.toController({ kind: 'fenced', id, target, action, at, outcome: 'succeeded', message: 'a lie' }),
    )
  }

  #answerWrite(id: number, term: number, writes: readonly KeyWrite[]): void {
    this.guarded(term, writes, ({ applied, revision }) =>
      this.toController({ kind: 'written', id, outcome: applied ? 'applied' : 'refused', revision }),
    )
  }

  #compute(effect: Extract<ControllerEffect, { kind: 'compute' }>): void {
    const { graph, recheckInMs } = this.world.schedule(this.#view, { haveQuorum: true })
    const isBeside = (this.core.state.controller.dcState?.walks.length ?? 0) > 0
    if (isBeside) this.world.counts.beside++
    const beside = isBeside ? ' beside what is under way' : ''
    this.log('controller', `term ${effect.term}: computes${beside} (${effect.reason}): ${describeGraph(graph)}`)
    this.after(this.world.chance.between(5, 40), () =>
      this.toController({
        kind: 'computed',
        compute: effect.compute,
        graph,
        ...(recheckInMs === undefined ? {} : { recheckInMs }),
      }),
    )
  }

  #execute(effect: Extract<ControllerEffect, { kind: 'execute' }>): void {
    const { transitionKey } = effect
    let answered = false
    const answer = (input: ControllerInput | undefined) => {
      if (answered) return
      answered = true
      if (input !== undefined) this.toController(input)
    }
    this.world.request(
      this,
      effect.node,
      (peer, reply) => peer.takeCommand(effect, (given) => reply(heardFrom(given, transitionKey))),
      answer,
    )
    this.after(1000, () => answer({ kind: 'not-taken', transitionKey, why: 'unknown', message: 'no answer' }))
  }

  /** A command of a DC arrives at this node. */
  takeCommand(command: Extract<ControllerEffect, { kind: 'execute' }>, reply: (answer: CommandAnswer) => void): void {
    const { mutations } = this.world
    const { core } = this.executor
    if (mutations.has('ignore-terms')) core.state = { ...core.state, term: 0 }
    if (mutations.has('ignore-own-decisions'))
      core.state = { ...core.state, ownDecisions: { unrecorded: new Set(), shownAt: 0 } }
    const id = ++this.#lastCommand
    this.#replies.set(id, reply)
    this.core.feed({ kind: 'command', id, command, highestTerm: this.core.state.began ? core.state.term : undefined })
  }

  #reply(id: number, answer: CommandAnswer): void {
    this.#replies.get(id)?.(answer)
    this.#replies.delete(id)
  }

  #performCommand(command: Parameters<typeof inputOfCommand>[0]): CommandAnswer {
    const { core } = this.executor
    const input = inputOfCommand(command)
    if (typeof input === 'string') throw new Error(input)
    const refused = core.feed(input).find((effect) => effect.kind === 'refuse')
    if (refused?.kind !== 'refuse') return answerOf({ kind: 'taken', done: input.kind !== 'execute' }, core.state.term)
    const { why, highestTerm, message } = refused
    this.log('executor', `refuses ${command.action.key} of term ${command.term}: ${message}`)
    return answerOf({ kind: 'refused', why, highestTerm, message }, highestTerm)
  }
}

const owes = 'it accepted a command and never reported the result'

/** Broken on purpose: as it once was. */
function mutatedStep(
  mutations: ReadonlySet<string>,
  { state, input, at }: { readonly state: NodeState; readonly input: NodeInput; readonly at: MonotonicMs },
): ReturnType<typeof nodeStep> {
  const before = { ...state, controller: mutated(state.controller, mutations) }
  if (mutations.has('fence-who-is-heard')) {
    if (input.kind === 'fencing' && input.input.kind === 'withdraw') return { state, effects: [] }
    if (state.twoNode.phase.kind === 'fencing') return unheard(before, input, at)
  }
  const after = nodeStep(before, input, at)
  const isRefused = input.kind === 'fencing' && input.input.kind === 'recorded' && !input.input.written
  return mutations.has('leave-off') && isRefused ? leavingOff(after) : after
}

/** Whoever is heard while it is being fenced counts as silent. */
function unheard(state: NodeState, input: NodeInput, at: MonotonicMs): ReturnType<typeof nodeStep> {
  const hidden = (peers: NodeState['peers']): NodeState['peers'] =>
    peers.map((peer) => (peer.state === 'heard' ? { ...peer, state: 'silent' as const } : peer))
  const reported = input.kind === 'heartbeats' ? { ...input, peers: hidden(input.peers) } : input
  const after = nodeStep({ ...state, peers: hidden(state.peers) }, reported, at)
  return { ...after, state: { ...after.state, peers: input.kind === 'heartbeats' ? input.peers : state.peers } }
}

/** Nobody switches on what was switched off. */
function leavingOff({ state, effects }: ReturnType<typeof nodeStep>): ReturnType<typeof nodeStep> {
  const { dc } = state.fencing
  const requests = dc.requests.filter(({ phase }) => phase.kind !== 'powering-on')
  const switchesOn = (effect: NodeEffect): boolean =>
    effect.kind === 'fencing' && effect.effect.kind === 'run-device' && effect.effect.action === 'on'
  return {
    state: { ...state, fencing: { ...state.fencing, dc: { ...dc, requests } } },
    effects: effects.filter((effect) => !switchesOn(effect)),
  }
}

function mutated(state: ControllerState, mutations: ReadonlySet<string>): ControllerState {
  const owing = mutations.has('lose-all-who-owe') ? losingAllWhoOwe(state) : state
  const { dcState } = owing
  if (dcState === undefined || !mutations.has('fence-needed-voters')) return owing
  const waited = [...owing.view.nodeStates.keys()].map((node) => [node, Number.NEGATIVE_INFINITY] as const)
  return { ...owing, dcState: { ...dcState, neededVoters: new Map(waited) } }
}

function losingAllWhoOwe(state: ControllerState): ControllerState {
  const { dcState, view } = state
  if (dcState === undefined) return state
  const lost = [...dcState.owing.keys()].map(
    (node) => [node, { why: owes, incarnation: view.members.get(node)?.incarnation }] as const,
  )
  return { ...state, dcState: { ...dcState, unresponsive: new Map([...dcState.unresponsive, ...lost]) } }
}

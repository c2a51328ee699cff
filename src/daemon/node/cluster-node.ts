/**
 * A node that takes part in the cluster: builds the adapters, drives the cores, and lets what one says reach the others.
 * Nothing is decided here.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName } from '../../base/index.ts'
import {
  type ClusterView,
  type ControllerEffect,
  type ControllerInput,
  type ControllerState,
  emptyView,
  observe,
} from '../../controller/index.ts'
import type { Command, Executor } from '../../executor/index.ts'
import {
  initialPresence,
  nextPresenceAt,
  type PresenceEffect,
  type PresenceInput,
  type PresenceState,
  presenceStep,
} from '../../membership/index.ts'
import type { ClusterState, TermAnswer, TlsIdentity } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { ToolServer } from '../../tools/index.ts'
import { serveAgentTools } from '../api/agent-tools.ts'
import { clusterState } from '../api/cluster-state.ts'
import { clusterNotes } from '../api/notes.ts'
import { pushConfig } from '../configuration/config-history.ts'
import { firstConfiguration } from '../configuration/first-configuration.ts'
import { FencingHands } from '../fencing/fencing-hands.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile, ClusterNodeEntry } from '../nodes/cluster-file.ts'
import { decodeNodeList } from '../nodes/node-list.ts'
import { Peers } from '../nodes/peers.ts'
import { VoteKeeper } from '../nodes/vote-keeper.ts'
import { Planner } from '../planner/planner.ts'
import { pulsePeers } from '../pulse/begin.ts'
import type { FromPulse } from '../pulse/messages.ts'
import type { Pulse } from '../pulse/pulse.ts'
import { allKeys, fencingHistoryPrefix, keys, nodeListKey } from '../records/keys.ts'
import { observationOf } from '../records/observations.ts'
import { openStoreView, type StoreChange, type StoreView } from '../records/store-view.ts'
import { type LocalStore, openLocalStore } from '../store/local-store.ts'
import { voterEndpoints } from '../store/store-config.ts'
import { AttributeChanges } from './attribute-changes.ts'
import { sendCommand, takeCommand } from './commands.ts'
import { controllerCore } from './controller-core.ts'
import { CoreLoop } from './core-loop.ts'
import { DampenedAttributes } from './dampened-attributes.ts'
import { openExecutor } from './open-executor.ts'
import { ownMember } from './own-member.ts'
import { performControllerEffect } from './perform-controller.ts'
import { performPresenceEffect } from './perform-presence.ts'
import { QuorumLoss } from './quorum-loss.ts'

export interface ClusterNodeSetup {
  readonly file: ClusterFile
  readonly own: ClusterNodeEntry
  readonly identity: TlsIdentity
  readonly pulse: Pulse
  readonly paths: Paths
  readonly log: Log
  /** A bug: the daemon ends, to be started again. */
  readonly fail: (error: unknown) => void
  /** No bug: the node must come back as somebody new. */
  readonly restart: (reason: string) => void
  /** The store's list of nodes, which may be newer than the file. */
  readonly onNodeList: (listed: ClusterFile) => void
}

const storeRetryMs = 100
const never = monotonicMs(Number.NEGATIVE_INFINITY)

export class ClusterNode {
  readonly name: NodeName
  readonly #setup: ClusterNodeSetup
  readonly #log: Log
  readonly #incarnation: number
  readonly #peers: Peers
  readonly #planner: Planner
  readonly #presence: CoreLoop<PresenceState, PresenceInput, PresenceEffect>
  readonly #controller: CoreLoop<ControllerState, ControllerInput, ControllerEffect>
  readonly #quorumLoss: QuorumLoss
  readonly #votes: VoteKeeper
  readonly #dampened: DampenedAttributes
  readonly #listeners = new Set<() => void>()
  readonly fencing: FencingHands
  readonly attributes: AttributeChanges
  #file: ClusterFile
  #view: ClusterView = emptyView
  #localStore: LocalStore | undefined
  #storeView: StoreView | undefined
  #executor: Executor | undefined
  #agentTools: ToolServer | undefined
  #quorateUntil: MonotonicMs = never
  #lease: string | undefined
  #silent: ReadonlySet<NodeName> = new Set()
  #storeTrouble: string | undefined
  #left: (() => void) | undefined
  #ended = false

  constructor(setup: ClusterNodeSetup) {
    this.#setup = setup
    this.#log = setup.log
    this.#file = setup.file
    this.name = setup.own.name
    this.#incarnation = setup.pulse.incarnation
    this.#peers = new Peers(setup.file, setup.identity)
    this.#planner = new Planner(() => this.#storeView?.below(allKeys) ?? [])
    this.#presence = new CoreLoop<PresenceState, PresenceInput, PresenceEffect>({
      initial: initialPresence(this.name, this.#incarnation),
      step: presenceStep,
      perform: (effect) => this.#performPresence(effect),
      nextAt: (state) => nextPresenceAt(state, monotonicNow()),
      tick: { kind: 'tick' },
    })
    this.#controller = new CoreLoop(
      controllerCore(this.name, setup.file.timings, (effect) => this.#performController(effect)),
    )
    this.fencing = new FencingHands({
      self: this.name,
      peers: this.#peers,
      log: setup.log,
      paths: setup.paths,
      store: () => this.store,
      view: () => this.#view,
      silent: () => this.#silent,
      holdsTerm: (term) => this.#holdsTerm(term),
      onFenced: (input) => this.#controller.feed(input),
    })
    this.attributes = new AttributeChanges({
      store: () => this.store,
      view: () => this.#view,
      onState: (listener) => this.onState(listener),
    })
    this.#dampened = new DampenedAttributes({
      store: () => this.store,
      view: () => this.#view,
      entry: (key) => this.#storeView?.get(key),
      term: () => (this.quorate && this.#view.dc?.node === this.name ? this.#view.dc.term : undefined),
      log: setup.log,
    })
    this.#votes = new VoteKeeper({
      self: this.name,
      paths: setup.paths,
      log: setup.log,
      file: () => this.#file,
      store: () => this.store,
      leads: () => this.quorate && this.#view.dc?.node === this.name,
      isUp: this.isUp,
    })
    this.#quorumLoss = new QuorumLoss({
      self: this.name,
      log: setup.log,
      isolated: setup.paths.root !== '',
      quorate: () => this.quorate,
      plan: async (stopEverything) => await this.#plan(false, stopEverything),
      executor: () => this.#executor,
    })
  }

  /** Resolves when the node has begun; whether it gets in depends on the others, and `state` tells. */
  async start(): Promise<void> {
    const { own, paths, log, fail, pulse } = this.#setup
    this.#localStore = await openLocalStore({ file: this.#file, own, paths, log })
    pulse.listen((message) => this.#fromPulse(message), fail)
    this.#openView().catch(fail)
  }

  get store(): Store {
    if (this.#localStore) return this.#localStore.store
    throw new Error('The node has not been started.')
  }

  get view(): ClusterView {
    return this.#view
  }

  get file(): ClusterFile {
    return this.#file
  }

  /** By this node's own clock, now. */
  get quorate(): boolean {
    return monotonicNow() < this.#quorateUntil
  }

  /** A member of the cluster that is heard. */
  readonly isUp = (node: NodeName): boolean =>
    this.#view.members.get(node)?.state === 'member' && !this.#silent.has(node)

  state(): ClusterState {
    const trouble = this.#localStore?.trouble() ?? this.#storeTrouble
    return clusterState({
      file: this.#file,
      localNode: this.name,
      view: this.#view,
      quorate: this.quorate,
      silent: this.#silent,
      transition: this.#storeView?.get(keys.transition),
      fencing: this.#storeView?.below(fencingHistoryPrefix) ?? [],
      storeTrouble: this.quorate ? undefined : trouble,
      notes: clusterNotes({
        file: this.#file,
        configuration: this.#view.configuration?.typed,
        deviceCount: this.fencing.deviceCount,
        isFenceable: (node) => this.fencing.isFenceable(node),
      }),
    })
  }

  onState(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async takeCommand(command: Command): Promise<TermAnswer> {
    return await takeCommand(command, {
      executor: this.#executor,
      shutDown: () => this.#presence.feed({ kind: 'shutdown-allowed' }),
    })
  }

  replaceFile(file: ClusterFile): void {
    this.#file = file
    this.#peers.replaceFile(file)
    this.#localStore?.follow(file)
    this.#tellPulse()
    this.#votes.look()
    this.#tellListeners()
  }

  /** Stops what runs here, then goes. With `force` it goes at once and leaves its resources running. */
  async leave(force: boolean): Promise<void> {
    if (!force) {
      const left = new Promise<void>((resolve) => {
        this.#left = resolve
      })
      this.#controller.feed({ kind: 'leaving' })
      this.#presence.feed({ kind: 'leave' })
      await left
    }
    await this.#end('stop')
  }

  /** The daemon ends, its resources go on: the lease is left to run, and the daemon that follows takes over. */
  async suspend(): Promise<void> {
    await this.#end('leave-running')
  }

  async #end(how: 'stop' | 'leave-running'): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    this.#presence.end()
    this.#controller.end()
    this.#votes.close()
    this.#dampened.close()
    await this.#executor?.close()
    await this.#agentTools?.close()
    this.#storeView?.close()
    this.#planner.close()
    this.fencing.close()
    this.#peers.close()
    if (how === 'stop') await this.#setup.pulse.leave()
    else await this.#setup.pulse.abandon()
    await this.#localStore?.close(how)
    this.#tellListeners()
  }

  async #openView(): Promise<void> {
    while (!this.#ended) {
      try {
        this.#storeView ??= await openStoreView(this.store, this.#log, (changes, revision) =>
          this.#fromStore(changes, revision),
        )
        await this.#forgetShutdown()
        return await this.#begin()
      } catch (error) {
        if (error instanceof Error && !/^Store/.test(error.name)) throw error
        this.#storeTrouble = error instanceof Error ? error.message : String(error)
        await new Promise((resolve) => setTimeout(resolve, storeRetryMs))
      }
    }
  }

  /** The wish to leave of an earlier life, which nobody was there to see off, must not send this one away. */
  async #forgetShutdown(): Promise<void> {
    const key = keys.attribute(this.name, '', 'shutdown')
    if (this.#view.attributes.has(key)) await this.store.transaction({ compare: [], writes: [{ kind: 'delete', key }] })
  }

  /** The view is there: this node knows what it ran before, and may be given work. */
  async #begin(): Promise<void> {
    if (this.#ended) return
    this.#storeTrouble = undefined
    this.#agentTools = await serveAgentTools(this, this.#setup.paths)
    if (this.#ended) return await this.#agentTools.close()
    this.#executor = openExecutor({
      node: this.name,
      store: this.store,
      view: () => this.#view,
      paths: this.#setup.paths,
      log: this.#log,
      fenceDevices: this.fencing.runner,
    })
    this.#planner.warmUp(this.#view.revision)
    this.#executor.adopt()
    this.#executor.setQuorum(this.quorate)
    this.#feedView([])
    if (this.#view.configuration === undefined) {
      const xml = firstConfiguration(this.#file)
      await pushConfig(this.store, { xml, node: this.name, user: 'root', command: 'cluster setup', expectedVersion: 0 })
    }
  }

  #fromStore(changes: readonly StoreChange[], revision: number): void {
    const observed = observe(this.#view, changes.map(observationOf), revision)
    this.#view = observed.view
    this.#log.debug('the store changed', { revision, key: changes[0]?.key, changes: changes.length })
    this.#planner.observe(changes, revision)
    const list = changes.findLast(({ key }) => key === nodeListKey)?.entry
    if (list) this.#setup.onNodeList(decodeNodeList(list))
    if (changes.some(({ key }) => key === keys.configuration) && this.#view.configuration)
      this.fencing.configure(this.#view.configuration.typed)
    // Before the executor is there nothing is fed: the first view is fed whole.
    if (!this.#executor) return
    this.#feedView(observed.changes)
    if (observed.changes.some(({ kind }) => kind === 'member')) this.#tellPulse()
    this.#votes.look()
    this.#dampened.look()
    this.#tellListeners()
  }

  #feedView(changes: ReturnType<typeof observe>['changes']): void {
    for (const change of changes)
      if (change.kind === 'confirmed-down' && change.confirmed) this.fencing.confirm(change.node)
    this.#presence.feed({ kind: 'view', own: ownMember(this.#view, this.name, this.#incarnation) })
    this.#controller.feed({ kind: 'store', view: this.#view, changes })
  }

  #fromPulse(message: FromPulse): void {
    switch (message.kind) {
      case 'view': {
        const silent = message.peers.filter(({ state }) => state === 'silent').map(({ node }) => node)
        this.#silent = new Set(silent)
        this.#log.info('the heartbeats changed', { peers: message.peers.map(({ node, state }) => `${node} ${state}`) })
        this.#controller.feed({ kind: 'silence', silent, agreed: message.agreedSilent })
        this.#votes.look()
        this.#tellListeners()
        return
      }
      case 'quorum':
        this.#quorumChanged(message.lease, message.until)
        return
      case 'quorum-lost':
        this.#log.warn('this node has lost quorum', { why: message.why })
        this.#executor?.setQuorum(false)
        this.#presence.feed({ kind: 'lease' })
        if (message.why !== 'left') this.#quorumLoss.begin()
        this.#tellListeners()
        return
      case 'doubt-own-lease':
        this.#log.warn('this node stood still', { pausedMs: Math.round(message.pausedMs) })
        return
      case 'trouble':
        this.#storeTrouble = message.error
        this.#log.warn('the store does not answer', { error: message.error })
        return
      case 'left':
        return
      default:
        assertNever(message)
    }
  }

  #quorumChanged(lease: string | undefined, until: MonotonicMs): void {
    const before = this.quorate
    this.#quorateUntil = until
    this.#controller.feed({ kind: 'quorum', until, ...(lease === undefined ? {} : { lease }) })
    if (!this.quorate || lease === undefined) return
    if (before && lease === this.#lease) return
    this.#lease = lease
    this.#log.info('this node has quorum', { lease })
    this.#quorumLoss.end()
    this.#executor?.setQuorum(true)
    this.#presence.feed({ kind: 'lease', lease })
    this.#tellListeners()
  }

  #performController(effect: ControllerEffect): void {
    // A step may have taken a moment, or this process may have been paused: the lease is looked at again.
    if (!this.quorate && effect.kind !== 'log') {
      // What is not performed is never answered: the core begins anew when the lease is confirmed.
      this.#controller.feed({ kind: 'quorum', until: never })
      return
    }
    performControllerEffect(effect, {
      node: this.name,
      store: this.store,
      log: this.#log,
      feed: (input) => this.#controller.feed(input),
      attributes: () => [...this.#view.attributes.values()],
      holdsTerm: (term) => this.#holdsTerm(term),
      compute: async ({ compute }) => {
        try {
          const planned = await this.#plan(true)
          const recheck = planned.recheckInMs === undefined ? {} : { recheckInMs: planned.recheckInMs }
          return { kind: 'computed', compute, graph: planned.graph, blockedBy: planned.blockedBy, ...recheck }
        } catch (error) {
          this.#log.error('no transition could be computed', { error })
          return { kind: 'compute-failed', compute, message: String(error) }
        }
      },
      execute: async (command) =>
        await sendCommand(command, {
          self: this.name,
          peers: this.#peers,
          log: this.#log,
          take: async (own) => await this.takeCommand(own),
        }),
      fence: async (request) => await this.fencing.fence(request),
    })
  }

  /** By its own view, which may lag: the comparison in the transaction has the last word. */
  #holdsTerm(term: number): boolean {
    return this.quorate && this.#view.dc?.term === term
  }

  async #plan(haveQuorum: boolean, stopEverything = false): ReturnType<Planner['schedule']> {
    const now = Math.floor(Date.now() / 1000)
    return await this.#planner.schedule({ now, haveQuorum, stopEverything }, this.#view.revision)
  }

  #performPresence(effect: PresenceEffect): void {
    performPresenceEffect(effect, {
      store: this.store,
      log: this.#log,
      member: {
        node: this.name,
        id: this.#setup.own.id,
        incarnation: this.#incarnation,
        address: this.#setup.own.address,
        daemonVersion: process.env.SYSTOLE_VERSION ?? '',
      },
      written: (ok) => {
        this.#presence.feed({ kind: 'written', ok })
      },
      stopLocally: () => void this.#quorumLoss.stopAll().then(() => this.#presence.feed({ kind: 'stopped-locally' })),
      depart: () => this.#left?.(),
      declaredDown: () => this.#declaredDown(),
    })
  }

  /** The cluster believes that this node is off and may start its resources elsewhere. */
  #declaredDown(): void {
    this.#log.error('the cluster counts this node as down although it lives: its resources are stopped')
    void this.#quorumLoss.stopAll().then(() => this.#setup.restart('the cluster counts this node as down'))
  }

  /** Those that the store knows as members are the voters on a node's silence. */
  #tellPulse(): void {
    const peers = pulsePeers(this.#file, this.#setup.own)
    const endpoints = this.#file.store.kind === 'etcd' ? voterEndpoints(this.#file, this.name) : []
    this.#setup.pulse.say({ kind: 'nodes', peers, members: [...this.#view.members.keys()], endpoints })
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener()
  }
}

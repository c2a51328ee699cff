/**
 * A node that takes part in the cluster: builds the adapters, drives the cores, and lets what one says reach the others.
 * Nothing is decided here.
 */
import { createPublicKey } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { MonotonicMs, NodeName } from '../../base/index.ts'
import { type Change, type ClusterView, isSettled, type MemberRecord } from '../../controller/index.ts'
import type { Executor } from '../../executor/index.ts'
import { heartbeatOf, type NodeState, ownCopyWillDo, saidOf, silentOf } from '../../node/index.ts'
import {
  type ClusterState,
  keyOfPublic,
  type NodePki,
  type PeerCredentials,
  type PkiOrder,
  type TlsIdentity,
} from '../../rpc/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import type { ToolServer } from '../../tools/index.ts'
import type { AccessControl } from '../access/access-control.ts'
import { markAccessControl } from '../access/access-mark.ts'
import { remoteTools, serveAgentTools } from '../agent-tools/serve-agent-tools.ts'
import { AlertDriver } from '../alerts/alert-driver.ts'
import { AttributeChanges } from '../attributes/attribute-changes.ts'
import { DampenedAttributes } from '../attributes/dampened-attributes.ts'
import { fencingRecordOf } from '../cluster-state/cluster-state.ts'
import { LinkStates } from '../cluster-state/link-states.ts'
import { FencingDriver } from '../fencing/fencing-driver.ts'
import { FactsKeeper } from '../hardware/facts-keeper.ts'
import { HealthKeeper } from '../hardware/health-keeper.ts'
import { HoldKeeper } from '../holds/hold-keeper.ts'
import { readBootId } from '../host/boot-id.ts'
import { monotonicNow } from '../host/clock.ts'
import { shortages } from '../host/free-space.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { endSelf } from '../host/self-reboot.ts'
import { isEnabled } from '../host/takes-part.ts'
import { JobKeeper } from '../jobs/job-keeper.ts'
import { TaskRunners } from '../jobs/start-runner.ts'
import { TaskCleaner } from '../jobs/task-cleaner.ts'
import { tasksFolder } from '../jobs/task-files.ts'
import { TaskKeeper } from '../jobs/task-keeper.ts'
import { LockKeeper } from '../locks/lock-keeper.ts'
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { memberAddresses } from '../node-list/known-hosts.ts'
import { addKey, decodeNodeList } from '../node-list/node-list.ts'
import { isSameName } from '../node-list/node-names.ts'
import { AskForList } from '../peers/ask-for-list.ts'
import { BringList } from '../peers/bring-list.ts'
import { Peers } from '../peers/peers.ts'
import type { WithAuthority } from '../pki/authority.ts'
import { AuthorityKeeper, authorityNotes, keepShare } from '../pki/authority-keeper.ts'
import { AuthorityRotation } from '../pki/authority-rotation.ts'
import { signForRemote, signForWitness } from '../pki/certificates.ts'
import { authoritiesIn, readIdentity } from '../pki/identity.ts'
import { knownBy, OwnKey } from '../pki/pins.ts'
import type { ServiceAnswer } from '../planner/messages.ts'
import { componentsCommand } from '../plays/components-command.ts'
import { PlayKeeper } from '../plays/play-keeper.ts'
import { nodesForPulse } from '../pulse/begin.ts'
import type { Pulse } from '../pulse/pulse.ts'
import { fencingHistoryPrefix, nodeListKey } from '../records/keys.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import type { StoreChange } from '../records/store-view.ts'
import { renewBundleIdentities } from '../remote/bundle-containers.ts'
import { RemoteConnections } from '../remote/connections.ts'
import { type RemovalView, removalNotes } from '../removal/removal-core.ts'
import { RemovalWork } from '../removal/removal-work.ts'
import { Rollouts } from '../rollout/rollouts.ts'
import { ServiceDriver } from '../services/service-driver.ts'
import { type LocalStore, openLocalStore } from '../store/local-store.ts'
import { TwoNodeDriver } from '../two-node/two-node-driver.ts'
import { forgetMet, hasMet } from '../two-node/wait-for-all.ts'
import { Relink } from '../votes/relink.ts'
import { VoteKeeper, voterState } from '../votes/vote-keeper.ts'
import { WatchdogDriver } from '../watchdog/watchdog-driver.ts'
import { type WitnessKnowledge, WitnessLink } from '../witness/witness-link.ts'
import { KnownState } from './known-state.ts'
import { NodeDriver } from './node-driver.ts'
import { nodeState } from './node-state.ts'
import { openExecutor } from './open-executor.ts'
import { OwnTroubles } from './own-troubles.ts'
import { prepareStore } from './prepare-store.ts'
import { PulseNews } from './pulse-news.ts'
import { RestartNotice } from './restart-notice.ts'

export interface ClusterNodeSetup {
  readonly file: ClusterFile
  readonly own: ClusterNodeEntry
  /** As it is now: it may be renewed. */
  readonly identity: () => TlsIdentity
  readonly pulse: Pulse
  readonly paths: Paths
  readonly log: Log
  readonly withAuthority: WithAuthority
  readonly ownPki: { readonly state: () => NodePki; readonly follow: (order: PkiOrder) => Promise<void> }
  /** A bug: the daemon ends, to be started again. */
  readonly fail: (error: unknown) => void
  /** No bug: the node must come back as somebody new. */
  readonly restart: (reason: string) => void
  /** Another host's list of nodes, which may be newer than the file. */
  readonly onNodeList: (listed: ClusterFile) => void
  /** The store's. Who is not in it was removed. */
  readonly onStoredList: (listed: ClusterFile) => void
  /** Those that were made for a node that is removed. */
  readonly withdrawTokens: (node: NodeName) => Promise<unknown>
  /** More than half of the other nodes say so. */
  readonly onRemoved: () => void
  /** A list that counts although this node's own may be as new. */
  readonly giveWayTo: (listed: ClusterFile) => void
  /** Who calls on this host, and what they may do. */
  readonly local: { readonly access: AccessControl; readonly credentials: PeerCredentials | undefined }
  readonly metrics: DaemonMetrics
  /** What is wrong with the host beside this node, as a sentence. */
  readonly trouble: () => string | undefined
}

const announcePatienceMs = 2000

export class ClusterNode {
  readonly name: NodeName
  readonly fencing: FencingDriver
  readonly attributes: AttributeChanges
  readonly twoNode: TwoNodeDriver
  readonly #setup: ClusterNodeSetup
  readonly #log: Log
  readonly #incarnation: number
  readonly #peers: Peers
  readonly #known: KnownState
  readonly #news: PulseNews
  readonly #watchdog: WatchdogDriver
  readonly #troubles: OwnTroubles
  readonly #core: NodeDriver
  readonly #votes: VoteKeeper
  readonly authority: AuthorityKeeper
  readonly rotation: AuthorityRotation
  readonly #dampened: DampenedAttributes
  readonly #connections: RemoteConnections
  readonly #alerts: AlertDriver
  readonly #askForList: AskForList
  readonly #bringList: BringList
  readonly #witness: WitnessLink
  readonly #links = new LinkStates()
  /** Why this node cannot end those on a link that is down. */
  #connectionsStay: string | undefined
  readonly #relink: Relink
  readonly #ownKey: OwnKey
  readonly #removals: RemovalWork
  readonly #locks: LockKeeper
  readonly #tasks: TaskKeeper
  readonly runners = new TaskRunners()
  readonly #taskCleaner: TaskCleaner
  readonly #holds: HoldKeeper
  readonly #services: ServiceDriver
  readonly #facts: FactsKeeper
  readonly #health: HealthKeeper
  readonly #notice: RestartNotice
  readonly #jobs: JobKeeper
  readonly #plays: PlayKeeper
  readonly rollouts: Rollouts
  readonly #listeners = new Set<() => void>()
  readonly #bootId = readBootId()
  #file: ClusterFile
  #active: { readonly revision: number; readonly here: Promise<ServiceAnswer['here']> } | undefined
  #localStore: LocalStore | undefined
  #store: Store | undefined
  #executor: Executor | undefined
  #agentTools: ToolServer | undefined
  #storeTrouble: string | undefined
  #leaving: Promise<void> | undefined
  #left: ((how: { readonly disarm: boolean }) => void) | undefined
  /** As the core was told it. */
  #says: NodeState['says'] = {}
  #ended = false

  constructor(setup: ClusterNodeSetup) {
    this.#setup = setup
    this.#log = setup.log
    this.#file = setup.file
    this.name = setup.own.name
    this.#incarnation = setup.pulse.incarnation
    this.#peers = new Peers(
      setup.file,
      setup.identity,
      this.#links.reach,
      (peer) => this.view.members.get(peer)?.incarnation,
      () => this.quorate,
    )
    this.#news = this.#openNews()
    this.#known = new KnownState({
      log: setup.log,
      store: () => this.store,
      onChanges: (changes, observed) => this.#fromStore(changes, observed),
      ownCopyWillDo: () => ownCopyWillDo(this.#core.state, this.twoNode.state() !== undefined, monotonicNow()),
      prepare: async () =>
        await prepareStore(this.store, { node: this.name, view: this.view, file: this.#file, paths: setup.paths }),
    })
    this.#watchdog = this.#openWatchdog()
    this.#troubles = this.#openTroubles()
    this.#core = this.#openCore()
    this.#witness = new WitnessLink({
      identity: setup.identity,
      file: () => this.#file,
      quorate: () => this.quorate,
      sign: async (witness, publicKey) => {
        const { certificate } = await signForWitness(setup.withAuthority, witness, publicKey)
        // Whoever takes it out revokes what the list knows it by.
        await addKey(this.store, this.#file, witness.name, { key: keyOfPublic(createPublicKey(publicKey)) })
        return certificate
      },
      onNodeList: setup.onNodeList,
      onChange: () => this.#look(),
    })
    this.twoNode = this.#openTwoNode()
    this.fencing = this.#openFencing()
    this.attributes = new AttributeChanges({ ...this.#sources(), onState: (listener) => this.onState(listener) })
    this.#dampened = new DampenedAttributes({
      ...this.#sources(),
      entry: this.#known.get,
      term: () => this.#ledTerm(),
    })
    this.#alerts = new AlertDriver({
      ...this.#sources(),
      self: this.name,
      paths: setup.paths,
      below: this.#known.below,
      term: () => this.#ledTerm(),
    })
    this.#connections = new RemoteConnections({
      ...this.#sources(),
      alertFor: this.#alerts.result,
      self: this.name,
      identity: setup.identity,
      notice: (resource) => this.#executor?.notice(resource),
      sign: async (remote, publicKey) => await signForRemote(setup.withAuthority, remote, publicKey),
      authorities: () => authoritiesIn(readIdentity(setup.paths.pki).authority),
      revoked: () => this.#file.revoked ?? [],
      members: () => memberAddresses(this.#file),
      runTool: remoteTools(this, setup.log, setup.local.access),
    })
    this.#votes = new VoteKeeper({
      ...this.#sources(),
      self: this.name,
      paths: setup.paths,
      file: () => this.#file,
      leads: () => this.#leads(),
      stateOf: (host) =>
        host === this.#file.witness?.name ? this.#witness.voterState : voterState(this.view, host, this.isUp(host)),
    })
    this.authority = new AuthorityKeeper({
      ...this.#sources(),
      self: this.name,
      pki: setup.paths.pki,
      file: () => this.#file,
      entry: this.#known.get,
      isUp: this.isUp,
      leads: () => this.#leads(),
      withAuthority: setup.withAuthority,
      generationsOf: async (member) => (await this.#peers.to(member).getPki({})).shares,
      keep: async (member, share) => await this.#peers.to(member).keepAuthorityShare(share),
      replace: async () => await this.rotation.begin(),
    })
    this.rotation = this.#openRotation()
    this.#relink = new Relink({
      ...this.#sources(),
      self: this.name,
      lease: () => (this.quorate ? this.#core.state.lease : undefined),
      mustRelink: () => this.#localStore?.mustRelink() ?? false,
      relink: async (hasTurn) => await this.#localStore?.relink(hasTurn),
      mayChange: () => this.#own.links !== undefined,
    })
    this.#removals = new RemovalWork({
      node: this,
      log: setup.log,
      peers: this.#peers,
      seen: () => this.removals,
      withdrawTokens: setup.withdrawTokens,
      leads: () => this.#leads(),
      onChanged: setup.onStoredList,
    })
    this.#locks = new LockKeeper({
      ...this.#sources(),
      now: monotonicNow,
      below: this.#known.below,
      term: () => this.#ledTerm(),
    })
    this.#notice = new RestartNotice({ ...this.#sources(), self: this.name, incarnation: this.#incarnation })
    this.#holds = new HoldKeeper({
      ...this.#sources(),
      now: monotonicNow,
      calendarMs: Date.now,
      below: this.#known.below,
      term: () => this.#ledTerm(),
    })
    this.#services = new ServiceDriver({
      ...this.#sources(),
      self: this.name,
      file: () => this.#file,
      quorate: () => this.quorate,
      quorateUntil: () => this.quorateUntil,
      attributes: this.attributes,
      folder: setup.paths.checks,
      watches: setup.paths.watches,
      done: setup.paths.watchesDone,
      catalogue: async (asked) => await this.#known.services(asked),
    })
    const own = { self: this.name, quorate: () => this.quorate, attributes: this.attributes }
    this.#facts = new FactsKeeper({ ...this.#sources(), ...own })
    this.#health = new HealthKeeper({ ...this.#sources(), ...own })
    this.#tasks = new TaskKeeper({
      ...this.#sources(),
      below: this.#known.below,
      self: {
        node: this.name,
        incarnation: this.#incarnation,
        ...(this.#bootId !== undefined && { bootId: this.#bootId }),
      },
      entry: this.#known.get,
      folder: tasksFolder(setup.paths.data),
      componentsCommand: componentsCommand(setup.paths.data),
      quorate: () => this.quorate,
      startRunner: this.runners.start,
      warmRunner: this.runners.warm,
      secretNames: () => secretsOfView(this.view),
    })
    this.#jobs = new JobKeeper({
      ...this.#sources(),
      entry: this.#known.get,
      below: this.#known.below,
      file: () => this.#file,
      term: () => this.#ledTerm(),
    })
    this.#plays = new PlayKeeper({
      ...this.#sources(),
      entry: this.#known.get,
      below: this.#known.below,
      file: () => this.#file,
      term: () => this.#ledTerm(),
    })
    this.rollouts = new Rollouts({
      ...this.#sources(),
      self: this.name,
      below: this.#known.below,
      file: () => this.#file,
      data: setup.paths.data,
      witnessUp: () => this.#witness.state()?.state === 'up',
      term: () => this.#ledTerm(),
      settled: () => isSettled(this.#core.state.controller),
    })
    this.#taskCleaner = new TaskCleaner({
      ...this.#sources(),
      below: this.#known.below,
      term: () => this.#ledTerm(),
    })
    this.#ownKey = new OwnKey({
      ...this.#sources(),
      self: this.name,
      known: knownBy(setup.identity().certificate),
      file: () => this.#file,
      quorate: () => this.quorate,
    })
    this.#bringList = new BringList({
      leads: () => this.#leads(),
      file: () => this.#file,
      view: () => this.view,
      peers: this.#peers,
    })
    this.#askForList = new AskForList({
      self: this.name,
      peers: this.#peers,
      file: () => this.#file,
      quorate: () => this.quorate,
      onNodeList: setup.onNodeList,
      onRemoved: setup.onRemoved,
    })
  }

  /** Resolves when the node has begun; whether it gets in depends on the others, and `state` tells. */
  async start(): Promise<void> {
    const { own, paths, log, fail, pulse } = this.#setup
    this.#askForList.begin()
    this.#bringList.begin()
    this.#witness.begin()
    this.#localStore = await openLocalStore({
      file: this.#file,
      own,
      paths,
      log,
      withAuthority: this.#setup.withAuthority,
    })
    this.#store = this.#setup.metrics.measureStore(this.#localStore.store)
    pulse.listen(this.#news.take, fail)
    this.#begin().catch(fail)
  }

  get store(): Store {
    if (this.#store) return this.#store
    throw new Error('The node has not been started.')
  }

  get view(): ClusterView {
    return this.#known.view
  }

  get file(): ClusterFile {
    return this.#file
  }

  /** A record of the store, as this node knows it. */
  readonly entry = (key: string): Entry | undefined => this.#known.get(key)
  readonly below = (prefix: string): readonly Entry[] => this.#known.below(prefix)

  /** By this node's own clock, now. */
  /** Nobody that it knows brings it into the cluster. */
  get findsNobody(): boolean {
    return this.#askForList.findsNobody
  }

  get quorate(): boolean {
    return this.#core.quorate
  }

  get quorateUntil(): MonotonicMs {
    return this.#core.state.quorateUntil
  }

  /** A member of the cluster that is heard. */
  readonly isUp = (node: NodeName): boolean =>
    this.view.members.get(node)?.state === 'member' && !silentOf(this.#core.state.peers).includes(node)

  /** It has been a member since its place was recorded. */
  wasSeen(node: NodeName): boolean {
    const { members, nodeStates } = this.view
    return members.has(node) || nodeStates.get(node)?.attributes?.incarnation !== undefined
  }

  /** The address at which a node is reached now. */
  readonly reach = (node: ClusterNodeEntry): string => this.#links.reach(node)

  /** By which the removal of nodes goes on. */
  get removals(): RemovalView {
    const { holders = [] } = this.authority.record ?? {}
    return {
      file: this.#file,
      view: this.view,
      isUp: (host) => this.isUp(host) || this.hearsWitness(host),
      hasShare: (node) => holders.some(({ name }) => name === node),
    }
  }

  beginRemoval(node: NodeName): void {
    this.#removals.begin(node)
  }

  get witnessKnows(): WitnessKnowledge {
    return this.#witness.knows
  }

  readonly lookForWitness = async (): Promise<void> => await this.#witness.lookNow()
  readonly hearsWitness = (host: NodeName): boolean => this.#witness.hears(host)

  state(): ClusterState {
    return nodeState({
      self: this.name,
      file: this.#file,
      known: this.#known,
      removals: [...removalNotes(this.removals), ...authorityNotes(this.authority.record, this.#file)],
      fencing: this.fencing,
      quorate: this.quorate,
      silent: new Set(silentOf(this.#core.state.peers)),
      links: this.#links,
      connectionsStay: this.#connectionsStay,
      storeTrouble: this.#localStore?.trouble() ?? this.#known.trouble ?? this.#storeTrouble,
      watchdogTroubles: this.#watchdog.troubles,
      twoNode: this.twoNode.state(),
      witness: this.#witness.state(),
      enabled: isEnabled(this.#setup.paths),
    })
  }

  /** Computed by the planner thread, once for each state of the store. */
  async activeHere(): Promise<ServiceAnswer['here']> {
    const { revision } = this.view
    const stale = this.#active?.revision !== revision
    if (stale) {
      const asked = { self: this.name, haveQuorum: true, addresses: {} }
      const here = this.#known.services(asked).then((answer) => answer.here)
      this.#active = { revision, here }
    }
    return (await this.#active?.here) ?? new Map()
  }

  onState(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly takeCommand: NodeDriver['takeCommand'] = (command) => this.#core.takeCommand(command)

  /** An administrator's word that a node is off. In a cluster of two it counts without the other's vote as well. */
  async confirmOff(node: NodeName, write: () => Promise<void>): Promise<void> {
    if (this.quorate || this.twoNode.state() === undefined) await write()
    else await this.twoNode.unblock(node)
  }

  replaceFile(file: ClusterFile): void {
    this.#file = file
    this.#core.feed({ kind: 'list', list: file })
    this.#connections.tellList()
    this.#peers.replaceFile(file)
    this.#localStore?.follow(file)
    this.#witness.look()
    this.#tellPulse()
    this.#relink.look()
    this.#ownKey.look()
    this.#look()
  }

  /** Stops what runs here, then goes. Whoever asks again waits for the same. */
  async leave(): Promise<void> {
    this.#leaving ??= this.#leave()
    await this.#leaving
  }

  async #leave(): Promise<void> {
    const left = new Promise<{ readonly disarm: boolean }>((resolve) => {
      this.#left = resolve
    })
    this.#core.feed({ kind: 'leave' })
    const { disarm } = await left
    if (disarm) this.#watchdog.departed()
    await this.#end('stop')
  }

  /** Goes at once, as if it had never been here, and leaves its resources running. */
  async abandon(): Promise<void> {
    await this.#end('stop')
  }

  /** The daemon is about to end and to begin again. */
  async announceRestart(): Promise<void> {
    if (this.quorate) await this.#notice.announce(announcePatienceMs)
  }

  /** The daemon ends, its resources go on: the lease is left to run, and the daemon that follows takes over. */
  async suspend(): Promise<void> {
    await this.#end('leave-running')
  }

  async #end(how: 'stop' | 'leave-running'): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    this.#askForList.end()
    this.#bringList.end()
    this.#witness.end()
    this.twoNode.close()
    this.#watchdog.close()
    this.#troubles.close()
    this.#core.end()
    this.#votes.close()
    this.#removals.close()
    this.#locks.close()
    this.#tasks.close()
    this.runners.close()
    this.#taskCleaner.close()
    this.rollouts.close()
    this.#holds.close()
    this.#services.close()
    this.#facts.close()
    this.#health.close()
    this.#jobs.close()
    this.#plays.close()
    this.authority.close()
    this.rotation.close()
    this.#relink.close()
    this.#ownKey.close()
    this.#dampened.close()
    await this.#executor?.close()
    await this.#alerts.close()
    this.#connections.abandon()
    await this.#agentTools?.close()
    this.#known.close()
    this.#peers.close()
    if (how === 'stop') forgetMet(this.#setup.paths)
    if (how === 'stop') await this.#setup.pulse.leave()
    else await this.#setup.pulse.abandon()
    await this.#localStore?.close(how)
    this.#tellListeners()
  }

  /** The view is there: this node knows what it ran before, and may be given work. */
  async #begin(): Promise<void> {
    if (!(await this.twoNode.mayBegin())) return
    if (!(await this.#known.open())) return
    this.#agentTools = await serveAgentTools(this, this.#setup.paths, this.#setup.local)
    if (this.#ended) return await this.#agentTools.close()
    await this.#watchdog.begin()
    if (this.#ended) return
    this.#storeTrouble = undefined
    this.#executor = openExecutor({
      node: this.name,
      store: this.store,
      view: () => this.view,
      paths: this.#setup.paths,
      log: this.#log,
      fenceDevices: this.fencing.runner,
      connections: this.#connections,
      alertFor: this.#alerts.result,
      withAuthority: this.#setup.withAuthority,
      measure: this.#setup.metrics.measureAgents,
    })
    this.#known.warmUp()
    this.#executor.adopt()
    this.#tellOwnMember()
    this.#core.feed({ kind: 'began' })
    this.#look()
  }

  #fromStore(changes: readonly StoreChange[], observed: readonly Change[]): void {
    const list = changes.findLast(({ key }) => key === nodeListKey)?.entry
    if (list) this.#setup.onStoredList(decodeNodeList(list))
    if (observed.some(({ kind }) => kind === 'configuration') && this.view.configuration) {
      markAccessControl(this.#setup.paths, this.#log, this.view.configuration.typed)
    }
    this.#tellOwnMember()
    this.#core.feed({ kind: 'store', view: this.view, changes: observed })
    if (!this.#executor) return
    if (observed.some(({ kind }) => kind === 'member' || kind === 'restart')) this.#tellPulse()
    this.#dampened.look()
    this.#alerts.take(changes, observed)
    this.#look()
  }

  /** What this node says of itself among the members, beside its watchdog. */
  #tellOwnMember(): void {
    const { told } = this.#troubles
    const says = told.length === 0 ? {} : { troubles: told }
    if (isDeepStrictEqual(says, this.#says)) return
    this.#says = says
    this.#core.feed({ kind: 'says', says })
  }

  /** Whether this node's member of the store has caught up. */
  #tellCopy(): void {
    const isWhole = this.#localStore?.isComplete() ?? false
    if (isWhole !== this.#core.state.hasWholeCopy) this.#core.feed({ kind: 'copy', isWhole })
  }

  /** Whatever reacts to state compares it anew. */
  #look(): void {
    this.#tellCopy()
    this.#votes.look()
    this.#removals.look()
    this.#locks.look()
    this.#holds.look()
    this.#notice.look()
    if (this.#executor) {
      this.#alerts.look()
      this.#services.look()
      this.#facts.look()
      this.#health.look()
      this.#tasks.look()
      this.#jobs.look()
      this.#plays.look()
      this.#taskCleaner.look()
      this.rollouts.look()
    }
    this.authority.look()
    this.rotation.look()
    this.#tellListeners()
  }

  #openNews(): PulseNews {
    return new PulseNews({
      log: this.#log,
      onDeaf: (why) => this.#setup.restart(`heartbeats cannot be received: ${why}`),
      onHeartbeats: (peers, agreed) => {
        this.#core.feed({ kind: 'heartbeats', peers, agreed })
        this.#look()
      },
      onQuorum: (lease, until) =>
        this.#core.feed({
          kind: 'quorum',
          until,
          ...(lease === undefined ? {} : { lease }),
        }),
      onLost: (why) => this.#core.feed({ kind: 'quorum-lost', why }),
      onLinks: (links) => {
        this.#links.take(links)
        this.#tellListeners()
      },
      onConnectionsStay: (why) => {
        this.#connectionsStay = why
      },
      onTrouble: (error) => {
        this.#storeTrouble = error
      },
      onWatchdog: (message) => this.#watchdog.take(message),
    })
  }

  #openWatchdog(): WatchdogDriver {
    const { pulse, paths, log } = this.#setup
    return new WatchdogDriver({
      self: this.name,
      log,
      paths,
      store: () => this.store,
      core: () => this.#core.state.watchdog,
      feed: (input) => this.#core.feed({ kind: 'watchdog', input }),
      say: pulse.say,
      onChange: () => this.#tellListeners(),
    })
  }

  #openTroubles(): OwnTroubles {
    const find = (): readonly string[] => {
      const troubles = [this.#localStore?.trouble(), this.#setup.trouble()]
      return [
        ...troubles.filter((trouble) => trouble !== undefined),
        ...shortages(this.#setup.paths),
        ...this.#alerts.troubles,
        ...this.#services.troubles,
      ]
    }
    return new OwnTroubles(find, (troubles) => {
      if (troubles.length > 0) this.#log.warn('something on this node needs an administrator', { troubles })
      this.#tellOwnMember()
      this.#tellListeners()
    })
  }

  #openRotation(): AuthorityRotation {
    const { ownPki, paths } = this.#setup
    const isOwn = (member: NodeName): boolean => member === this.name
    return new AuthorityRotation({
      ...this.#sources(),
      self: this.name,
      file: () => this.#file,
      leads: () => this.#leads(),
      isUp: this.isUp,
      record: () => this.authority.record,
      commit: async (record, madeFrom) => await this.authority.commit(record, madeFrom),
      keep: async (member, share) => {
        if (isOwn(member)) keepShare(paths.pki, share, this.authority.record?.generation)
        else await this.#peers.to(member).keepAuthorityShare(share)
      },
      pkiOf: async (member) =>
        isOwn(member) ? ownPki.state() : await this.#peers.to(member).getPki({}, { timeoutMs: 2000 }),
      bring: async (member, order) =>
        isOwn(member)
          ? await ownPki.follow(order)
          : await this.#peers.to(member).bringPki(order, { timeoutMs: 15_000 }),
      votesSettled: async () => await this.#votes.isSettled(),
      pkiOfWitness: async () => await this.#witness.pki(),
      bringWitness: async (order) => await this.#witness.bringPki(order),
      onCertified: async () =>
        await renewBundleIdentities({
          view: () => this.view,
          store: () => this.store,
          withAuthority: this.#setup.withAuthority,
        }),
      authority: () => readIdentity(paths.pki).authority,
    })
  }

  /** Another certificate, or other authorities: whatever connects from now on shows it, and nothing that runs or beats begins anew. */
  async useIdentity(identity: TlsIdentity, isAnotherCertificate: boolean): Promise<void> {
    await this.#setup.pulse.useIdentity(identity)
    if (this.#ended) return
    if (isAnotherCertificate) {
      this.#peers.renew()
      this.#witness.renew()
    }
    this.#connections.renew(isAnotherCertificate)
    this.#ownKey.use(knownBy(identity.certificate))
    this.#localStore?.believe()
    this.#relink.look()
  }

  /** A remote node or a guest, of the configuration or recorded from before. TLS compares names without regard to case. */
  hasRemote(name: string): boolean {
    const { configuration, nodeStates } = this.view
    const recorded = [...nodeStates.values()].filter(({ attributes }) => attributes?.remote_node === 'true')
    const configured = configuration === undefined ? [] : connectedNodeNames(configuration.typed)
    return [...configured, ...recorded.map(({ node }) => node)].some((known) => isSameName(known, name))
  }

  /** What the remote nodes believe whose connections this node holds. */
  get remotePki(): NodePki['hosts'] {
    return this.#connections.pki
  }

  /** Its member of the store was started with what this node believes and is named by now. */
  get storeFollows(): boolean {
    return !(this.#localStore?.mustRelink() ?? false)
  }

  #openCore(): NodeDriver {
    const { log, paths, restart, file } = this.#setup
    const isolated = paths.root !== ''
    return new NodeDriver({
      self: this.name,
      incarnation: this.#incarnation,
      timings: file.timings,
      list: file,
      met: hasMet(paths),
      bootId: this.#bootId,
      isolated,
      log,
      controller: {
        ...this.#sources(),
        peers: this.#peers,
        plan: async () =>
          await this.#setup.metrics.measureDecision(
            async () => await this.#known.plan({ haveQuorum: true, keepIn: paths.transitions }),
          ),
        takeUpLeftOff: (term, history) => this.fencing.takeUpLeftOff(term, history),
        fencingHistory: () => this.#known.below(fencingHistoryPrefix).flatMap(fencingRecordOf),
      },
      presence: () => ({
        store: this.store,
        member: this.#ownMember(),
        resultsWritten: async () => await this.#executor?.flushed(),
      }),
      executor: () => this.#executor,
      route: async (node, routed) => await this.#connections.perform(node, routed),
      planOwnStops: async (stopEverything) => {
        const own = { node: this.name, operations: this.#executor?.history ?? [] }
        return await this.#known.plan({ haveQuorum: false, stopEverything, own })
      },
      twoNode: (effect) => this.twoNode.perform(effect),
      fencing: (effect) => this.fencing.perform(effect),
      twoNodeSituation: (situation) => this.twoNode.seen(situation),
      twoNodeWaits: (message) => {
        if (message !== undefined) log.warn('two nodes', { now: message })
        this.#tellListeners()
      },
      quorumGained: () => {
        this.#askForList.end()
        this.twoNode.gainedQuorum()
        this.#relink.look()
        this.#ownKey.look()
        this.#look()
      },
      quorumLost: () => {
        this.#askForList.begin()
        this.#tellCopy()
        this.#tellListeners()
      },
      watchdog: (effect) => this.#watchdog.perform(effect),
      endSelf: (how, why) => endSelf({ log, isolated }, how, why),
      restart,
      depart: (how) => this.#left?.(how),
    })
  }

  #ownMember(): Omit<MemberRecord, 'state' | 'since'> {
    return {
      node: this.name,
      id: this.#own.id,
      incarnation: this.#incarnation,
      address: this.#own.address,
      daemonVersion: process.env.SYSTOLE_VERSION ?? '',
      knowsWitness: true,
      knowsPulseTimes: true,
      knowsLinks: true,
      knowsDisks: true,
      knowsShares: true,
      knowsHolds: true,
      knowsPlays: true,
      ...saidOf(this.#core.state),
      ...(this.#bootId === undefined ? {} : { bootId: this.#bootId }),
    }
  }

  #openFencing(): FencingDriver {
    return new FencingDriver({
      ...this.#sources(),
      self: this.name,
      peers: this.#peers,
      paths: this.#setup.paths,
      holdsTerm: this.#core.holdsTerm,
      core: () => this.#core.state,
      feed: this.#core.feed,
      recordAlone: (record) => this.twoNode.record(record),
      recordedAlone: () => this.twoNode.records,
      planWithout: async (lost) => await this.#known.plan({ haveQuorum: true, lost }),
    })
  }

  #openTwoNode(): TwoNodeDriver {
    const { own, paths, pulse, onNodeList, giveWayTo } = this.#setup
    return new TwoNodeDriver({
      ...this.#sources(),
      own,
      paths,
      peers: this.#peers,
      file: () => this.#file,
      quorate: () => this.quorate,
      hearsWitness: this.hearsWitness,
      heartbeat: (peer) => heartbeatOf(this.#core.state.peers, peer),
      isComplete: () => this.#localStore?.isComplete() ?? false,
      goAlone: async (onPointOfNoReturn) => await this.#localStore?.goAlone(onPointOfNoReturn),
      isAlone: async () => await this.#localStore?.isAlone(),
      release: () => pulse.say({ kind: 'release' }),
      onNodeList,
      giveWayTo,
      feed: (input) => {
        this.#tellCopy()
        this.#core.feed({ kind: 'two-node', input })
      },
      core: () => this.#core.state.twoNode,
    })
  }

  #sources(): { readonly log: Log; readonly store: () => Store; readonly view: () => ClusterView } {
    return { log: this.#log, store: () => this.store, view: () => this.view }
  }

  #leads(): boolean {
    return this.quorate && this.view.dc?.node === this.name
  }

  /** While this node leads. */
  #ledTerm(): number | undefined {
    return this.#leads() ? this.view.dc?.term : undefined
  }

  #tellPulse(): void {
    this.#setup.pulse.say(nodesForPulse(this.#file, this.#own, this.#notice.forPulse()))
  }

  /** As the list has it now. */
  get #own(): ClusterNodeEntry {
    return this.#file.nodes.find(({ name }) => name === this.name) ?? this.#setup.own
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener()
  }
}

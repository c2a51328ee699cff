import { isDeepStrictEqual } from 'node:util'
import type { MonotonicMs, NodeName } from '../../base/index.ts'
import { type Change, type ClusterView, isSettled, type MemberRecord } from '../../controller/index.ts'
import type { Executor } from '../../executor/index.ts'
import {
  heartbeatOf,
  type NodeState,
  type StartUpEffect,
  type StartUpInput,
  saidOf,
  silentOf,
  startUpTrouble,
  voterStateOf,
  waitsForPeer,
} from '../../node/index.ts'

import type { ClusterState, Messages, NodePki, TlsIdentity } from '../../rpc/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import { type Entry, isStoreFailure, type Store } from '../../store/index.ts'
import type { ToolServer } from '../../tools/index.ts'
import { markAccessControl } from '../access/access-mark.ts'
import { remoteTools, serveAgentTools } from '../agent-tools/serve-agent-tools.ts'
import { AlertDriver } from '../alerts/alert-driver.ts'
import { AttributeChanges } from '../attributes/attribute-changes.ts'
import { DampenedAttributes } from '../attributes/dampened-attributes.ts'
import { fencingRecordOf } from '../cluster-state/cluster-state.ts'
import { LinkStates } from '../cluster-state/link-states.ts'
import { unconfirmedNotes } from '../configuration/unconfirmed.ts'
import { FencingDriver } from '../fencing/fencing-driver.ts'
import { readBootId } from '../host/boot-id.ts'
import { shortages } from '../host/free-space.ts'
import type { Log } from '../host/log.ts'
import { endSelf } from '../host/self-reboot.ts'
import { isEnabled } from '../host/takes-part.ts'
import type { HeldRemote } from '../jobs/remote-task-keeper.ts'
import type { TaskRunners } from '../jobs/start-runner.ts'
import { JournalKeeper } from '../journal/journal-keeper.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { memberAddresses } from '../node-list/known-hosts.ts'
import { decodeNodeList } from '../node-list/node-list.ts'
import { isSameName } from '../node-list/node-names.ts'
import { Peers } from '../peers/peers.ts'
import { type AuthorityKeeper, authorityNotes } from '../pki/authority-keeper.ts'
import type { AuthorityRotation } from '../pki/authority-rotation.ts'
import { signForRemote } from '../pki/certificates.ts'
import { authoritiesIn, readIdentity } from '../pki/identity.ts'
import type { ServiceAnswer } from '../planner/messages.ts'
import { nodesForPulse } from '../pulse/begin.ts'
import { fencingHistoryPrefix, nodeListKey, unconfirmedPrefix } from '../records/keys.ts'
import type { OwnWrites } from '../records/own-writes.ts'
import type { StoreChange } from '../records/store-view.ts'
import { RemoteConnections } from '../remote/connections.ts'
import { type RemovalView, removalNotes } from '../removal/removal-core.ts'
import type { Rollouts } from '../rollout/rollouts.ts'
import { type LocalStore, openLocalStore } from '../store/local-store.ts'
import { TwoNodeDriver } from '../two-node/two-node-driver.ts'
import { forgetMet, metBefore } from '../two-node/wait-for-all.ts'
import { hasSlots } from '../watchdog/sbd-disks.ts'
import { WatchdogDriver } from '../watchdog/watchdog-driver.ts'
import type { WitnessKnowledge } from '../witness/witness-link.ts'
import { KnownState } from './known-state.ts'
import { MembershipKeepers } from './membership-keepers.ts'
import { NodeDriver } from './node-driver.ts'
import type { ClusterNodeSetup } from './node-setup.ts'
import type { NodeSources } from './node-sources.ts'
import { nodeState } from './node-state.ts'
import { openExecutor } from './open-executor.ts'
import { OwnTroubles } from './own-troubles.ts'
import { prepareStore } from './prepare-store.ts'
import { PulseNews } from './pulse-news.ts'
import { RestartNotice } from './restart-notice.ts'
import { WorkKeepers } from './work-keepers.ts'

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
  readonly #dampened: DampenedAttributes
  readonly #connections: RemoteConnections
  readonly #alerts: AlertDriver
  readonly #journal: JournalKeeper
  readonly #links = new LinkStates()
  /** Why this node cannot end those on a link that is down. */
  #connectionsStay: string | undefined
  readonly #notice: RestartNotice
  readonly #membership: MembershipKeepers
  readonly #work: WorkKeepers
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
    this.#peers = new Peers(setup.file, {
      identity: setup.identity,
      reach: this.#links.reach,
      lifeOf: (peer) => this.view.members.get(peer)?.incarnation,
      isCurrent: () => this.quorate,
    })
    this.#news = this.#openNews()
    this.#known = new KnownState({
      log: setup.log,
      store: () => this.store,
      onChanges: (changes, observed) => this.#fromStore(changes, observed),
      feed: (input) => this.#core.feed({ kind: 'store-copy', input }),
      fail: setup.fail,
    })
    this.#watchdog = this.#openWatchdog()
    this.#troubles = this.#openTroubles()
    this.#core = this.#openCore()
    this.#membership = this.#openMembership()
    this.twoNode = this.#openTwoNode()
    this.fencing = this.#openFencing()
    this.attributes = new AttributeChanges({ ...this.#sources(), onState: (listener) => this.onState(listener) })
    this.#dampened = new DampenedAttributes(this.#sources())
    this.#alerts = new AlertDriver({ ...this.#sources(), paths: setup.paths })
    this.#journal = new JournalKeeper({ ...this.#sources(), path: setup.paths.journal })
    this.#connections = new RemoteConnections({
      ...this.#sources(),
      alertFor: this.#alerts.result,
      identity: setup.identity,
      notice: (resource) => this.#executor?.notice(resource),
      sign: async (remote, publicKey) => await signForRemote(setup.withAuthority, remote, publicKey),
      authorities: () => authoritiesIn(readIdentity(setup.paths.pki).authority),
      revoked: () => this.#file.revoked ?? [],
      members: () => memberAddresses(this.#file),
      runTool: remoteTools(this, setup.log, setup.local.access),
      connected: () => this.#work.remoteNodeConnected(),
    })
    this.#notice = new RestartNotice({ ...this.#sources(), incarnation: this.#incarnation })
    this.#work = this.#openWork()
  }

  /** Resolves when the node has begun; whether it gets in depends on the others, and `state` tells. */
  async start(): Promise<void> {
    const { own, paths, log, fail, pulse } = this.#setup
    this.#membership.begin()
    this.#localStore = await openLocalStore({
      file: this.#file,
      own,
      paths,
      log,
      withAuthority: this.#setup.withAuthority,
    })
    this.#store = this.#known.writes.noting(this.#setup.metrics.measureStore(this.#localStore.store))
    pulse.listen(this.#news.take, fail)
    this.#core.feed({ kind: 'start-up', input: { kind: 'start' } })
  }

  get store(): Store {
    if (this.#store) return this.#store
    throw new Error('The node has not been started.')
  }

  get view(): ClusterView {
    return this.#known.view
  }

  /** Whoever asks on this node sees what was written here meanwhile. */
  get seesOwnWrites(): OwnWrites['seen'] {
    return this.#known.writes.seen
  }

  get file(): ClusterFile {
    return this.#file
  }

  /** A record of the store, as this node knows it. */
  readonly entry = (key: string): Entry | undefined => this.#known.get(key)
  readonly below = (prefix: string): readonly Entry[] => this.#known.below(prefix)

  get findsNobody(): boolean {
    return this.#membership.findsNobody
  }

  get authority(): AuthorityKeeper {
    return this.#membership.authority
  }

  get rotation(): AuthorityRotation {
    return this.#membership.rotation
  }

  get rollouts(): Rollouts {
    return this.#work.rollouts
  }

  get runners(): TaskRunners {
    return this.#work.runners
  }

  /** By this node's own clock, now. */
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

  get removals(): RemovalView {
    return this.#membership.removals
  }

  beginRemoval(node: NodeName): void {
    this.#membership.beginRemoval(node)
  }

  get witnessKnows(): WitnessKnowledge {
    return this.#membership.witness.knows
  }

  async askForJournal(node: NodeName, timeoutMs: number): Promise<Messages['JournalAnswer']> {
    return await this.#peers.to(node).readJournal({}, { timeoutMs })
  }

  readonly tryAlert: AlertDriver['try'] = async (asked) => await this.#alerts.try(asked)
  readonly noteCall: JournalKeeper['noteCall'] = (call) => this.#journal.noteCall(call)
  readonly lookForWitness = async (): Promise<void> => await this.#membership.witness.lookNow()
  readonly hearsWitness = (host: NodeName): boolean => this.#membership.witness.hears(host)

  state(): ClusterState {
    return nodeState({
      self: this.name,
      file: this.#file,
      known: this.#known,
      removals: [
        ...removalNotes(this.removals),
        ...authorityNotes(this.authority.record, this.#file),
        ...unconfirmedNotes(this.#known.below(unconfirmedPrefix)),
        ...this.#known.writes.notes(),
      ],
      fencing: this.fencing,
      quorate: this.quorate,
      silent: new Set(silentOf(this.#core.state.peers)),
      links: this.#links,
      connectionsStay: this.#connectionsStay,
      storeTrouble: this.#localStore?.trouble() ?? startUpTrouble(this.#core.state) ?? this.#storeTrouble,
      watchdogTroubles: this.#watchdog.troubles,
      twoNode: this.twoNode.state(),
      witness: this.#membership.witness.state(),
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
    this.#membership.listChanged()
    this.#tellPulse()
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
    this.#membership.close()
    this.twoNode.close()
    this.#watchdog.close()
    this.#troubles.close()
    this.#core.end()
    this.#work.close()
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

  async #performStartUp(effect: StartUpEffect): Promise<void> {
    switch (effect.kind) {
      case 'release':
        return this.#setup.pulse.say(effect)
      case 'prepare':
        return await this.#prepare(effect)
      case 'start-parts':
        return await this.#startParts()
      default:
        return await this.twoNode.begin(effect)
    }
  }

  async #prepare(effect: Extract<StartUpEffect, { kind: 'prepare' }>): Promise<void> {
    try {
      await prepareStore(effect, { store: this.store, self: this.name, file: this.#file })
      this.#feedStartUp({ kind: 'prepared' })
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      this.#feedStartUp({ kind: 'not-prepared', why: error.message })
    }
  }

  readonly #feedStartUp = (input: StartUpInput): void => this.#core.feed({ kind: 'start-up', input })

  /** The view is there: this node knows what it ran before, and may be given work. */
  async #startParts(): Promise<void> {
    if (this.#ended) return
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
    this.#journal.take(changes, observed)
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

  /** Whether the witness is of use as a voter: it is not heard by heartbeats. */
  #tellWitness(): void {
    const state = this.#membership.witness.voterState
    if (state !== this.#core.state.votes.witness) this.#core.feed({ kind: 'votes', input: { kind: 'witness', state } })
  }

  /** Whatever reacts to state compares it anew. */
  #look(): void {
    this.#tellCopy()
    this.#tellWitness()
    this.#membership.look()
    this.#notice.look()
    this.#journal.look(this.quorate)
    if (this.#executor) this.#alerts.look()
    this.#work.look(this.#executor !== undefined)
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
      const ofStore = this.#localStore?.trouble()
      return [
        ...(ofStore === undefined ? [] : [ofStore]),
        ...this.#setup.troubles(),
        ...shortages(this.#setup.paths),
        ...this.#alerts.troubles,
        ...this.#work.troubles,
      ]
    }
    return new OwnTroubles(find, (troubles) => {
      if (troubles.length > 0) this.#log.warn('something on this node needs an administrator', { troubles })
      this.#tellOwnMember()
      this.#tellListeners()
    })
  }

  /** Another certificate, or other authorities: whatever connects from now on shows it, and nothing that runs or beats begins anew. */
  async useIdentity(identity: TlsIdentity, isAnotherCertificate: boolean): Promise<void> {
    await this.#setup.pulse.useIdentity(identity)
    if (this.#ended) return
    if (isAnotherCertificate) this.#peers.renew()
    this.#connections.renew(isAnotherCertificate)
    this.#membership.useIdentity(identity, isAnotherCertificate)
    this.#localStore?.believe()
    this.#membership.lookForRelink()
  }

  /** A remote node or a guest, of the configuration or recorded from before. TLS compares names without regard to case. */
  hasRemote(name: string): boolean {
    const { configuration, nodeStates } = this.view
    const recorded = [...nodeStates.values()].filter(({ attributes }) => attributes?.remote_node === 'true')
    const configured = configuration === undefined ? [] : connectedNodeNames(configuration.typed)
    return [...configured, ...recorded.map(({ node }) => node)].some((known) => isSameName(known, name))
  }

  /** The connection to a remote node, where this node holds it and it is up. */
  heldRemote(name: string): HeldRemote | undefined {
    return this.#connections.held.find(({ remote }) => remote === name)
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
      ...metBefore(paths),
      ...(hasSlots(paths) ? { hasSlots: true } : {}),
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
        walked: (report) => this.#journal.walked(report),
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
        this.twoNode.gainedQuorum()
        this.#membership.quorumGained()
        this.#look()
      },
      quorumLost: () => {
        this.#membership.quorumLost()
        this.#tellCopy()
        this.#tellListeners()
      },
      startUp: (effect) => void this.#performStartUp(effect).catch(this.#setup.fail),
      storeCopy: (effect) => this.#known.perform(effect),
      watchdog: (effect) => this.#watchdog.perform(effect),
      votes: (effect) => this.#membership.changeVotes(effect),
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
      knowsRemoteRollouts: true,
      knowsConfirmation: true,
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
    const { own, paths, onNodeList, giveWayTo } = this.#setup
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
      onNodeList,
      giveWayTo,
      feed: (input) => {
        this.#tellCopy()
        this.#core.feed({ kind: 'two-node', input })
      },
      feedStartUp: this.#feedStartUp,
      waitsForPeer: () => waitsForPeer(this.#core.state),
      core: () => this.#core.state.twoNode,
    })
  }

  #openMembership(): MembershipKeepers {
    return new MembershipKeepers({
      ...this.#setup,
      ...this.#sources(),
      node: this,
      peers: this.#peers,
      isUp: this.isUp,
      lease: () => this.#core.state.lease,
      voterState: (host) => voterStateOf(this.#core.state, host),
      feedVotes: (input) => this.#core.feed({ kind: 'votes', input }),
      localStore: () => this.#localStore,
      hasLinks: () => this.#own.links !== undefined,
      onChange: () => this.#look(),
    })
  }

  #openWork(): WorkKeepers {
    return new WorkKeepers({
      ...this.#sources(),
      paths: this.#setup.paths,
      incarnation: this.#incarnation,
      bootId: this.#bootId,
      attributes: this.attributes,
      held: () => this.#connections.held,
      quorateUntil: () => this.quorateUntil,
      services: async (asked) => await this.#known.services(asked),
      witnessUp: () => this.#membership.witness.state()?.state === 'up',
      settled: () => isSettled(this.#core.state.controller),
    })
  }

  #sources(): NodeSources {
    return {
      self: this.name,
      log: this.#log,
      store: () => this.store,
      view: () => this.view,
      entry: this.entry,
      below: this.below,
      file: () => this.#file,
      quorate: () => this.quorate,
      leads: () => this.#leads(),
      term: () => this.#ledTerm(),
    }
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

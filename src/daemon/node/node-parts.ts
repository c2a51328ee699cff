/** The parts of a node that takes part, and how each learns from the others: each is given what it needs to know, and none knows the node. */
import type { NodeName } from '../../base/index.ts'
import { type ClusterView, isSettled } from '../../controller/index.ts'
import type { Executor } from '../../executor/index.ts'
import { heartbeatOf, type StartUpInput, silentOf, voterStateOf, waitsForPeer } from '../../node/index.ts'
import type { Store } from '../../store/index.ts'
import type { ToolsNode } from '../agent-tools/agent-tools.ts'
import { remoteTools } from '../agent-tools/serve-agent-tools.ts'
import { AlertDriver } from '../alerts/alert-driver.ts'
import { AttributeChanges } from '../attributes/attribute-changes.ts'
import { DampenedAttributes } from '../attributes/dampened-attributes.ts'
import { fencingRecordOf } from '../cluster-state/cluster-state.ts'
import { FencingDriver } from '../fencing/fencing-driver.ts'
import { shortages } from '../host/free-space.ts'
import { endSelf } from '../host/self-reboot.ts'
import { isEnabled } from '../host/takes-part.ts'
import { JournalKeeper } from '../journal/journal-keeper.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { memberAddresses } from '../node-list/known-hosts.ts'
import { Peers } from '../peers/peers.ts'
import { signForRemote } from '../pki/certificates.ts'
import { authoritiesIn, readIdentity } from '../pki/identity.ts'
import { fencingHistoryPrefix, membersPrefix } from '../records/keys.ts'
import { RemoteConnections } from '../remote/connections.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { type LocalStore, openLocalStore } from '../store/local-store.ts'
import { registeredIn } from '../two-node/earlier-confirmation.ts'
import { TwoNodeDriver } from '../two-node/two-node-driver.ts'
import { metBefore } from '../two-node/wait-for-all.ts'
import { slotsOfBoot } from '../watchdog/slots-of-boot.ts'
import { WatchdogDriver } from '../watchdog/watchdog-driver.ts'
import { KnownState } from './known-state.ts'
import { MembershipKeepers } from './membership-keepers.ts'
import { NodeDriver } from './node-driver.ts'
import { NodeReport } from './node-report.ts'
import type { ClusterNodeSetup, NodeHooks } from './node-setup.ts'
import type { NodeSources } from './node-sources.ts'
import { OwnRecord } from './own-record.ts'
import { PulseNews } from './pulse-news.ts'
import { RestartNotice } from './restart-notice.ts'
import { StartUpDriver } from './start-up-driver.ts'
import { WorkKeepers } from './work-keepers.ts'

export class NodeParts {
  readonly name: NodeName
  readonly setup: ClusterNodeSetup
  readonly node: ToolsNode & SharedState
  readonly hooks: NodeHooks
  readonly peers: Peers
  readonly known: KnownState
  readonly watchdog: WatchdogDriver
  readonly report: NodeReport
  readonly own: OwnRecord
  readonly startUp: StartUpDriver
  readonly core: NodeDriver
  readonly news: PulseNews
  readonly membership: MembershipKeepers
  readonly twoNode: TwoNodeDriver
  readonly fencing: FencingDriver
  readonly attributes: AttributeChanges
  readonly dampened: DampenedAttributes
  readonly alerts: AlertDriver
  readonly journal: JournalKeeper
  readonly connections: RemoteConnections
  readonly notice: RestartNotice
  readonly work: WorkKeepers
  /** The list of nodes, as it is now. */
  file: ClusterFile
  #localStore: LocalStore | undefined
  #store: Store | undefined

  constructor(node: ToolsNode & SharedState, setup: ClusterNodeSetup, hooks: NodeHooks) {
    this.node = node
    this.setup = setup
    this.hooks = hooks
    this.name = setup.own.name
    this.file = setup.file
    this.peers = new Peers(setup.file, {
      identity: setup.identity,
      reach: (node) => this.report.links.reach(node),
      lifeOf: (peer) => this.view.members.get(peer)?.incarnation,
      isCurrent: () => this.quorate,
    })
    this.known = new KnownState({
      log: setup.log,
      store: () => this.store,
      onChanges: (changes, observed) => hooks.onChanges(changes, observed),
      feed: (input) => this.core.feed({ kind: 'store-copy', input }),
      fail: setup.fail,
    })
    this.watchdog = this.#openWatchdog()
    this.report = this.#openReport()
    this.own = this.#openOwnRecord()
    this.startUp = this.#openStartUp()
    this.core = this.#openCore()
    this.news = new PulseNews({
      log: setup.log,
      feed: this.core.feed,
      report: this.report,
      watchdog: this.watchdog,
      look: () => this.hooks.look(),
      restart: setup.restart,
    })
    this.membership = this.#openMembership()
    this.twoNode = this.#openTwoNode()
    this.fencing = this.#openFencing()
    this.attributes = new AttributeChanges({ ...this.sources(), onState: (listener) => this.report.onState(listener) })
    this.dampened = new DampenedAttributes(this.sources())
    this.alerts = new AlertDriver({ ...this.sources(), paths: setup.paths })
    this.journal = new JournalKeeper({ ...this.sources(), path: setup.paths.journal })
    this.connections = new RemoteConnections({
      ...this.sources(),
      alertFor: this.alerts.result,
      identity: setup.identity,
      notice: (resource) => this.executor?.notice(resource),
      sign: async (remote, publicKey) => await signForRemote(setup.withAuthority, remote, publicKey),
      authorities: () => authoritiesIn(readIdentity(setup.paths.pki).authority),
      revoked: () => this.file.revoked ?? [],
      members: () => memberAddresses(this.file),
      runTool: remoteTools(node, setup.log, setup.local.access),
      connected: () => this.work.remoteNodeConnected(),
    })
    this.notice = new RestartNotice({ ...this.sources(), incarnation: setup.pulse.incarnation })
    this.work = this.#openWork()
  }

  async openStore(): Promise<void> {
    const { own, paths, log, withAuthority, metrics } = this.setup
    this.#localStore = await openLocalStore({ file: this.file, own, paths, log, withAuthority })
    this.#store = this.known.writes.noting(metrics.measureStore(this.#localStore.store))
  }

  get store(): Store {
    if (this.#store) return this.#store
    throw new Error('The node has not been started.')
  }

  get localStore(): LocalStore | undefined {
    return this.#localStore
  }

  get view(): ClusterView {
    return this.known.view
  }

  /** By this node's own clock, now. */
  get quorate(): boolean {
    return this.core.quorate
  }

  /** Undefined until the node knows what it ran before. */
  get executor(): Executor | undefined {
    return this.startUp.executor
  }

  /** A member of the cluster that is heard. */
  readonly isUp = (node: NodeName): boolean =>
    this.view.members.get(node)?.state === 'member' && !silentOf(this.core.state.peers).includes(node)

  /** Whether this node's member of the store has caught up. */
  reportCopy(): void {
    const isWhole = this.#localStore?.isComplete() ?? false
    if (isWhole !== this.core.state.hasWholeCopy) this.core.feed({ kind: 'copy', isWhole })
  }

  readonly feedStartUp = (input: StartUpInput): void => this.core.feed({ kind: 'start-up', input })

  #openStartUp(): StartUpDriver {
    return new StartUpDriver({
      self: this.name,
      setup: this.setup,
      node: this.node,
      store: () => this.store,
      file: () => this.file,
      view: () => this.view,
      known: this.known,
      twoNode: () => this.twoNode,
      fencing: () => this.fencing,
      connections: () => this.connections,
      alerts: () => this.alerts,
      feed: this.feedStartUp,
      onBegun: () => {
        this.report.storeAnswers(undefined)
        this.own.look()
        this.core.feed({ kind: 'began' })
        this.hooks.look()
      },
    })
  }

  #openWatchdog(): WatchdogDriver {
    const { pulse, paths, log } = this.setup
    return new WatchdogDriver({
      self: this.name,
      log,
      paths,
      store: () => this.store,
      core: () => this.core.state.watchdog,
      feed: (input) => this.core.feed({ kind: 'watchdog', input }),
      say: pulse.say,
      onChange: () => this.report.changed(),
    })
  }

  #openReport(): NodeReport {
    return new NodeReport({
      self: this.name,
      file: () => this.file,
      known: this.known,
      core: () => this.core.state,
      quorate: () => this.quorate,
      fencing: () => this.fencing,
      membership: () => this.membership,
      twoNode: () => this.twoNode.state(),
      watchdogTroubles: () => this.watchdog.troubles,
      storeTrouble: () => this.localStore?.trouble(),
      enabled: () => isEnabled(this.setup.paths),
    })
  }

  #openOwnRecord(): OwnRecord {
    return new OwnRecord({
      self: this.name,
      incarnation: this.setup.pulse.incarnation,
      log: this.setup.log,
      own: () => this.listed,
      core: () => this.core.state,
      feed: (input) => this.core.feed(input),
      findTroubles: () => [
        ...[this.localStore?.trouble()].filter((trouble) => trouble !== undefined),
        ...this.setup.troubles(),
        ...shortages(this.setup.paths),
        ...this.alerts.troubles,
        ...this.work.troubles,
      ],
      onTroubles: () => this.report.changed(),
    })
  }

  #openCore(): NodeDriver {
    const { log, paths, restart, file } = this.setup
    const isolated = paths.root !== ''
    return new NodeDriver({
      self: this.name,
      incarnation: this.setup.pulse.incarnation,
      timings: file.timings,
      list: file,
      ...metBefore(paths),
      slotsOfBoot: slotsOfBoot(paths),
      bootId: this.own.bootId,
      isolated,
      log,
      controller: {
        ...this.sources(),
        peers: this.peers,
        plan: async () =>
          await this.setup.metrics.measureDecision(
            async () => await this.known.plan({ haveQuorum: true, keepIn: paths.transitions }),
          ),
        takeUpLeftOff: (term, history) => this.fencing.takeUpLeftOff(term, history),
        walked: (report) => this.journal.walked(report),
        fencingHistory: () => this.known.below(fencingHistoryPrefix).flatMap(fencingRecordOf),
      },
      presence: () => ({
        store: this.store,
        member: this.own.member,
        resultsWritten: async () => await this.executor?.flushed(),
      }),
      executor: () => this.executor,
      route: async (node, routed) => await this.connections.perform(node, routed),
      planOwnStops: async (stopEverything) => {
        const own = { node: this.name, operations: this.executor?.history ?? [] }
        return await this.known.plan({ haveQuorum: false, stopEverything, own })
      },
      twoNode: (effect) => this.twoNode.perform(effect),
      fencing: (effect) => this.fencing.perform(effect),
      twoNodeSituation: (situation) => this.twoNode.seen(situation),
      twoNodeWaits: (message) => {
        if (message !== undefined) log.warn('two nodes', { now: message })
        this.report.changed()
      },
      quorumGained: () => {
        this.twoNode.gainedQuorum()
        this.membership.quorumGained()
        this.hooks.look()
      },
      quorumLost: () => {
        this.membership.quorumLost()
        this.reportCopy()
        this.report.changed()
      },
      startUp: (effect) => this.startUp.perform(effect),
      storeCopy: (effect) => this.known.perform(effect),
      watchdog: (effect) => this.watchdog.perform(effect),
      votes: (effect) => this.membership.changeVotes(effect),
      endSelf: (how, why) => endSelf({ log, isolated }, how, why),
      restart,
      depart: (how) => this.hooks.depart(how),
    })
  }

  #openFencing(): FencingDriver {
    return new FencingDriver({
      ...this.sources(),
      self: this.name,
      peers: this.peers,
      paths: this.setup.paths,
      holdsTerm: this.core.holdsTerm,
      core: () => this.core.state,
      feed: this.core.feed,
      recordAlone: (record) => this.twoNode.record(record),
      recordedAlone: () => this.twoNode.records,
      planWithout: async (lost) => await this.known.plan({ haveQuorum: true, lost }),
    })
  }

  #openTwoNode(): TwoNodeDriver {
    const { own, paths, onNodeList, giveWayTo } = this.setup
    return new TwoNodeDriver({
      ...this.sources(),
      own,
      paths,
      peers: this.peers,
      file: () => this.file,
      quorate: () => this.quorate,
      hearsWitness: (host) => this.membership.witness.hears(host),
      heartbeat: (peer) => heartbeatOf(this.core.state.peers, peer),
      isComplete: () => this.localStore?.isComplete() ?? false,
      goAlone: async (onPointOfNoReturn) => await this.localStore?.goAlone(onPointOfNoReturn),
      isAlone: async () => await this.localStore?.isAlone(),
      registered: async () => registeredIn((await this.localStore?.ownEntries(membersPrefix)) ?? []),
      onNodeList,
      giveWayTo,
      feed: (input) => {
        this.reportCopy()
        this.core.feed({ kind: 'two-node', input })
      },
      feedStartUp: this.feedStartUp,
      waitsForPeer: () => waitsForPeer(this.core.state),
      core: () => this.core.state.twoNode,
    })
  }

  #openMembership(): MembershipKeepers {
    return new MembershipKeepers({
      ...this.setup,
      ...this.sources(),
      node: this.node,
      peers: this.peers,
      isUp: this.isUp,
      lease: () => this.core.state.lease,
      voterState: (host) => voterStateOf(this.core.state, host),
      feedVotes: (input) => this.core.feed({ kind: 'votes', input }),
      localStore: () => this.localStore,
      hasLinks: () => this.listed.links !== undefined,
      onChange: () => this.hooks.look(),
    })
  }

  #openWork(): WorkKeepers {
    return new WorkKeepers({
      ...this.sources(),
      paths: this.setup.paths,
      incarnation: this.setup.pulse.incarnation,
      bootId: this.own.bootId,
      attributes: this.attributes,
      held: () => this.connections.held,
      quorateUntil: () => this.core.state.quorateUntil,
      services: async (asked) => await this.known.services(asked),
      witnessUp: () => this.membership.witness.state()?.state === 'up',
      settled: () => isSettled(this.core.state.controller),
    })
  }

  sources(): NodeSources {
    const leads = (): boolean => this.quorate && this.view.dc?.node === this.name
    return {
      self: this.name,
      log: this.setup.log,
      store: () => this.store,
      view: () => this.view,
      entry: (key) => this.known.get(key),
      below: (prefix) => this.known.below(prefix),
      file: () => this.file,
      quorate: () => this.quorate,
      leads,
      term: () => (leads() ? this.view.dc?.term : undefined),
    }
  }

  /** As the list has it now. */
  get listed(): ClusterNodeEntry {
    return this.file.nodes.find(({ name }) => name === this.name) ?? this.setup.own
  }
}

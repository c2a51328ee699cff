import { rmSync } from 'node:fs'
import { AssertionError, assert, type NodeName, nodeName } from '../../base/index.ts'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import {
  BadMessageError,
  type CallerIdentity,
  type ClusterState,
  type Handlers,
  type JoinTokenAnswer,
  type LocalServer,
  localService,
  localSocketPath,
  type nodeService,
  type PeerClient,
  PeerCredentials,
  refuse,
  restartsFile,
  serveUnixSocket,
  type WebCaller,
  waitsFile,
} from '../../rpc/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import { AccessControl } from '../access/access-control.ts'
import type { LoggedIn, Rights } from '../access/rights.ts'
import { stoppedState, withJoiningVotes } from '../cluster-state/cluster-state.ts'
import { ApiTokens } from '../console/api-tokens.ts'
import { ClientCertificates, certificatePrefix } from '../console/client-certificates.ts'
import { Console } from '../console/console.ts'
import { Logins } from '../console/logins.ts'
import { askPam } from '../console/pam.ts'
import { Sessions, sessionPrefix } from '../console/sessions.ts'
import { Asker } from '../fleet/asker.ts'
import { Fleet } from '../fleet/fleet.ts'
import { monotonicNow } from '../host/clock.ts'
import { emptyFolder, readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { Seldom } from '../host/seldom.ts'
import { StrangerTable } from '../host/stranger-table.ts'
import { isEnabled, markStopped, setEnabled } from '../host/takes-part.ts'
import { type AskedToken, JoinTokens } from '../joining/join-tokens.ts'
import { enrolHandler } from '../joining/let-in.ts'
import { DaemonMetrics } from '../metrics/daemon-metrics.ts'
import { ClusterNode } from '../node/cluster-node.ts'
import {
  type ClusterFile,
  type ClusterNodeEntry,
  parseClusterFile,
  printClusterFile,
  type WitnessEntry,
} from '../node-list/cluster-file.ts'
import { strangerRules } from '../node-list/known-hosts.ts'
import { addressesOf, missingAddress } from '../node-list/node-links.ts'
import { newerFile, withListOf } from '../node-list/node-list.ts'
import { findOwnNode, ownName } from '../node-list/own-name.ts'
import { Admission } from '../peers/admission.ts'
import { askOthers, type NodesAnswer } from '../peers/ask-for-list.ts'
import { Peers } from '../peers/peers.ts'
import { Authority } from '../pki/authority.ts'
import { readIdentity, readWholeKey } from '../pki/identity.ts'
import { beginPulse } from '../pulse/begin.ts'
import type { Pulse } from '../pulse/pulse.ts'
import { apiClientsPrefix, apiTokensPrefix } from '../records/keys.ts'
import { listInStore, placeIn } from '../removal/removal.ts'
import { moveToEtcd } from '../store/move-to-etcd.ts'
import { joiningVotes } from '../votes/joining-votes.ts'
import { WitnessPlace } from '../witness/witness-place.ts'
import { OwnCertificate } from './own-certificate.ts'
import { PeerServers } from './peer-servers.ts'
import { mustTakePart, noteStart } from './taking-part.ts'

/** What it answers: the command line on its socket, and the daemons of the other nodes. */
export interface Served {
  readonly local: (daemon: Daemon) => Handlers<typeof localService>
  readonly peers: (daemon: Daemon) => Handlers<typeof nodeService>
}

/** A member that answers at all answers at once. */
const shareWithinMs = 2000

export class Daemon {
  readonly paths: Paths
  readonly log: Log
  /** What a local user may do. */
  readonly access: AccessControl
  readonly #served: Served
  readonly #fail: (error: unknown) => void
  #file: ClusterFile | undefined
  /** Once known it stays, also where this host has lost the address that it is named by. */
  #ownNode: NodeName | undefined
  #node: ClusterNode | undefined
  #witness: WitnessPlace | undefined
  #servers: PeerServers | undefined
  #local: LocalServer | undefined
  #peers: Peers | undefined
  #earlyPulse: Pulse | undefined
  #forgetting = false
  readonly #badMessages = new Seldom()
  #credentials: PeerCredentials | undefined
  readonly certificate: OwnCertificate
  readonly #strangers: StrangerTable
  readonly tokens: JoinTokens
  readonly #admission: Admission
  readonly authority: Authority
  readonly apiTokens: ApiTokens
  readonly clientCertificates: ClientCertificates
  readonly console: Console
  readonly fleet: Fleet
  readonly sessions = new Sessions()
  readonly logins: Logins
  readonly metrics = new DaemonMetrics(() =>
    this.#node === undefined ? undefined : this.#node.quorateUntil - monotonicNow(),
  )

  constructor(paths: Paths, log: Log, served: Served, fail: (error: unknown) => void) {
    this.paths = paths
    this.#served = served
    this.log = log
    this.apiTokens = new ApiTokens({
      file: paths.apiTokens,
      log,
      known: () => this.#seen(apiTokensPrefix),
      store: this.#quorateStore,
      configuration: () => this.configuration,
    })
    this.clientCertificates = new ClientCertificates({
      file: paths.apiClients,
      log,
      known: () => this.#seen(apiClientsPrefix),
      store: this.#quorateStore,
      configuration: () => this.configuration,
      authority: () => this.certificate.identity.authority,
      onChange: () => this.console.tell(),
    })
    this.access = new AccessControl(paths, () => this.configuration, this.#rightsOfWeb)
    this.logins = new Logins({
      log,
      sessions: this.sessions,
      now: () => performance.now(),
      askPam,
      rightsOf: async (user) => await this.access.rightsOfLoggedIn(user),
    })
    this.console = new Console({
      paths,
      log,
      own: () => {
        const own = this.#file && this.#ownIn(this.#file)
        return own && { name: own.name, addresses: addressesOf(own), usualPort: own.ports.enrolment + 1 }
      },
      identity: () => this.certificate.identity,
      clientAuthorities: () => this.clientCertificates.authorities,
      serveWeb: (socket) => this.#local?.serveWeb(socket),
    })
    this.fleet = this.#openFleet()
    this.#strangers = new StrangerTable(log)
    this.#fail = fail
    this.authority = new Authority({
      pki: paths.pki,
      log,
      others: () => (this.#file?.nodes ?? []).flatMap(({ name }) => (name === this.name ? [] : [name])),
      ask: async (member, authority) =>
        await this.peer(nodeName(member)).getAuthorityShares({ authority }, { timeoutMs: shareWithinMs }),
    })
    this.certificate = this.#openCertificate()
    this.tokens = new JoinTokens({
      file: paths.joinTokens,
      self: () => this.name,
      log,
      store: this.#quorateStore,
      mayBeInStore: () => this.#node !== undefined || this.#hasShared,
    })
    const refresh = async (): Promise<void> => {
      const listed = await this.#listInStore()
      if (listed) this.takeNodeList(listed, 'store')
    }
    this.#admission = new Admission({
      log,
      file: () => this.#file,
      refresh,
      mayBeStranded: () => this.#node?.findsNobody === true,
      // Until then nobody was removed.
      isCurrent: () => this.#node?.quorate === true || !this.#hasShared,
      askOthers: async () => await this.#askOthers(),
    })
  }

  /** `pulse`: the pulse thread where it was started before everything else. The lock has been taken. */
  async start(pulse: Pulse | undefined): Promise<void> {
    this.#earlyPulse = pulse
    this.#credentials = PeerCredentials.open()
    if (this.#credentials === undefined)
      this.log.warn(
        'this host does not report the user of a connection: only the user of the daemon may use its sockets',
        {},
      )
    const text = readIfThere(this.paths.clusterFile)
    // A node that takes part comes back as fast as it can: its peers count the seconds.
    if (text !== undefined) await this.configure(fileOnDisk(text, this.paths.clusterFile))
    this.#local = await serveUnixSocket(
      localSocketPath(this.paths.root),
      this.#credentials,
      [{ service: localService, handlers: this.#served.local(this) }],
      this.#onFailure,
    )
    for (const file of [waitsFile, restartsFile]) rmSync(file(localSocketPath(this.paths.root)), { force: true })
    this.console.look()
    const witnessText = readIfThere(this.paths.witnessFile)
    if (text === undefined && witnessText !== undefined)
      await this.#openWitness(fileOnDisk(witnessText, this.paths.witnessFile)).keepTrying()
    this.log.info('daemon started', { version: process.env.SYSTOLE_VERSION, cluster: this.#file?.clusterName })
  }

  /** The node's name; for a host without a cluster, what it would be. */
  get name(): string {
    return this.#ownNode ?? ownName()
  }

  #ownIn(file: ClusterFile): ClusterNodeEntry | undefined {
    const known = this.#ownNode
    return known === undefined ? findOwnNode(file) : file.nodes.find(({ name }) => name === known)
  }

  get file(): ClusterFile | undefined {
    return this.#file
  }

  /** The running part, or a refusal that says what to do. */
  get node(): ClusterNode {
    if (this.#node) return this.#node
    this.refuseOnWitness()
    if (this.#file) throw refuse('not-started', 'The cluster is not started on this node: run `systole cluster start`.')
    throw refuse(
      'not-configured',
      'This host does not belong to a cluster. Run `systole cluster setup` or `cluster join`.',
    )
  }

  /** As this node last saw it; undefined where it does not take part, or has not read it yet. */
  get configuration(): ReplicatedConfiguration | undefined {
    return this.#node?.view.configuration
  }

  /** The witness that this host is, or a refusal that says what to do. */
  get witness(): WitnessPlace {
    if (this.#witness) return this.#witness
    throw refuse(
      'no-witness-here',
      'This host is not a witness. `systole quorum device add` on a cluster node prints the command to make it one.',
    )
  }

  get isWitness(): boolean {
    return this.#witness !== undefined
  }

  refuseOnWitness(): void {
    if (this.#witness === undefined) return
    throw refuse(
      'is-witness',
      `This host is the witness of the cluster ${this.#witness.clusterName}, not a node. Run the command on a node, or leave the cluster with \`systole qdevice destroy net\`.`,
    )
  }

  get running(): boolean {
    return this.#node !== undefined
  }

  state(): ClusterState {
    return this.#node?.state() ?? stoppedState(this.#file, this.name, isEnabled(this.paths))
  }

  /** With the votes that the store counts, which the list of nodes runs ahead of. */
  async stateByStore(): Promise<ClusterState> {
    const state = this.state()
    const own = this.#file && this.#ownIn(this.#file)
    if (!this.#file || !own || !this.running) return state
    const joining = await joiningVotes(this.#file, own.name, this.paths)
    return joining === undefined ? state : withJoiningVotes(state, joining)
  }

  /** The state at once and after every change, until the signal ends it. */
  async watchState(send: (state: ClusterState) => void, signal: AbortSignal): Promise<void> {
    // Who has asked was looked up before, which takes a moment.
    if (signal.aborted) return
    let last = ''
    let node: ClusterNode | undefined
    let stop: (() => void) | undefined
    const look = (): void => {
      // The node may be started or stopped while somebody watches.
      if (this.#node !== node) {
        stop?.()
        node = this.#node
        stop = node?.onState(look)
      }
      const { revision: _not, ...state } = this.state()
      const text = JSON.stringify(state)
      if (text === last) return
      last = text
      send(this.state())
    }
    look()
    // Quorum by this node's own clock ends without an event.
    const timer = setInterval(look, 500)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    clearInterval(timer)
    stop?.()
  }

  /** A connection to another daemon, also while this node takes no part. */
  peer(node: NodeName): PeerClient {
    const file = this.#file
    if (!file) throw refuse('not-configured', 'This host does not belong to a cluster.')
    const reach = (entry: ClusterNodeEntry): string => this.#node?.reach(entry) ?? entry.address
    const lifeOf = (peer: NodeName) => this.#node?.view.members.get(peer)?.incarnation
    const isCurrent = (): boolean => this.#node?.quorate === true
    this.#peers ??= new Peers(file, { identity: () => this.certificate.identity, reach, lifeOf, isCurrent })
    return this.#peers.to(node)
  }

  /** Takes a cluster's file into use: serves peers, and takes part where it did before. */
  async configure(file: ClusterFile): Promise<void> {
    this.#file = file
    const own = this.#ownIn(file)
    assert(own !== undefined, `cluster.json names this host ('${ownName()}')`)
    this.#ownNode = own.name
    refuseWithoutAddress(own)
    this.#keepStrangersOut(file, own)
    this.certificate.read()
    if (mustTakePart(this.paths, this.log)) await this.startNode()
    else markStopped(this.paths)
    const current = (): ClusterFile => this.#file ?? file
    const enrol = enrolHandler({
      log: this.log,
      tokens: this.tokens,
      file: current,
      wasSeen: (node) => node === own.name || this.#node?.wasSeen(nodeName(node)) === true,
      isRotating: () => this.#node?.authority.record?.rotation !== undefined,
      isRemoteNode: (name) => this.#node?.hasRemote(name) ?? false,
      withAuthority: this.authority.with,
      withKeyOf: async (host, publicKey) =>
        await this.certificate.learnKey(current(), { host, publicKey, joins: true }),
    })
    this.#servers = new PeerServers({
      log: this.log,
      file: current,
      identity: () => this.certificate.identity,
      admission: this.#admission,
      handlers: this.#served.peers(this),
      enrol,
      onFailure: this.#onFailure,
    })
    await this.#servers.serveOn(own)
    this.certificate.planRenewal()
    if (this.#local !== undefined) this.console.look()
  }

  #keepStrangersOut(file: ClusterFile, own: WitnessEntry): void {
    const rules = strangerRules(file, own)
    if (rules !== undefined) this.#strangers.use(rules)
  }

  async #closeServers(): Promise<void> {
    await this.#servers?.close()
    this.#servers = undefined
  }

  /** This host takes its place as the witness: nodes may tell it the list, and its etcd member votes where it did so before. */
  async beWitness(file: ClusterFile): Promise<void> {
    await this.#openWitness(file).take()
  }

  #openWitness(file: ClusterFile): WitnessPlace {
    const { paths, log } = this
    const removed = (reason: string): void => this.#forgetWitnessLater(reason)
    const onList = (listed: ClusterFile): void => {
      if (listed.witness !== undefined) this.#keepStrangersOut(listed, listed.witness)
    }
    onList(file)
    this.#witness = new WitnessPlace(file, { paths, log, removed, onList, onFailure: this.#onFailure })
    return this.#witness
  }

  /** The answer to whoever has said so first: this very server is closed with the rest. */
  #forgetWitnessLater(reason: string): void {
    if (this.#forgetting) return
    this.#forgetting = true
    this.log.warn('this host forgets its cluster', { reason })
    const forget = async (): Promise<void> => await this.forgetWitness().finally(() => (this.#forgetting = false))
    setTimeout(() => forget().catch(this.#fail), 50)
  }

  /** Certificate, list, and the member with its copy of the store. */
  async forgetWitness(): Promise<void> {
    await this.#witness?.forget()
    this.#witness = undefined
    await this.#strangers.remove()
    for (const path of [this.paths.witnessFile, this.paths.pki]) rmSync(path, { recursive: true, force: true })
    emptyFolder(this.paths.data)
  }

  #openCertificate(): OwnCertificate {
    return new OwnCertificate({
      pki: this.paths.pki,
      log: this.log,
      self: () => this.name,
      place: () => {
        const own = this.#file && this.#ownIn(this.#file)
        return this.#file && own && { file: this.#file, own }
      },
      withAuthority: this.authority.with,
      store: this.#quorateStore,
      tell: async (node, json) => await this.peer(node).updateClusterFile({ json }),
      onNodeList: (listed) => this.takeNodeList(listed),
      onUse: async (identity, isAnotherCertificate) => {
        this.#servers?.useIdentity(identity)
        this.console.tell()
        if (isAnotherCertificate) this.#peers?.renew()
        await this.#node?.useIdentity(identity, isAnotherCertificate)
      },
      running: () => this.#node,
    })
  }

  /** A second member has joined: until then this host has the whole key of the authority. */
  get #hasShared(): boolean {
    return readWholeKey(this.paths.pki) === undefined
  }

  /** Of whoever calls the HTTPS API, by what he has shown. */
  readonly #rightsOfWeb = (caller: WebCaller): Rights | LoggedIn => {
    const { token } = caller
    if (token.startsWith(sessionPrefix))
      return { kind: 'logged-in', user: this.sessions.userOf(token, performance.now()) }
    return token.startsWith(certificatePrefix)
      ? this.clientCertificates.rightsOf(caller)
      : this.apiTokens.rightsOf(caller)
  }

  #openFleet(): Fleet {
    return new Fleet({
      log: this.log,
      seen: (prefix) => this.#seen(prefix),
      store: this.#quorateStore,
      leads: () => this.#node?.quorate === true && this.#node.view.dc?.node === this.name,
      isCurrent: () => this.#node?.quorate === true && this.#node.view.dc !== undefined,
      asks: new Asker(),
    })
  }

  /** Of the store, as the running node sees it. */
  #seen(prefix: string): readonly Entry[] | undefined {
    return this.configuration === undefined ? undefined : this.#node?.below(prefix)
  }

  /** Where this node has quorum. */
  readonly #quorateStore = (): Store | undefined => (this.#node?.quorate === true ? this.#node.store : undefined)

  /** Refuses where nobody could be let in now: better told here than on the host that is to join. */
  async canSign(): Promise<void> {
    if (this.#node?.authority.record?.rotation !== undefined)
      throw refuse(
        'is-rotating',
        'The authority is being replaced. Wait until `systole pki status` shows that the replacement is complete.',
      )
    await this.authority.with(async () => undefined)
  }

  /** Without quorum only on the host that founds the cluster, which can sign alone: nobody else would know the token. */
  async issueToken(meant: Omit<AskedToken, 'user'>, caller: CallerIdentity): Promise<JoinTokenAnswer> {
    const { user } = await this.access.rightsOf(caller)
    const validSeconds =
      caller.kind === 'web' ? this.apiTokens.joinTokenSeconds(caller, meant.validSeconds) : meant.validSeconds
    const asked = { ...meant, user, ...(validSeconds === undefined ? {} : { validSeconds }) }
    const { pki } = this.paths
    if (this.#node?.quorate !== true && readWholeKey(pki) === undefined)
      throw refuse('no-quorum', 'This node has no quorum. Create the token on a node that has quorum.')
    await this.canSign()
    const { token, validUntil } = await this.tokens.issue(readIdentity(pki).authority, asked)
    return { token, validUntil, nodes: [] }
  }

  async startNode(): Promise<void> {
    if (this.#node) return
    const file = this.#file
    const own = file && this.#ownIn(file)
    if (!file || !own) throw refuse('not-configured', 'This host does not belong to a cluster.')
    refuseWithoutAddress(own)
    noteStart(this.paths, this.log)
    const pulse = this.#earlyPulse ?? beginPulse(file, own, this.paths)
    this.#earlyPulse = undefined
    this.certificate.read()
    const node = new ClusterNode({
      pulse,
      file,
      own,
      identity: () => this.certificate.identity,
      paths: this.paths,
      log: this.log,
      withAuthority: this.authority.with,
      ownPki: { state: () => this.certificate.state(), follow: async (order) => await this.certificate.follow(order) },
      fail: this.#fail,
      restart: this.#restart,
      onNodeList: (listed) => this.takeNodeList(listed),
      onStoredList: (listed) => this.takeNodeList(listed, 'store'),
      withdrawTokens: async (removed) => await this.tokens.withdrawOf(removed),
      onRemoved: () => this.forgetLater('most of the other nodes say that the cluster has removed this one'),
      giveWayTo: (listed) => this.#giveWayTo(listed),
      local: { access: this.access, credentials: this.#credentials },
      metrics: this.metrics,
      troubles: () => [
        ...(this.#strangers.trouble === undefined ? [] : [this.#strangers.trouble]),
        ...this.console.warnings,
      ],
    })
    this.#node = node
    await node.start()
  }

  /** Whether the node takes part again by itself after its host has booted. */
  enableNode(enabled: boolean): void {
    if (!this.#file) throw refuse('not-configured', 'This host does not belong to a cluster.')
    setEnabled(this.paths, enabled)
  }

  /** Leaves the cluster: resources stop first. Resolves when the node is out. */
  async stopNode(): Promise<void> {
    await this.#endNode(async (node) => await node.leave())
  }

  async #endNode(end: (node: ClusterNode) => Promise<void>): Promise<void> {
    const node = this.#node
    if (!node) return
    // As this node knows them last: while it is stopped it has nothing else.
    if (this.configuration !== undefined) for (const known of [this.apiTokens, this.clientCertificates]) known.list()
    await end(node)
    // Not before: a daemon that is killed meanwhile takes part again, for what it runs may not have stopped yet.
    markStopped(this.paths)
    if (this.#node === node) this.#node = undefined
  }

  /** For a cluster of one that grows. Its node is there again when this resolves, whatever came of it. */
  async moveToEtcd(): Promise<void> {
    const { node } = this
    const own = this.#ownIn(node.file)
    assert(own !== undefined, 'a node takes part under its own name')
    this.log.info('the state of the cluster moves to etcd', {})
    let suspended = false
    const suspend = async (): Promise<void> => {
      suspended = true
      await node.suspend()
    }
    try {
      const { paths, log } = this
      const { file, view } = node
      this.#file = await moveToEtcd({ file, own, paths, log, revision: view.revision, suspend })
    } finally {
      if (suspended) {
        this.#node = undefined
        await this.startNode()
      }
    }
  }

  /** Another node brings it. */
  takeBroughtList(listed: ClusterFile, caller: CallerIdentity): void {
    if (caller.kind === 'node') this.#admission.refuseStrangersList(nodeName(this.name), caller, listed)
    this.takeNodeList(listed)
  }

  /** Also while it takes no part. */
  async #askOthers(): Promise<readonly NodesAnswer[]> {
    const file = this.#file
    if (file === undefined) return []
    return await askOthers({
      self: nodeName(this.name),
      peers: { to: (node) => this.peer(node) },
      file: () => this.#file ?? file,
      onNodeList: (listed) => this.takeNodeList(listed),
    })
  }

  /** The list of nodes as another node or the store has it. Whoever is not in the store's was removed; another's word is a reason to look there. */
  takeNodeList(listed: ClusterFile, from: 'node' | 'store' = 'node'): void {
    const file = this.#file && newerFile(this.#file, listed)
    if (!file) return
    const own = this.#ownIn(file)
    if (!own) {
      if (from === 'store') this.forgetLater('the cluster has removed this node')
      else this.forgetIfRemoved().catch((error: unknown) => this.log.info('a removal message was ignored', { error }))
      return
    }
    this.log.info('the list of nodes has changed', { version: file.nodesVersion })
    writeWhole(this.paths.clusterFile, printClusterFile(file))
    const before = this.#file
    this.#file = file
    if ((file.revoked?.length ?? 0) > (before?.revoked?.length ?? 0)) this.#servers?.endConnections()
    this.#keepStrangersOut(file, own)
    this.#servers?.serveOn(own).catch(this.#fail)
    this.console.tell()
    this.#peers?.replaceFile(file)
    this.#node?.replaceFile(file)
  }

  /** The other of two goes on without this node, whose own list and log are of no use any more: it begins anew with the other's. */
  #giveWayTo(listed: ClusterFile): void {
    const file = this.#file
    if (!file) return
    writeWhole(this.paths.clusterFile, printClusterFile(withListOf(file, listed)))
    this.#restart('the other node has gone on without this one')
  }

  /** Refuses where the list in the store has this node, or cannot be read: then this node asks the others (ask-for-list.ts). */
  async forgetIfRemoved(): Promise<void> {
    const place = placeIn(await this.#listInStore(), nodeName(this.name))
    if (place === 'removed' || (place === 'leaving' && !this.running)) {
      // The answer first: the server is closed with the rest.
      setTimeout(() => this.forgetLater('the cluster has removed this node'), 50)
      return
    }
    throw refuse(
      'not-removed',
      `${this.name} found no record of its removal in the store, so it keeps its cluster data.`,
    )
  }

  async #listInStore(): Promise<ClusterFile | undefined> {
    const file = this.#file
    if (file === undefined) return undefined
    return await listInStore({ file, self: nodeName(this.name), paths: this.paths, store: this.#quorateStore() })
  }

  forgetLater(reason: string): void {
    if (this.#forgetting) return
    this.#forgetting = true
    this.log.warn('this host forgets its cluster', { reason })
    this.forget()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#forgetting = false
      })
  }

  /** Forgets the cluster. The socket stays, so that the host can join again. */
  async forget(): Promise<void> {
    this.certificate.cancelRenewal()
    await this.console.forget()
    await this.#endNode(async (node) => await node.abandon())
    await this.#closeServers()
    this.#peers?.close()
    this.#peers = undefined
    this.#file = undefined
    this.#ownNode = undefined
    this.certificate.forget()
    await this.#strangers.remove()
    for (const path of [this.paths.clusterFile, this.paths.pki]) rmSync(path, { recursive: true, force: true })
    // The folder itself may be a file system of its own.
    emptyFolder(this.paths.data)
    for (const known of [this.apiTokens, this.clientCertificates]) known.forget()
  }

  /** So that a restart that takes long on a busy machine is not taken for a loss. */
  async announceRestart(): Promise<void> {
    await this.#node?.announceRestart()
  }

  /** For an upgrade or a restart: what runs stays. */
  async end(): Promise<void> {
    this.#strangers.stop()
    this.clientCertificates.close()
    this.fleet.close()
    await this.console.close()
    await this.#node?.suspend()
    await this.#witness?.end()
    await Promise.all([this.#closeServers(), this.#local?.close()])
    this.access.close()
    rmSync(this.paths.lock, { force: true })
  }

  readonly #restart = (reason: string): void => {
    this.log.error('the daemon ends, to be started again', { reason })
    try {
      writeWhole(restartsFile(localSocketPath(this.paths.root)), `${reason}\n`)
    } finally {
      // On a full disk as well.
      process.exit(1)
    }
  }

  readonly #onFailure = (method: string, error: unknown): void => {
    if (error instanceof BadMessageError) {
      if (this.#badMessages.mayTell(method, performance.now()))
        this.log.warn('a call was refused because it is not understood', { method, what: error.message })
      return
    }
    this.log.error('a call failed', { method, error })
    if (error instanceof AssertionError) this.#fail(error)
  }
}

/** Before anything begins: a node that nobody can hear would be taken for lost. */
function refuseWithoutAddress(own: ClusterNodeEntry): void {
  const missing = missingAddress(own)
  if (missing !== undefined) throw refuse('no-address', `This host does not have its address ${missing} yet.`)
}

/** People may write in it, and a power cut may have torn it. */
function fileOnDisk(text: string, path: string): ClusterFile {
  const parsed = parseClusterFile(text)
  if (parsed.ok) return parsed.value
  const remedy = 'Fix it, or copy the file from another node, which has the same content.'
  throw refuse('bad-cluster-file', ...parsed.reports.map(({ message }) => `${path}: ${message}. ${remedy}`))
}

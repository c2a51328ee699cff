import { rmSync } from 'node:fs'
import { assert, type NodeName, nodeName } from '../../base/index.ts'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import {
  type CallerIdentity,
  type ClusterState,
  type Handlers,
  type LocalServer,
  localService,
  localSocketPath,
  type nodeService,
  type PeerClient,
  PeerCredentials,
  refuse,
  restartsFile,
  serveUnixSocket,
  waitsFile,
} from '../../rpc/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import type { AccessControl } from '../access/access-control.ts'
import { stoppedState, withJoiningVotes } from '../cluster-state/cluster-state.ts'
import { monotonicNow } from '../host/clock.ts'
import { emptyFolder, readIfThere } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { StrangerTable } from '../host/stranger-table.ts'
import { isEnabled, markStopped, setEnabled } from '../host/takes-part.ts'
import { DaemonMetrics } from '../metrics/daemon-metrics.ts'
import { ClusterNode } from '../node/cluster-node.ts'
import type { ClusterFile, ClusterNodeEntry, WitnessEntry } from '../node-list/cluster-file.ts'
import { strangerRules } from '../node-list/known-hosts.ts'
import { ownName } from '../node-list/own-name.ts'
import { Admission } from '../peers/admission.ts'
import { askOthers, type NodesAnswer } from '../peers/ask-for-list.ts'
import { Peers } from '../peers/peers.ts'
import { Authority } from '../pki/authority.ts'
import { readWholeKey } from '../pki/identity.ts'
import { beginPulse } from '../pulse/begin.ts'
import type { Pulse } from '../pulse/pulse.ts'
import { moveToEtcd } from '../store/move-to-etcd.ts'
import { joiningVotes } from '../votes/joining-votes.ts'
import { witnessPlace } from '../witness/ask-place.ts'
import { ApiAccess } from './api-access.ts'
import { DcKeepers } from './dc-keepers.ts'
import { failedCalls, restartDaemon } from './failures.ts'
import { fileOnDisk, refuseWithoutAddress } from './file-on-disk.ts'
import { OwnCertificate } from './own-certificate.ts'
import { OwnJoining } from './own-joining.ts'
import { OwnList, type OwnListPorts } from './own-list.ts'
import { OwnRemoval } from './own-removal.ts'
import { OwnWitness } from './own-witness.ts'
import { PeerServers } from './peer-servers.ts'
import { mustTakePart, noteStart } from './taking-part.ts'
import { watchState } from './watch-state.ts'

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
  /** Who may call, and as whom. */
  readonly api: ApiAccess
  readonly list: OwnList
  readonly witness: OwnWitness
  readonly removal: OwnRemoval
  readonly #served: Served
  readonly #fail: (error: unknown) => void
  #node: ClusterNode | undefined
  #servers: PeerServers | undefined
  #local: LocalServer | undefined
  #peers: Peers | undefined
  #earlyPulse: Pulse | undefined
  readonly #onFailure: (method: string, error: unknown) => void
  readonly #restart: (reason: string) => void
  #credentials: PeerCredentials | undefined
  readonly certificate: OwnCertificate
  readonly #strangers: StrangerTable
  readonly #admission: Admission
  readonly authority: Authority
  readonly joining: OwnJoining
  readonly dcKeepers: DcKeepers
  readonly metrics = new DaemonMetrics(() =>
    this.#node === undefined ? undefined : this.#node.quorateUntil - monotonicNow(),
  )

  constructor(paths: Paths, log: Log, served: Served, fail: (error: unknown) => void) {
    this.paths = paths
    this.#served = served
    this.log = log
    this.#fail = fail
    this.#onFailure = failedCalls(log, fail)
    this.#restart = (reason) => restartDaemon(paths, log, reason)
    this.list = new OwnList({
      path: paths.clusterFile,
      log,
      onChanged: (changed) => this.#listChanged(changed),
      onAbsent: (from) => this.removal.absentFromList(from),
    })
    this.removal = new OwnRemoval({
      paths,
      log,
      list: () => this.list,
      store: this.#quorateStore,
      running: () => this.running,
      forget: async () => await this.forget(),
      fail,
    })
    this.api = new ApiAccess({
      paths,
      log,
      configuration: () => this.configuration,
      seen: this.#seen,
      store: this.#quorateStore,
      identity: () => this.witness.identity ?? this.certificate.identity,
      own: () => this.list.own ?? this.witness.entry,
      serveWeb: (socket) => this.#local?.serveWeb(socket),
    })
    this.witness = this.#openWitness()
    this.dcKeepers = new DcKeepers({
      paths,
      log,
      name: () => this.name,
      node: this.#running,
      configuration: () => this.configuration,
      seen: this.#seen,
      store: this.#quorateStore,
    })
    this.#strangers = new StrangerTable(log)
    this.authority = new Authority({
      pki: paths.pki,
      log,
      others: () => this.list.others,
      ask: async (member, authority) =>
        await this.peer(nodeName(member)).getAuthorityShares({ authority }, { timeoutMs: shareWithinMs }),
    })
    this.certificate = this.#openCertificate()
    this.joining = new OwnJoining({
      paths,
      log,
      name: () => this.name,
      node: this.#running,
      store: this.#quorateStore,
      hasShared: () => this.#hasShared,
      authority: this.authority,
      certificate: this.certificate,
      access: this.access,
      apiTokens: this.api.tokens,
    })
    this.#admission = this.#openAdmission()
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
    const witnessText = readIfThere(this.paths.witnessFile)
    if (text === undefined && witnessText !== undefined)
      await this.witness.resume(fileOnDisk(witnessText, this.paths.witnessFile))
    this.api.console.look()
    this.log.info('daemon started', { version: process.env.SYSTOLE_VERSION, cluster: this.file?.clusterName })
  }

  /** The node's name; for a host without a cluster, what it would be. */
  get name(): string {
    return this.list.name
  }

  get file(): ClusterFile | undefined {
    return this.list.file
  }

  /** What a local user may do. */
  get access(): AccessControl {
    return this.api.control
  }

  refuseOnWitness(): void {
    this.witness.refuse()
  }

  /** The running part, or a refusal that says what to do. */
  get node(): ClusterNode {
    if (this.#node) return this.#node
    this.witness.refuse()
    if (this.file) throw refuse('not-started', 'The cluster is not started on this node: run `systole cluster start`.')
    throw refuse(
      'not-configured',
      'This host does not belong to a cluster. Run `systole cluster setup` or `cluster join`.',
    )
  }

  /** As this node last saw it; undefined where it does not take part, or has not read it yet. */
  get configuration(): ReplicatedConfiguration | undefined {
    return this.#node?.view.configuration
  }

  get running(): boolean {
    return this.#node !== undefined
  }

  state(): ClusterState {
    return this.#node?.state() ?? stoppedState(this.file, this.name, isEnabled(this.paths))
  }

  /** With the votes that the store counts, which the list of nodes runs ahead of. */
  async stateByStore(): Promise<ClusterState> {
    const state = this.state()
    const { file, own } = this.list
    if (!file || !own || !this.running) return state
    const joining = await joiningVotes(file, own.name, this.paths)
    return joining === undefined ? state : withJoiningVotes(state, joining)
  }

  async watchState(send: (state: ClusterState) => void, signal: AbortSignal): Promise<void> {
    await watchState({ node: () => this.#node, state: () => this.state() }, send, signal)
  }

  /** A connection to another daemon, also while this node takes no part. */
  peer(node: NodeName): PeerClient {
    const { file } = this
    if (!file) throw refuse('not-configured', 'This host does not belong to a cluster.')
    const reach = (entry: ClusterNodeEntry): string => this.#node?.reach(entry) ?? entry.address
    const lifeOf = (peer: NodeName) => this.#node?.view.members.get(peer)?.incarnation
    const isCurrent = (): boolean => this.#node?.quorate === true
    this.#peers ??= new Peers(file, { identity: () => this.certificate.identity, reach, lifeOf, isCurrent })
    return this.#peers.to(node)
  }

  /** Takes a cluster's file into use: serves peers, and takes part where it did before. */
  async configure(file: ClusterFile): Promise<void> {
    const own = this.list.use(file)
    assert(own !== undefined, `cluster.json names this host ('${ownName()}')`)
    refuseWithoutAddress(own)
    this.#keepStrangersOut(file, own)
    this.certificate.read()
    if (mustTakePart(this.paths, this.log)) await this.startNode()
    else markStopped(this.paths)
    const current = (): ClusterFile => this.file ?? file
    this.#servers = new PeerServers({
      log: this.log,
      file: current,
      identity: () => this.certificate.identity,
      admission: this.#admission,
      handlers: this.#served.peers(this),
      enrol: this.joining.enrolment(own, current),
      onFailure: this.#onFailure,
      relay: (socket, witness) => {
        if (witnessPlace(current(), witness).listed) this.#local?.serveWeb(socket, witness.name)
        else socket.destroy()
      },
    })
    await this.#servers.serveOn(own)
    this.certificate.planRenewal()
    if (this.#local !== undefined) this.api.console.look()
  }

  #keepStrangersOut(file: ClusterFile, own: WitnessEntry): void {
    const rules = strangerRules(file, own)
    if (rules !== undefined) this.#strangers.use(rules)
  }

  async #closeServers(): Promise<void> {
    await this.#servers?.close()
    this.#servers = undefined
  }

  #openWitness(): OwnWitness {
    const { paths, log } = this
    return new OwnWitness({
      paths,
      log,
      onList: (listed) => {
        if (listed.witness !== undefined) this.#keepStrangersOut(listed, listed.witness)
      },
      onFailure: this.#onFailure,
      onForgotten: async () => {
        await this.api.console.forget()
        await this.#strangers.remove()
      },
      onIdentity: () => this.api.console.tell(),
      fail: (error) => this.#fail(error),
    })
  }

  readonly #running = (): ClusterNode | undefined => this.#node

  /** Records of the store, as the running node sees them. */
  readonly #seen = (prefix: string): readonly Entry[] | undefined =>
    this.configuration === undefined ? undefined : this.#node?.below(prefix)

  #openAdmission(): Admission {
    const refresh = async (): Promise<void> => {
      const listed = await this.removal.listInStore()
      if (listed) this.list.take(listed, 'store')
    }
    return new Admission({
      log: this.log,
      file: () => this.file,
      refresh,
      mayBeStranded: () => this.#node?.findsNobody === true,
      // Until then nobody was removed.
      isCurrent: () => this.#node?.quorate === true || !this.#hasShared,
      askOthers: async () => await this.#askOthers(),
    })
  }

  #openCertificate(): OwnCertificate {
    return new OwnCertificate({
      pki: this.paths.pki,
      log: this.log,
      self: () => this.name,
      place: () => {
        const { file, own } = this.list
        return file && own && { file, own }
      },
      withAuthority: this.authority.with,
      store: this.#quorateStore,
      tell: async (node, json) => await this.peer(node).updateClusterFile({ json }),
      onNodeList: this.#takeList,
      onUse: async (identity, isAnotherCertificate) => {
        this.#servers?.useIdentity(identity)
        this.api.console.tell()
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

  /** Where this node has quorum. */
  readonly #quorateStore = (): Store | undefined => (this.#node?.quorate === true ? this.#node.store : undefined)

  async startNode(): Promise<void> {
    if (this.#node) return
    const { file, own } = this.list
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
      onNodeList: this.#takeList,
      onStoredList: (listed) => this.list.take(listed, 'store'),
      withdrawTokens: async (removed) => await this.joining.tokens.withdrawOf(removed),
      onRemoved: () => this.removal.forgetLater('most of the other nodes say that the cluster has removed this one'),
      giveWayTo: (listed) => this.#giveWayTo(listed),
      local: { access: this.access, credentials: this.#credentials },
      metrics: this.metrics,
      troubles: () => [
        ...(this.#strangers.trouble === undefined ? [] : [this.#strangers.trouble]),
        ...this.api.console.warnings,
      ],
    })
    this.#node = node
    await node.start()
  }

  /** Whether the node takes part again by itself after its host has booted. */
  enableNode(enabled: boolean): void {
    if (!this.file) throw refuse('not-configured', 'This host does not belong to a cluster.')
    setEnabled(this.paths, enabled)
  }

  /** Leaves the cluster: resources stop first. Resolves when the node is out. */
  async stopNode(): Promise<void> {
    await this.#endNode(async (node) => await node.leave())
  }

  async #endNode(end: (node: ClusterNode) => Promise<void>): Promise<void> {
    const node = this.#node
    if (!node) return
    this.api.remember()
    await end(node)
    // Not before: a daemon that is killed meanwhile takes part again, for what it runs may not have stopped yet.
    markStopped(this.paths)
    if (this.#node === node) this.#node = undefined
  }

  /** For a cluster of one that grows. Its node is there again when this resolves, whatever came of it. */
  async moveToEtcd(): Promise<void> {
    const { node } = this
    const { own } = this.list
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
      this.list.use(await moveToEtcd({ file, own, paths, log, revision: view.revision, suspend }))
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
    this.list.take(listed, 'node')
  }

  /** Another host's list, whose word is a reason to look into the store. */
  readonly #takeList = (listed: ClusterFile): void => this.list.take(listed, 'node')

  /** Also while it takes no part. */
  async #askOthers(): Promise<readonly NodesAnswer[]> {
    const { file } = this
    if (file === undefined) return []
    return await askOthers({
      self: nodeName(this.name),
      peers: { to: (node) => this.peer(node) },
      file: () => this.file ?? file,
      onNodeList: this.#takeList,
    })
  }

  #listChanged({ file, before, own }: Parameters<OwnListPorts['onChanged']>[0]): void {
    if ((file.revoked?.length ?? 0) > (before.revoked?.length ?? 0)) {
      this.#servers?.endConnections()
      // A witness that was removed or replaced passes nothing on any more.
      this.#local?.endRelays()
    }
    this.#keepStrangersOut(file, own)
    this.#servers?.serveOn(own).catch(this.#fail)
    this.api.console.tell()
    this.#peers?.replaceFile(file)
    this.#node?.replaceFile(file)
  }

  /** The other of two goes on without this node, whose own list and log are of no use any more: it begins anew with the other's. */
  #giveWayTo(listed: ClusterFile): void {
    if (this.list.replaceBy(listed)) this.#restart('the other node has gone on without this one')
  }

  /** Forgets the cluster. The socket stays, so that the host can join again. */
  async forget(): Promise<void> {
    this.certificate.cancelRenewal()
    await this.api.console.forget()
    await this.#endNode(async (node) => await node.abandon())
    await this.#closeServers()
    this.#peers?.close()
    this.#peers = undefined
    this.list.forget()
    this.certificate.forget()
    await this.#strangers.remove()
    for (const path of [this.paths.clusterFile, this.paths.pki]) rmSync(path, { recursive: true, force: true })
    // The folder itself may be a file system of its own.
    emptyFolder(this.paths.data)
    this.api.forget()
  }

  /** So that a restart that takes long on a busy machine is not taken for a loss. */
  async announceRestart(): Promise<void> {
    await this.#node?.announceRestart()
  }

  /** For an upgrade or a restart: what runs stays. */
  async end(): Promise<void> {
    this.#strangers.stop()
    this.api.clientCertificates.close()
    this.dcKeepers.close()
    await this.api.console.close()
    await this.#node?.suspend()
    await this.witness.end()
    await Promise.all([this.#closeServers(), this.#local?.close()])
    this.access.close()
    rmSync(this.paths.lock, { force: true })
  }
}

import type { MonotonicMs, NodeName } from '../../base/index.ts'
import type { Change, ClusterView } from '../../controller/index.ts'
import type { ClusterState, Messages, NodePki, TlsIdentity } from '../../rpc/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import { markAccessControl } from '../access/access-mark.ts'
import type { AlertDriver } from '../alerts/alert-driver.ts'
import type { AttributeChanges } from '../attributes/attribute-changes.ts'
import type { FencingDriver } from '../fencing/fencing-driver.ts'
import type { HeldRemote } from '../jobs/remote-task-keeper.ts'
import type { TaskRunners } from '../jobs/start-runner.ts'
import type { JournalKeeper } from '../journal/journal-keeper.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { decodeNodeList } from '../node-list/node-list.ts'
import { isSameName } from '../node-list/node-names.ts'
import type { AuthorityKeeper } from '../pki/authority-keeper.ts'
import type { AuthorityRotation } from '../pki/authority-rotation.ts'
import type { ServiceAnswer } from '../planner/messages.ts'
import { nodesForPulse } from '../pulse/begin.ts'
import { nodeListKey } from '../records/keys.ts'
import type { OwnWrites } from '../records/own-writes.ts'
import type { StoreChange } from '../records/store-view.ts'
import type { RemovalView } from '../removal/removal-core.ts'
import type { Rollouts } from '../rollout/rollouts.ts'
import type { TwoNodeDriver } from '../two-node/two-node-driver.ts'
import { forgetMet } from '../two-node/wait-for-all.ts'
import type { WitnessKnowledge } from '../witness/witness-link.ts'
import type { NodeDriver } from './node-driver.ts'
import { NodeParts } from './node-parts.ts'
import type { ClusterNodeSetup } from './node-setup.ts'

const announcePatienceMs = 2000

/** A node that takes part: its life from start to end, and what the rest of the daemon may ask it. */
export class ClusterNode {
  readonly name: NodeName
  readonly #parts: NodeParts
  #leaving: Promise<void> | undefined
  #left: ((how: { readonly disarm: boolean }) => void) | undefined
  #ended = false

  constructor(setup: ClusterNodeSetup) {
    this.name = setup.own.name
    this.#parts = new NodeParts(this, setup, {
      onChanges: (changes, observed) => this.#fromStore(changes, observed),
      look: () => this.#look(),
      depart: (how) => this.#left?.(how),
    })
  }

  /** Resolves when the node has begun; whether it gets in depends on the others, and `state` tells. */
  async start(): Promise<void> {
    const { fail, pulse } = this.#parts.setup
    this.#parts.membership.begin()
    await this.#parts.openStore()
    pulse.listen(this.#parts.news.take, fail)
    this.#parts.core.feed({ kind: 'start-up', input: { kind: 'start' } })
  }

  get store(): Store {
    return this.#parts.store
  }

  get fencing(): FencingDriver {
    return this.#parts.fencing
  }

  get attributes(): AttributeChanges {
    return this.#parts.attributes
  }

  get twoNode(): TwoNodeDriver {
    return this.#parts.twoNode
  }

  get view(): ClusterView {
    return this.#parts.known.view
  }

  /** Whoever asks on this node sees what was written here meanwhile. */
  get seesOwnWrites(): OwnWrites['seen'] {
    return this.#parts.known.writes.seen
  }

  get file(): ClusterFile {
    return this.#parts.file
  }

  /** A record of the store, as this node knows it. */
  readonly entry = (key: string): Entry | undefined => this.#parts.known.get(key)
  readonly below = (prefix: string): readonly Entry[] => this.#parts.known.below(prefix)

  get findsNobody(): boolean {
    return this.#parts.membership.findsNobody
  }

  get authority(): AuthorityKeeper {
    return this.#parts.membership.authority
  }

  get rotation(): AuthorityRotation {
    return this.#parts.membership.rotation
  }

  get rollouts(): Rollouts {
    return this.#parts.work.rollouts
  }

  get runners(): TaskRunners {
    return this.#parts.work.runners
  }

  /** By this node's own clock, now. */
  get quorate(): boolean {
    return this.#parts.core.quorate
  }

  /** Under which it has quorum, or had it last. */
  get lease(): string | undefined {
    return this.#parts.core.state.lease
  }

  get quorateUntil(): MonotonicMs {
    return this.#parts.core.state.quorateUntil
  }

  readonly isUp = (node: NodeName): boolean => this.#parts.isUp(node)

  /** It has been a member since its place was recorded. */
  wasSeen(node: NodeName): boolean {
    const { members, nodeStates } = this.view
    return members.has(node) || nodeStates.get(node)?.attributes?.incarnation !== undefined
  }

  /** The address at which a node is reached now. */
  readonly reach = (node: ClusterNodeEntry): string => this.#parts.report.links.reach(node)

  get removals(): RemovalView {
    return this.#parts.membership.removals
  }

  beginRemoval(node: NodeName): void {
    this.#parts.membership.beginRemoval(node)
  }

  get witnessKnows(): WitnessKnowledge {
    return this.#parts.membership.witness.knows
  }

  async askForJournal(node: NodeName, timeoutMs: number): Promise<Messages['JournalAnswer']> {
    return await this.#parts.peers.to(node).readJournal({}, { timeoutMs })
  }

  async askForOperations(
    node: NodeName,
    asked: Messages['OperationsRequest'],
    timeoutMs: number,
  ): Promise<Messages['OperationsAnswer']> {
    return await this.#parts.peers.to(node).readOperations(asked, { timeoutMs })
  }

  get troubleAt(): number | undefined {
    return this.#parts.journal.troubleAt
  }

  readonly tryAlert: AlertDriver['try'] = async (asked) => await this.#parts.alerts.try(asked)
  readonly noteCall: JournalKeeper['noteCall'] = (call) => this.#parts.journal.noteCall(call)
  readonly lookForWitness = async (): Promise<void> => await this.#parts.membership.witness.lookNow()
  readonly hearsWitness = (host: NodeName): boolean => this.#parts.membership.witness.hears(host)

  state(): ClusterState {
    return this.#parts.report.state()
  }

  async activeHere(): Promise<ServiceAnswer['here']> {
    return await this.#parts.report.activeHere()
  }

  onState(listener: () => void): () => void {
    return this.#parts.report.onState(listener)
  }

  readonly takeCommand: NodeDriver['takeCommand'] = (command) => this.#parts.core.takeCommand(command)

  /** An administrator's word that a node is off. In a cluster of two it counts without the other's vote as well. */
  async confirmOff(node: NodeName, write: () => Promise<void>): Promise<void> {
    if (this.quorate || this.#parts.twoNode.state() === undefined) await write()
    else await this.#parts.twoNode.unblock(node)
  }

  replaceFile(file: ClusterFile): void {
    this.#parts.file = file
    this.#parts.core.feed({ kind: 'list', list: file })
    this.#parts.connections.tellList()
    this.#parts.peers.replaceFile(file)
    this.#parts.localStore?.follow(file)
    this.#parts.membership.listChanged()
    this.#updatePulse()
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
    this.#parts.core.feed({ kind: 'leave' })
    const { disarm } = await left
    if (disarm) this.#parts.watchdog.departed()
    await this.#end('stop')
  }

  /** Goes at once, as if it had never been here, and leaves its resources running. */
  async abandon(): Promise<void> {
    await this.#end('stop')
  }

  /** The daemon is about to end and to begin again. */
  async announceRestart(): Promise<void> {
    if (this.quorate) await this.#parts.notice.announce(announcePatienceMs)
  }

  /** The daemon ends, its resources go on: the lease is left to run, and the daemon that follows takes over. */
  async suspend(): Promise<void> {
    await this.#end('leave-running')
  }

  async #end(how: 'stop' | 'leave-running'): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    this.#parts.membership.close()
    this.#parts.twoNode.close()
    this.#parts.watchdog.close()
    this.#parts.own.close()
    this.#parts.startUp.end()
    this.#parts.core.end()
    this.#parts.work.close()
    this.#parts.dampened.close()
    await this.#parts.startUp.closeExecutor()
    await this.#parts.alerts.close()
    this.#parts.connections.abandon()
    await this.#parts.startUp.closeTools()
    this.#parts.known.close()
    this.#parts.peers.close()
    if (how === 'stop') forgetMet(this.#parts.setup.paths)
    if (how === 'stop') await this.#parts.setup.pulse.leave()
    else await this.#parts.setup.pulse.abandon()
    await this.#parts.localStore?.close(how)
    this.#parts.report.changed()
  }

  #fromStore(changes: readonly StoreChange[], observed: readonly Change[]): void {
    const list = changes.findLast(({ key }) => key === nodeListKey)?.entry
    if (list) this.#parts.setup.onStoredList(decodeNodeList(list))
    if (observed.some(({ kind }) => kind === 'configuration') && this.view.configuration) {
      markAccessControl(this.#parts.setup.paths, this.#parts.setup.log, this.view.configuration.typed)
    }
    this.#parts.journal.take(changes, observed)
    this.#parts.own.look()
    this.#parts.core.feed({ kind: 'store', view: this.view, changes: observed })
    if (!this.#parts.executor) return
    if (observed.some(({ kind }) => kind === 'member' || kind === 'restart')) this.#updatePulse()
    this.#parts.dampened.look()
    this.#parts.alerts.take(changes, observed)
    this.#look()
  }

  /** Whether the witness is of use as a voter: it is not heard by heartbeats. */
  #reportWitness(): void {
    const state = this.#parts.membership.witness.voterState
    if (state !== this.#parts.core.state.votes.witness)
      this.#parts.core.feed({ kind: 'votes', input: { kind: 'witness', state } })
  }

  /** Whatever reacts to state compares it anew. */
  #look(): void {
    this.#parts.reportCopy()
    this.#reportWitness()
    this.#parts.membership.look()
    this.#parts.notice.look()
    this.#parts.journal.look(this.quorate)
    if (this.#parts.executor) this.#parts.alerts.look()
    this.#parts.work.look(this.#parts.executor !== undefined)
    this.#parts.report.changed()
  }

  /** Another certificate, or other authorities: whatever connects from now on shows it, and nothing that runs or beats begins anew. */
  async useIdentity(identity: TlsIdentity, isAnotherCertificate: boolean): Promise<void> {
    await this.#parts.setup.pulse.useIdentity(identity)
    if (this.#ended) return
    if (isAnotherCertificate) this.#parts.peers.renew()
    this.#parts.connections.renew(isAnotherCertificate)
    this.#parts.membership.useIdentity(identity, isAnotherCertificate)
    this.#parts.localStore?.believe()
    this.#parts.membership.lookForRelink()
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
    return this.#parts.connections.held.find(({ remote }) => remote === name)
  }

  /** What the remote nodes believe whose connections this node holds. */
  get remotePki(): NodePki['hosts'] {
    return this.#parts.connections.pki
  }

  /** Its member of the store was started with what this node believes and is named by now. */
  get storeFollows(): boolean {
    return !(this.#parts.localStore?.mustRelink() ?? false)
  }

  #updatePulse(): void {
    this.#parts.setup.pulse.say(nodesForPulse(this.#parts.file, this.#parts.listed, this.#parts.notice.forPulse()))
  }
}

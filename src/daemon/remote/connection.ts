/**
 * The connection to one remote node, as the cluster node that it runs on makes and keeps it. Starting it claims it in the store,
 * whose revision is the token that the remote node obeys, and begins the node's recorded state anew: what runs there is probed,
 * whoever held the connection before. A connection that breaks gets a moment to come back, as a restarted daemon does; one that does
 * not has failed, and what follows the scheduler decides.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import { isSecretName, type NodeStateRecord, type OperationRecord } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { agentParameters } from '../../executor/index.ts'
import {
  type CallHandlers,
  connectRemote,
  type LinkEnd,
  mostSecretNames,
  type OwnerCalls,
  type RemoteAddress,
  type RemoteCalls,
  type RemoteLink,
  RemoteUnreachableError,
} from '../../remote/index.ts'
import type { HostPki, TermAnswer, TlsIdentity } from '../../rpc/index.ts'
import { connectedNodeNames, isConnectionWanted } from '../../status/index.ts'
import type { Comparison, Revision, Store, Write } from '../../store/index.ts'
import { membershipNotes } from '../alerts/outbox.ts'
import type { Log } from '../host/log.ts'
import { Seldom } from '../host/seldom.ts'
import type { HeldRemote } from '../jobs/remote-task-keeper.ts'
import { bootAttribute } from '../jobs/task-nodes.ts'
import { toBytes } from '../records/json-value.ts'
import { keys, remoteOwnerKey } from '../records/keys.ts'
import { nextCallId, resultStore } from '../records/result-store.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { Following } from './following.ts'
import { ReconnectPace } from './reconnect-pace.ts'
import { RecordRights } from './record-rights.ts'
import { NotAllowedError } from './remote-world.ts'

export interface ConnectionPorts {
  readonly self: NodeName
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly identity: () => TlsIdentity
  /** Which this member believes now, PEM; the first one signs. */
  readonly authorities: () => readonly string[]
  /** With the key of the cluster's authority. */
  readonly sign: (remote: NodeName, publicKey: string) => Promise<AnswerTo<'renew'>>
  readonly runTool: (remote: NodeName, call: ToolRequest) => Promise<AnswerTo<'tool'>>
  /** By the list of nodes now. */
  readonly revoked: () => readonly string[]
  /** Addresses of the cluster's nodes, by the list of nodes now; undefined where names stand for them. */
  readonly members: () => readonly string[] | undefined
  /** A connection was made: there may be something to do for it. */
  readonly connected: () => void
  /** A result of the remote node is in the store. */
  readonly alertFor: (records: readonly OperationRecord[]) => void
}

type RequestTo<Name extends keyof RemoteCalls> = RemoteCalls[Name]['request']
type AnswerTo<Name extends keyof OwnerCalls> = OwnerCalls[Name]['answer']

export interface ConnectionEvents {
  /** It is tried again; what the node runs in may have died. */
  readonly onBroken: () => void
  /** Called once: the connection has failed. */
  readonly onLost: () => void
}

export type ToolRequest = Parameters<CallHandlers<OwnerCalls>['tool']>[0]

type Phase = 'connecting' | 'up' | 'broken' | 'lost' | 'taken' | 'closed'

/**
 * As long as the daemon of a host that answers is given to come back. More than a member gets: services are only unmonitored meanwhile,
 * and the host may start it slowly.
 */
const graceMs = 10_000
const retryMs = 200
/** It has nothing to do for this but to look, and to write a line. */
const ownedWithinMs = 5000
/** A host that was silent is tried once more: connecting has a patience of its own. */
const onceMs = 100

export class RemoteRefusedError extends Error {
  override readonly name = 'RemoteRefusedError'
}

export class RemoteConnection {
  readonly #ports: ConnectionPorts
  readonly #address: RemoteAddress
  readonly #events: ConnectionEvents
  #phase: Phase = 'connecting'
  #link: RemoteLink | undefined
  readonly #rights: RecordRights
  readonly #refusals = new Seldom()
  readonly #following: Following
  readonly #pace = new ReconnectPace()
  #token = 0
  #handingOver = false
  #heldFor: HeldRemote | undefined
  #reason = ''
  /** Over this link. */
  #told = ''
  /** While it is broken: ends when it is known what becomes of it. */
  #mending: Promise<void> = Promise.resolve()

  constructor(ports: ConnectionPorts, address: RemoteAddress, events: ConnectionEvents) {
    this.#ports = ports
    this.#address = address
    this.#events = events
    this.#rights = new RecordRights(this.remote, ports.view, Date.now)
    this.#following = new Following({ remote: this.remote, log: ports.log, authorities: ports.authorities })
  }

  get remote(): NodeName {
    return this.#address.node as NodeName
  }

  /** Tries until it is there or the time is over; throws why it is not. */
  async open(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    if (!(await this.#claim())) throw new RemoteRefusedError('This node is not a member of the cluster now')
    for (;;) {
      try {
        return await this.#connect()
      } catch (error) {
        const over = performance.now() + retryMs >= deadline || this.#phase === 'closed'
        // The stop that the cluster wants waits for this start: a host that is off would have it wait for all of the start's time.
        if (!this.#isWanted())
          throw new RemoteRefusedError('The connection is to stop, so it is not tried any longer', { cause: error })
        if (over || error instanceof RemoteRefusedError) throw error
        await delay(retryMs)
      }
    }
  }

  /** What this daemon's earlier life held is mended as one that broke. Answers whether it is there again. */
  async resume(): Promise<boolean> {
    const owner = { kind: 'value', key: remoteOwnerKey(this.remote), equals: this.#ownership } as const
    if (this.#ports.view().nodeStates.get(this.remote)?.inCcm !== true || !(await this.#claim(owner))) return false
    this.#phase = 'broken'
    try {
      await this.#connect()
    } catch (error) {
      if (!(error instanceof RemoteUnreachableError)) throw error
      await this.#mend({ reason: error.message, hostAnswered: error.hostAnswered })
    }
    return (await this.trouble()) === undefined
  }

  /** What it believes and shows, while it is connected. */
  get pki(): HostPki | undefined {
    return this.#phase === 'up' ? this.#following.pki : undefined
  }

  /** With another certificate of this node's: as a connection that broke, which is made anew at once. */
  renew(): void {
    this.#link?.close()
  }

  /** This node believes other authorities by now. */
  followAuthority(): void {
    if (this.#link !== undefined) void this.#following.bring(this.#link)
  }

  /** Undefined while it lives; else why not. One that is just being made anew is waited for. */
  async trouble(): Promise<string | undefined> {
    await this.#mending
    return this.#phase === 'up' ? undefined : this.#reason || 'it is not there'
  }

  /** Undefined where there is nobody to tell. */
  async perform(command: RequestTo<'perform'>): Promise<TermAnswer | undefined> {
    const link = await this.link()
    if (link === undefined) return undefined
    this.#rights.told(command)
    const secret = this.#secretNames(command)
    return await link.call('perform', secret.length === 0 ? command : { ...command, secret })
  }

  /** Those that say so themselves it knows. */
  #secretNames({ action }: RequestTo<'perform'>): readonly string[] {
    const isSecret = secretsOfView(this.#ports.view())
    const names = Object.keys(agentParameters(action.attributes))
    return names.filter((name) => isSecret(name) && !isSecretName(name)).slice(0, mostSecretNames)
  }

  /** The remote node's ear, where it has one. */
  async link(): Promise<RemoteLink | undefined> {
    await this.#mending
    return this.#phase === 'up' ? this.#link : undefined
  }

  /** Another node is about to take it: that is no loss. */
  handOver(): void {
    this.#handingOver = true
  }

  /** In order, where this node still holds it: the remote node is down then, as the cluster sees it. */
  async close(): Promise<void> {
    const link = this.#link
    const wasUp = this.#phase === 'up'
    this.#phase = 'closed'
    if (link && wasUp) await Promise.race([link.call('release', {}).catch(() => undefined), delay(1000)])
    link?.close()
    if (this.#token > 0) await this.#recordDown()
  }

  /** The daemon ends: the remote node waits for whoever comes. */
  abandon(): void {
    this.#phase = 'closed'
    this.#link?.close()
  }

  get #ownership(): Uint8Array {
    return toBytes({ node: this.#ports.self })
  }

  /** Unless something is asked for that does not hold. */
  async #claim(...asked: readonly Comparison[]): Promise<boolean> {
    const { self, store } = this.#ports
    const { applied, revision } = await store().transaction({
      compare: [{ kind: 'present', key: keys.member(self) }, ...asked],
      writes: [{ kind: 'put', key: remoteOwnerKey(this.remote), value: this.#ownership }],
    })
    if (applied) this.#token = revision
    return applied
  }

  async #connect(): Promise<void> {
    const { identity, self, view, log } = this.#ports
    const ended: { end?: LinkEnd } = {}
    const link = await connectRemote(this.#address, identity(), this.#handlers(), (end) => {
      ended.end = end
      if (this.#link === link) this.#broke(end)
    })
    try {
      const firstCallId = nextCallId(view().operations.values(), this.remote)
      const answer = await Promise.race([
        link.call('own', { owner: self, token: this.#token, firstCallId }),
        delay(ownedWithinMs, undefined, { ref: false }),
      ])
      if (answer === undefined) throw new RemoteUnreachableError(this.#address, 'it does not say whom it obeys', true)
      if (!answer.accepted) throw new RemoteRefusedError(`${this.remote} obeys a node that was recorded later`)
      await this.#recordUp(answer)
      if (this.#phase === 'closed') throw new RemoteRefusedError('the connection was stopped meanwhile')
      if (ended.end) throw new RemoteUnreachableError(this.#address, ended.end.reason, ended.end.hostAnswered)
    } catch (error) {
      link.close()
      throw error
    }
    this.#link = link
    this.#phase = 'up'
    this.#pace.up(performance.now())
    log.info('a remote node is connected', { remote: this.remote, revision: this.#token })
    this.#told = ''
    this.tellList()
    void this.#following.bring(link)
    this.#ports.connected()
  }

  /** For whoever follows what was begun there: as long as this node holds the connection. */
  get held(): HeldRemote | undefined {
    const link = this.#phase === 'up' ? this.#link : undefined
    if (this.#heldFor?.link !== link)
      this.#heldFor = link === undefined ? undefined : { remote: this.remote, link, owned: this.#owned() }
    return this.#heldFor
  }

  /** Who must not own it any more, and from where nodes come. Once it is owned, when a long list is no message of a stranger's; a remote node of an older version ignores it. */
  tellList(): void {
    const { self, view, log, revoked, members } = this.#ports
    const known = members()
    const list = { revoked: revoked(), ...(known === undefined ? {} : { members: known }) }
    const text = JSON.stringify(list)
    if (this.#link === undefined || text === this.#told) return
    this.#told = text
    const firstCallId = nextCallId(view().operations.values(), this.remote)
    this.#link
      .call('own', { owner: self, token: this.#token, firstCallId, ...list })
      .catch((error: unknown) =>
        log.info('a remote node did not receive the list of nodes', { remote: this.remote, error }),
      )
  }

  #broke(end: LinkEnd): void {
    this.#link = undefined
    if (this.#phase !== 'up') return
    this.#ports.log.warn('the connection to a remote node broke', { remote: this.remote, reason: end.reason })
    this.#phase = 'broken'
    this.#events.onBroken()
    this.#mending = this.#mend(end, this.#pace.ended(performance.now()))
  }

  async #mend(end: LinkEnd, pauseMs = 0): Promise<void> {
    if (pauseMs > 0) await delay(pauseMs)
    const deadline = performance.now() + (end.hostAnswered ? graceMs : onceMs)
    while (this.#phase === 'broken') {
      try {
        return await this.#connect()
      } catch (error) {
        if (performance.now() >= deadline || error instanceof RemoteRefusedError) {
          this.#lose(error instanceof Error ? error.message : String(error))
          return
        }
        await delay(retryMs)
      }
    }
  }

  #lose(reason: string): void {
    if (this.#phase === 'closed') return
    this.#phase = 'lost'
    this.#reason = reason
    this.#ports.log.warn('the connection to a remote node is lost', { remote: this.remote, reason })
    this.#events.onLost()
  }

  #taken(by: string): void {
    if (this.#phase === 'closed') return
    this.#link = undefined
    this.#phase = 'taken'
    this.#reason = `${by} has taken the connection`
    this.#ports.log.info('another node holds the connection to a remote node', { remote: this.remote, by })
    if (!this.#handingOver) this.#events.onLost()
  }

  #handlers(): CallHandlers<OwnerCalls> {
    const { store, view, runTool } = this.#ports
    const node = this.remote
    const results = () =>
      resultStore({
        store: store(),
        node,
        attributes: () => [...view().attributes.values()],
        mayBegin: [{ kind: 'present', key: keys.member(this.#ports.self) }, this.#owned()],
        mayTell: [this.#owned()],
      })
    return {
      announce: async (asked) => {
        if (!this.#allow(() => this.#rights.announce(asked))) return { written: this.#dropped(asked.records) }
        return { written: (await results().announce(asked.records, asked.term)) === 'written' }
      },
      record: async (asked) => {
        const { records, failure } = this.#allow(() => this.#rights.record(asked))
        if (records.length < asked.records.length) this.#dropped(asked.records)
        const revision = await results().record(records, failure)
        this.#rights.recorded(records)
        this.#ports.alertFor(records)
        return { revision }
      },
      forget: async ({ resource, recordId }) => {
        await results().forget(resource, recordId)
        return {}
      },
      tool: async (call) => await runTool(node, call),
      taken: async ({ by }) => {
        this.#taken(by)
        return {}
      },
      renew: async ({ publicKey }) => {
        this.#allow(() => this.#rights.renew())
        return await this.#ports.sign(node, publicKey)
      },
      leave: async () => {
        const value = String(Math.floor(Date.now() / 1000))
        const record = { node, set: '', name: 'shutdown', value }
        await this.#write([{ kind: 'put', key: keys.attribute(node, '', 'shutdown'), value: toBytes(record) }])
        return {}
      },
    }
  }

  /** Told as taken, or the remote node would tell it again and again. */
  #dropped(records: readonly OperationRecord[]): false {
    const [{ resource, attributes } = { resource: '', attributes: { operation: '' } }] = records
    const why = `The ${attributes.operation} of ${resource} was not asked for over this connection.`
    if (this.#refusals.mayTell(why, performance.now()))
      this.#ports.log.info('a result of a remote node was dropped', { remote: this.remote, why })
    return false
  }

  #allow<Allowed>(ask: () => Allowed): Allowed {
    try {
      return ask()
    } catch (error) {
      if (error instanceof NotAllowedError && this.#refusals.mayTell(error.message, performance.now()))
        this.#ports.log.warn('a remote node was refused', { remote: this.remote, why: error.message })
      throw error
    }
  }

  #owned() {
    return { kind: 'mod-revision', key: remoteOwnerKey(this.remote), equals: this.#token as Revision } as const
  }

  async #write(writes: readonly Write[]): Promise<boolean> {
    const { applied } = await this.#ports.store().transaction({ compare: [this.#owned()], writes })
    return applied
  }

  /** Its history begins anew; attributes stay, but a wish to leave was that of an earlier life. */
  async #recordUp({ incarnation, bootId }: RemoteCalls['own']['answer']): Promise<void> {
    const node = this.remote
    const life = { incarnation: String(incarnation), ...(bootId !== undefined && { [bootAttribute]: bootId }) }
    const state = this.#state(true, life)
    const applied = await this.#write([
      { kind: 'put', key: keys.nodeState(node), value: toBytes(state) },
      ...membershipNotes(this.#ports.view().nodeStates, [state]),
      { kind: 'delete-prefix', prefix: keys.historyOfNode(node) },
      { kind: 'delete', key: keys.attribute(node, '', 'shutdown') },
    ])
    if (!applied) throw new RemoteRefusedError('another node has claimed the connection')
  }

  /** A node that the configuration names no more is forgotten. Otherwise not what it ran: what was not stopped still runs there. */
  async #recordDown(): Promise<void> {
    const node = this.remote
    const state = keys.nodeState(node)
    const forget: readonly Write[] = [
      { kind: 'delete', key: state },
      { kind: 'delete-prefix', prefix: keys.historyOfNode(node) },
    ]
    const { nodeStates } = this.#ports.view()
    const { incarnation, node_fenced: fenced } = nodeStates.get(node)?.attributes ?? {}
    const known = {
      ...(incarnation === undefined ? {} : { incarnation }),
      ...(fenced === undefined ? {} : { node_fenced: fenced }),
    }
    try {
      await this.#write([
        ...(this.#isConfigured()
          ? [{ kind: 'put', key: state, value: toBytes(this.#state(false, known)) } as const]
          : forget),
        ...membershipNotes(nodeStates, [this.#state(false, known)]),
        { kind: 'delete-prefix', prefix: keys.attributesOfNode(node) },
        { kind: 'delete-prefix', prefix: keys.withheldOfNode(node) },
        { kind: 'delete', key: remoteOwnerKey(node) },
      ])
    } catch (error) {
      // Without quorum; whoever starts the connection next writes what is then true.
      this.#ports.log.warn('that a remote node is down could not be recorded', { remote: node, error })
    }
  }

  #isWanted(): boolean {
    const { configuration } = this.#ports.view()
    return configuration === undefined || isConnectionWanted(configuration.typed, this.remote)
  }

  #isConfigured(): boolean {
    const { configuration } = this.#ports.view()
    return configuration === undefined || connectedNodeNames(configuration.typed).includes(this.remote)
  }

  #state(isUp: boolean, attributes: Readonly<Record<string, string>>): NodeStateRecord {
    return {
      node: this.remote,
      id: this.remote,
      inCcm: isUp,
      crmd: isUp ? 'online' : 'offline',
      join: isUp ? 'member' : 'down',
      expected: isUp ? 'member' : 'down',
      attributes: { remote_node: 'true', ...attributes },
    }
  }
}

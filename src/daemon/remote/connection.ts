/**
 * Drives the core of a connection to one remote node (node/remote-connection.ts): dials, asks, writes the store, and tells what has come of it. Who waits for the
 * connection, and what goes over it, is here; what becomes of it is decided there.
 */
import { monotonicMs, type NodeName } from '../../base/index.ts'
import { isSecretName } from '../../cib/index.ts'
import { agentParameters } from '../../executor/index.ts'
import {
  type ConnectionEffect,
  type ConnectionInput,
  connectionStep,
  connectionTrouble,
  isMended,
  isTried,
  nextConnectionAt,
  type RemoteConnectionState,
  unopenedConnection,
} from '../../node/index.ts'
import {
  connectRemote,
  mostSecretNames,
  type RemoteAddress,
  type RemoteCalls,
  type RemoteLink,
  RemoteUnreachableError,
} from '../../remote/index.ts'
import type { HostPki, TermAnswer, TlsIdentity } from '../../rpc/index.ts'
import { connectedNodeNames, isConnectionWanted } from '../../status/index.ts'
import type { HeldRemote } from '../jobs/remote-task-keeper.ts'
import { bootAttribute } from '../jobs/task-nodes.ts'
import { nextCallId } from '../records/result-store.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { ConnectionRecords } from './connection-records.ts'
import { Following } from './following.ts'
import { OwnerCallHandlers, type OwnerCallsPorts } from './owner-calls.ts'
import { RecordRights } from './record-rights.ts'

export interface ConnectionPorts extends OwnerCallsPorts {
  readonly identity: () => TlsIdentity
  /** Which this member believes now, PEM; the first one signs. */
  readonly authorities: () => readonly string[]
  /** By the list of nodes now. */
  readonly revoked: () => readonly string[]
  /** Addresses of the cluster's nodes, by the list of nodes now; undefined where names stand for them. */
  readonly members: () => readonly string[] | undefined
  /** A connection was made: there may be something to do for it. */
  readonly connected: () => void
}

type RequestTo<Name extends keyof RemoteCalls> = RemoteCalls[Name]['request']

export interface ConnectionEvents {
  /** It is tried again; what the node runs in may have died. */
  readonly onBroken: () => void
  /** Called once: the connection has failed. */
  readonly onLost: () => void
}

interface NumberedLink {
  readonly attempt: number
  readonly link: RemoteLink
}

export class RemoteConnection {
  readonly #ports: ConnectionPorts
  readonly #address: RemoteAddress
  readonly #events: ConnectionEvents
  readonly #records: ConnectionRecords
  readonly #rights: RecordRights
  readonly #calls: OwnerCallHandlers
  readonly #following: Following
  readonly #inputs: ConnectionInput[] = []
  readonly #waiting = new Set<() => void>()
  #state: RemoteConnectionState = unopenedConnection
  #busy = false
  #timer: NodeJS.Timeout | undefined
  #current: NumberedLink | undefined
  #heldFor: HeldRemote | undefined
  /** Over this link. */
  #told = ''

  constructor(ports: ConnectionPorts, address: RemoteAddress, events: ConnectionEvents) {
    this.#ports = ports
    this.#address = address
    this.#events = events
    this.#records = new ConnectionRecords(ports, this.remote)
    this.#rights = new RecordRights(this.remote, ports.view, Date.now)
    this.#calls = new OwnerCallHandlers(ports, this.remote, {
      rights: this.#rights,
      records: this.#records,
      token: () => this.#state.token,
    })
    this.#following = new Following({ remote: this.remote, log: ports.log, authorities: ports.authorities })
  }

  get remote(): NodeName {
    return this.#address.node as NodeName
  }

  /** Tries until it is there or the time is over; throws why it is not. */
  async open(timeoutMs: number): Promise<void> {
    this.#feed({ kind: 'start', timeoutMs })
    await this.#until(() => !isTried(this.#state))
    const why = connectionTrouble(this.#state)
    if (why !== undefined) throw new Error(why)
  }

  /** What this daemon's earlier life held is mended as one that broke. Answers whether it is there again. */
  async resume(): Promise<boolean> {
    this.#feed({ kind: 'take-up' })
    return (await this.trouble()) === undefined
  }

  /** What it believes and shows, while it is connected. */
  get pki(): HostPki | undefined {
    return this.#upLink === undefined ? undefined : this.#following.pki
  }

  /** With another certificate of this node's: as a connection that broke, which is made anew at once. */
  renew(): void {
    this.#upLink?.close()
  }

  /** This node believes other authorities by now. */
  followAuthority(): void {
    const link = this.#upLink
    if (link !== undefined) void this.#following.bring(link)
  }

  /** Undefined while it lives; else why not. One that is just being made anew is waited for. */
  async trouble(): Promise<string | undefined> {
    await this.#until(() => !isMended(this.#state))
    return connectionTrouble(this.#state)
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
    await this.#until(() => !isMended(this.#state))
    return this.#upLink
  }

  /** Another node is about to take it: that is no loss. */
  handOver(): void {
    this.#feed({ kind: 'hand-over' })
  }

  /** In order, where this node still holds it: the remote node is down then, as the cluster sees it. */
  async close(): Promise<void> {
    this.#feed({ kind: 'close' })
    await this.#until(() => this.#state.phase.kind === 'over')
  }

  /** The daemon ends: the remote node waits for whoever comes. */
  abandon(): void {
    this.#feed({ kind: 'abandon' })
  }

  /** For whoever follows what was begun there: as long as this node holds the connection. */
  get held(): HeldRemote | undefined {
    const link = this.#upLink
    if (this.#heldFor?.link !== link)
      this.#heldFor =
        link === undefined ? undefined : { remote: this.remote, link, owned: this.#records.owned(this.#state.token) }
    return this.#heldFor
  }

  /** Who must not own it any more, and from where nodes come. Once it is owned, when a long list is no message of a stranger's; a remote node of an older version ignores it. */
  tellList(): void {
    const { log, revoked, members } = this.#ports
    const known = members()
    const list = { revoked: revoked(), ...(known === undefined ? {} : { members: known }) }
    const text = JSON.stringify(list)
    const link = this.#upLink
    if (link === undefined || text === this.#told) return
    this.#told = text
    link
      .call('own', { ...this.#ownership(this.#state.token), ...list })
      .catch((error: unknown) =>
        log.info('a remote node did not receive the list of nodes', { remote: this.remote, error }),
      )
  }

  get #upLink(): RemoteLink | undefined {
    return this.#state.phase.kind === 'up' ? this.#current?.link : undefined
  }

  async #until(isOver: () => boolean): Promise<void> {
    while (!isOver()) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  // ------------------------------------------------------------------ the core's hands

  /** What an effect feeds back at once waits its turn. */
  #feed(input: ConnectionInput): void {
    this.#inputs.push(input)
    if (this.#busy) return
    this.#busy = true
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
        const { state, effects } = connectionStep(this.#state, next, this.#seen())
        this.#state = state
        for (const effect of effects) this.#perform(effect)
      }
    } finally {
      this.#busy = false
    }
    this.#arm()
    const told = [...this.#waiting]
    this.#waiting.clear()
    for (const tell of told) tell()
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const at = nextConnectionAt(this.#state)
    if (at === undefined) return
    // A timer may come a moment early, and is then set again.
    const leftMs = Math.max(1, Math.ceil(at - performance.now()))
    this.#timer = setTimeout(() => this.#feed({ kind: 'time' }), leftMs)
  }

  #seen() {
    const { configuration, nodeStates } = this.#ports.view()
    const { typed } = configuration ?? {}
    return {
      now: monotonicMs(performance.now()),
      isWanted: typed === undefined || isConnectionWanted(typed, this.remote),
      isConfigured: typed === undefined || connectedNodeNames(typed).includes(this.remote),
      isRecordedUp: nodeStates.get(this.remote)?.inCcm === true,
    }
  }

  #perform(effect: ConnectionEffect): void {
    switch (effect.kind) {
      case 'claim':
        void this.#claim(effect.onlyIfOwn)
        return
      case 'dial':
        void this.#dial(effect.attempt)
        return
      case 'own':
        void this.#own(effect)
        return
      case 'record-up':
        void this.#recordUp(effect)
        return
      case 'record-down':
        void this.#recordDown(effect)
        return
      case 'release':
        void this.#release()
        return
      case 'hang-up':
        this.#hangUp(effect.attempt)
        return
      case 'connected':
      case 'broke':
      case 'lost':
      case 'taken':
        this.#tell(effect)
        return
      default:
        effect satisfies never
    }
  }

  async #claim(onlyIfOwn: boolean): Promise<void> {
    try {
      const token = await this.#records.claim(onlyIfOwn)
      if (token === undefined) this.#feed({ kind: 'not-claimed', why: 'This node is not a member of the cluster now' })
      else this.#feed({ kind: 'claimed', token })
    } catch (error) {
      this.#feed({ kind: 'not-claimed', why: wordsOf(error) })
    }
  }

  async #dial(attempt: number): Promise<void> {
    const taken = (by: string): void => this.#feed({ kind: 'taken', attempt, by })
    try {
      const link = await connectRemote(
        this.#address,
        this.#ports.identity(),
        this.#calls.handlers(taken),
        ({ reason, hostAnswered }) => this.#feed({ kind: 'failed', attempt, why: reason, hostAnswered }),
      )
      const before = this.#current
      this.#current = { attempt, link }
      before?.link.close()
      this.#feed({ kind: 'dialled', attempt })
    } catch (error) {
      const hostAnswered = !(error instanceof RemoteUnreachableError) || error.hostAnswered
      this.#feed({ kind: 'failed', attempt, why: wordsOf(error), hostAnswered })
    }
  }

  async #own({ attempt, token }: Extract<ConnectionEffect, { readonly kind: 'own' }>): Promise<void> {
    try {
      const answer = await this.#current?.link.call('own', this.#ownership(token))
      const { accepted = false, incarnation, bootId } = answer ?? {}
      const life = { incarnation: String(incarnation), ...(bootId !== undefined && { [bootAttribute]: bootId }) }
      this.#feed({ kind: 'owned', attempt, accepted, life })
    } catch (error) {
      this.#feed({ kind: 'failed', attempt, why: wordsOf(error), hostAnswered: true })
    }
  }

  #ownership(token: number): RequestTo<'own'> {
    const { self, view } = this.#ports
    return { owner: self, token, firstCallId: nextCallId(view().operations.values(), this.remote) }
  }

  async #recordUp({ attempt, token, life }: Extract<ConnectionEffect, { readonly kind: 'record-up' }>): Promise<void> {
    try {
      this.#feed({ kind: 'recorded', attempt, applied: await this.#records.up(token, life) })
    } catch (error) {
      this.#feed({ kind: 'failed', attempt, why: wordsOf(error), hostAnswered: true })
    }
  }

  async #recordDown({ token, forgets }: Extract<ConnectionEffect, { readonly kind: 'record-down' }>): Promise<void> {
    try {
      await this.#records.down(token, forgets)
    } catch (error) {
      // Without quorum; whoever starts the connection next writes what is then true.
      this.#ports.log.warn('that a remote node is down could not be recorded', { remote: this.remote, error })
    }
    this.#feed({ kind: 'recorded-down' })
  }

  async #release(): Promise<void> {
    await this.#current?.link.call('release', {}).catch(() => undefined)
    this.#feed({ kind: 'released' })
  }

  #hangUp(attempt: number): void {
    if (this.#current?.attempt !== attempt) return
    const { link } = this.#current
    this.#current = undefined
    link.close()
  }

  #tell(effect: Extract<ConnectionEffect, { readonly kind: 'connected' | 'broke' | 'lost' | 'taken' }>): void {
    const { log, connected } = this.#ports
    const { remote } = this
    switch (effect.kind) {
      case 'connected':
        log.info('a remote node is connected', { remote, revision: this.#state.token })
        this.#told = ''
        this.tellList()
        this.followAuthority()
        connected()
        return
      case 'broke':
        log.warn('the connection to a remote node broke', { remote, reason: effect.why })
        this.#events.onBroken()
        return
      case 'lost':
        log.warn('the connection to a remote node is lost', { remote, reason: effect.why })
        this.#events.onLost()
        return
      case 'taken':
        log.info('another node holds the connection to a remote node', { remote, by: effect.by })
        if (effect.isLoss) this.#events.onLost()
        return
      default:
        effect satisfies never
    }
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

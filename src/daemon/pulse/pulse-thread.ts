/**
 * The pulse thread: heartbeats to and from the other daemons, and the keep-alive of this node's lease. Nothing else runs
 * here, so that no work of the main thread (let alone of the planner) ever makes this node look dead.
 */
import { parentPort } from 'node:worker_threads'
import { assertNever, defined, type NodeName, OutsideError } from '../../base/index.ts'
import {
  agreedSilence,
  deadLinks,
  type HeartbeatInput,
  type HeartbeatState,
  type HeartbeatTimings,
  heartbeatStep,
  initialHeartbeat,
  initialLinks,
  isWhollyBroken,
  type LinksInput,
  type LinksState,
  linksStep,
  linkViews,
  nextHeartbeatAt,
  nextLinksAt,
  type PeerLink,
  peerViews,
  silentLinks,
} from '../../membership/index.ts'
import { linkReserveMs } from '../../quorum/index.ts'
import type { TlsIdentity } from '../../rpc/index.ts'
import { createStore, type EndpointAddress } from '../../store/index.ts'
import { Alarm } from '../host/alarm.ts'
import { monotonicNow } from '../host/clock.ts'
import { Seldom } from '../host/seldom.ts'
import { Cutter } from './cutter.ts'
import type { Door } from './door.ts'
import { Lease } from './lease.ts'
import { Links } from './links.ts'
import type { FromPulse, PulseSetup, ToPulse } from './messages.ts'
import { isFenced } from './own-disk-fencing.ts'
import { WatchdogFeeder } from './watchdog-feeder.ts'

const port = defined(parentPort ?? undefined, 'the port to the main thread')
const tell = (message: FromPulse): void => port.postMessage(message)

class PulseThread {
  readonly #setup: PulseSetup
  readonly #links: Links
  readonly #lease: Lease
  readonly watchdog: WatchdogFeeder
  #state: HeartbeatState
  #linksState: LinksState
  #peers: PulseSetup['peers'] = []
  readonly #cuts = new Cutter(tell)
  /** Pulses that come in do not put a tick off, and only a tick tells the calendar. */
  readonly #alarm = new Alarm(() => this.#feed({ kind: 'tick', calendarMs: Date.now() }))
  readonly #badMessages = new Seldom()
  #left = false

  constructor(setup: PulseSetup, door: Door) {
    const { node, incarnation, timings } = setup
    this.#setup = setup
    const store = createStore(setup.store)
    this.watchdog = new WatchdogFeeder(tell, async (word) => await isFenced(store, word))
    const told = (message: FromPulse): void => {
      // First the watchdog: it is fed for no longer than this node has quorum.
      if (message.kind === 'quorum') this.watchdog.feed(message)
      tell(message)
    }
    this.#lease = new Lease(store, timings, told, setup.held)
    this.#state = initialHeartbeat({ self: node, incarnation, timings }, monotonicNow())
    this.#linksState = initialLinks(timings)
    this.#links = new Links(
      node,
      setup.identity,
      {
        onPulse: (pulse, link, unheard, reached) => {
          // First what notices that this node stood still: its links were not silent then.
          this.#feed({ kind: 'pulse', pulse })
          this.#feedLinks({ kind: 'pulse', from: { node: pulse.node, link }, unheard, reached })
        },
        onBadMessage: (from, link, what) => {
          if (this.#badMessages.mayTell(from, performance.now())) tell({ kind: 'bad-message', from, link, what })
        },
        onNotListening: (link, error) => tell({ kind: 'not-listening', link, error }),
        onConnectionFailed: (peer, link, how) => {
          // Of a link that was just removed, whose connections its host closes.
          if (!this.#peers.some((one) => one.node === peer && one.link === link)) return
          this.#feedLinks({ kind: 'broken', at: { node: peer, link } })
          if (isWhollyBroken(this.#linksState, peer, monotonicNow()))
            this.#feed({ kind: 'connection-failed', peer, how })
        },
      },
      () => this.#lease.isHeld,
    )
    this.#links.hearThrough(door)
  }

  async start(): Promise<void> {
    const { listen, door, peers } = this.#setup
    // The way to the others is opened while the door is still being hung.
    this.#links.connect(peers)
    await this.listen(listen, door)
    this.setNodes(peers, { members: namesOf(peers) })
    // First the others hear this node, then they see it among the members: the other way round it would look silent.
    setTimeout(() => this.#lease.feed({ kind: 'tick' }), this.#setup.timings.heartbeatIntervalMs)
  }

  setNodes(
    peers: PulseSetup['peers'],
    { members, restarting = [] }: { readonly members: readonly NodeName[]; readonly restarting?: readonly NodeName[] },
  ): void {
    this.#peers = peers
    this.#links.connect(peers)
    this.#feedLinks({ kind: 'links', links: peers })
    const hasSeveral = this.#linksState.peers.size > 0
    if (hasSeveral) this.#cuts.prepare()
    this.#lease.keepInReserve(hasSeveral ? linkReserveMs : undefined)
    this.#feed({ kind: 'nodes', peers: namesOf(peers), members, restarting })
  }

  async listen(listen: PulseSetup['listen'], door: PulseSetup['door']): Promise<void> {
    try {
      await this.#links.listen(listen, door)
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error
      tell({ kind: 'cannot-hear', why: error.message })
    }
  }

  useTimings(timings: HeartbeatTimings): void {
    const { tokenMs, heartbeatIntervalMs } = this.#state.timings
    if (timings.tokenMs !== tokenMs || timings.heartbeatIntervalMs !== heartbeatIntervalMs)
      this.#feed({ kind: 'timings', timings })
    this.#feedLinks({ kind: 'timings', timings })
  }

  async useIdentity(identity: TlsIdentity): Promise<void> {
    await this.#links.useIdentity(identity)
    tell({ kind: 'identity-used' })
  }

  release(): void {
    this.#lease.release()
  }

  useEndpoints(endpoints: readonly EndpointAddress[]): void {
    if (endpoints.length > 0) this.#lease.useEndpoints(endpoints)
  }

  async leave(): Promise<void> {
    this.#left = true
    this.#alarm.cancel()
    this.#cuts.close()
    await this.#lease.leave()
    await this.#links.close()
    tell({ kind: 'left' })
  }

  #feed(input: HeartbeatInput): void {
    if (this.#left) return
    const now = monotonicNow()
    const { state, effects } = heartbeatStep(this.#state, input, now)
    this.#state = state
    for (const effect of effects)
      if (effect.kind === 'send-pulse') this.#links.send(effect.to, effect.pulse, silentLinks(this.#linksState, now))
      else if (effect.kind === 'view-changed') this.#tellView()
      else {
        this.#feedLinks({ kind: 'paused' })
        this.#lease.feed({ kind: 'doubt' })
        tell(effect)
      }
    if (input.kind === 'tick') this.#feedLinks(input)
    this.#alarm.set(nextHeartbeatAt(state))
  }

  #feedLinks(input: LinksInput): void {
    if (this.#left) return
    const now = monotonicNow()
    const { state, effects } = linksStep(this.#linksState, input, now)
    this.#linksState = state
    for (const { kind } of effects)
      if (kind === 'links-changed') tell({ kind: 'links', links: linkViews(state, now) })
      else this.#giveUp(deadLinks(state, now))
    this.#alarm.set(nextLinksAt(state, now))
  }

  #giveUp(dead: readonly PeerLink[]): void {
    const ends = this.#peers.filter((peer) => dead.some(({ node, link }) => node === peer.node && link === peer.link))
    this.#cuts.set(ends.map(({ host, connections }) => ({ host, ports: connections })))
  }

  #tellView(): void {
    const now = monotonicNow()
    tell({ kind: 'view', peers: peerViews(this.#state, now), agreedSilent: agreedSilence(this.#state, now) })
  }
}

const namesOf = (peers: PulseSetup['peers']): readonly NodeName[] => [...new Set(peers.map(({ node }) => node))]

export function runPulse(setup: PulseSetup, door: Door): void {
  const thread = new PulseThread(setup, door)
  port.on('message', (message: ToPulse) => {
    switch (message.kind) {
      case 'nodes':
        thread.useEndpoints(message.endpoints)
        thread.useTimings(message.timings)
        void thread.listen(message.listen, message.door)
        thread.setNodes(message.peers, message)
        return
      case 'release':
        thread.release()
        return
      case 'identity':
        void thread.useIdentity(message.identity)
        return
      case 'watchdog-arm':
        thread.watchdog.arm(message)
        return
      case 'watchdog-disk-read':
        thread.watchdog.feed({ kind: 'disk-read', disk: message.disk, until: message.until })
        return
      case 'watchdog-permit':
        thread.watchdog.feed({ kind: 'permit', permit: message.permit })
        return
      case 'watchdog-disarm':
        thread.watchdog.feed({ kind: 'disarm' })
        return
      case 'leave':
        void thread.leave().then(() => port.close())
        return
      default:
        assertNever(message)
    }
  })
  void thread.start()
}

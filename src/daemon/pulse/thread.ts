/**
 * The pulse thread: heartbeats to and from the other daemons, and the keep-alive of this node's lease. Nothing else runs
 * here, so that no work of the main thread (let alone of the planner) ever makes this node look dead.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assertNever, defined, type NodeName } from '../../base/index.ts'
import {
  agreedSilence,
  type HeartbeatInput,
  type HeartbeatState,
  type HeartbeatTimings,
  heartbeatStep,
  initialHeartbeat,
  nextHeartbeatAt,
  peerViews,
} from '../../membership/index.ts'
import { createStore, type EndpointAddress } from '../../store/index.ts'
import { Alarm } from '../host/alarm.ts'
import { monotonicNow } from '../host/clock.ts'
import { Lease } from './lease.ts'
import { Links } from './links.ts'
import type { FromPulse, PulseSetup, ToPulse } from './messages.ts'
import { WatchdogFeeder } from './watchdog-feeder.ts'

const port = defined(parentPort ?? undefined, 'the port to the main thread')
const tell = (message: FromPulse): void => port.postMessage(message)

class PulseThread {
  readonly #setup: PulseSetup
  readonly #links: Links
  readonly #lease: Lease
  readonly watchdog = new WatchdogFeeder(tell)
  #state: HeartbeatState
  /** Pulses that come in do not put a tick off, and only a tick tells the calendar. */
  readonly #alarm = new Alarm(() => this.#feed({ kind: 'tick', calendarMs: Date.now() }))
  #left = false

  constructor(setup: PulseSetup) {
    const { node, incarnation, timings } = setup
    this.#setup = setup
    const told = (message: FromPulse): void => {
      // First the watchdog: it is fed for no longer than this node has quorum.
      if (message.kind === 'quorum') this.watchdog.feed(message)
      tell(message)
    }
    this.#lease = new Lease(createStore(setup.store), timings, told, setup.held)
    this.#state = initialHeartbeat({ self: node, incarnation, timings }, monotonicNow())
    this.#links = new Links(node, setup.identity, {
      onPulse: (pulse) => this.#feed({ kind: 'pulse', pulse }),
      onConnectionFailed: (peer, how) => this.#feed({ kind: 'connection-failed', peer, how }),
    })
  }

  async start(): Promise<void> {
    const { listen, peers } = this.#setup
    await this.#links.listen(listen)
    const names = peers.map(({ node }) => node)
    this.setNodes(peers, names)
    // First the others hear this node, then they see it among the members: the other way round it would look silent.
    setTimeout(() => this.#lease.feed({ kind: 'tick' }), this.#setup.timings.heartbeatIntervalMs)
  }

  setNodes(peers: PulseSetup['peers'], members: readonly NodeName[]): void {
    this.#links.connect(peers)
    this.#feed({ kind: 'nodes', peers: peers.map(({ node }) => node), members })
  }

  useTimings(timings: HeartbeatTimings): void {
    const { tokenMs, heartbeatIntervalMs } = this.#state.timings
    if (timings.tokenMs !== tokenMs || timings.heartbeatIntervalMs !== heartbeatIntervalMs)
      this.#feed({ kind: 'timings', timings })
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
    await this.#lease.leave()
    await this.#links.close()
    tell({ kind: 'left' })
  }

  #feed(input: HeartbeatInput): void {
    if (this.#left) return
    const { state, effects } = heartbeatStep(this.#state, input, monotonicNow())
    this.#state = state
    for (const effect of effects)
      if (effect.kind === 'send-pulse') this.#links.send(effect.to, effect.pulse)
      else if (effect.kind === 'view-changed') this.#tellView()
      else {
        this.#lease.feed({ kind: 'doubt' })
        tell(effect)
      }
    this.#alarm.set(nextHeartbeatAt(state))
  }

  #tellView(): void {
    const now = monotonicNow()
    tell({ kind: 'view', peers: peerViews(this.#state, now), agreedSilent: agreedSilence(this.#state, now) })
  }
}

const thread = new PulseThread(workerData as PulseSetup)
port.on('message', (message: ToPulse) => {
  switch (message.kind) {
    case 'nodes':
      thread.useEndpoints(message.endpoints)
      thread.useTimings(message.timings)
      thread.setNodes(message.peers, message.members)
      return
    case 'release':
      thread.release()
      return
    case 'watchdog-arm':
      thread.watchdog.arm(message.device, message.timeoutMs)
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

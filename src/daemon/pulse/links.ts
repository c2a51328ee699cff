/** The heartbeat connections: on each link one stream out to each peer, kept up; one stream in from each. */
import { setTimeout as delay } from 'node:timers/promises'
import { type NodeName, nodeName, onDemand } from '../../base/index.ts'
import type { PeerLink, Pulse } from '../../membership/index.ts'
import {
  type DoorRule,
  framePulse,
  openPulseStream,
  type Pulse as PulseMessage,
  type PulseStream,
  type TlsIdentity,
} from '../../rpc/index.ts'
import type { Door } from './door.ts'
import type { PulseListen, PulsePeer } from './messages.ts'

export interface LinkEvents {
  /** `link`: on which it came. `unheard`: on which links its sender hears nothing of this node. `reached`: whether this node's own stream to it is open there. */
  readonly onPulse: (pulse: Pulse, link: number, unheard: readonly number[], reached: boolean) => void
  readonly onNotListening: (link: number, error: string) => void
  readonly onConnectionFailed: (peer: NodeName, link: number, how: 'refused' | 'reset') => void
  readonly onBadMessage: (caller: string, link: number, what: string) => void
}

const reconnectMs = 100
/**
 * A network that drops long packets and tells nobody (a switch with a smaller MTU) lets heartbeats pass, and nothing that matters. What waits for
 * a packet that never arrives holds up all that follows in its connection: so one long pulse now and then is enough for that link to be silent.
 * It is the first that a connection carries, too: certificates fit into packets of 1500 bytes, and a link of nodes with larger ones would be heard
 * after each new connection, until its first long pulse.
 */
const longPulseEveryMs = 5000
/** More than a packet on networks with jumbo frames. */
const longPulse = ' '.repeat(9000)

export class Links {
  readonly #self: NodeName
  readonly #isCurrent: () => boolean
  #identity: TlsIdentity
  /** As the list of nodes has them now. */
  #keys: ReadonlyMap<NodeName, readonly string[] | undefined> = new Map()
  readonly #events: LinkEvents
  #door: Door | undefined
  readonly #open = new Map<string, KeptUp>()
  readonly #streams = new Map<NodeName, Map<number, PulseStream>>()
  readonly #begun = new WeakSet<PulseStream>()
  #longPulseAt = 0

  /** `isCurrent`: whether the list of nodes is that of the store. A node that was away may know others by keys that they have no more, and hears of that only by them. */
  constructor(self: NodeName, identity: TlsIdentity, events: LinkEvents, isCurrent: () => boolean) {
    this.#isCurrent = isCurrent
    this.#self = self
    this.#identity = identity
    this.#events = events
  }

  /** By which the others are heard. */
  hearThrough(door: Door): void {
    this.#door = door
    door.tell({
      onPulse: (message, caller, link) => this.#hear(message, caller, link),
      onBadMessage: (caller, link, what) => this.#events.onBadMessage(caller, link, what),
      onBroken: (caller, link) => this.#events.onConnectionFailed(nodeName(caller), link, 'reset'),
      onNotListening: (link, error) => this.#events.onNotListening(link, error),
    })
  }

  async listen(wanted: readonly PulseListen[], rule: DoorRule): Promise<void> {
    await this.#door?.listen(wanted, rule)
  }

  /** Opens streams to new peers and closes those to peers that are gone or have moved, or from an address that this node had. */
  connect(peers: readonly PulsePeer[]): void {
    this.#keys = new Map(peers.map(({ node, keys }) => [node, keys] as const))
    this.#door?.hear(peers.map(({ node, keys }) => ({ name: node, ...(keys === undefined ? {} : { keys }) })))
    for (const [key, { peer, close }] of this.#open) {
      const wanted = peers.find((one) => keyOf(one) === key)
      if (wanted && wanted.host === peer.host && wanted.port === peer.port && wanted.from === peer.from) continue
      close()
      this.#open.delete(key)
    }
    for (const peer of peers) if (!this.#open.has(keyOf(peer))) this.#open.set(keyOf(peer), this.#keepUp(peer))
  }

  /** Another certificate of this node's, and what it believes: new connections beside those that are open, which end when their successors are heard. */
  async useIdentity(identity: TlsIdentity): Promise<void> {
    this.#identity = identity
    this.#door?.useIdentity(identity)
    await Promise.all([...this.#open.values()].map(async ({ renew }) => await renew()))
  }

  send(to: readonly NodeName[], pulse: Pulse, silentLinks: readonly PeerLink[]): void {
    const isDue = this.#isLongPulseDue()
    const short = onDemand(() => framePulse({ ...pulse, silentLinks, padding: '' }))
    const long = onDemand(() => framePulse({ ...pulse, silentLinks, padding: longPulse }))
    for (const node of to)
      for (const stream of this.#streams.get(node)?.values() ?? []) {
        if (!stream.isOpen()) continue
        stream.send(isDue || !this.#begun.has(stream) ? long() : short())
        this.#begun.add(stream)
      }
  }

  #isLongPulseDue(): boolean {
    const now = performance.now()
    if (now < this.#longPulseAt) return false
    this.#longPulseAt = now + longPulseEveryMs
    return true
  }

  async close(): Promise<void> {
    for (const { close } of this.#open.values()) close()
    this.#open.clear()
    await this.#door?.close()
  }

  #hear(message: PulseMessage, caller: string, link: number): void {
    const unheard = message.silentLinks.filter(({ node }) => node === this.#self).map((silent) => silent.link)
    const hearsThisNode = !message.silent.includes(this.#self) && !unheard.includes(link)
    const stream = this.#streams.get(nodeName(caller))?.get(link)
    stream?.heardPeer(hearsThisNode)
    this.#events.onPulse(pulseOf(message), link, unheard, stream?.isOpen() ?? false)
  }

  #keepUp(peer: PulsePeer): KeptUp {
    const { node, link } = peer
    const { keys: _known, ...address } = peer
    const streams = this.#streams.get(node) ?? new Map<number, PulseStream>()
    this.#streams.set(node, streams)
    let retry: NodeJS.Timeout | undefined
    let closed = false
    const make = (onEnd: (stream: PulseStream, hostAnswered: boolean) => void): PulseStream => {
      const at = { ...address, keys: () => (this.#isCurrent() ? this.#keys.get(node) : undefined) }
      const stream: PulseStream = openPulseStream(at, this.#identity, (hostAnswered) => onEnd(stream, hostAnswered))
      return stream
    }
    const ended = (stream: PulseStream, hostAnswered: boolean): void => {
      if (closed || streams.get(link) !== stream) return
      streams.delete(link)
      if (hostAnswered) this.#events.onConnectionFailed(node, link, 'refused')
      retry = setTimeout(open, reconnectMs)
    }
    const open = (): void => void streams.set(link, make(ended))
    const renew = async (): Promise<void> => {
      const before = streams.get(link)
      if (!before?.isOpen()) {
        clearTimeout(retry)
        before?.close()
        return open()
      }
      const end = performance.now() + renewWithinMs
      while (!closed && streams.get(link) === before && performance.now() < end) {
        const next = make(ended)
        if (await isTaken(next)) {
          if (closed || streams.get(link) !== before) return next.close()
          streams.set(link, next)
          return before.close()
        }
        next.close()
        await delay(reconnectMs)
      }
    }
    open()
    const close = (): void => {
      closed = true
      clearTimeout(retry)
      streams.get(link)?.close()
      streams.delete(link)
    }
    return { peer, renew, close }
  }
}

interface KeptUp {
  readonly peer: PulsePeer
  /** Resolves when no connection shows the certificate of before, or cannot be replaced for long. */
  readonly renew: () => Promise<void>
  readonly close: () => void
}

/** The list of nodes, where the other looks for the key, has a way of its own to it. */
const renewWithinMs = 20_000
/** Who is not known by its key is hung up on after the handshake. */
const takenAfterMs = 300
const openWithinMs = 2500

/** It is open, and stays so: the other goes on with it. */
async function isTaken(stream: PulseStream): Promise<boolean> {
  const end = performance.now() + openWithinMs
  while (!stream.isOpen() && performance.now() < end) await delay(20)
  await delay(takenAfterMs)
  return stream.isOpen()
}

const keyOf = ({ node, link }: PulsePeer): string => `${node} ${link}`

function pulseOf({ node, incarnation, sequence, silent }: PulseMessage): Pulse {
  return { node: nodeName(node), incarnation, sequence, silent: silent.map(nodeName) }
}

/** The heartbeat connections: on each link one stream out to each peer, kept up; one stream in from each. */
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
import { Door } from './door.ts'
import type { PulseListen, PulsePeer } from './messages.ts'

export interface LinkEvents {
  /** `link`: on which it came. `deaf`: on which links its sender hears nothing of this node. `reached`: whether this node's own stream to it is open there. */
  readonly onPulse: (pulse: Pulse, link: number, deaf: readonly number[], reached: boolean) => void
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
  readonly #identity: TlsIdentity
  readonly #events: LinkEvents
  #door: Door | undefined
  readonly #open = new Map<string, { readonly peer: PulsePeer; readonly close: () => void }>()
  readonly #streams = new Map<NodeName, Map<number, PulseStream>>()
  readonly #begun = new WeakSet<PulseStream>()
  #longPulseAt = 0

  constructor(self: NodeName, identity: TlsIdentity, events: LinkEvents) {
    this.#self = self
    this.#identity = identity
    this.#events = events
  }

  async listen(wanted: readonly PulseListen[], rule: DoorRule): Promise<void> {
    this.#door ??= new Door(
      { identity: this.#identity },
      {
        onPulse: (message, caller, link) => this.#hear(message, caller, link),
        onBadMessage: (caller, link, what) => this.#events.onBadMessage(caller, link, what),
        onBroken: (caller, link) => this.#events.onConnectionFailed(nodeName(caller), link, 'reset'),
        onNotListening: (link, error) => this.#events.onNotListening(link, error),
      },
    )
    await this.#door.listen(wanted, rule)
  }

  /** Opens streams to new peers and closes those to peers that are gone or have moved, or from an address that this node had. */
  connect(peers: readonly PulsePeer[]): void {
    this.#door?.hear(peers.map(({ node, keys }) => ({ name: node, ...(keys === undefined ? {} : { keys }) })))
    for (const [key, { peer, close }] of this.#open) {
      const wanted = peers.find((one) => keyOf(one) === key)
      if (wanted && wanted.host === peer.host && wanted.port === peer.port && wanted.from === peer.from) continue
      close()
      this.#open.delete(key)
    }
    for (const peer of peers) if (!this.#open.has(keyOf(peer))) this.#open.set(keyOf(peer), this.#keepUp(peer))
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
    const deaf = message.silentLinks.filter(({ node }) => node === this.#self).map((silent) => silent.link)
    const hearsThisNode = !message.silent.includes(this.#self) && !deaf.includes(link)
    const stream = this.#streams.get(nodeName(caller))?.get(link)
    stream?.heardPeer(hearsThisNode)
    this.#events.onPulse(pulseOf(message), link, deaf, stream?.isOpen() ?? false)
  }

  #keepUp(peer: PulsePeer): { readonly peer: PulsePeer; readonly close: () => void } {
    const { node, link } = peer
    const streams = this.#streams.get(node) ?? new Map<number, PulseStream>()
    this.#streams.set(node, streams)
    let retry: NodeJS.Timeout | undefined
    const open = (): void => {
      const stream = openPulseStream(peer, this.#identity, (hostAnswered) => {
        streams.delete(link)
        if (hostAnswered) this.#events.onConnectionFailed(node, link, 'refused')
        retry = setTimeout(open, reconnectMs)
      })
      streams.set(link, stream)
    }
    open()
    const close = (): void => {
      clearTimeout(retry)
      streams.get(link)?.close()
      streams.delete(link)
    }
    return { peer, close }
  }
}

const keyOf = ({ node, link }: PulsePeer): string => `${node} ${link}`

function pulseOf({ node, incarnation, sequence, silent }: PulseMessage): Pulse {
  return { node: nodeName(node), incarnation, sequence, silent: silent.map(nodeName) }
}

/** The heartbeat connections: one stream out to each peer, kept up; one stream in from each. */
import { type NodeName, nodeName } from '../../base/index.ts'
import type { Pulse } from '../../membership/index.ts'
import {
  framePulse,
  openPulseStream,
  type Pulse as PulseMessage,
  type PulseStream,
  servePulses,
  type TlsIdentity,
} from '../../rpc/index.ts'
import type { PulsePeer } from './messages.ts'

export interface LinkEvents {
  readonly onPulse: (pulse: Pulse) => void
  readonly onConnectionFailed: (peer: NodeName, how: 'refused' | 'reset') => void
}

const reconnectMs = 100

export class Links {
  readonly #self: NodeName
  readonly #identity: TlsIdentity
  readonly #events: LinkEvents
  readonly #open = new Map<NodeName, { readonly peer: PulsePeer; readonly close: () => void }>()
  readonly #streams = new Map<NodeName, PulseStream>()
  #server: { readonly close: () => Promise<void> } | undefined

  constructor(self: NodeName, identity: TlsIdentity, events: LinkEvents) {
    this.#self = self
    this.#identity = identity
    this.#events = events
  }

  async listen(at: { readonly host: string; readonly port: number }): Promise<void> {
    this.#server = await servePulses(
      { ...at, identity: this.#identity },
      {
        onPulse: (message, caller) => {
          // A node speaks for itself only.
          if (message.node !== caller) return
          this.#streams.get(nodeName(caller))?.heardPeer(!message.silent.includes(this.#self))
          this.#events.onPulse(pulseOf(message))
        },
        onBroken: (caller) => this.#events.onConnectionFailed(nodeName(caller), 'reset'),
      },
    )
  }

  /** Opens streams to new peers and closes those to peers that are gone or have moved. */
  connect(peers: readonly PulsePeer[]): void {
    for (const [node, { peer, close }] of this.#open) {
      const wanted = peers.find((one) => one.node === node)
      if (wanted && wanted.host === peer.host && wanted.port === peer.port) continue
      close()
      this.#open.delete(node)
    }
    for (const peer of peers) if (!this.#open.has(peer.node)) this.#open.set(peer.node, this.#keepUp(peer))
  }

  send(to: readonly NodeName[], pulse: Pulse): void {
    const framed = framePulse(pulse)
    for (const node of to) this.#streams.get(node)?.send(framed)
  }

  async close(): Promise<void> {
    for (const { close } of this.#open.values()) close()
    this.#open.clear()
    await this.#server?.close()
  }

  #keepUp(peer: PulsePeer): { readonly peer: PulsePeer; readonly close: () => void } {
    let retry: NodeJS.Timeout | undefined
    const open = (): void => {
      const stream = openPulseStream(peer, this.#identity, (hostAnswered) => {
        this.#streams.delete(peer.node)
        if (hostAnswered) this.#events.onConnectionFailed(peer.node, 'refused')
        retry = setTimeout(open, reconnectMs)
      })
      this.#streams.set(peer.node, stream)
    }
    open()
    const close = (): void => {
      clearTimeout(retry)
      this.#streams.get(peer.node)?.close()
      this.#streams.delete(peer.node)
    }
    return { peer, close }
  }
}

function pulseOf({ node, incarnation, sequence, silent }: PulseMessage): Pulse {
  return { node: nodeName(node), incarnation, sequence, silent: silent.map(nodeName) }
}

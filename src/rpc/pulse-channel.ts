/**
 * Heartbeats between daemons: one mutual-TLS connection out to each peer, on which nothing but pulses travels, each a protobuf message
 * behind its length. Nothing comes back: whether a peer hears this node is in the pulses that the peer sends. No HTTP/2 and no
 * calls: an idle cluster does little else than this, several times a second (docs/adr/0009-heartbeats.md).
 */
import { connect, type TLSSocket } from 'node:tls'
import { callerOf, type NodeCaller } from './caller.ts'
import type { DoorRule } from './doorman.ts'
import { encode } from './forms/codec.ts'
import { longestPulse, readPulse } from './forms/pulse.ts'
import { BadMessageError } from './forms/words.ts'
import { FrameReader, frame } from './frames.ts'
import type { Pulse } from './generated/systole.ts'
import { type PeerAddress, whyNotPeer } from './peer-client.ts'
import { contextOf, type TlsIdentity, tlsName } from './tls-identity.ts'
import { serveTls, type TlsServer } from './tls-server.ts'

export interface PulseStream {
  /** A pulse as `framePulse` makes it: the same for all peers. */
  readonly send: (framed: Buffer) => void
  /** The peer is heard, and says whether it hears this node. */
  readonly heardPeer: (hearsThisNode: boolean) => void
  /** The peer's daemon has answered at this address. */
  readonly isOpen: () => boolean
  readonly close: () => void
}

export interface PulseListener {
  /** Whether the holder of that key is the node now: asked when it connects, and before each of its pulses. */
  readonly isPeer: (caller: Pick<NodeCaller, 'name' | 'key'>) => boolean
  /** `caller` is the node that the certificate names. */
  readonly onPulse: (pulse: Pulse, caller: string) => void
  /** A connection that had been open was broken by a live host: its daemon has died. */
  readonly onBroken: (caller: string) => void
  /** It said something that is no pulse of its own: its connection was ended. */
  readonly onBadMessage: (caller: string, what: string) => void
}

/** A connection that does not come about, or leads nowhere, is given up after this time. */
const patienceMs = 2000
const lengthBytes = 2
/** So many pulses to a peer that is not heard, or does not hear this node, and for so long, mean that they do not arrive. */
const pulsesInVain = 4

export function servePulses(
  at: { readonly host: string; readonly port: number; readonly identity: TlsIdentity; readonly door?: DoorRule },
  listener: PulseListener,
): Promise<TlsServer> {
  const latest = new Map<string, TLSSocket>()
  return serveTls(at, (socket) => {
    const peer = callerOf(socket.getPeerCertificate())
    if (peer.kind !== 'node' || peer.role !== 'member' || !listener.isPeer(peer)) return void socket.destroy()
    latest.set(peer.name, socket)
    socket.once('close', () => {
      if (latest.get(peer.name) === socket) latest.delete(peer.name)
    })
    // One that has a successor was ended for that: its peer has another certificate, and lives.
    const onBroken = (caller: string): void => {
      if (!latest.has(caller)) listener.onBroken(caller)
    }
    readPulses(socket, peer, { ...listener, onBroken })
  })
}

export function readPulses(socket: TLSSocket, peer: Pick<NodeCaller, 'name' | 'key'>, listener: PulseListener): void {
  const caller = peer.name
  const frames = new FrameReader(lengthBytes)
  let lost = false
  // Its daemon lives: that it is not heard any more says so much, and nothing of its host.
  const end = (): void => {
    lost = true
    socket.destroy()
  }
  socket.setNoDelay(true)
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const message of frames.read(chunk, () => longestPulse)) {
        if (!listener.isPeer(peer)) return end()
        listener.onPulse(readPulse(message, caller), caller)
      }
    } catch (error) {
      if (!(error instanceof BadMessageError)) throw error
      end()
      listener.onBadMessage(caller, error.message)
    }
  })
  // A peer that lost its power closes nothing: its connection would stay for ever.
  socket.setTimeout(5 * patienceMs, () => {
    lost = true
    socket.destroy()
  })
  socket.on('error', (error) => {
    lost = !hostAnswered(error)
  })
  socket.on('close', () => {
    if (!lost) listener.onBroken(caller)
  })
}

/** `onEnd` is called once, with whether the peer's host answered: a refusal or a reset says that it lives without its daemon. */
export function openPulseStream(
  peer: PeerAddress & { readonly from?: string },
  identity: TlsIdentity,
  onEnd: (hostAnswered: boolean, reason: string) => void,
): PulseStream {
  // Certificates name nodes, so a connection can only reach the node that is meant, whatever its address.
  // From the address of this link: its hosts listen to no other.
  const from = peer.from === undefined ? {} : { localAddress: peer.from }
  const socket = connect({
    ...from,
    host: peer.host,
    port: peer.port,
    servername: tlsName(peer.node),
    checkServerIdentity: (name, shown) => whyNotPeer(peer, name, shown),
    secureContext: contextOf(identity),
  })
  let phase: 'opening' | 'open' | 'ended' = 'opening'
  let lastHeardAt = performance.now()
  let inVain = 0
  const end = (answered: boolean, reason: string): void => {
    if (phase === 'ended') return
    phase = 'ended'
    socket.destroy()
    onEnd(answered, reason)
  }
  socket.setNoDelay(true)
  socket.setTimeout(patienceMs, () => end(false, 'no answer'))
  socket.on('secureConnect', () => {
    phase = 'open'
    lastHeardAt = performance.now()
    socket.setTimeout(0)
  })
  // Nothing is sent back, but the end of the connection shows only while it is read.
  socket.resume()
  socket.on('error', (error) => end(hostAnswered(error), error.message))
  socket.on('close', () => end(true, 'the connection was closed'))
  return {
    send: (framed) => {
      if (phase !== 'open') return
      // What a silent peer would get late is of no use to it, and a fresh connection reaches it sooner once it is back.
      const silentMs = performance.now() - lastHeardAt
      if (silentMs > patienceMs && inVain >= pulsesInVain) return end(false, 'no answer')
      inVain++
      socket.write(framed)
    },
    heardPeer: (hearsThisNode) => {
      if (!hearsThisNode) return
      lastHeardAt = performance.now()
      inVain = 0
    },
    isOpen: () => phase === 'open',
    close: () => {
      phase = 'ended'
      socket.destroy()
    },
  }
}

/** Only a live kernel refuses or resets; a time-out or an unreachable network says nothing of the host. */
function hostAnswered(error: Error): boolean {
  return 'code' in error && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(String(error.code))
}

export function framePulse(pulse: Pulse): Buffer {
  const message = encode('Pulse', pulse)
  if (message.length > longestPulse) throw new RangeError(`A pulse of ${message.length} bytes is too long.`)
  return frame(lengthBytes, message)
}

/** Waits for connections by mutual TLS under the cluster's own authority; what is said on them is the caller's matter. */
import { createServer, type TLSSocket } from 'node:tls'
import { type DoorRule, handshakeMs, listenBehindDoor } from './doorman.ts'
import { isWitness, type TlsIdentity, tlsSecrets } from './tls-identity.ts'

export interface TlsServer {
  readonly port: number
  /** For connections from now on; those that are open stay. */
  readonly replaceIdentity: (identity: TlsIdentity) => void
  /** Who may connect from now on. */
  readonly replaceDoor: (door: DoorRule) => void
  /** Breaks the connections that are open. */
  readonly close: () => Promise<void>
}

export async function serveTls(
  at: {
    /** Undefined: every address of this machine. */
    readonly host: string | undefined
    readonly port: number
    readonly identity: TlsIdentity
    /** Absent: everybody may knock. */
    readonly door?: DoorRule
    /** What is spoken inside, where the other side must be told (ALPN). */
    readonly protocols?: readonly string[]
    /** A witness is heard; whoever answers calls refuses it in words. */
    readonly hearsWitness?: boolean
  },
  receive: (socket: TLSSocket) => void,
): Promise<TlsServer> {
  const open = new Set<TLSSocket>()
  const ALPNProtocols = at.protocols === undefined ? {} : { ALPNProtocols: [...at.protocols] }
  const options = {
    ...tlsSecrets(at.identity),
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: handshakeMs,
  }
  const tls = createServer({ ...options, ...ALPNProtocols }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (at.hearsWitness !== true && isWitness(socket.getPeerCertificate().subject)) return void socket.destroy()
    receive(socket)
  })
  const { port, replaceDoor, close } = await listenBehindDoor(tls, at)
  return {
    port,
    replaceIdentity: (identity) => tls.setSecureContext(tlsSecrets(identity)),
    replaceDoor,
    close: async () => {
      const closed = close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/** Waits for connections by mutual TLS under the cluster's own authority; what is said on them is the caller's matter. */
import { once } from 'node:events'
import { createServer, type TLSSocket } from 'node:tls'
import { isWitness, type TlsIdentity, tlsSecrets } from './tls-identity.ts'

export interface TlsServer {
  readonly port: number
  /** For connections from now on; those that are open stay. */
  readonly replaceIdentity: (identity: TlsIdentity) => void
  /** Breaks the connections that are open. */
  readonly close: () => Promise<void>
}

export async function serveTls(
  at: {
    /** Undefined: every address of this machine. */
    readonly host: string | undefined
    readonly port: number
    readonly identity: TlsIdentity
  },
  receive: (socket: TLSSocket) => void,
): Promise<TlsServer> {
  const open = new Set<TLSSocket>()
  const options = { ...tlsSecrets(at.identity), requestCert: true, rejectUnauthorized: true }
  const server = createServer(options, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (isWitness(socket.getPeerCertificate().subject)) return void socket.destroy()
    receive(socket)
  })
  // A stranger who fails the handshake concerns nobody.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.listen(at.port, at.host)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : at.port,
    replaceIdentity: (identity) => server.setSecureContext(tlsSecrets(identity)),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

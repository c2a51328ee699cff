/** The way of a witness to a member, for the calls of its HTTPS API: gRPC inside mutual TLS, by the port of the daemons. The member decides what each caller may do. */
import { connect, type TLSSocket } from 'node:tls'
import { type ClientsOfCallers, connectThrough } from './local-client.ts'
import { type PeerAddress, whyNotPeer } from './peer-client.ts'
import { UnreachableError } from './report.ts'
import { type TlsIdentity, tlsName, tlsSecrets } from './tls-identity.ts'
import { relayProtocol } from './web-metadata.ts'

export interface MemberRelay {
  readonly clients: ClientsOfCallers
  readonly close: () => void
}

const connectWithinMs = 3000

/** Rejects with an UnreachableError; `onEnd` is called once, when an open connection has ended. */
export async function connectRelay(
  member: PeerAddress,
  identity: TlsIdentity,
  onEnd: () => void,
): Promise<MemberRelay> {
  const socket = await opened(member, identity)
  const clients = await connectThrough(socket, onEnd)
  return { clients, close: () => socket.destroy() }
}

async function opened(member: PeerAddress, identity: TlsIdentity): Promise<TLSSocket> {
  const { node, host, port } = member
  return await new Promise((resolve, reject) => {
    const socket = connect({
      ...tlsSecrets(identity),
      host,
      port,
      servername: tlsName(node),
      ALPNProtocols: [relayProtocol],
      checkServerIdentity: (name, shown) => whyNotPeer(member, name, shown),
    })
    const fail = (cause: unknown): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(new UnreachableError(`The daemon on ${node} cannot be reached.`, true, cause))
    }
    const timer = setTimeout(() => fail(new Error('in time')), connectWithinMs)
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      // One of an older version knows nothing of it.
      if (socket.alpnProtocol !== relayProtocol) return fail(new Error('of an older version'))
      clearTimeout(timer)
      socket.off('error', fail)
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
  })
}

/** What the daemon knows the client's certificate of a connection by: asked once for each connection. */

import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { LocalClient } from '../rpc/index.ts'

const longestChain = 6
const askWithinMs = 10_000
const known = new WeakMap<TLSSocket, Promise<string>>()

/** Undefined where the client has shown none. A refusal of the daemon is one of each request. */
export async function shownByCertificate(
  { socket }: IncomingMessage,
  live: () => LocalClient,
): Promise<string | undefined> {
  if (!isEncrypted(socket)) return undefined
  const before = known.get(socket)
  if (before !== undefined) return await before
  const certificates = chainOf(socket)
  if (certificates.length === 0) return undefined
  const asked = live()
    .openCertificate({ certificates, isTrusted: socket.authorized }, { timeoutMs: askWithinMs })
    .then(({ session }) => session)
  known.set(socket, asked)
  // An administrator may add the client while the connection stays.
  asked.catch(() => known.delete(socket))
  return await asked
}

/** The daemon does not know it any more: it is shown again by the next request. */
export const forgetCertificate = ({ socket }: IncomingMessage): void => {
  if (isEncrypted(socket)) known.delete(socket)
}

const isEncrypted = (socket: IncomingMessage['socket']): socket is TLSSocket => 'getPeerX509Certificate' in socket

function chainOf(socket: TLSSocket): readonly string[] {
  const chain: string[] = []
  let next = socket.getPeerX509Certificate()
  while (next !== undefined && chain.length < longestChain) {
    const text = next.raw.toString('base64')
    // An authority is its own issuer.
    if (chain.includes(text)) break
    chain.push(text)
    next = next.issuerCertificate
  }
  return chain
}

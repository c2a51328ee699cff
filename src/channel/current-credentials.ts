import type { PeerCertificate, SecureContext } from 'node:tls'
import { type ChannelCredentials, credentials } from '@grpc/grpc-js'

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>

/**
 * Credentials that are asked for at each handshake, so that a channel that reconnects shows the certificate of then. A handshake that takes longer than
 * the limit has failed and is tried anew.
 */
export function currentCredentials(
  read: () => SecureContext,
  limitMs: number,
  verify: { readonly checkServerIdentity?: (host: string, shown: PeerCertificate) => Error | undefined } = {},
): ChannelCredentials {
  const make = (): ChannelCredentials => credentials.createFromSecureContext(read(), verify)
  const shell = make()
  const create = shell._createSecureConnector.bind(shell)
  shell._createSecureConnector = (...parts): Connector => {
    const first = create(...parts)
    return {
      connect: async (socket) =>
        await within(
          limitMs,
          make()
            ._createSecureConnector(...parts)
            .connect(socket),
        ),
      waitForReady: async () => await first.waitForReady(),
      getCallCredentials: () => first.getCallCredentials(),
      destroy: () => first.destroy(),
    }
  }
  return shell
}

async function within<Result>(limitMs: number, done: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    // grpc-js ends the connection of an attempt that has failed.
    timer = setTimeout(() => reject(new Error(`no TLS within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([done, over])
  } finally {
    clearTimeout(timer)
    done.catch(() => undefined)
  }
}

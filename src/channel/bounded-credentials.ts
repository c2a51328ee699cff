import type { ChannelCredentials } from '@grpc/grpc-js'

type CreateConnector = ChannelCredentials['_createSecureConnector']
type Connector = ReturnType<CreateConnector>

/** The same credentials, with which a handshake that takes longer has failed and is tried anew. */
export function boundedCredentials(given: ChannelCredentials, limitMs: number): ChannelCredentials {
  const create: CreateConnector = given._createSecureConnector.bind(given)
  given._createSecureConnector = (...parts) => bounded(create(...parts), limitMs)
  return given
}

function bounded(connector: Connector, limitMs: number): Connector {
  return {
    connect: async (socket) => await within(limitMs, connector.connect(socket)),
    waitForReady: async () => await connector.waitForReady(),
    getCallCredentials: () => connector.getCallCredentials(),
    destroy: () => connector.destroy(),
  }
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

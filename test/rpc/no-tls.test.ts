/** A host that has accepted a connection and says nothing more: it was frozen, and then lost its power. */
import { createServer, type Server } from 'node:net'
import { createSecureContext } from 'node:tls'
import { Client } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import { currentCredentials } from '../../src/channel/index.ts'

let server: Server | undefined
afterEach(async () => await new Promise((resolve) => server?.close(resolve)))

test('a connection on which TLS does not come about is given up in time, and another one is tried', async () => {
  let connections = 0
  let ended = 0
  server = createServer((socket) => {
    connections++
    socket.on('error', () => undefined)
    socket.on('close', () => void ended++).resume()
  })
  const listening = server
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const address = listening.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const retries = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 100 }
  const client = new Client(
    `127.0.0.1:${port}`,
    currentCredentials(() => createSecureContext(), 200),
    retries,
  )
  try {
    client.getChannel().getConnectivityState(true)
    await expect.poll(() => ended, { timeout: 15_000 }).toBeGreaterThan(0)
    // Whoever wants something of it asks again.
    await expect
      .poll(
        () => {
          client.getChannel().getConnectivityState(true)
          return connections
        },
        { timeout: 15_000 },
      )
      .toBeGreaterThan(1)
  } finally {
    client.close()
  }
})

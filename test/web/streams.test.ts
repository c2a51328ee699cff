/** Streams of clients that have gone take no room. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { bounds } from '../../src/web/bounds.ts'
import { Streams } from '../../src/web/streams.ts'

const source = {
  status: async () => await Promise.resolve({}),
  watch: async (_: () => void, signal: AbortSignal) =>
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
}

test('a client that leaves while it is asked who it is keeps no stream', async () => {
  const streams = new Streams()
  const problems: unknown[] = []
  let answered = 0
  let told = (): void => undefined
  const server = createServer((request, response) => {
    response.once('close', () => {
      streams
        .open(request, response, { token: 't', user: 'token:t', source })
        .catch((error: unknown) => problems.push(error))
        .finally(() => {
          answered += 1
          told()
        })
    })
    request.socket.write('HTTP/1.1 100 Continue\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const most = bounds.streamsOfToken + 1
  const all = new Promise<void>((resolve) => {
    told = () => {
      if (answered === most) resolve()
    }
  })
  for (let number = 0; number < most; number++) {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n'))
    socket.once('data', () => socket.destroy())
  }
  await all
  expect(problems).toEqual([])
  streams.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

test('streams that were asked for behind another one on a connection end with it', async () => {
  const streams = new Streams()
  const problems: unknown[] = []
  const server = createServer((request, response) => {
    streams
      .open(request, response, { token: 't', user: 'token:t', source })
      .catch((error: unknown) => problems.push(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const line = 'GET /api/v1/events HTTP/1.1\r\nHost: a\r\n\r\n'
  for (let number = 0; number < bounds.streamsOfToken + 1; number++)
    await new Promise<void>((resolve) => {
      server.once('connection', (socket) => socket.once('close', () => resolve()))
      const socket = connect(port, '127.0.0.1', () => socket.write(line.repeat(2)))
      socket.once('data', () => socket.destroy())
    })
  expect(problems).toEqual([])
  streams.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

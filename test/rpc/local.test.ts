import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { createConnection, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type ClusterState,
  connectLocal,
  type GrpcServer,
  type LocalClient,
  localService,
  localSocketPath,
  PeerCredentials,
  type PushRequest,
  refuse,
  serveUnixSocket,
} from '../../src/rpc/index.ts'
import { LocalCallers, localRoom, mostBegun, mostCalls } from '../../src/rpc/local-callers.ts'
import { localConnection } from '../../src/rpc/local-connection.ts'
import { NoAnswerError } from '../../src/rpc/report.ts'

let root: string
let client: LocalClient
let server: Pick<GrpcServer, 'close'> | undefined

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'systole-rpc-'))
  mkdirSync(dirname(localSocketPath(root)), { recursive: true })
  client = connectLocal(root)
})

afterEach(async () => {
  vi.restoreAllMocks()
  client.close()
  await server?.close()
  server = undefined
  rmSync(root, { recursive: true, force: true })
})

async function serve(handlers: Record<string, unknown>): Promise<void> {
  const methods = [{ service: localService, handlers }]
  server = await serveUnixSocket(localSocketPath(root), PeerCredentials.open(), methods, () => undefined)
}

const state = {
  configured: true,
  started: true,
  enabled: true,
  clusterName: 'testing',
  localNode: 'alpha',
  quorate: true,
  votes: { present: 2, expected: 3, needed: 2 },
  dc: 'alpha',
  members: [
    {
      node: 'alpha',
      address: '192.0.2.1',
      state: 'member',
      votes: true,
      links: [{ number: 0, address: '192.0.2.1', priority: 1, state: 'up' }],
      sbdDisks: ['/dev/disk/by-id/one'],
    },
  ],
  transition: {
    state: 'running',
    number: 7,
    computedVersion: 3,
    pending: ['web_start_0 on alpha'],
    blockedBy: [],
    blockedResources: [],
  },
  fencing: [],
  store: { kind: 'embedded', healthy: true },
  configVersion: 3,
  revision: 2 ** 40,
  notes: [],
} as const satisfies ClusterState

test('the state of the cluster arrives as it was sent, absent things absent', async () => {
  await serve({ getState: async () => state })
  expect(await client.getState({})).toEqual(state)
})

test('a large CIB goes both ways', async () => {
  const xml = `<cib>${'<primitive id="väter"/>'.repeat(100_000)}</cib>`
  const pushed: string[] = []
  await serve({
    getCib: async () => ({ xml, version: 5 }),
    pushConfiguration: async (asked: PushRequest) => {
      pushed.push(asked.xml)
      return { kind: 'conflict', version: 6 }
    },
  })
  expect(await client.getCib({})).toEqual({ xml, version: 5 })
  const answer = await client.pushConfiguration({ xml, expectedVersion: 5, user: 'root', command: 'cib-push' })
  expect(answer).toEqual({ kind: 'conflict', version: 6 })
  expect(pushed).toEqual([xml])
})

test('the id of a change is kept with it for long, and is short', async () => {
  const ids: (string | undefined)[] = []
  await serve({
    pushConfiguration: async ({ changeId }: PushRequest) => {
      ids.push(changeId)
      return { kind: 'saved', version: 6 }
    },
  })
  const change = { xml: '<cib/>', expectedVersion: 5, user: 'root', command: 'cib-push' }
  const id = '01234567-89ab-cdef-0123-456789abcdef'
  await client.pushConfiguration({ ...change, changeId: id })
  await expect(client.pushConfiguration({ ...change, changeId: id.repeat(2) })).rejects.toThrow('changeId')
  expect(ids).toEqual([id])
})

test('the state is watched until the watcher has seen enough', async () => {
  const gone = new Promise<void>((resolve) => {
    void serve({
      watchState: async (_: unknown, send: (state: ClusterState) => void, { signal }: { signal: AbortSignal }) => {
        for (const number of [1, 2]) send({ ...state, transition: { ...state.transition, number } })
        await new Promise((ended) => signal.addEventListener('abort', ended))
        resolve()
      },
    })
  })
  await expect.poll(() => server !== undefined).toBe(true)
  const seen: number[] = []
  const enough = new AbortController()
  const onState = ({ transition }: ClusterState): void => {
    seen.push(transition.number)
    if (seen.length === 2) enough.abort()
  }
  await client.watchState({}, onState, { signal: enough.signal })
  expect(seen).toEqual([1, 2])
  await gone
})

test('a refusal arrives with its code and sentences', async () => {
  await serve({
    fence: async () => {
      throw refuse('no-such-node', "There is no node 'gama'. Did you mean 'gamma'?")
    },
  })
  await expect(client.fence({ target: 'gama', action: 'off' })).rejects.toMatchObject({
    name: 'RefusedError',
    code: 'no-such-node',
    message: "There is no node 'gama'. Did you mean 'gamma'?",
  })
})

test('without a daemon the error says what to look at', async () => {
  await expect(client.getState({})).rejects.toThrow('is systoled running on this host?')
})

test('a daemon that does not answer is told apart from one that is not there', async () => {
  await serve({ getState: async () => await new Promise(() => undefined) })
  await expect(client.getState({}, { timeoutMs: 100 })).rejects.toMatchObject({ name: 'NoAnswerError' })
})

test('a daemon that answers nothing at all is not waited for, and one that takes its time is', async () => {
  const silent = createServer((socket) => socket.resume()).listen(localSocketPath(root))
  const call = { method: localService.getState, request: { askStore: true } as never, onMessage: undefined }
  const impatient = localConnection(localSocketPath(root), 600)
  const begun = performance.now()
  const failure = await impatient.call(call, undefined).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(NoAnswerError)
  expect(String(failure)).toMatch(/has not answered for 0\.6 s: it is stopped or hangs.*`systemctl status systoled`/)
  expect(performance.now() - begun).toBeLessThan(10_000)
  await new Promise((resolve) => silent.close(resolve))

  let answer: (state: ClusterState) => void = () => undefined
  await serve({ getState: async () => await new Promise((resolve) => (answer = resolve)) })
  const patient = localConnection(localSocketPath(root), 600)
  const slow = patient.call(call, undefined)
  // Several times as long as a silent one would be given.
  await expect(Promise.race([slow, new Promise((resolve) => setTimeout(resolve, 2500, 'waits'))])).resolves.toBe(
    'waits',
  )
  answer(state)
  await expect(slow).resolves.toEqual(state)
  patient.close()
  impatient.close()
})

test('others may not use the socket', async () => {
  await serve({})
  expect(statSync(localSocketPath(root)).mode & 0o007).toBe(0)
})

test('connections of a user have an end, and root gets one all the same', () => {
  let uid = 1000
  const callers = new LocalCallers(() => ({ kind: 'user', uid, gid: 0, pid: 1 }))
  const sockets = Array.from({ length: localRoom.connectionsOfUser + 1 }, () => new Socket())
  expect(sockets.map((socket) => callers.note(socket)).lastIndexOf(true)).toBe(localRoom.connectionsOfUser - 1)
  for (uid of [0, 1001]) expect(callers.note(new Socket())).toBe(true)
  uid = 1000
  sockets[0]?.emit('close')
  expect(callers.note(new Socket())).toBe(true)
  expect(callers.note(new Socket())).toBe(false)
})

test('calls of a user that are under way have an end, and those of others go on', () => {
  let uid = 1000
  const callers = new LocalCallers(() => ({ kind: 'user', uid, gid: 0, pid: 1 }))
  const peers = [1000, 1001, 0].map((user) => {
    uid = user
    const socket = new Socket()
    callers.note(socket)
    return String(socket.remoteAddress)
  })
  const [one = '', other = '', root = ''] = peers
  const begun = Array.from({ length: mostCalls }, () => callers.begin(one, 10))
  expect(begun).not.toContain(undefined)
  expect(callers.begin(one, 10)).toBeUndefined()
  expect(callers.begin(other, 10)).toBeDefined()
  for (let i = 0; i <= mostCalls; i++) expect(callers.begin(root, 10)).toBeDefined()
  begun[0]?.()
  expect(callers.begin(one, 10)).toBeDefined()
})

test('a user who begins calls without end loses the connection, and for a while gets no other', () => {
  let uid = 1000
  const callers = new LocalCallers(() => ({ kind: 'user', uid, gid: 0, pid: 1 }))
  const [socket, other, root] = [1000, 1001, 0].map((user) => {
    uid = user
    const one = new Socket()
    callers.note(one)
    return one
  })
  for (const one of [socket, other, root]) callers.begun(String(one?.remoteAddress))
  for (let call = 0; call < 2 * mostBegun; call++)
    for (const one of [socket, root]) callers.begun(String(one?.remoteAddress))
  expect([socket, other, root].map((one) => one?.destroyed)).toEqual([true, false, false])
  uid = 1000
  expect(callers.note(new Socket())).toBe(false)
  for (uid of [1001, 0]) expect(callers.note(new Socket())).toBe(true)
})

test('streams that are begun and taken back are counted', async () => {
  // However slow this machine is: no time goes by in which there would be more.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  await serveUser({ getState: async () => state })
  const session = connect('http://localhost', { createConnection: () => createConnection(localSocketPath(root)) })
  session.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => session.once('close', () => resolve()))
  const begin = (): void => {
    if (session.destroyed) return
    for (let call = 0; call < 20; call++) {
      const stream = session.request({ ':method': 'POST', ':path': '/systole.Local/GetState', te: 'trailers' })
      stream.on('error', () => undefined)
      stream.close(8)
    }
    setImmediate(begin)
  }
  begin()
  await ended
})

/** Of somebody else than root: without root a test cannot make a connection of another user. */
async function serveUser(handlers: Record<string, unknown>): Promise<void> {
  const methods = [{ service: localService, handlers }]
  const credentials = { of: () => ({ kind: 'user', uid: 1000, gid: 1000, pid: 1 }) } as unknown as PeerCredentials
  server = await serveUnixSocket(localSocketPath(root), credentials, methods, () => undefined)
}

/** A connection that begins a call with a message of so many bytes, and never ends it. */
async function unfinished(bytes: number): Promise<{ readonly ended: Promise<void>; readonly end: () => void }> {
  const session = connect('http://localhost', {
    createConnection: () => createConnection(localSocketPath(root)),
  })
  session.on('error', () => undefined)
  const stream = session.request({
    ':method': 'POST',
    ':path': '/systole.Local/PushConfiguration',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  stream.on('error', () => undefined)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(60 * 1024 * 1024, 1)
  stream.write(head)
  stream.write(Buffer.alloc(bytes))
  return { ended: new Promise((resolve) => session.once('close', () => resolve())), end: () => session.destroy() }
}

test('messages that are never finished fill no memory: the largest connection of the user ends, and he is answered', async () => {
  await serveUser({ getState: async () => state })
  const mb = 1024 * 1024
  const [large, small] = [await unfinished(18 * mb), await unfinished(9 * mb)]
  await large.ended
  expect((await client.getState({})).clusterName).toBe('testing')
  small.end()
})

test('answers that nobody reads fill no memory', async () => {
  const clusterName = 'x'.repeat(9 * 1024 * 1024)
  await serveUser({ getState: async () => ({ ...state, clusterName }) })
  const session = connect('http://localhost', { createConnection: () => createConnection(localSocketPath(root)) })
  session.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => session.once('close', () => resolve()))
  for (let call = 0; call < 4; call++) {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/systole.Local/GetState',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('error', () => undefined)
    // An empty message, and nothing is read of its answer.
    stream.end(Buffer.alloc(5))
    stream.pause()
  }
  await ended
})

/** What a program of the user's own sends, frame and all; the status of what comes back. */
async function sent(method: string, message: Buffer, more: OutgoingHttpHeaders = {}): Promise<string> {
  const session = connect('http://localhost', { createConnection: () => createConnection(localSocketPath(root)) })
  const stream = session.request({
    ':method': 'POST',
    ':path': `/systole.Local/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...more,
  })
  const packed = more['grpc-encoding'] === undefined ? 0 : 1
  const head = Buffer.from([packed, 0, 0, 0, 0])
  head.writeUInt32BE(message.length, 1)
  stream.end(Buffer.concat([head, message]))
  stream.resume()
  return await new Promise((resolve) => {
    const told = (headers: IncomingHttpHeaders): void => {
      const { 'grpc-status': status, 'grpc-message': text = '' } = headers
      if (status === undefined) return
      resolve(`${status} ${decodeURIComponent(String(text))}`)
      session.destroy()
    }
    stream.on('response', told).on('trailers', told)
  })
}

test('a long list of nothing is not read, and a packed message is not unpacked', async () => {
  let called = 0
  await serve({
    startCluster: async () => {
      called++
      return { answers: [] }
    },
  })
  const names = Buffer.from('\x0a\x00'.repeat(512 * 1024), 'latin1')
  expect(await sent('StartCluster', names)).toMatch(/^9 .*a message of 1048576 bytes/)
  const packed = gzipSync(Buffer.from('\x0a\x00'.repeat(16), 'latin1'))
  expect(await sent('StartCluster', packed, { 'grpc-encoding': 'gzip' })).toBe(
    '12 Compressed messages are not read here.',
  )
  expect(called).toBe(0)
  expect(await sent('StartCluster', Buffer.alloc(0))).toMatch(/^0/)
  expect(called).toBe(1)
})

test('a user’s calls leave the thread to others for as long as they keep it', async () => {
  const begun: number[] = []
  const busy = async (): Promise<ClusterState> => {
    begun.push(performance.now())
    while (performance.now() < (begun.at(-1) ?? 0) + 50);
    return state
  }
  await serveUser({ getState: busy })
  await Promise.all([client.getState({}), client.getState({})])
  const [first = 0, second = 0] = begun
  expect(second - first).toBeGreaterThan(95)
})

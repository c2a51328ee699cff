import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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
import { LocalCallers, mostConnections } from '../../src/rpc/local-callers.ts'

let root: string
let client: LocalClient
let server: Pick<GrpcServer, 'close'> | undefined

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'systole-rpc-'))
  mkdirSync(dirname(localSocketPath(root)), { recursive: true })
  client = connectLocal(root)
})

afterEach(async () => {
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

test('others may not use the socket', async () => {
  await serve({})
  expect(statSync(localSocketPath(root)).mode & 0o007).toBe(0)
})

test('connections of a user have an end, and root gets one all the same', () => {
  let uid = 1000
  const callers = new LocalCallers(() => ({ kind: 'user', uid, gid: 0, pid: 1 }))
  const sockets = Array.from({ length: mostConnections + 1 }, () => new Socket())
  expect(sockets.map((socket) => callers.note(socket)).lastIndexOf(true)).toBe(mostConnections - 1)
  uid = 0
  expect(callers.note(new Socket())).toBe(true)
  uid = 1000
  sockets[0]?.emit('close')
  expect(callers.note(new Socket())).toBe(true)
  expect(callers.note(new Socket())).toBe(false)
})

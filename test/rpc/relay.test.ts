/** The way of a witness to a node, for the calls of its HTTPS API: who gets on it, and as whom. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  type CallContext,
  type CallerIdentity,
  connectRelay,
  createAuthority,
  createKeys,
  createNodeCertificate,
  type KeyPair,
  type LocalServer,
  localService,
  nodeService,
  serveTcp,
  serveUnixSocket,
  signNodeCertificate,
  type TlsIdentity,
} from '../../src/rpc/index.ts'

let authority: KeyPair
let node: TlsIdentity
let witness: TlsIdentity
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  authority = await createAuthority('testing')
  node = {
    ...(await createNodeCertificate(authority, { name: 'n1', addresses: [] })),
    authority: authority.certificate,
  }
  const { publicKey, key } = await createKeys()
  const certificate = await signNodeCertificate(authority, { name: 'w', addresses: [], publicKey, isWitness: true })
  witness = { certificate, key, authority: authority.certificate }
})

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

async function serve(
  isListed: () => boolean = () => true,
): Promise<{ readonly port: number; readonly callers: CallerIdentity[]; readonly local: LocalServer }> {
  const folder = mkdtempSync(join(tmpdir(), 'systole-relay-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const callers: CallerIdentity[] = []
  const handlers = {
    whoAmI: async (_: unknown, { caller }: CallContext) => {
      callers.push(caller)
      return await Promise.resolve({ user: 'x', limited: true })
    },
    watchState: async (_: unknown, _send: unknown, { signal }: CallContext) =>
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
  }
  const local = await serveUnixSocket(
    join(folder, 'socket'),
    undefined,
    [{ service: localService, handlers }],
    () => undefined,
  )
  cleanups.push(async () => await local.close())
  const server = await serveTcp(
    {
      host: '127.0.0.1',
      port: 0,
      identity: node,
      admit: async () => await Promise.resolve(),
      relay: (socket, { name }) => (isListed() ? local.serveWeb(socket, name) : socket.destroy()),
    },
    [{ service: nodeService, handlers: {} }],
    () => undefined,
  )
  cleanups.push(async () => await server.close())
  return { port: server.port, callers, local }
}

async function open(port: number, identity: TlsIdentity, onEnd: () => void = () => undefined) {
  const opened = await connectRelay({ node: 'n1', host: '127.0.0.1', port }, identity, onEnd)
  cleanups.push(opened.close)
  return opened
}

test('the calls of a witness have what its caller has shown, and name the witness', async () => {
  const { port, callers } = await serve()
  const { clients } = await open(port, witness)
  expect(await clients({ token: 'secret', from: '192.0.2.7' }).whoAmI({})).toMatchObject({ user: 'x' })
  await clients({ token: '', from: 'a lie\nof two lines' }).whoAmI({})
  expect(callers).toEqual([
    { kind: 'web', token: 'secret', from: '192.0.2.7', through: 'w' },
    { kind: 'web', token: '', from: 'unknown', through: 'w' },
  ])
})

test('nobody but a witness gets there: a node has its own calls, and one that was removed is cut off', async () => {
  const { port, callers } = await serve()
  const { clients } = await open(port, node)
  await expect(clients({ token: '', from: '' }).whoAmI({})).rejects.toThrow()
  const removed = await serve(() => false)
  const late = await open(removed.port, witness)
  await expect(late.clients({ token: '', from: '' }).whoAmI({})).rejects.toThrow()
  expect([...callers, ...removed.callers]).toEqual([])
})

test('the connection of a witness ends when it is removed', async () => {
  const { port, local } = await serve()
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const { clients } = await open(port, witness, () => end())
  await clients({ token: '', from: '' }).whoAmI({})
  local.endRelays()
  await ended
})

test('a witness has the bounds of one user of the socket, and of those who only follow the cluster nobody keeps out the others', async () => {
  const { port } = await serve()
  const { clients } = await open(port, witness)
  const asked = clients({ token: '', from: '' })
  const gone = new AbortController()
  cleanups.push(() => gone.abort())
  const codes: unknown[] = []
  const follow = (): void =>
    void asked
      .watchState({}, () => undefined, { signal: gone.signal })
      .catch((error: unknown) => codes.push((error as { readonly code?: unknown }).code))
  for (let count = 0; count < 40; count++) follow()
  expect(await asked.whoAmI({})).toMatchObject({ user: 'x' })
  for (let count = 0; count < 30; count++) follow()
  await expect.poll(() => codes.length).toBe(6)
  expect(new Set(codes)).toEqual(new Set(['too-many-calls']))
})

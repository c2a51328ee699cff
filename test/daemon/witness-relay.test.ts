/** What strangers at the HTTPS API of a witness may take of the way to a node: nothing that those with a token need. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { defaultPorts } from '../../src/daemon/node-list/cluster-file.ts'
import { Relay } from '../../src/daemon/witness/relay.ts'
import {
  createAuthority,
  createKeys,
  createNodeCertificate,
  localService,
  nodeService,
  serveTcp,
  serveUnixSocket,
  signNodeCertificate,
} from '../../src/rpc/index.ts'

const cleanups: (() => unknown)[] = []
let relay: Relay
let asked: { health: number; logins: number }
const signal = new AbortController().signal
const login = { caller: { kind: 'web', token: '', from: '192.0.2.7' }, signal } as const
const known = { caller: { kind: 'web', token: 'secret', from: '192.0.2.8' }, signal } as const

beforeEach(async () => {
  asked = { health: 0, logins: 0 }
  const authority = await createAuthority('testing')
  const trust = { authority: authority.certificate }
  const node = { ...(await createNodeCertificate(authority, { name: 'n1', addresses: [] })), ...trust }
  const { publicKey, key } = await createKeys()
  const certificate = await signNodeCertificate(authority, { name: 'w', addresses: [], publicKey, isWitness: true })
  const folder = mkdtempSync(join(tmpdir(), 'systole-relay-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const handlers = {
    getHealth: async () => {
      asked.health++
      return await Promise.resolve({ started: true, quorate: true, member: true, active: '' })
    },
    openSession: async () => {
      asked.logins++
      return await Promise.resolve({ session: 's', user: 'x', limited: true })
    },
    whoAmI: async () => await Promise.resolve({ user: 'x', limited: true }),
  }
  const methods = [{ service: localService, handlers }]
  const local = await serveUnixSocket(join(folder, 'socket'), undefined, methods, () => undefined)
  cleanups.push(async () => await local.close())
  const server = await serveTcp(
    {
      host: '127.0.0.1',
      port: 0,
      identity: node,
      admit: async () => await Promise.resolve(),
      relay: (socket, { name }) => local.serveWeb(socket, name),
    },
    [{ service: nodeService, handlers: {} }],
    () => undefined,
  )
  cleanups.push(async () => await server.close())
  const ports = { ...defaultPorts, peer: server.port }
  const nodes = [{ name: nodeName('n1'), id: '1', address: '127.0.0.1', ports, votes: true }]
  relay = new Relay({
    name: 'w',
    file: () => ({ clusterName: 'c', nodes }),
    identity: () => ({ certificate, key, ...trust }),
    vote: () => ({ started: true, votes: true, counts: true }),
  })
  cleanups.push(() => relay.close())
})

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

test('health checks without a token, however many, cost a node one look in a second', async () => {
  for (let round = 0; round < 50; round++) {
    const answers = await Promise.all(Array.from({ length: 64 }, async () => await relay.health()))
    expect(answers.every(({ quorate }) => quorate)).toBe(true)
  }
  expect(asked.health).toBeLessThan(20)
  expect(await relay.call('whoAmI', {}, known)).toMatchObject({ user: 'x' })
})

test('of logins, which need nothing either, a few in a second are passed on, and whoever has a token is heard', async () => {
  const results = await Promise.all(
    Array.from({ length: 300 }, async () => {
      return await relay.call('openSession', { user: 'x', password: 'y' }, login).catch((error: unknown) => error)
    }),
  )
  expect(results.filter((one) => (one as { readonly code?: string }).code === 'too-many-logins')).toHaveLength(280)
  expect(asked.logins).toBe(20)
  expect(await relay.call('whoAmI', {}, known)).toMatchObject({ user: 'x' })
})

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  type CallContext,
  type CallRule,
  callRules,
  connectPeer,
  createAuthority,
  createKeys,
  createNodeCertificate,
  type GrpcServer,
  type KeyPair,
  keyOf,
  nodeService,
  refuse,
  ruleOf,
  serveTcp,
  signNodeCertificate,
  type TlsIdentity,
} from '../../src/rpc/index.ts'

const project = resolve(import.meta.dirname, '../..')

/** As the proto has them, which is what a new call is written into first. */
function callsOfProto(): readonly string[] {
  const proto = readFileSync(resolve(project, 'proto/systole.proto'), 'utf8')
  return [...proto.matchAll(/^service (\w+) \{(.*?)^\}/gms)].flatMap(([, service = '', body = '']) =>
    [...body.matchAll(/^ {2}rpc (\w+)\(/gm)].map(([, name = '']) => `/systole.${service}/${name}`),
  )
}

test('each call of the proto has an entry that says who may call it, and no entry is of another', () => {
  const calls = callsOfProto()
  expect(calls.length).toBeGreaterThan(40)
  expect(calls.filter((path) => ruleOf(path) === undefined)).toEqual([])
  const entries = Object.entries(callRules).flatMap(([service, rules]) =>
    Object.keys(rules).map((name) => `/systole.${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}`),
  )
  expect(entries.toSorted()).toEqual(calls.toSorted())
})

const shown = { member: 'members', dc: 'the DC', witness: 'a witness', local: 'nobody' } as const

test('docs/security.md has the table of the calls between nodes', () => {
  const security = readFileSync(resolve(project, 'docs/security.md'), 'utf8')
  const rows = (['Node', 'Witness'] as const).flatMap((service) =>
    Object.entries(callRules[service]).map(
      ([name, { who, what, withQuorum, asksOthers }]) =>
        `| \`${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}\` | ${shown[who]}${withQuorum ? ', while this node has quorum' : ''}${asksOthers ? '; without quorum, the others are asked first' : ''} | ${what} |`,
    ),
  )
  expect(rows.filter((row) => !security.includes(row))).toEqual([])
})

let authority: KeyPair
let alpha: TlsIdentity
let beta: TlsIdentity
const opened: GrpcServer[] = []

beforeAll(async () => {
  authority = await createAuthority('testing')
  const identity = async (name: string): Promise<TlsIdentity> => ({
    ...(await createNodeCertificate(authority, { name, addresses: ['127.0.0.1'] })),
    authority: authority.certificate,
  })
  alpha = await identity('alpha')
  beta = await identity('beta')
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

test('whoever is not admitted reaches no handler, of any call', async () => {
  const reached: string[] = []
  const handlers = Object.fromEntries(Object.keys(nodeService).map((name) => [name, async () => reached.push(name)]))
  const asked: unknown[] = []
  const admit = async (caller: unknown): Promise<void> => {
    asked.push(caller)
    throw refuse('removed', 'beta was removed.')
  }
  const at = { host: '127.0.0.1', port: 0, identity: alpha, admit }
  const server = await serveTcp(at, [{ service: nodeService, handlers }], () => undefined)
  opened.push(server)
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port: server.port }, beta)
  const calls = Object.keys(nodeService).map(async (name) =>
    (client[name as 'forget'] as (request: object) => Promise<unknown>)({}),
  )
  const answers = await Promise.allSettled(calls)
  client.close()
  const rules: Readonly<Record<string, CallRule>> = callRules.Node
  expect(answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'answered'))).toEqual(
    Object.keys(nodeService).map((name) => (rules[name]?.who === 'witness' ? 'not-witness' : 'removed')),
  )
  expect(reached).toEqual([])
  expect(asked[0]).toEqual({ kind: 'node', name: 'beta', key: keyOf(beta.certificate), role: 'member' })
})

test('a witness, removed or not, reaches the call that asks for its place, and no other', async () => {
  const { publicKey, key } = await createKeys()
  const asked = { name: 'w', addresses: ['127.0.0.1'], publicKey, isWitness: true }
  const certificate = await signNodeCertificate(authority, asked)
  const witness = { certificate, key, authority: authority.certificate }
  const callers: unknown[] = []
  const getWitnessPlace = async (_: unknown, { caller }: CallContext): Promise<object> => {
    callers.push(caller)
    return { listed: false, nodesVersion: 7 }
  }
  const others = Object.keys(nodeService).filter((name) => name !== 'getWitnessPlace')
  const handlers = Object.fromEntries(others.map((name) => [name, async () => callers.push(name)]))
  const admit = async (): Promise<void> => {
    throw refuse('removed', 'It was removed.')
  }
  const at = { host: '127.0.0.1', port: 0, identity: alpha, admit, knows: () => false }
  const methods = [{ service: nodeService, handlers: { ...handlers, getWitnessPlace } }]
  const server = await serveTcp(at, methods, () => undefined)
  opened.push(server)
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port: server.port }, witness)
  expect(await client.getWitnessPlace({})).toMatchObject({ listed: false, nodesVersion: 7 })
  const answers = await Promise.allSettled(
    others.map(async (name) => (client[name as 'forget'] as (request: object) => Promise<unknown>)({})),
  )
  client.close()
  expect(answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'answered'))).toEqual(
    others.map(() => 'witness'),
  )
  expect(callers).toEqual([{ kind: 'node', name: 'w', key: keyOf(certificate), role: 'witness' }])
})

test('a call without an entry is refused to everybody', async () => {
  const { execute } = nodeService
  const unknown = { secret: { ...execute, path: '/systole.Node/Secret' } }
  const server = await serveTcp(
    { host: '127.0.0.1', port: 0, identity: alpha, admit: async () => undefined },
    [{ service: unknown, handlers: { secret: async () => ({}) } }],
    () => undefined,
  )
  opened.push(server)
  const { Client, credentials } = await import('@grpc/grpc-js')
  const client = new Client(
    `127.0.0.1:${server.port}`,
    credentials.createSsl(Buffer.from(authority.certificate), Buffer.from(beta.key), Buffer.from(beta.certificate)),
    { 'grpc.ssl_target_name_override': 'alpha' },
  )
  const refused = await new Promise<string>((resolve) => {
    const bytes = (): Buffer => Buffer.alloc(0)
    client.makeUnaryRequest('/systole.Node/Secret', bytes, bytes, {}, (error) => resolve(error?.details ?? 'answered'))
  })
  client.close()
  expect(refused).toMatch(/Nothing says who may call/)
})

import { Client, credentials } from '@grpc/grpc-js'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { encode } from '../../src/rpc/codec.ts'
import {
  type CallerIdentity,
  type ClusterFile,
  connectPeer,
  createAuthority,
  createKeys,
  createNodeCertificate,
  type GrpcServer,
  type KeyPair,
  keyOf,
  nodeService,
  openPulseStream,
  refuse,
  serveTcp,
  signNodeCertificate,
  type TlsIdentity,
} from '../../src/rpc/index.ts'
import { refusalIn } from '../../src/rpc/report.ts'

let authority: KeyPair
let alpha: TlsIdentity
let beta: TlsIdentity
const opened: GrpcServer[] = []
const command = { term: 7, plannedFrom: 1, transition: 1, transitionKey: '3:1:0:x', timeoutMs: 20_000, action: '{}' }
const taken = { accepted: true, done: false, why: '', highestTerm: 7, message: '' }

async function identity(name: string, issuer: KeyPair): Promise<TlsIdentity> {
  const pair = await createNodeCertificate(issuer, { name, addresses: ['192.0.2.7'] })
  return { ...pair, authority: issuer.certificate }
}

beforeAll(async () => {
  authority = await createAuthority('testing')
  alpha = await identity('alpha', authority)
  beta = await identity('beta', authority)
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

async function serveAlpha(handlers: Record<string, unknown>, failures: unknown[] = []): Promise<number> {
  const server = await serveTcp(
    { host: '127.0.0.1', port: 0, identity: alpha, admit: async () => undefined },
    [{ service: nodeService, handlers }],
    (_, error) => failures.push(error),
  )
  opened.push(server)
  return server.port
}

test('nobody listens to a witness, whose certificate is for its etcd', async () => {
  const { publicKey, key } = await createKeys()
  const asked = { name: 'w', addresses: ['192.0.2.9'], publicKey, isWitness: true }
  const witness = { certificate: await signNodeCertificate(authority, asked), key, authority: authority.certificate }
  const called: unknown[] = []
  const port = await serveAlpha({ execute: async (asked: unknown) => called.push(asked) })
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port }, witness)
  await expect(client.execute(command)).rejects.toThrow('A witness calls no daemon of the cluster.')
  expect(called).toEqual([])
  client.close()
})

test('a peer is known by the node name in its certificate', async () => {
  const callers: unknown[] = []
  const port = await serveAlpha({
    execute: async (_: unknown, { caller }: { caller: CallerIdentity }) => {
      callers.push(caller)
      return taken
    },
  })
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port }, beta)
  expect(await client.execute(command)).toEqual(taken)
  expect(callers).toEqual([{ kind: 'node', name: 'beta', key: keyOf(beta.certificate), role: 'member' }])
  client.close()
})

test('an address that another node answers is not that node', async () => {
  const port = await serveAlpha({ execute: async () => taken })
  const client = connectPeer({ node: 'gamma', host: '127.0.0.1', port }, beta)
  await expect(client.execute(command, { timeoutMs: 2000 })).rejects.toThrow('gamma')
  client.close()
})

test('a certificate of another cluster is not let in', async () => {
  const calls: unknown[] = []
  const port = await serveAlpha({ execute: async (asked: unknown) => calls.push(asked) })
  const stranger = await identity('beta', await createAuthority('testing'))
  const client = connectPeer(
    { node: 'alpha', host: '127.0.0.1', port },
    { ...stranger, authority: authority.certificate },
  )
  await expect(client.execute(command, { timeoutMs: 2000 })).rejects.toThrow()
  expect(calls).toEqual([])
  client.close()
})

test('a refusal arrives with its code and sentences, a bug as a failure that the server logs', async () => {
  const failures: unknown[] = []
  const handlers = {
    forget: async () => {
      throw refuse('member-still', 'beta is still a member.', 'Stop it first.')
    },
    updateClusterFile: async ({ json }: ClusterFile) => {
      throw new TypeError(`no such thing: ${json}`)
    },
  }
  const port = await serveAlpha(handlers, failures)
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port }, beta)
  await expect(client.forget({})).rejects.toMatchObject({
    name: 'RefusedError',
    code: 'member-still',
    sentences: ['beta is still a member.', 'Stop it first.'],
  })
  await expect(client.updateClusterFile({ json: 'x' })).rejects.toMatchObject({ name: 'RemoteFailureError' })
  expect(failures).toHaveLength(1)
  client.close()
})

test('a daemon that is down on a host that is up is told apart from silence', async () => {
  const port = await serveAlpha({})
  await Promise.all(opened.splice(0).map((server) => server.close()))
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port }, beta)
  await expect(client.forget({})).rejects.toMatchObject({ name: 'UnreachableError', hostAnswered: true })
  client.close()
  const ended = await new Promise<boolean>((resolve) => {
    openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, beta, resolve)
  })
  expect(ended).toBe(true)
})

/** Bytes as a node of the cluster may send them that does not use this client. */
function callRaw(port: number, path: string, bytes: Buffer): Promise<string> {
  const { authority: ca, key, certificate } = beta
  const secrets = credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(certificate))
  const client = new Client(`127.0.0.1:${port}`, secrets, {
    'grpc.ssl_target_name_override': 'alpha',
    'grpc.default_authority': 'alpha',
  })
  return new Promise((resolve) => {
    const same = (raw: Buffer): Buffer => raw
    client.makeUnaryRequest(path, same, same, bytes, { deadline: Date.now() + 5000 }, (error) => {
      client.close()
      resolve(error?.details ?? 'accepted')
    })
  })
}

const badRequests: readonly { readonly name: string; readonly bytes: () => Buffer; readonly answer: string }[] = [
  {
    name: 'bytes that are no message',
    bytes: () => Buffer.from('\u00ff\u00ffgarbled'),
    answer: 'ExecuteRequest cannot be read',
  },
  {
    name: 'a term that is no number',
    bytes: () => encode('ExecuteRequest', { ...command, term: Number.NaN }),
    answer: 'ExecuteRequest, term: not number',
  },
  {
    name: 'a time without end',
    bytes: () => encode('ExecuteRequest', { ...command, timeoutMs: Number.POSITIVE_INFINITY }),
    answer: 'ExecuteRequest, timeoutMs: a number is not finite',
  },
  {
    name: 'an endless key',
    bytes: () => encode('ExecuteRequest', { ...command, transitionKey: 'x'.repeat(100_000) }),
    answer: 'ExecuteRequest, transitionKey: a text is too long',
  },
]
for (const { name, bytes, answer } of badRequests)
  test(`${name}: the call is refused and the daemon hears of it`, async () => {
    const failures: unknown[] = []
    const calls: unknown[] = []
    const port = await serveAlpha({ execute: async (asked: unknown) => calls.push(asked) && taken }, failures)
    expect(await callRaw(port, nodeService.execute.path, bytes())).toContain(answer)
    expect(calls).toEqual([])
    expect(failures).toHaveLength(1)
    const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port }, beta)
    expect(await client.execute(command)).toEqual(taken)
    client.close()
  })

test('an answer that is none fails the call, whatever it is', async () => {
  const port = await serveAlpha({ execute: async () => ({ ...taken, highestTerm: Number.NaN }) })
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port }, beta)
  await expect(client.execute(command)).rejects.toThrow('TermAnswer, highestTerm: not number')
  client.close()
})

test('a refusal whose reason cannot be read is a refusal', () => {
  for (const text of ['', 'null', '{"code":1}', '{"code":"x","sentences":"y"}', '[]'])
    expect(refusalIn(text)).toMatchObject({ code: 'refused' })
  expect(refusalIn('{"code":"x","sentences":["No."]}')).toMatchObject({ code: 'x', message: 'No.' })
})

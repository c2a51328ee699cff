import { once } from 'node:events'
import { connect as tcpConnect } from 'node:net'
import { connect } from 'node:tls'
import { Client, credentials } from '@grpc/grpc-js'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { encode } from '../../src/rpc/forms/codec.ts'
import {
  type CallContext,
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

/** A call of `execute` with a message that has many bytes, as one that was removed may make it. */
async function sendMany(port: number, as: TlsIdentity, bytes: number): Promise<{ code: number; details: string }> {
  const { authority: ca, certificate, key } = as
  const secrets = credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(certificate))
  const client = new Client(`127.0.0.1:${port}`, secrets, { 'grpc.ssl_target_name_override': 'alpha' })
  const plain = (message: Buffer): Buffer => message
  const message = Buffer.from(encode('ExecuteRequest', { ...command, action: 'x'.repeat(bytes) }))
  try {
    return await new Promise((resolve) => {
      const deadline = { deadline: Date.now() + 5000 }
      client.makeUnaryRequest(nodeService.execute.path, plain, plain, message, deadline, (error) =>
        resolve({ code: error?.code ?? 0, details: error?.details ?? '' }),
      )
    })
  } finally {
    client.close()
  }
}

const resourceExhausted = 8

test('what a node that is none any more sends is measured before it is kept, and it hears why it is refused', async () => {
  const removed = refuse('removed', 'The cluster testing has no node ‘beta’: it was removed.')
  const admit = async (): Promise<void> => {
    throw removed
  }
  const options = { host: '127.0.0.1', port: 0, identity: alpha, admit, knows: () => false }
  const server = await serveTcp(options, [{ service: nodeService, handlers: {} }], () => undefined)
  opened.push(server)
  expect(await sendMany(server.port, beta, 1000)).toMatchObject({ details: removed.message })
  expect(await sendMany(server.port, beta, 1024 * 1024)).toMatchObject({ code: resourceExhausted })
})

test('one that becomes known while it is connected connects anew, without the limits of strangers', async () => {
  let isKnown = false
  const admit = async (): Promise<void> => {
    if (!isKnown) throw refuse('removed', 'It was removed.')
  }
  const options = { host: '127.0.0.1', port: 0, identity: alpha, admit, knows: () => isKnown }
  const handlers = { execute: async () => taken }
  const server = await serveTcp(options, [{ service: nodeService, handlers }], () => undefined)
  opened.push(server)
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port: server.port }, beta)
  await expect(client.execute(command)).rejects.toThrow('It was removed.')
  isKnown = true
  expect(await client.execute(command)).toEqual(taken)
  expect(await client.execute({ ...command, action: 'x'.repeat(1024 * 1024) })).toEqual(taken)
  client.close()
})

test('a witness has nothing long to say, and a member has', async () => {
  const { publicKey, key } = await createKeys()
  const asked = { name: 'w', addresses: ['192.0.2.9'], publicKey, isWitness: true }
  const witness = { certificate: await signNodeCertificate(authority, asked), key, authority: authority.certificate }
  const port = await serveAlpha({ execute: async () => taken })
  expect(await sendMany(port, witness, 1024 * 1024)).toMatchObject({ code: resourceExhausted })
  expect(await sendMany(port, beta, 1024 * 1024)).toMatchObject({ code: 0 })
})

test('a node that this host does not know yet is looked for before it is heard, and one that breaks off meanwhile harms nothing', async () => {
  let found: () => void = () => undefined
  const looking = new Promise<void>((resolve) => {
    found = resolve
  })
  let asking: () => void = () => undefined
  const asked = new Promise<void>((resolve) => {
    asking = resolve
  })
  const admit = async (): Promise<void> => {
    asking()
    await looking
  }
  const options = { host: '127.0.0.1', port: 0, identity: alpha, admit, knows: () => false }
  const handlers = { execute: async () => taken }
  const server = await serveTcp(options, [{ service: nodeService, handlers }], () => undefined)
  opened.push(server)
  const { authority: ca, certificate: cert, key } = beta
  const secrets = { ca, cert, key, minVersion: 'TLSv1.3' as const, servername: 'alpha', ALPNProtocols: ['h2'] }
  const raw = tcpConnect({ host: '127.0.0.1', port: server.port })
  connect({ socket: raw, ...secrets }).on('error', () => undefined)
  await asked
  raw.resetAndDestroy()
  const sent = sendMany(server.port, beta, 1024 * 1024)
  found()
  expect(await sent).toMatchObject({ code: 0 })
})

test('a server ends although somebody has connected and says nothing', async () => {
  const port = await serveAlpha({ execute: async () => taken })
  const { authority: ca, certificate: cert, key } = beta
  const secrets = { ca, cert, key, minVersion: 'TLSv1.3' as const, servername: 'alpha', ALPNProtocols: ['h2'] }
  const socket = connect({ host: '127.0.0.1', port, ...secrets }).on('error', () => undefined)
  const ended = once(socket.resume(), 'close')
  await once(socket, 'secureConnect')
  // An answered call: the silent connection, which came before, has arrived as well.
  expect(await sendMany(port, beta, 10)).toMatchObject({ code: 0 })
  await opened.pop()?.close()
  await ended
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

test('who has the name and another key than the list of nodes knows gets no call', async () => {
  const calls: unknown[] = []
  const port = await serveAlpha({
    execute: async (asked: unknown) => {
      calls.push(asked)
      return taken
    },
  })
  let keys: readonly string[] | undefined = [keyOf(beta.certificate)]
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port, keys: () => keys }, beta)
  await expect(client.execute(command, { timeoutMs: 1000 })).rejects.toThrow('alpha')
  expect(calls).toEqual([])
  // The list may be renewed at any time; one of an older build knows no keys.
  for (const now of [[keyOf(alpha.certificate)], undefined]) {
    keys = now
    const other = connectPeer({ node: 'alpha', host: '127.0.0.1', port, keys: () => keys }, beta)
    expect(await other.execute(command)).toEqual(taken)
    other.close()
  }
  client.close()
})

test('what reconnects shows the certificate of then', async () => {
  const callers: unknown[] = []
  const handlers = {
    execute: async (_: unknown, { caller }: CallContext) => {
      callers.push(caller.kind === 'node' ? caller.key : undefined)
      return taken
    },
  }
  const renewed = await identity('beta', authority)
  let now = beta
  const server = await serveTcp(
    { host: '127.0.0.1', port: 0, identity: alpha, admit: async () => undefined },
    [{ service: nodeService, handlers }],
    () => undefined,
  )
  opened.push(server)
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port: server.port }, () => now)
  await client.execute(command)
  now = renewed
  await client.execute(command)
  server.endConnections()
  await expect
    .poll(async () => {
      await client.execute(command).catch(() => undefined)
      return callers.at(-1)
    })
    .toBe(keyOf(renewed.certificate))
  expect(callers.slice(0, 2)).toEqual([keyOf(beta.certificate), keyOf(beta.certificate)])
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

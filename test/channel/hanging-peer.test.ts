/** Listeners that accept a connection and then say nothing, as a frozen host does, and never end it, as one does whose power was cut after that. */
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, test } from 'vitest'
import {
  connectPeer,
  createAuthority,
  createNodeCertificate,
  nodeService,
  serveTcp,
  type TlsIdentity,
} from '../../src/rpc/index.ts'
import { Endpoint } from '../../src/store/etcd/endpoint.ts'

let alpha: TlsIdentity
let beta: TlsIdentity
const closing: (() => unknown)[] = []

beforeAll(async () => {
  const authority = await createAuthority('testing')
  const identityOf = async (name: string): Promise<TlsIdentity> => {
    const pair = await createNodeCertificate(authority, { name, addresses: ['127.0.0.1'] })
    return { ...pair, authority: authority.certificate }
  }
  alpha = await identityOf('alpha')
  beta = await identityOf('beta')
})

afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** One attempt that was under way is given up, and the next one succeeds. */
const reachedWithinMs = 6000

interface Frozen {
  readonly port: number
  readonly accepted: readonly Socket[]
  /** The next life of the host listens; what was accepted before is not ended. */
  readonly wake: () => Promise<void>
}

async function freeze(server: Server): Promise<Frozen> {
  const accepted: Socket[] = []
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
    accepted.push(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  closing.push(() => {
    for (const socket of accepted) socket.destroy()
  })
  return {
    port,
    accepted,
    wake: async () => {
      server.close()
      const answered = { json: 'awake', quorate: true }
      const next = await serveTcp(
        { host: '127.0.0.1', port, identity: alpha, admit: async () => undefined },
        [{ service: nodeService, handlers: { getClusterFile: async () => answered } }],
        () => undefined,
      )
      closing.push(next.close)
    },
  }
}

const frozenHosts: readonly { readonly name: string; readonly server: () => Server }[] = [
  { name: 'before TLS', server: () => createServer() },
  {
    name: 'between TLS and HTTP/2',
    server: () =>
      createTlsServer({ cert: alpha.certificate, key: alpha.key, ca: alpha.authority, ALPNProtocols: ['h2'] }),
  },
]

for (const { name, server } of frozenHosts)
  test.concurrent(`a daemon that went silent ${name} is reached within seconds once it is there again`, async ({
    expect,
  }) => {
    const frozen = await freeze(server())
    const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port: frozen.port }, beta)
    closing.push(client.close)
    await expect(client.getClusterFile({}, { timeoutMs: 4000 })).rejects.toThrow('cannot be reached')
    await frozen.wake()
    const ask = async () => (await client.getClusterFile({}, { timeoutMs: 5000 })).json
    await expect.poll(ask, { timeout: reachedWithinMs }).toBe('awake')
  })

test.concurrent('a call that has much time does not spend it on a connection that does not come about', async ({
  expect,
}) => {
  const frozen = await freeze(createServer())
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port: frozen.port }, beta)
  closing.push(client.close)
  const since = performance.now()
  await expect(client.getClusterFile({}, { timeoutMs: 60_000 })).rejects.toThrow('cannot be reached')
  expect(performance.now() - since).toBeLessThan(10_000)
})

test.concurrent('connections that nobody answers are ended on this side, and do not gather', async ({ expect }) => {
  const frozen = await freeze(createServer((socket) => socket.resume()))
  const client = connectPeer({ node: 'alpha', host: '127.0.0.1', port: frozen.port }, beta)
  closing.push(client.close)
  const tried = async (): Promise<number> => {
    await expect(client.getClusterFile({}, { timeoutMs: 5000 })).rejects.toThrow('cannot be reached')
    return frozen.accepted.length
  }
  await expect.poll(tried).toBeGreaterThan(2)
  await expect
    .poll(() => frozen.accepted.filter((socket) => !socket.readableEnded && !socket.destroyed).length)
    .toBeLessThan(2)
})

for (const { name, server } of frozenHosts)
  test.concurrent(`a member of the store that went silent ${name} is asked again once it is there`, async ({
    expect,
  }) => {
    const frozen = await freeze(server())
    const { authority, certificate, key } = beta
    const tls = { ca: Buffer.from(authority), certificate: Buffer.from(certificate), key: Buffer.from(key) }
    const endpoint = new Endpoint({ address: `127.0.0.1:${frozen.port}`, serverName: 'alpha' }, tls)
    closing.push(() => endpoint.close())
    const method = {
      path: nodeService.getClusterFile.path,
      encode: (_: object) => Buffer.alloc(0),
      decode: (bytes: Buffer) => bytes,
    }
    await expect(endpoint.call(method, {}, 4000).answer).rejects.toThrow()
    await frozen.wake()
    const ask = async () => (await endpoint.call(method, {}, 5000).answer).toString()
    await expect.poll(ask, { timeout: reachedWithinMs }).toContain('awake')
  })

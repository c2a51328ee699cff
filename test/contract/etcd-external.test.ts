/** An etcd that is there already and wants certificates: named in `cluster setup`, used as cluster.json has it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import { setUpCluster } from '../../src/daemon/joining/enrol.ts'
import { storeConfig } from '../../src/daemon/store/store-config.ts'
import { createStore } from '../../src/store/index.ts'
import { makeCertificates } from '../support/certificates.ts'
import { EtcdCluster } from '../support/etcd-cluster.ts'

const warnings: string[] = []
process.on('warning', ({ message }) => warnings.push(message))

let etcd: EtcdCluster
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-external-'))
  etcd = await EtcdCluster.start({ size: 1, tls: true })
}, 60_000)

afterAll(async () => {
  await etcd.end()
  rmSync(folder, { recursive: true, force: true })
})

async function setUp(tls: object, endpoints: readonly string[]) {
  const paths = pathsBelow(mkdtempSync(join(folder, 'root-')))
  const nodes = [{ name: hostname(), address: '127.0.0.1' }]
  const store = { kind: 'external', endpoints, tls }
  const { file, keep } = await setUpCluster(paths, {
    clusterName: 'outside',
    nodes,
    force: false,
    options: JSON.stringify({ store }),
  })
  keep()
  return { file, paths }
}

const addresses = () => etcd.endpoints.map((endpoint) => `https://${endpoint}`)

test('a cluster keeps its state there', async () => {
  const { file, paths } = await setUp(etcd.member(0).tls ?? {}, addresses())
  const [own] = file.nodes
  if (!own) throw new Error('the cluster has a node')
  const store = createStore(storeConfig(file, own, paths))
  const value = new TextEncoder().encode('kept')
  await store.transaction({ compare: [], writes: [{ kind: 'put', key: '/systole/outside', value }] })
  expect(await store.get('/systole/outside')).toMatchObject({ value })
  const granted = await store.grantLease(5000)
  expect(await store.keepAlive(granted.lease)).not.toBe('lost')
  await store.close()
})

test('a server that is reached by an address shows a certificate for that address, or is not believed', async () => {
  const tls = etcd.member(0).tls
  if (!tls) throw new Error('this etcd has certificates')
  const shown = { cert: readFileSync(tls.certificate), key: readFileSync(tls.key), ALPNProtocols: ['h2'] }
  const server = createServer(shown).on('tlsClientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  const { port } = server.address() as AddressInfo
  const store = createStore({ kind: 'etcd', endpoints: [`127.0.0.2:${port}`], tls, timeoutMs: 1000 })
  try {
    await expect(store.get('/systole/outside')).rejects.toThrow(/127\.0\.0\.2 is not in the cert's list/)
  } finally {
    await store.close()
    server.close()
  }
})

test('no address is taken for a server name, which TLS forbids and Node.js warns of', () => {
  expect(warnings.join()).not.toMatch(/ServerName/)
})

// Each waits for the time limit of the store: all at once.
describe.concurrent('setup refuses', () => {
  const cases: readonly { readonly name: string; readonly tls: () => object; readonly says: RegExp }[] = [
    { name: 'without a certificate', tls: () => ({ ca: etcd.member(0).tls?.ca }), says: /cannot be used from here/ },
    {
      name: 'with a certificate of another authority',
      tls: () => ({ ...makeCertificates(folder, 'stranger'), ca: etcd.member(0).tls?.ca }),
      says: /cannot be used from here/,
    },
    {
      name: 'where a file is missing',
      tls: () => ({ ca: join(folder, 'nowhere.pem') }),
      says: /nowhere\.pem cannot be read/,
    },
    {
      name: 'where a file is none',
      tls: () => {
        writeFileSync(join(folder, 'nonsense.pem'), 'nonsense')
        return { ca: join(folder, 'nonsense.pem') }
      },
      says: /cannot be used from here/,
    },
  ]
  for (const { name, tls, says } of cases)
    test(name, async () => {
      await expect(setUp(tls(), addresses())).rejects.toThrow(says)
    })
})

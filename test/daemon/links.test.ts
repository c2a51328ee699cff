import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { assert, nodeName } from '../../src/base/index.ts'
import { emptyView, observe } from '../../src/controller/index.ts'
import { LinkStates } from '../../src/daemon/cluster-state/link-states.ts'
import { Listeners } from '../../src/daemon/host/listeners.ts'
import type { Log } from '../../src/daemon/host/log.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import { plainAddress } from '../../src/daemon/host/plain-address.ts'
import { linkObstacles } from '../../src/daemon/joining/link-fitness.ts'
import { type ClusterNodeEntry, defaultPorts, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { linksOf, type NodeLink, presentAddresses, withLinks } from '../../src/daemon/node-list/node-links.ts'
import { isThisHost } from '../../src/daemon/node-list/own-name.ts'
import { membersBehind, nodesWithoutLinks } from '../../src/daemon/node-list-changes/change-links.ts'
import type { WithAuthority } from '../../src/daemon/pki/authority.ts'
import { certifyAddresses } from '../../src/daemon/pki/certificates.ts'
import { readIdentity, writeIdentity, writeTrust } from '../../src/daemon/pki/identity.ts'
import { cutArguments } from '../../src/daemon/pulse/cut-connections.ts'
import { keys } from '../../src/daemon/records/keys.ts'
import { openLocalStore } from '../../src/daemon/store/local-store.ts'
import { etcdEndpoints, etcdPeerUrls, isMemberOf } from '../../src/daemon/store/store-config.ts'
import { createAuthority, createNodeCertificate } from '../../src/rpc/index.ts'
import { listensAsConfigured, type MemberSettings } from '../../src/store/index.ts'

const plain: ClusterNodeEntry = {
  name: nodeName('n1'),
  id: '1',
  address: '10.0.0.1',
  ports: defaultPorts,
  votes: true,
}
const link = (number: number, priority?: number): NodeLink => ({
  number,
  address: `10.${number}.0.1`,
  ...(priority === undefined ? {} : { priority }),
})

describe('the links of a node', () => {
  test('one address is link 0, and its entry says no more', () => {
    expect(linksOf(plain)).toEqual([link(0)])
    expect(withLinks(plain, [link(0)])).toEqual(plain)
  })

  test('its address is that of the first link that it has', () => {
    expect(withLinks(plain, [link(2), link(1)])).toMatchObject({ address: '10.1.0.1', links: [link(1), link(2)] })
    expect(withLinks(withLinks(plain, [link(0), link(1)]), [link(1)])).toMatchObject({ address: '10.1.0.1' })
  })
})

describe('a node is reached', () => {
  const node = withLinks(plain, [link(0), link(1), link(2, 5)])
  type State = 'up' | 'down' | 'unknown'
  const cases: readonly { readonly name: string; readonly states: readonly State[]; readonly at: string }[] = [
    { name: 'on the preferred link of those that are up', states: ['up', 'up', 'up'], at: '10.2.0.1' },
    { name: 'on that with the lower number among equals', states: ['up', 'up', 'down'], at: '10.0.0.1' },
    {
      name: 'on one that is up before one of which nothing is known',
      states: ['down', 'up', 'unknown'],
      at: '10.1.0.1',
    },
    {
      name: 'on one of which nothing is known before one that is down',
      states: ['unknown', 'down', 'down'],
      at: '10.0.0.1',
    },
    { name: 'on the preferred one where all are down', states: ['down', 'down', 'down'], at: '10.2.0.1' },
  ]
  for (const { name, states, at } of cases)
    test(name, () => {
      const links = new LinkStates()
      links.take(states.map((state, number) => ({ node: node.name, link: number, state })))
      expect(links.reach(node)).toBe(at)
    })
})

test('the members of the store are tried on their first links, then on the others', () => {
  const host = (name: string, at: number) =>
    withLinks(
      { ...plain, name: nodeName(name) },
      [0, 1].map((number) => ({ number, address: `10.${number}.0.${at}` })),
    )
  expect(etcdEndpoints([host('n1', 1), host('n2', 2)])).toMatchObject(
    ['10.0.0.1', '10.0.0.2', '10.1.0.1', '10.1.0.2'].map((address) => ({ address: `${address}:7702` })),
  )
})

test('a member is known by any of its addresses, while the list and etcd know different ones', () => {
  const moved = withLinks(plain, [{ number: 0, address: '10.0.0.9' }, link(1)])
  expect(isMemberOf(moved, etcdPeerUrls(withLinks(plain, [link(0), link(1)])))).toBe(true)
  expect(isMemberOf(moved, etcdPeerUrls(plain))).toBe(false)
})

describe('in cluster.json', () => {
  const parse = (links: unknown) =>
    parseClusterFile(JSON.stringify({ clusterName: 'x', nodes: [{ name: 'n1', address: '10.0.0.1', links }] }))
  const cases: readonly { readonly name: string; readonly links: unknown; readonly says: RegExp }[] = [
    { name: 'no link at all', links: [], says: /links must list at least one link/ },
    { name: 'a link without an address', links: [{ number: 0 }], says: /links\[0\] has no address/ },
    { name: 'a number that no link has', links: [{ number: 8, address: 'a' }], says: /must be one from 0 to 7/ },
    { name: 'one number twice', links: [link(1), link(1)], says: /two links with the number 1/ },
    { name: 'a priority that is too high', links: [link(0, 300)], says: /priority must be at most 255/ },
    { name: 'a mistyped entry', links: [{ ...link(0), adress: 'a' }], says: /unknown entry 'adress'/ },
  ]
  for (const { name, links, says } of cases)
    test(`${name} is a mistake`, () => {
      const parsed = parse(links)
      expect(parsed.ok ? '' : parsed.reports.map(({ message }) => message).join('\n')).toMatch(says)
    })
})

test('links are changed only where every node says that it knows them', () => {
  const written = Object.entries({ a: { knowsLinks: true }, b: {} }).map(([node, more]) => ({
    kind: 'put' as const,
    key: keys.member(nodeName(node)),
    value: { node, state: 'member', incarnation: 1, daemonVersion: '0.9', ...more },
    createRevision: 1,
    lease: node,
  }))
  const { members } = observe(emptyView, written, 1).view
  const nodes = ['a', 'b', 'c'].map((name) => ({ ...plain, name: nodeName(name) }))
  expect(nodesWithoutLinks({ nodes }, members)).toEqual([
    'The version of Systole on b (0.9) supports only one link. Upgrade it first.',
    'c is offline, and its version of Systole may support only one link. Start it first.',
  ])
})

test('a change is pending while etcd knows a voter by other addresses than the list', () => {
  const two = withLinks(plain, [link(0), link(1)])
  const nodes = [two, { ...two, name: nodeName('n2') }, { ...two, name: nodeName('n3'), votes: false }]
  const member = (name: string, node: ClusterNodeEntry) => ({ name, peerURLs: [...etcdPeerUrls(node)].reverse() })
  expect(membersBehind({ nodes }, [member('n1', two), member('n2', plain)])).toEqual([
    'The store’s member on n2 does not have its new addresses yet.',
  ])
  expect(membersBehind({ nodes }, [member('n1', two), member('n2', two)])).toEqual([])
})

const log: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const noTrouble = (): void => undefined
const folders: string[] = []
const servers: Server[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  for (const server of servers.splice(0)) server.close()
})

test('a certificate gets the addresses of new links and keeps its key', async () => {
  const pki = mkdtempSync(join(tmpdir(), 'systole-pki-'))
  folders.push(pki)
  const authority = await createAuthority('testing')
  const withAuthority: WithAuthority = async (use) => await use(authority)
  writeIdentity(pki, authority, await createNodeCertificate(authority, { name: 'n1', addresses: ['10.0.0.1'] }))
  const before = readIdentity(pki)
  await certifyAddresses({ pki, withAuthority }, plain)
  expect(readIdentity(pki)).toEqual(before)
  await certifyAddresses({ pki, withAuthority }, withLinks(plain, [link(0), link(1)]))
  const after = readIdentity(pki)
  expect(after.key).toBe(before.key)
  const certificate = new X509Certificate(after.certificate)
  expect(['10.0.0.1', '10.1.0.1'].map((address) => certificate.checkIP(address))).toEqual(['10.0.0.1', '10.1.0.1'])
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true)
})

test('those addresses are present on which this host can listen, whatever its cards look like', () =>
  expect(
    presentAddresses(
      withLinks(
        plain,
        ['127.0.0.77', '192.0.2.77', '::1'].map((address, number) => ({ number, address })),
      ),
    ),
  ).toEqual(['127.0.0.77', '::1']))

describe('a member that was started with one of its two addresses', () => {
  const both = ['10.0.0.1', '10.1.0.1']
  const cases: readonly {
    readonly name: string
    readonly addresses?: readonly string[]
    readonly listenOn: readonly string[]
    readonly stays: boolean
  }[] = [
    { name: 'stays as it is', listenOn: ['10.0.0.1'], stays: true },
    { name: 'stays when that address goes away', listenOn: [], stays: true },
    { name: 'is started anew when the other one comes', listenOn: both, stays: false },
    { name: 'is started anew when the list changes', addresses: ['10.0.0.1'], listenOn: ['10.0.0.1'], stays: false },
  ]
  for (const { name, addresses = both, listenOn, stays } of cases)
    test(name, () => {
      const directory = mkdtempSync(join(tmpdir(), 'systole-etcd-'))
      folders.push(directory)
      const started = {
        'listen-peer-urls': 'http://10.0.0.1:7703',
        'initial-advertise-peer-urls': 'http://10.0.0.1:7703,http://10.1.0.1:7703',
      }
      writeFileSync(join(directory, 'etcd.json'), JSON.stringify(started))
      const settings: MemberSettings = {
        name: 'n1',
        directory,
        addresses,
        listenOn,
        clientPort: 7702,
        peerPort: 7703,
        founders: [],
        token: 'testing',
        otherEndpoints: [],
      }
      expect(listensAsConfigured(settings)).toBe(stays)
    })
})

test('a node that does not vote has its new addresses certified as well, and keeps no older file of authorities', async () => {
  const root = mkdtempSync(join(tmpdir(), 'systole-node-'))
  folders.push(root)
  const paths = pathsBelow(root)
  const authority = await createAuthority('testing')
  const withAuthority: WithAuthority = async (use) => await use(authority)
  writeIdentity(paths.pki, authority, await createNodeCertificate(authority, { name: 'n1', addresses: ['10.0.0.1'] }))
  const own = { ...withLinks(plain, [link(0), link(1)]), votes: false }
  const parsed = parseClusterFile(
    JSON.stringify({
      clusterName: 'testing',
      store: { kind: 'etcd' },
      nodes: [own, { ...plain, name: 'n2', id: '2', address: '127.0.0.9' }],
    }),
  )
  assert(parsed.ok, 'the list can be read')
  const local = await openLocalStore({ file: parsed.value, own, paths, log, withAuthority })
  const known = () => new X509Certificate(readIdentity(paths.pki).certificate).checkIP('10.1.0.1')
  await expect.poll(known).toBe('10.1.0.1')
  for (const bundle of ['a\nb', 'b\na', 'b']) writeTrust(paths.pki, bundle)
  const trustFiles = () => readdirSync(paths.pki).filter((name) => name.startsWith('trust-'))
  expect(trustFiles()).toHaveLength(2)
  local.believe()
  expect(trustFiles()).toHaveLength(1)
  await local.close('stop')
})

test('a node may be named by any address of its host, also by one that is in no list of its cards', () => {
  expect(Object.values(networkInterfaces()).flatMap((own) => own?.map(({ address }) => address))).not.toContain(
    '127.0.0.77',
  )
  expect(['127.0.0.77', '192.0.2.77'].map(isThisHost)).toEqual([true, false])
})

test('an address is taken in the spelling of the kernel', () =>
  expect(['FD00:0::0:1', 'fd00::1', 'fe80::1%eth0', '10.0.0.1', 'n1.example'].map(plainAddress)).toEqual([
    'fd00::1',
    'fd00::1',
    'fe80::1%eth0',
    '10.0.0.1',
    'n1.example',
  ]))

test('connections to an address are ended by both ends’ ports', () =>
  expect(cutArguments([{ host: 'fd00::1', ports: [7700] }]).join(' ')).toBe(
    '-K -t -H -n ( dst [fd00::1] and ( dport = 7700 or sport = 7700 ) )',
  ))

test('an address that this host does not have is none for a link', async () =>
  expect((await linkObstacles('n1', ['127.0.0.1', '192.0.2.77'])).filter((text) => text.includes('address'))).toEqual([
    'n1 does not have the address 192.0.2.77. Configure it on a network interface of n1 first.',
  ]))

test('an address that got another link’s number is served on that', async () => {
  const served: (number | undefined)[] = []
  const listeners = new Listeners(async ({ link }) => {
    served.push(link)
    return { close: () => served.splice(served.indexOf(link), 1) }
  }, noTrouble)
  const at = (number: number, host: string) => ({ host, port: 1, link: number })
  await listeners.use([at(0, '10.0.0.1'), at(1, '10.1.0.1')])
  await listeners.use([at(0, '10.0.0.1'), at(2, '10.1.0.1')])
  expect(served).toEqual([0, 2])
})

test('of several addresses those that are there are served, and one that is missing does no harm', async () => {
  const open = (at: { readonly host: string; readonly port: number }): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => socket.end())
      servers.push(server)
      server.once('error', reject)
      server.listen(at.port, at.host, () => resolve(server))
    })
  const port = 18_734
  const told: string[] = []
  const listeners = new Listeners(open, ({ host }, error) => told.push(`${host} ${error}`))
  await listeners.use(['127.0.0.1', '192.0.2.77'].map((host) => ({ host, port })))
  await new Promise((resolve, reject) => connect(port, '127.0.0.1').once('connect', resolve).once('error', reject))
  // It is tried each second.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await listeners.close()
  expect(told).toEqual(['192.0.2.77 This host does not have its address 192.0.2.77 now.'])
})

test('an only address that this host does not have is waited for, and any other failure to listen on it is told', async () => {
  let isThere = false
  const served: string[] = []
  const open = async ({ host }: { readonly host: string }) => {
    if (!isThere) throw Object.assign(new Error('listen EADDRNOTAVAIL'), { code: 'EADDRNOTAVAIL' })
    served.push(host)
    return { close: () => undefined }
  }
  const told: string[] = []
  const listeners = new Listeners(open, (_at, error) => told.push(error))
  await listeners.use([{ host: '192.0.2.77', port: 1 }])
  expect(told).toEqual(['This host does not have its address 192.0.2.77 now.'])
  isThere = true
  await expect.poll(() => served, { timeout: 10_000 }).toEqual(['192.0.2.77'])
  await listeners.close()

  const taken = async (): Promise<never> => {
    throw Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' })
  }
  await expect(new Listeners(taken, noTrouble).use([{ host: '10.0.0.1', port: 7701 }])).rejects.toThrow(
    'Another program listens on 10.0.0.1 port 7701.',
  )
})

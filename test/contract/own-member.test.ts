/** A node's member of etcd follows the list of nodes, and what the others have made of it meanwhile: two nodes on addresses of the loopback. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defined } from '../../src/base/index.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { type Paths, pathsBelow } from '../../src/daemon/host/paths.ts'
import { type ClusterFile, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import type { WithAuthority } from '../../src/daemon/pki/authority.ts'
import { writeIdentity } from '../../src/daemon/pki/identity.ts'
import { type LocalStore, openLocalStore } from '../../src/daemon/store/local-store.ts'
import { memberSettings } from '../../src/daemon/store/member-settings.ts'
import { clientTls, etcdEndpoints } from '../../src/daemon/store/store-config.ts'
import { createAuthority, createNodeCertificate } from '../../src/rpc/index.ts'
import { findMember } from '../../src/store/etcd/member/process.ts'
import { EtcdAdmin, readTlsFiles } from '../../src/store/index.ts'
import { freePorts } from '../support/free-ports.ts'

const root = mkdtempSync(join(tmpdir(), 'systole-own-member-'))
const names = ['n1', 'n2'] as const
const paths = new Map<string, Paths>(names.map((name) => [name, pathsBelow(join(root, name))]))
const stores = new Map<string, LocalStore>()
let ports: readonly number[] = []

function list(nodesVersion: number, voters: readonly string[]): ClusterFile {
  const parsed = parseClusterFile(
    JSON.stringify({
      clusterName: 'testing',
      nodesVersion,
      store: { kind: 'etcd' },
      nodes: names.map((name, index) => ({
        name,
        id: String(index + 1),
        address: `127.0.0.${index + 1}`,
        votes: voters.includes(name),
        ports: { etcdClient: ports[2 * index], etcdPeer: ports[2 * index + 1] },
      })),
    }),
  )
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

async function asN1<Result>(act: (admin: EtcdAdmin) => Promise<Result>): Promise<Result> {
  const { nodes } = list(1, names)
  const tls = readTlsFiles(clientTls(defined(paths.get('n1'), 'the folders of n1')))
  const admin = new EtcdAdmin({ endpoints: etcdEndpoints(nodes.slice(0, 1)), tls })
  try {
    return await act(admin)
  } finally {
    admin.close()
  }
}

const memberNames = async (): Promise<readonly string[]> =>
  await asN1(async (admin) => (await admin.members(2000)).map(({ name }) => name).sort()).catch(() => [])

beforeAll(async () => {
  ports = await freePorts(4)
  const authority = await createAuthority('testing')
  const withAuthority: WithAuthority = async (use) => await use(authority)
  const file = list(0, names)
  for (const own of file.nodes) {
    const of = defined(paths.get(own.name), 'its folders')
    for (const folder of [of.data, of.run, of.pki]) mkdirSync(folder, { recursive: true })
    const certificate = await createNodeCertificate(authority, { name: own.name, addresses: [own.address] })
    writeIdentity(of.pki, authority, certificate)
    stores.set(
      own.name,
      await openLocalStore({ file, own, paths: of, log: openLog(own.name, 'silent'), withAuthority }),
    )
  }
}, 60_000)

afterAll(async () => {
  await Promise.all([...stores.values()].map(async (store) => await store.close('stop')))
  rmSync(root, { recursive: true, force: true })
}, 30_000)

test('a member that the others have removed joins again where the list goes on to name its node as a voter', async () => {
  await expect.poll(memberNames, { timeout: 30_000 }).toEqual(['n1', 'n2'])
  const { nodes } = list(0, names)
  const n2 = defined(nodes[1], 'n2 is in the list')
  await asN1(async (admin) => await admin.remove([`https://${n2.address}:${n2.ports.etcdPeer}`], 10_000))
  expect(await memberNames()).toEqual(['n1'])
  await expect.poll(memberNames, { timeout: 40_000, interval: 250 }).toEqual(['n1', 'n2'])
}, 90_000)

test('a member that etcd still has when its node has lost its vote leaves etcd before it ends', async () => {
  stores.get('n2')?.follow(list(2, ['n1']))
  await expect.poll(memberNames, { timeout: 30_000, interval: 250 }).toEqual(['n1'])
}, 60_000)

test('a member whose node has lost its vote keeps its data until it is known that etcd does without it', async () => {
  const memberOf = (name: string): number | undefined => {
    const own = defined(
      list(0, names).nodes.find((node) => node.name === name),
      name,
    )
    const setup = { own, paths: defined(paths.get(name), 'its folders') }
    return findMember(
      memberSettings({ ...setup, file: list(0, names), log: openLog(name, 'silent') }, () => list(0, names)),
    )
  }
  stores.get('n2')?.follow(list(3, names))
  await expect.poll(memberNames, { timeout: 40_000, interval: 250 }).toEqual(['n1', 'n2'])
  const n1 = defined(memberOf('n1'), 'the member of n1')
  process.kill(n1, 'SIGSTOP')
  try {
    stores.get('n2')?.follow(list(4, ['n1']))
    // Longer than it asks n1 whether it is a member.
    await delay(4000)
    expect(memberOf('n2')).toBeDefined()
  } finally {
    process.kill(n1, 'SIGCONT')
  }
  await expect.poll(memberNames, { timeout: 40_000, interval: 250 }).toEqual(['n1'])
  await expect.poll(() => memberOf('n2'), { timeout: 20_000, interval: 100 }).toBeUndefined()
}, 120_000)

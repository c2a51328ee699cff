import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeService } from '../../src/rpc/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

/**
 * What somebody can do who has the key of a node that was removed: nothing. Three real nodes with etcd; n3's key and certificate were copied before its
 * removal, a watch on the store and a connection to a daemon were open.
 */
const lab = new Lab(['n1', 'n2', 'n3'])
const project = resolve(import.meta.dirname, '../..')
const pki = '/etc/systole/pki'
const stolen = '/run/stolen'

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
}, 120_000)

afterAll(() => lab.close(), 60_000)

type Answers = Readonly<Record<string, string>>

/** From that host, by the keys in that folder. */
async function callWith(from: string, folder: string, to: string, wait?: string): Promise<Answers> {
  const script = [`${project}/scripts/run.mjs`, `${project}/test/security/lab/stolen-key.ts`]
  const asked = [folder, to, lab.network.address(to), ...(wait === undefined ? [] : [wait])]
  return JSON.parse(await lab.inNode(from, process.execPath, ...script, ...asked)) as Answers
}

const etcdctl = (folder: string, to: string, ...line: readonly string[]): readonly string[] => [
  ...['env', 'ETCDCTL_API=3', 'etcdctl', `--endpoints=https://${lab.network.address(to)}:7702`],
  ...[`--cacert=${folder}/authority.crt`, `--cert=${folder}/node.crt`, `--key=${folder}/node.key`],
  ...['--dial-timeout=2s', '--command-timeout=3s', ...line],
]

async function store(from: string, folder: string, to: string, ...line: readonly string[]): Promise<string> {
  return await lab.inNode(from, ...etcdctl(folder, to, ...line)).catch(() => 'refused')
}

/** On a busy machine it may take its time; that a store which answers others refuses is shown after it. */
async function opens(from: string, folder: string, to: string): Promise<void> {
  await lab.until(`the store of ${to} opens`, async () =>
    (await store(from, folder, to, 'get', '--prefix', '/systole/dc')).includes('/systole/dc'),
  )
}

/** What only a witness may ask is refused by the role of the certificate, before its key is looked at. */
const each = (answer: string): Answers => ({
  ...Object.fromEntries(Object.keys(nodeService).map((name) => [name, answer])),
  getWitnessPlace: 'not-witness',
})

test('a member’s word does not empty a host that the store lists', async () => {
  const { forget, updateClusterFile } = await callForgetOnly()
  expect({ forget, updateClusterFile }).toEqual({ forget: 'not-removed', updateClusterFile: 'answered' })
  expect((await lab.status('n1')).nodes.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3'])
  expect(await lab.inNode('n1', 'cat', '/etc/systole/cluster.json')).toContain('"n1"')
}, 60_000)

/** By n2's own key: two calls that ended a host on the word of one. */
async function callForgetOnly(): Promise<Answers> {
  const script = [`${project}/scripts/run.mjs`, `${project}/test/security/lab/forget.ts`]
  const answers = await lab.inNode('n2', process.execPath, ...script, pki, 'n1', lab.network.address('n1'))
  return JSON.parse(answers) as Answers
}

test('the key of a removed node opens nothing any more, and what it had open ends', async () => {
  await lab.inNode('n3', 'cp', '-a', pki, stolen)
  await opens('n3', stolen, 'n1')
  for (const to of ['n1', 'n2']) {
    const watch = etcdctl(stolen, to, 'watch', '--prefix', '/systole/').join(' ')
    await lab.inNode('n3', 'sh', '-c', `${watch} >/run/watched-${to} 2>&1 &`)
  }
  const held = callWith('n3', stolen, 'n1', '/run/removed')
  await lab.systole('n1', 'resource', 'create', 'before', 'ocf:pacemaker:Dummy', '--wait')
  await lab.until('the watch sees a change', async () =>
    (await lab.inNode('n3', 'cat', '/run/watched-n1')).includes('/systole/config/current'),
  )

  await lab.systole('n1', 'cluster', 'node', 'remove', 'n3')
  await lab.inNode('n3', 'touch', '/run/removed')
  expect(await held).toEqual({ ...each('removed'), early: 'answered', pulse: 'closed' })

  for (const to of ['n1', 'n2']) {
    expect(await callWith('n3', stolen, to)).toEqual({ ...each('removed'), pulse: 'closed' })
    await opens('n1', pki, to)
    expect(await store('n3', stolen, to, 'get', '--prefix', '/systole/config')).toBe('refused')
    expect(await store('n3', stolen, to, 'put', '/systole/dc', '{"node":"n3"}')).toBe('refused')
    expect(await store('n3', stolen, to, 'member', 'list')).toBe('refused')
    const peerPort = await lab
      .inNode(
        'n3',
        ...['curl', '-s', '-m', '3', '--cacert', `${stolen}/authority.crt`, '--cert', `${stolen}/node.crt`],
        ...['--key', `${stolen}/node.key`, '--connect-to', `${to}:7703:${lab.network.address(to)}:7703`],
        `https://${to}:7703/members`,
      )
      .catch(() => 'refused')
    expect(peerPort).toBe('refused')
  }
  const watched = async (): Promise<readonly string[]> =>
    await Promise.all(['n1', 'n2'].map(async (to) => await lab.inNode('n3', 'cat', `/run/watched-${to}`)))
  const before = await watched()
  await lab.systole('n1', 'resource', 'create', 'after', 'ocf:pacemaker:Dummy', '--wait')
  expect(await watched()).toEqual(before)
  const { nodes, fencing } = await lab.status('n1')
  expect(nodes.map(({ name, online, unclean }) => [name, online, unclean])).toEqual([
    ['n1', true, false],
    ['n2', true, false],
  ])
  expect(fencing).toEqual([])
}, 120_000)

test('added again, it is known by its new key, and the old one stays closed', async () => {
  const added = await lab.systole('n1', 'cluster', 'node', 'add', 'n3', `addr=${lab.network.address('n3')}`, '--json')
  const { joinToken } = JSON.parse(added) as { readonly joinToken: string }
  // Nobody is n3 yet.
  expect(await callWith('n3', stolen, 'n1')).toEqual({ ...each('other-key'), pulse: 'closed' })
  await lab.systole('n3', 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
  await lab.until('n3 is online', async () =>
    (await lab.status('n1')).nodes.some(({ name, online }) => name === 'n3' && online),
  )
  expect(await callWith('n3', stolen, 'n2')).toEqual({ ...each('other-key'), pulse: 'closed' })
  await opens('n3', pki, 'n2')
  expect(await store('n3', stolen, 'n2', 'get', '--prefix', '/systole/dc')).toBe('refused')
  expect((await lab.status('n1')).fencing).toEqual([])
}, 120_000)

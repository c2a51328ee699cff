/**
 * A member that was taken over while it ran: what it can keep of the authority's key, what that opens after its removal, and what ends it. And what a
 * removed node's key can still do to the daemons that refuse it. Real nodes.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3', 'n4', 'n5'])
const project = resolve(import.meta.dirname, '../..')
const pki = '/etc/systole/pki'
const [forged, stolen] = [join(lab.folder, 'forged'), join(lab.folder, 'stolen')]

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1', 'n2', 'n3'])
  await lab.until('each has its share', () =>
    ['n1', 'n2', 'n3'].every((node) => existsSync(join(lab.folder, 'nodes', node, 'etc/pki/authority-share.json'))),
  )
}, 120_000)

afterAll(() => lab.close(), 60_000)

const address = (node: string): string => lab.network.address(node)

async function deed(from: string, ...words: readonly string[]): Promise<Record<string, unknown>> {
  const script = [`${project}/scripts/run.mjs`, `${project}/test/security/lab/taken-over.ts`]
  return JSON.parse(await lab.inNode(from, process.execPath, ...script, ...words))
}

/** Whether it answers there by those keys; no output where it refuses. */
async function store(from: string, folder: string, to: string): Promise<boolean> {
  const secrets = [`--cacert=${folder}/authority.crt`, `--cert=${folder}/node.crt`, `--key=${folder}/node.key`]
  const line = ['etcdctl', `--endpoints=https://${address(to)}:7702`, ...secrets, '--command-timeout=3s']
  return await lab.inNode(from, 'env', 'ETCDCTL_API=3', ...line, 'get', '--prefix', '/systole/dc').then(
    (text) => text.includes('/systole/dc'),
    () => false,
  )
}

test('of two hosts that join as n4 by two members at once, each with a good token, one is n4', async () => {
  await lab.systole('n1', 'cluster', 'node', 'add', 'n4', `addr=${address('n4')}`)
  const tokens = [await lab.systole('n1', 'cluster', 'token'), await lab.systole('n2', 'cluster', 'token')]
  const joins = ['n4', 'n5'].map((host, index) =>
    lab.systole(
      host,
      ...['cluster', 'join', address(index === 0 ? 'n1' : 'n2'), '--token', (tokens[index] ?? '').trim()],
      ...['--node', 'n4'],
    ),
  )
  const outcomes = await Promise.allSettled(joins)
  const { nodes } = JSON.parse(await lab.inNode('n1', 'cat', '/etc/systole/cluster.json'))
  expect(nodes.find(({ name }: { name: string }) => name === 'n4').keys).toHaveLength(1)
  expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true)
  await lab.systole('n1', 'cluster', 'node', 'remove', 'n4')
}, 90_000)

test('a member that runs can have the authority’s key, and who gave it a share says so', async () => {
  const answer = await deed('n3', 'collect', pki, forged, `n1=${address('n1')}`, `n2=${address('n2')}`)
  expect(answer).toEqual({ signed: true })
  for (const node of ['n1', 'n2'])
    expect(readFileSync(join(lab.folder, 'nodes', node, 'systoled.log'), 'utf8')).toMatch(
      /"to":"n3","msg":"a share of the authority/,
    )
}, 60_000)

test('after its removal its own key opens nothing, and what it has signed is no member for any daemon', async () => {
  await lab.inNode('n3', 'cp', '-a', pki, stolen)
  await lab.systole('n1', 'cluster', 'node', 'remove', 'n3')
  // From an address that no table of packets keeps out.
  expect(await store('n2', stolen, 'n1')).toBe(false)
  expect(await deed('n2', 'call', forged, 'n1', address('n1'))).toEqual({ answer: 'other-key' })
}, 120_000)

test('a removed node’s connections fill no memory, and a daemon renews its certificate although one of them is silent', async () => {
  const until = join(lab.folder, 'enough')
  const memory = async (): Promise<number> =>
    Number(
      /VmRSS:\s+(\d+) kB/.exec(await lab.inNode('n1', 'sh', '-c', 'cat /proc/$(cat /run/systoled.pid)/status'))?.[1],
    )
  const before = await memory()
  const held = deed('n3', 'hold', stolen, 'n1', address('n1'), until)
  await lab.until('it holds them', () => existsSync(`${until}.holding`))
  const certificate = readFileSync(join(lab.folder, 'nodes/n1/etc/pki/node.crt'), 'utf8')
  const grown = (await memory()) - before
  await lab.systole('n1', 'cluster', 'certificates', 'renew')
  expect(readFileSync(join(lab.folder, 'nodes/n1/etc/pki/node.crt'), 'utf8')).not.toBe(certificate)
  await lab.until('n1 is online', async () =>
    (await lab.status('n2')).nodes.every(({ online, unclean }) => online && !unclean),
  )
  writeFileSync(until, '')
  // A renewal ends no connection: those that say nothing are bounded by the door, and in nobody's way.
  expect(await held).toEqual({ held: 9 })
  // In kB: 64 messages of 4 MB were begun.
  expect(grown).toBeLessThan(64 * 1024)
}, 120_000)

test('the store believes what it has signed until the authority is replaced, as docs/security.md says', async () => {
  expect(await store('n2', forged, 'n1')).toBe(true)
  await lab.until('it begins', async () => (await lab.try('n1', 'pki', 'rotate')) !== undefined)
  await lab.until(
    'the old authority is forgotten',
    async () => {
      const { rotation, nodes } = JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))
      return !rotation && nodes.every((node: { trusts: unknown[] }) => node.trusts.length === 1)
    },
    90_000,
  )
  await lab.until('the store opens for members', async () => await store('n2', pki, 'n1'))
  expect(await store('n2', forged, 'n1')).toBe(false)
}, 180_000)

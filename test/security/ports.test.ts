/**
 * Somebody on the network, without a certificate and with that of a remote node, does to each port of a member, and to that of the remote node, what keeps
 * a server busy; and tries a join token for whatever it is not meant for. And a remote node in the hands of somebody else asks without end.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'
import { holder, isOnline } from '../nodes/lab/remote.ts'

const remote = 'r1'
const lab = new Lab(['n1', 'n2', 'n3', remote], { remotes: [remote] })
const program = (name: string): string => resolve(import.meta.dirname, name)
const knockMs = 2000
/** With what the machine does besides. */
const patienceMs = 5000

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10')
  await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'))
}, 180_000)
afterAll(() => lab.close(), 60_000)

const stranger = async (...words: readonly string[]): Promise<string> =>
  await run('ip', 'netns', 'exec', lab.network.clientSpace, process.execPath, program('knocks.mjs'), ...words)

/** How long root waits for an answer of that node at most, meanwhile. */
async function slowestAnswer(node: string, forMs: number): Promise<number> {
  const said = await lab.inNode(node, process.execPath, program('burden.mjs'), 'probe', String(forMs))
  return (JSON.parse(said) as { readonly slowest: number }).slowest
}

async function daemons(): Promise<readonly string[]> {
  return await Promise.all(lab.nodes.map(async (node) => (await lab.inNode(node, 'cat', '/run/systoled.pid')).trim()))
}

async function allWell(): Promise<void> {
  const { nodes, fencing } = await lab.status('n1')
  expect(nodes.map(({ name, online, unclean }) => [name, online, unclean])).toEqual(
    ['n1', 'n2', 'n3', remote].map((node) => [node, true, false]),
  )
  expect(fencing).toEqual([])
}

const ofAll = ['silent', 'half of a greeting', 'noise', 'TLS and nothing else', 'HTTP/2']
const ofJoining = [
  'long headers',
  'many requests at a time',
  'a body without an end',
  'a slow body',
  'other methods',
  'upgrade',
]
const attacks = [
  ...[7700, 7701, 7702, 7703, 7704].flatMap((port) => ofAll.map((kind) => ({ to: 'n2', port, kind }))),
  ...ofJoining.map((kind) => ({ to: 'n2', port: 7704, kind })),
  ...ofAll.map((kind) => ({ to: remote, port: 3121, kind })),
]

test.each(attacks)('$kind, to port $port of $to', { timeout: 60_000 }, async ({ to, port, kind }) => {
  const before = await daemons()
  const [slowest] = await Promise.all([
    slowestAnswer('n2', knockMs),
    stranger(kind, lab.network.address(to), String(port), String(knockMs)),
  ])
  expect(slowest).toBeLessThan(patienceMs)
  expect(await daemons()).toEqual(before)
  await allWell()
})

describe('with the certificate of the remote node', () => {
  test.each([7700, 7701, 7702, 7703])('port %i ends the connection', { timeout: 60_000 }, async (port) => {
    const words = ['TLS and nothing else', lab.network.address('n2'), String(port), '3000', '/etc/systole/pki']
    const said = JSON.parse(await lab.inNode(remote, process.execPath, program('knocks.mjs'), ...words))
    // The heartbeats' port and the store's do not even answer an address that is no member's.
    if (port === 7700) expect(said.ended).toBeGreaterThan(0)
    await allWell()
  })
})

test('a join token lets nobody be what it is not meant for, by no name that is another’s or a path, and once', {
  timeout: 60_000,
}, async () => {
  const secretOf = async (...words: readonly string[]): Promise<string> =>
    (await lab.systole('n1', 'cluster', 'token', ...words)).trim().split('.')[2] ?? ''
  const ask = async (asked: readonly object[]): Promise<readonly string[]> =>
    JSON.parse(await stranger('join', lab.network.address('n1'), '7704', JSON.stringify(asked)))
  const secret = await secretOf('--remote')
  const names = [
    '../../../etc/passwd',
    'a/b',
    'n1',
    'N1',
    '*',
    '10.83.0.1',
    'a\u0000b',
    'a\nb',
    'x'.repeat(250),
    '',
    remote,
  ]
  const refused = await ask([
    { secret, node: 'n1' },
    { secret, node: 'n9', witness: true },
    ...names.map((node) => ({ secret, node, remote: true })),
  ])
  expect(refused.filter((code) => code.startsWith('HTTP/1.1 200'))).toEqual([])
  const [used, again, other] = await ask([
    { secret, node: 'r9', remote: true },
    { secret, node: 'r9', remote: true, publicKey: 'none' },
    { secret, node: 'r8', remote: true },
  ])
  expect(used).toBe('HTTP/1.1 200 OK')
  expect([again, other]).not.toContain('HTTP/1.1 200 OK')
  for (const node of ['n1', 'n2', 'n3'])
    await lab.inNode(
      node,
      'sh',
      '-c',
      'test -z "$(find / -xdev -newer /run/systoled.pid -name "*passwd*.crt" 2>/dev/null)"',
    )
})

test('a remote node that asks without end, and one whose answers nobody reads, keep no member from its work', {
  timeout: 180_000,
}, async () => {
  const before = (await daemons()).slice(0, 3)
  writeFileSync(join(lab.folder, 'nodes', remote, 'hold'), '')
  await lab.inNode(remote, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
  const tool = (...words: readonly string[]) => ({ name: 'tool', body: { tool: words[0], arguments: words.slice(1) } })
  for (const asked of [
    tool('cibadmin', '--query'),
    tool('crm_mon', '-1', '--output-as=xml'),
    tool('cibadmin', '--query', '--xpath', '//*[count(//*[count(//*) > 3]) > 3]'),
    tool('crm_attribute', '-N', remote, '-l', 'reboot', '-n', 'a', '-v', 'b'.repeat(60_000)),
    { name: 'forget', body: { resource: 'web' } },
    { name: 'renew', body: { publicKey: 'x'.repeat(16_000) } },
  ]) {
    const message = JSON.stringify([{ floodMs: 3000, ...asked }])
    const flooding = lab.inNode(remote, process.execPath, program('hostile-remote.mjs'), '/etc/systole/pki', message)
    await lab.until(
      'it floods',
      async () => (await lab.inNode(remote, 'sh', '-c', 'cat /run/floods 2>/dev/null || true')) !== '',
      60_000,
    )
    const owner = await holder(lab, remote, 'n1')
    const slowest = await slowestAnswer(owner === '' ? 'n1' : owner, 3000)
    console.log(JSON.stringify(asked).slice(0, 80), slowest, await flooding)
    expect(slowest).toBeLessThan(patienceMs)
    await lab.inNode(remote, 'rm', '-f', '/run/floods')
  }
  expect((await daemons()).slice(0, 3)).toEqual(before)
  expect((await lab.status('n1')).nodes.filter(({ name, online }) => name !== remote && online)).toHaveLength(3)
})

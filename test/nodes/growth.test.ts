import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** A cluster of one that gets company. */
const lab = new Lab(['n1', 'n2'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.prepare('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.prepare(
    'n1',
    'resource',
    'create',
    'work',
    'ocf:pacemaker:Dummy',
    'state=/run/work',
    'op',
    'monitor',
    'interval=1s',
    '--wait',
  )
}, 120_000)

afterAll(() => lab.close(), 60_000)

async function storeKind(): Promise<string> {
  const file = JSON.parse(await lab.inNode('n1', 'cat', '/etc/systole/cluster.json')) as { store: { kind: string } }
  return file.store.kind
}

/** The agent makes this file when it starts and removes it when it stops. */
const life = async () => await lab.inNode('n1', 'stat', '-c', '%i %w', '/run/work')

test('it keeps its state in the daemon until then, and its resources run through the move to etcd', async () => {
  expect(await storeKind()).toBe('embedded')
  const lifeBefore = await life()
  // Somebody else has etcd's port: nothing changes.
  const taken = lab.inNode('n1', 'timeout', '60', 'python3', '-m', 'http.server', '7702')
  taken.catch(() => undefined)
  await lab.until('the port is taken', async () => (await lab.inNode('n1', 'ss', '-ltn')).includes(':7702 '))
  const refused = lab.systole('n1', 'cluster', 'node', 'add', 'n2', `addr=${lab.network.address('n2')}`)
  await expect(refused).rejects.toThrow(/keeps its embedded store: .*in use/)
  expect(await storeKind()).toBe('embedded')
  await lab.inNode('n1', 'pkill', '-f', 'http.server 7702')

  const history = await lab.systole('n1', 'config', 'history', '--json')
  const added = await lab.systole('n1', 'cluster', 'node', 'add', 'n2', `addr=${lab.network.address('n2')}`, '--json')
  expect(await storeKind()).toBe('etcd')
  const { joinToken } = JSON.parse(added) as { readonly joinToken: string }
  await lab.systole('n2', 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
  await lab.until('both are online', async () => {
    const { nodes } = await lab.status('n2')
    return nodes.length === 2 && nodes.every(({ online, unclean }) => online && !unclean)
  })
  expect(await life()).toBe(lifeBefore)
  expect(await lab.whereIs('work', 'n2')).toEqual(['n1'])
  const versions = (text: string) => (JSON.parse(text) as { version: number }[]).map(({ version }) => version)
  const before = versions(history)
  expect(versions(await lab.systole('n2', 'config', 'history', '--json'))).toEqual(expect.arrayContaining(before))
  await lab.systole('n2', 'resource', 'move', 'work', 'n2', '--wait')
  expect(await lab.whereIs('work', 'n1')).toEqual(['n2'])
}, 120_000)

test('a wait for what could not be started does not pass for a success', async () => {
  const line = ['create', 'lost', 'ocf:heartbeat:IPaddr2', 'ip=192.0.2.1', 'nic=none0', '--wait', '--json']
  const refused = lab.systole('n1', 'resource', ...line)
  await expect(refused).rejects.toThrow(/"notRunning":\s*\[\s*\{\s*"resource": "lost"/)
  await lab.systole('n1', 'resource', 'delete', 'lost', '--wait')
}, 120_000)

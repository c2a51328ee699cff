import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** Nodes whose names are their addresses, on hosts that are called something else. */
const lab = new Lab(['n1', 'n2'])
const names = lab.nodes.map((node) => lab.network.address(node))

beforeAll(() => lab.start(), 60_000)
afterAll(() => lab.close(), 60_000)

test('a cluster of nodes that are named by their addresses forms, and nobody is warned', async () => {
  const [first = '', second = ''] = names
  await lab.until('the first daemon answers', async () => (await lab.try('n1', 'cluster', 'status')) !== undefined)
  const setup = JSON.parse(await lab.systole('n1', 'cluster', 'setup', 'lab', ...names, '--json')) as {
    readonly joins: readonly { readonly token: string }[]
  }
  await lab.systole('n1', 'cluster', 'start')
  await lab.systole('n2', 'cluster', 'join', first, '--token', setup.joins[0]?.token ?? '', '--node', second, '--start')
  await lab.until('both are online', async () => {
    const { nodes } = await lab.status('n2')
    return nodes.length === 2 && nodes.every(({ online }) => online) && nodes.some(({ dc }) => dc)
  })
  await lab.systole('n1', 'property', 'set', 'fencing-enabled=false', '--force')
  await lab.systole('n2', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'constraint', 'location', 'work', 'prefers', second, '--wait')
  await lab.until('it runs where it should', async () => (await lab.whereIs('work', 'n1'))[0] === second)
  // A daemon that is killed while it stops takes part again: what it runs may not have stopped yet.
  await lab.systole('n1', 'resource', 'create', 'slow', 'ocf:pacemaker:Dummy', 'op_sleep=5')
  await lab.systole('n1', 'constraint', 'location', 'slow', 'prefers', second, '--wait')
  const interrupted = lab.systole('n2', 'cluster', 'stop').catch(() => 'interrupted')
  await lab.until('it stops', async () => (await lab.systole('n1', 'status')).includes('slow stop on'))
  await lab.inNode('n2', 'sh', '-c', 'kill -9 $(cat /run/systole/systoled.pid)')
  expect(await interrupted).toBe('interrupted')
  // By its own word: the other's may be from before.
  await lab.until('it takes part again', async () => (await lab.whereIs('slow', 'n2').catch(() => []))[0] === second)
  // Of two without fencing the one that leaves gives the other its quorum all the same; whoever types it twice hears of its end twice.
  await Promise.all([lab.systole('n2', 'cluster', 'stop'), lab.systole('n2', 'cluster', 'stop')])
  await lab.until('it runs on the other', async () => (await lab.whereIs('work', 'n1'))[0] === first)
  expect(lab.logs(100_000)).not.toMatch(/"level":"error"|DeprecationWarning|DEP0/)
}, 120_000)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'
import { add, listed, voters } from './lab/members.ts'

/** Nodes that come to a running cluster and leave it, seen from the nodes and from etcd's own command. */
const founders = ['n1', 'n2', 'n3']
const lab = new Lab([...founders, 'n4', 'n5'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(founders)
  await lab.createFencing(founders)
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('what the lab reads of a node is what the command prints there', async () => {
  await lab.until('both say the same', async () => {
    for (const words of [['status'], ['quorum', 'status'], ['job', 'list']])
      expect(await lab.systole('n2', ...words, '--json')).toBe(await lab.inNode('n2', 'systole', ...words, '--json'))
    return true
  })
})

test('a fourth node changes no votes; a fifth makes five voters', async () => {
  await add(lab, 'n4')
  expect(await voters(lab)).toEqual(founders)
  await add(lab, 'n5')
  await lab.until('etcd has five voters', async () => (await voters(lab)).length === 5)
  expect(await listed(lab, 'n2')).toEqual(['n1', 'n2', 'n3', 'n4', 'n5'])
  expect((await lab.status('n1')).fencing).toEqual([])
}, 60_000)

test('a node is removed: its resources move, and it forgets the cluster', async () => {
  await lab.prepare('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy')
  await lab.prepare('n1', 'constraint', 'location', 'work', 'prefers', 'n5', '--wait')
  await lab.until('it runs on n5', async () => (await lab.whereIs('work', 'n1'))[0] === 'n5')
  await lab.systole('n1', 'cluster', 'node', 'remove', 'n5')
  expect((await lab.status('n1')).nodes.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3', 'n4'])
  await lab.until('it runs elsewhere', async () => {
    const [where = 'n5'] = await lab.whereIs('work', 'n1')
    return where !== 'n5'
  })
  expect(await lab.systole('n1', 'cluster', 'cib')).not.toContain('n5')
  await lab.until('n5 belongs to no cluster', async () =>
    (await lab.systole('n5', 'cluster', 'status')).includes('does not belong to a cluster'),
  )
  await lab.until('three of the four vote', async () => (await voters(lab)).length === 3)
}, 60_000)

async function setToken(node: string, token: string): Promise<string> {
  return await lab.systole(node, 'cluster', 'config', 'update', 'totem', `token=${token}`)
}

/** As its own file has it, from which its daemon starts. */
async function times(node: string): Promise<unknown> {
  const text = await lab.inNode(node, 'cat', '/etc/systole/cluster.json')
  return (JSON.parse(text) as { readonly pulse?: unknown }).pulse
}

test('the token changes while all nodes run, up and down, and nobody is taken for dead', async () => {
  const { nodes } = await lab.status('n1')
  expect(await setToken('n1', '6000')).toMatch(/from 1000 ms to 6000 ms on all nodes/)
  expect(await times('n3')).toEqual({ tokenMs: 6000, heartbeatIntervalMs: 2000 })
  // Longer than the token of before, and shorter than the lease.
  await lab.inNode(
    'n4',
    'sh',
    '-c',
    'kill -STOP $(cat /run/systoled.pid); sleep 1.6; kill -CONT $(cat /run/systoled.pid)',
  )
  expect(await setToken('n4', '900')).toMatch(/from 6000 ms to 900 ms on all nodes/)
  for (const { name } of nodes) expect(await times(name)).toEqual({ tokenMs: 900, heartbeatIntervalMs: 300 })
  expect(await setToken('n3', '9000')).toMatch(/from 900 ms/)
  expect(await setToken('n2', '')).toMatch(/from 9000 ms to 1000 ms on all nodes/)
  expect(await setToken('n1', '1000')).toMatch(/already/)
  expect(await lab.systole('n3', 'cluster', 'config')).toContain('Token: 1000 ms')
  const after = await lab.status('n1')
  expect(after.nodes.map(({ online, unclean }) => online && !unclean)).toEqual(nodes.map(() => true))
  expect(after.fencing).toEqual([])
}, 60_000)

test('a node is not removed where the others would be no majority', async () => {
  const vote = (await voters(lab)).filter((node) => node !== 'n1')
  const [down = '', wanted = ''] = vote
  await lab.systole(down, 'cluster', 'stop')
  expect(await lab.try('n1', 'cluster', 'node', 'remove', wanted)).toBeUndefined()
  expect(lab.lastFailure).toMatch(/would lose quorum, because/)
  expect((await lab.status('n1')).nodes.map(({ name }) => name)).toContain(wanted)
}, 60_000)

test('a node that is off is removed, and forgets the cluster when it is back', async () => {
  const { nodes } = await lab.status('n1')
  const gone = nodes.find(({ online }) => !online)?.name ?? ''
  await lab.power.off(gone)
  await lab.systole('n1', 'cluster', 'node', 'remove', gone)
  await lab.until('another node has its vote', async () => {
    const now = await voters(lab)
    return now.length === 3 && !now.includes(gone)
  })
  await lab.power.on(gone)
  await lab.until('its daemon is there', async () => (await lab.try(gone, 'cluster', 'status')) !== undefined)
  await lab.systole(gone, 'cluster', 'start')
  await lab.until('it belongs to no cluster', async () =>
    (await lab.systole(gone, 'cluster', 'status')).includes('does not belong to a cluster'),
  )
  const left = await lab.status('n1')
  expect(left.nodes.map(({ name }) => name)).not.toContain(gone)
}, 90_000)

test('a cluster shrinks node by node to one that still works, and grows again', async () => {
  const others = (await lab.status('n1')).nodes.map(({ name }) => name).filter((node) => node !== 'n1')
  expect(others).toHaveLength(2)
  for (const node of others) await lab.systole('n1', 'cluster', 'node', 'remove', node)
  expect(await voters(lab)).toEqual(['n1'])
  await lab.systole('n1', 'resource', 'update', 'work', 'fake=1', '--wait')
  expect(await lab.whereIs('work', 'n1')).toEqual(['n1'])

  await add(lab, 'n5')
  await lab.until('both vote', async () => (await voters(lab)).length === 2)
  expect(await lab.systole('n5', 'quorum', 'config')).toMatch(/two_node: +yes/)
}, 90_000)

test('no daemon has met an error, or warned of anything deprecated', () => {
  expect(lab.logs(100_000)).toContain('the list of nodes has changed')
  expect(lab.logs(100_000)).not.toMatch(/"level":"error"|Deprecat|DEP0/)
})

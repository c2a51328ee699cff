import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** Nodes that come and go while others are lost, on three real nodes and two hosts beside them. */
const founders = ['n1', 'n2', 'n3']
const lab = new Lab([...founders, 'n4', 'n5'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(founders)
  await lab.createFencing(founders)
}, 120_000)

afterAll(() => lab.close(), 60_000)

interface Listed {
  readonly name: string
  readonly id: string
  readonly leaving?: boolean
  readonly votes?: boolean
}

async function listed(node: string): Promise<readonly Listed[]> {
  const file = JSON.parse(await lab.inNode(node, 'cat', '/etc/systole/cluster.json')) as { readonly nodes: Listed[] }
  return file.nodes
}

const add = async (on: string, node: string): Promise<string> =>
  await lab.systole(on, 'cluster', 'node', 'add', node, `addr=${lab.network.address(node)}`, '--json')

test('two who add nodes at once both end well, with ids of their own', async () => {
  const added = await Promise.allSettled([add('n1', 'n4'), add('n2', 'n5')])
  expect(added.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  await lab.until('both are listed', async () => (await listed('n1')).length === 5)
  const ids = (await listed('n1')).map(({ id }) => id)
  expect(new Set(ids).size).toBe(5)
  const cib = await lab.systole('n1', 'cluster', 'cib')
  for (const { id, name } of await listed('n1')) expect(cib).toContain(`<node id="${id}" uname="${name}"`)
  for (const node of ['n4', 'n5']) await lab.systole('n3', 'cluster', 'node', 'remove', node)
  expect(await lab.systole('n1', 'cluster', 'cib')).not.toMatch(/n4|n5/)
}, 120_000)

test('a removal whose daemon is killed goes on, and one that waits is told and can be cancelled', async () => {
  await lab.systole('n1', 'resource', 'create', 'slow', 'ocf:pacemaker:Dummy', 'op_sleep=8', '--wait')
  await lab.systole('n1', 'constraint', 'location', 'slow', 'prefers', 'n3', '--wait')
  await lab.until('it runs on n3', async () => (await lab.whereIs('slow', 'n1'))[0] === 'n3')

  // What it runs takes its time: meanwhile the administrator thinks again.
  const regretted = lab.try('n1', 'cluster', 'node', 'remove', 'n3')
  await lab.until('n3 is leaving', async () =>
    (await listed('n1')).some(({ name, leaving }) => name === 'n3' && leaving === true),
  )
  expect(await lab.systole('n2', 'status')).toMatch(/n3 is being removed: .*--cancel n3/)
  await lab.systole('n2', 'cluster', 'node', 'remove', 'n3', '--cancel')
  expect(await regretted).toBeUndefined()
  expect(lab.lastFailure).toMatch(/removal of n3 was cancelled/)
  await lab.until(
    'n3 is online again, with a vote',
    async () => {
      // It had begun to leave, and leaves first.
      await lab.try('n3', 'cluster', 'start')
      const { nodes } = await lab.status('n1')
      const entry = (await listed('n1')).find(({ name }) => name === 'n3')
      return nodes.every(({ online, unclean }) => online && !unclean) && entry !== undefined && entry.votes !== false
    },
    60_000,
  )
  await lab.until('it runs on n3 again', async () => (await lab.whereIs('slow', 'n1'))[0] === 'n3')

  const killed = lab.try('n2', 'cluster', 'node', 'remove', 'n3')
  await lab.until('n3 is leaving', async () =>
    (await listed('n1')).some(({ name, leaving }) => name === 'n3' && leaving === true),
  )
  await lab.inNode('n2', 'sh', '-c', 'kill -9 $(cat /run/systoled.pid)')
  await killed
  await lab.until(
    'n3 is removed all the same',
    async () => !(await listed('n1')).some(({ name }) => name === 'n3'),
    60_000,
  )
  await lab.until('n3 belongs to no cluster', async () =>
    (await lab.systole('n3', 'cluster', 'status')).includes('does not belong to a cluster'),
  )
}, 180_000)

test('a node that is lost while another is being removed stops the healthy one not', async () => {
  await lab.until('n2 is back', async () => (await lab.status('n1')).nodes.every(({ online }) => online))
  const { joinToken } = JSON.parse(await add('n1', 'n3')) as { readonly joinToken: string }
  await lab.systole('n3', 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
  await lab.until('three vote, and the slow one is back', async () => {
    const nodes = await listed('n1')
    const votes = nodes.length === 3 && nodes.every((node) => node.votes !== false)
    return votes && (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean)
  })
  await lab.systole('n1', 'constraint', 'location', 'slow', 'prefers', 'n3', '--wait')
  await lab.until('it runs on n3', async () => (await lab.whereIs('slow', 'n1'))[0] === 'n3')
  await lab.systole('n1', 'resource', 'create', 'service', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'constraint', 'location', 'service', 'prefers', 'n2', '--wait')
  await lab.until('the service runs on n2', async () => (await lab.whereIs('service', 'n1'))[0] === 'n2')

  const removal = lab.try('n1', 'cluster', 'node', 'remove', 'n3')
  await lab.until('the vote of n3 is gone', async () =>
    (await listed('n1')).some(({ name, leaving, votes }) => name === 'n3' && leaving === true && votes === false),
  )
  await lab.power.off('n2')
  await lab.until(
    'the service runs on n1',
    async () => (await lab.whereIs('service', 'n1').catch(() => []))[0] === 'n1',
    60_000,
  )
  await removal
  await lab.until('n3 is removed', async () => !(await listed('n1')).some(({ name }) => name === 'n3'), 60_000)
  expect((await lab.status('n1')).nodes.map(({ name }) => name)).toEqual(['n1', 'n2'])
}, 240_000)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { add, listed, voters } from '../nodes/lab/members.ts'

/** A node that is removed while another one is away. */
const founders = ['n1', 'n2', 'n3']
const lab = new Lab([...founders, 'n4', 'n5'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(founders)
  await lab.createFencing(founders)
  await add(lab, 'n4')
  await add(lab, 'n5')
  await lab.until('etcd has five voters', async () => (await voters(lab)).length === 5)
}, 180_000)

afterAll(() => lab.close(), 60_000)

test('a node is removed while another is off: its resources move, and the other learns of it when it is back', async () => {
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'constraint', 'location', 'work', 'prefers', 'n5', '--wait')
  await lab.until('it runs on n5', async () => (await lab.whereIs('work', 'n1'))[0] === 'n5')
  await lab.systole('n3', 'cluster', 'stop')
  await lab.power.off('n3')

  await lab.systole('n1', 'cluster', 'node', 'remove', 'n5')
  const remaining = (await lab.status('n1')).nodes.map(({ name }) => name)
  expect(remaining).toEqual(['n1', 'n2', 'n3', 'n4'])
  await lab.until('it runs elsewhere', async () => {
    const [where = 'n5'] = await lab.whereIs('work', 'n1')
    return where !== 'n5'
  })
  expect(await lab.systole('n1', 'cluster', 'cib')).not.toContain('n5')
  await lab.until('n5 belongs to no cluster', async () =>
    (await lab.systole('n5', 'cluster', 'status')).includes('does not belong to a cluster'),
  )

  await expect(setToken('n1', '6000')).rejects.toThrow(/n3 is offline, .*Start it first/)

  await lab.power.on('n3')
  await lab.until('the daemon of n3 is there', async () => (await lab.try('n3', 'cluster', 'status')) !== undefined)
  await lab.systole('n3', 'cluster', 'start')
  await lab.until('n3 has the new list', async () => !(await listed(lab, 'n3')).includes('n5'))
  await lab.until('three of the four vote', async () => (await voters(lab)).length === 3)
  await lab.until('all four are online and clean', async () =>
    (await lab.status('n3')).nodes.every(({ online, unclean }) => online && !unclean),
  )
  expect(await setToken('n1', '6000')).toMatch(/from 1000 ms to 6000 ms on all nodes/)
}, 90_000)

async function setToken(node: string, token: string): Promise<string> {
  return await lab.systole(node, 'cluster', 'config', 'update', 'totem', `token=${token}`)
}

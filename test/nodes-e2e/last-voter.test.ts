import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** Two of three voters are gone, and one goes on alone on an administrator's word. Then the others come back, together. */
const lab = new Lab(['n1', 'n2', 'n3'])
const lost = ['n2', 'n3']
const journal = '/var/lib/systole/alone.json'

interface Quorum {
  readonly quorate: boolean
  readonly members: readonly { readonly node: string; readonly votes: boolean }[]
}

async function quorum(node: string): Promise<Quorum> {
  return JSON.parse(await lab.systole(node, 'quorum', 'status', '--json')) as Quorum
}

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('while the others are up, nobody goes on without them', async () => {
  expect(await lab.try('n1', 'quorum', 'unblock', '--yes')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/has quorum. There is nothing to unblock/)
  expect(await lab.systole('n1', 'quorum', 'expected-votes', '3')).toMatch(/3 votes are already expected/)
}, 60_000)

/** As an attempt leaves it that did not come to its end. */
async function leaveWord(): Promise<void> {
  const word = JSON.stringify({ granted: { lost, word: 'administrator' }, records: [] })
  await lab.inNode('n1', 'sh', '-c', `echo '${word}' > ${journal}`)
  await lab.inNode('n1', 'kill', '-9', (await lab.inNode('n1', 'cat', '/run/systoled.pid')).trim())
}

const etcdOfN1 = async (): Promise<string> => await lab.inNode('n1', 'cat', '/var/lib/systole/etcd/etcd.pid')

test('an old word is forgotten by the next daemon where the others are there', async () => {
  const etcd = await etcdOfN1()
  await leaveWord()
  await lab.until('the word is forgotten', async () => !(await lab.inNode('n1', 'cat', journal)).includes('granted'))
  await lab.until('n1 takes part again', async () => {
    const { quorate, members } = await quorum('n1')
    return quorate && members.every(({ votes }) => votes)
  })
  expect(await etcdOfN1()).toBe(etcd)
  expect((await lab.status('n2')).fencing).toEqual([])
}, 60_000)

test('two of three lose power for good: the third goes on alone once somebody says that they are off', async () => {
  for (const node of lost) {
    lab.power.unplugged.add(node)
    await lab.power.off(node)
  }
  await lab.until('n1 has no quorum', async () => !(await quorum('n1')).quorate)
  expect(await lab.try('n1', 'quorum', 'expected-votes', '1')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/1 of 3 are present.*If n2, n3 .* are off, run .systole quorum unblock. on this node/)
  expect(await lab.try('n1', 'quorum', 'unblock')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/if n2 and n3 are off/)
  // The same as --yes.
  await lab.systole('n1', 'quorum', 'unblock', '--force')
  const { quorate, members } = await quorum('n1')
  expect({ quorate, voters: members.filter(({ votes }) => votes).map(({ node }) => node) }).toEqual({
    quorate: true,
    voters: ['n1'],
  })
  await lab.until('work runs on n1', async () => (await lab.whereIs('work', 'n1'))[0] === 'n1')
  await lab.systole('n1', 'resource', 'create', 'later', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)

test('a daemon that dies before that is told to the store tells it when it is back, and begins nothing anew', async () => {
  const etcd = await etcdOfN1()
  await leaveWord()
  await lab.until(
    'the word is ended',
    async () => !(await lab.inNode('n1', 'ls', '/var/lib/systole')).includes('alone'),
  )
  await lab.until('n1 has quorum', async () => (await quorum('n1')).quorate)
  expect(await etcdOfN1()).toBe(etcd)
  await lab.until('later runs', async () => (await lab.whereIs('later', 'n1'))[0] === 'n1')
}, 60_000)

test('the others return together: they find no majority among themselves, join again and know what was changed', async () => {
  lab.power.unplugged.clear()
  await Promise.all(lost.map((node) => lab.power.on(node)))
  await lab.until(
    'all three vote again',
    async () => {
      const { quorate, members } = await quorum('n1')
      return quorate && members.every(({ votes }) => votes)
    },
    90_000,
  )
  for (const node of lost) expect(await lab.systole(node, 'resource', 'config')).toContain('later')
}, 120_000)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** The fence devices fail: a node that has lost quorum with no-quorum-policy=fence must end itself. */
const lab = new Lab(['n1', 'n2', 'n3'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.systole('n1', 'property', 'set', 'no-quorum-policy=fence')
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('a node that is cut off with no-quorum-policy=fence reboots itself, all at once, and joins again', async () => {
  await lab.systole('n1', 'constraint', 'location', 'work', 'prefers', 'n3', '--wait')
  await lab.until('it runs on n3', async () => (await lab.whereIs('work', 'n1'))[0] === 'n3')
  lab.power.brokenControllers.add('n3')
  const before = lab.power.pid1('n3')
  await lab.network.link('n3', 'down')
  await lab.until('n3 has rebooted', () => lab.power.isOn('n3') && lab.power.pid1('n3') !== before)
  expect(lab.power.selfReboots).toEqual(['n3'])
  // Nobody could prove that: what it ran waits for a person, or for n3 itself.
  expect((await lab.status('n1')).fencing.filter(({ outcome }) => outcome === 'succeeded')).toEqual([])
  await lab.until('all nodes are online and clean', async () =>
    (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
  )
  await lab.until('it runs again', async () => (await lab.whereIs('work', 'n1')).length === 1)
}, 90_000)

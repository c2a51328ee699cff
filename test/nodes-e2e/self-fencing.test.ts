import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { Watchdogs } from '../nodes/lab/watchdogs.ts'

/** The fence device of a node that is cut off fails: the node must end itself. */
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

test('a node that is cut off and cannot be fenced is reset by its watchdog before its resource starts elsewhere', async () => {
  const watchdogs = new Watchdogs(lab.folder, lab.power, lab.nodes, 3000)
  try {
    const devices = lab.nodes.map((node) => `watchdog=${watchdogs.device(node)}@${node}`)
    await lab.systole('n1', 'property', 'set', 'no-quorum-policy=freeze', 'stonith-watchdog-timeout=4s')
    await lab.systole('n1', 'stonith', 'sbd', 'enable', ...devices, 'SBD_WATCHDOG_TIMEOUT=3')
    await lab.until('the others know of the watchdog of n3', async () =>
      (await lab.systole('n1', 'cluster', 'cib')).includes('watchdog_ms="3000"'),
    )
    await lab.until('it runs on n3', async () => (await lab.whereIs('work', 'n1'))[0] === 'n3')
    await lab.until('n3 feeds it', () => watchdogs.isRunning('n3'))
    // It prefers n3, and would be started there again.
    writeFileSync(join(lab.folder, 'nodes/n3/hold'), '')
    await lab.network.link('n3', 'down')
    await lab.until('it runs elsewhere', async () => {
      const [where = 'n3'] = await lab.whereIs('work', 'n1')
      // With freeze n3 stops nothing: whatever runs elsewhere, its watchdog was there first.
      if (where !== 'n3') expect(watchdogs.resets).toEqual(['n3'])
      return where !== 'n3'
    })
    const [fencing] = (await lab.status('n1')).fencing
    expect(fencing).toMatchObject({ target: 'n3', outcome: 'succeeded', device: 'watchdog' })
  } finally {
    watchdogs.close()
  }
}, 90_000)

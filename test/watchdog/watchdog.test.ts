import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { Watchdogs } from '../nodes/lab/watchdogs.ts'

/** No fence device at all: the watchdogs are what the cluster has. */
const lab = new Lab(['n1', 'n2', 'n3'])
let watchdogs: Watchdogs

beforeAll(async () => {
  await lab.start()
  watchdogs = new Watchdogs(lab.folder, lab.power, lab.nodes, 6000)
  await lab.formCluster()
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
  const devices = lab.nodes.map((node) => `watchdog=${watchdogs.device(node)}@${node}`)
  await lab.systole('n1', 'stonith', 'sbd', 'enable', ...devices, 'SBD_WATCHDOG_TIMEOUT=6')
  await lab.systole('n1', 'property', 'set', 'stonith-watchdog-timeout=-1')
  await lab.until('all nodes feed their watchdogs, and tell it', async () => {
    const { members } = JSON.parse(await lab.systole('n1', 'quorum', 'status', '--json')) as {
      readonly members: readonly { readonly watchdogMs?: number }[]
    }
    return (
      members.every(({ watchdogMs }) => watchdogMs === 6000) && lab.nodes.every((node) => watchdogs.isRunning(node))
    )
  })
})

afterAll(async () => {
  watchdogs?.close()
  await lab.close()
})

interface Fencing {
  readonly target: string
  readonly outcome: string
  readonly device?: string
  readonly ended?: string
}

const fencings = async (from: string): Promise<readonly Fencing[]> =>
  ((await lab.status(from)).fencing as readonly Fencing[]).filter(({ outcome }) => outcome === 'succeeded')

async function runsOn(node: string, seenFrom: string): Promise<void> {
  await lab.systole(seenFrom, 'resource', 'move', 'work', node, '--wait')
  await lab.until(`it runs on ${node}`, async () => (await lab.whereIs('work', seenFrom))[0] === node)
}

async function allAreBack(): Promise<void> {
  await lab.until(
    'all nodes are online and clean, and feed their watchdogs',
    async () =>
      (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean) &&
      lab.nodes.every((node) => watchdogs.isRunning(node)),
    120_000,
  )
}

test('the cluster says that nodes fence themselves', async () => {
  expect(await lab.systole('n2', 'stonith', 'sbd', 'status')).toContain('n3')
  expect(await lab.systole('n1', 'property', 'config', 'have-watchdog')).toContain('true')
})

test('a node that is cut off is reset by its watchdog before its resource starts elsewhere', async () => {
  await runsOn('n3', 'n1')
  let resetSeen: number | undefined
  await lab.network.link('n3', 'down')
  await lab.until(
    'it runs elsewhere',
    async () => {
      if (watchdogs.resets.includes('n3')) resetSeen ??= Date.now()
      const [where] = await lab.whereIs('work', 'n1')
      // Whatever is seen of it elsewhere, n3 was reset before.
      if (where !== undefined && where !== 'n3') expect(resetSeen).toBeDefined()
      return where === 'n1' || where === 'n2'
    },
    120_000,
  )
  const [fencing] = await fencings('n1')
  expect(fencing).toMatchObject({ target: 'n3', device: 'watchdog' })
  expect(watchdogs.resets).toEqual(['n3'])
  await allAreBack()
})

test('a node whose daemon is frozen is reset', async () => {
  const before = watchdogs.resets.length
  await runsOn('n2', 'n1')
  const pid = (await lab.inNode('n2', 'cat', '/run/systoled.pid')).trim()
  await lab.inNode('n2', 'kill', '-STOP', pid)
  await lab.until('n2 was reset', () => watchdogs.resets.length > before)
  expect(watchdogs.resets.at(-1)).toBe('n2')
  await lab.until(
    'it runs elsewhere',
    async () => ['n1', 'n3'].includes((await lab.whereIs('work', 'n1'))[0] ?? ''),
    120_000,
  )
  await allAreBack()
  expect(watchdogs.resets.slice(before)).toEqual(['n2'])
})

test('a healthy node that is to be fenced ends itself', async () => {
  const { nodes } = await lab.status('n1')
  const dc = nodes.find((node) => node.dc)?.name ?? ''
  const target = lab.nodes.find((node) => node !== dc) ?? ''
  const pid = lab.power.pid1(target)
  await lab.systole(dc, 'stonith', 'fence', target)
  expect(lab.power.isOn(target) && lab.power.pid1(target) === pid).toBe(false)
  expect((await fencings(dc))[0]).toMatchObject({ target, device: 'watchdog' })
  await allAreBack()
})

test('the DC ends itself too, and whoever asked for it hears that', async () => {
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  const pid = lab.power.pid1(dc)
  const asking = lab.nodes.find((node) => node !== dc) ?? ''
  await lab.systole(asking, 'stonith', 'fence', dc)
  expect(lab.power.isOn(dc) && lab.power.pid1(dc) === pid).toBe(false)
  await allAreBack()
})

test('a daemon that is killed and started again feeds its watchdog in time', async () => {
  const before = watchdogs.resets.length
  const pid = (await lab.inNode('n2', 'cat', '/run/systoled.pid')).trim()
  await lab.inNode('n2', 'kill', '-KILL', pid)
  await lab.until('another daemon tells of the watchdog', async () => {
    const now = (await lab.inNode('n2', 'cat', '/run/systoled.pid')).trim()
    return now !== pid && (await lab.systole('n2', 'quorum', 'status')).split('6 s').length === 4
  })
  await allAreBack()
  expect(watchdogs.resets.length).toBe(before)
})

test('a node that stops in order stops its watchdog, and one whose watchdog is given up feeds it until then', async () => {
  const before = watchdogs.resets.length
  await lab.systole('n3', 'cluster', 'stop')
  await lab.until('the watchdog of n3 is stopped', () => !watchdogs.isRunning('n3'))
  await lab.systole('n3', 'cluster', 'start')
  await allAreBack()
  await lab.systole('n1', 'stonith', 'sbd', 'disable')
  await lab.until('no watchdog runs', () => lab.nodes.every((node) => !watchdogs.isRunning(node)))
  expect(await lab.systole('n1', 'property', 'config', 'have-watchdog')).toContain('false')
  expect(watchdogs.resets.length).toBe(before)
  expect((await lab.status('n1')).nodes.every(({ online }) => online)).toBe(true)
})

test('the test of a watchdog asks, and then resets the machine', async () => {
  const before = watchdogs.resets.length
  const line = ['stonith', 'sbd', 'watchdog', 'test', watchdogs.device('n2')]
  expect(await lab.try('n2', ...line)).toBeUndefined()
  expect(lab.lastFailure).toMatch(/resets this machine: answer at a terminal, or add --yes/)
  expect(watchdogs.isRunning('n2')).toBe(false)
  const test = lab.try('n2', ...line, '--yes')
  await lab.until('it is reset', () => watchdogs.resets.length > before)
  expect(await test).toBeUndefined()
  expect(watchdogs.resets.slice(before)).toEqual(['n2'])
  await lab.until(
    'n2 is back',
    async () => (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
    120_000,
  )
})

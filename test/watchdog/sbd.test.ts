import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { SharedDisk } from '../nodes/lab/shared-disk.ts'
import { Watchdogs } from '../nodes/lab/watchdogs.ts'

/** A disk that all nodes share is all that the cluster can fence with: Debian's fence_sbd writes to it, the daemons read it. */
const lab = new Lab(['n1', 'n2', 'n3'])
const watchdogMs = 5000
let watchdogs: Watchdogs
let disk: SharedDisk

beforeAll(async () => {
  disk = new SharedDisk(lab.folder, 'sbd')
  await lab.start()
  watchdogs = new Watchdogs(lab.folder, lab.power, lab.nodes, watchdogMs)
  await lab.formCluster()
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n2', 'stonith', 'sbd', 'device', 'setup', `device=${disk.device}`, '--force')
  const devices = lab.nodes.map((node) => `watchdog=${watchdogs.device(node)}@${node}`)
  await lab.systole('n1', 'stonith', 'sbd', 'enable', `device=${disk.device}`, ...devices)
  await allReadTheDisk()
  await lab.systole('n1', 'stonith', 'create', 'disk', 'fence_sbd', `devices=${disk.device}`, '--wait')
})

afterAll(async () => {
  try {
    watchdogs?.close()
    await lab.close()
  } finally {
    disk?.close()
  }
})

interface SbdNode {
  readonly node: string
  readonly fed: boolean
  readonly disksRead: readonly string[]
}

async function sbdNodes(): Promise<readonly SbdNode[]> {
  const { nodes } = JSON.parse(await lab.systole('n1', 'stonith', 'sbd', 'status', '--json')) as {
    readonly nodes: readonly SbdNode[]
  }
  return nodes
}

async function allReadTheDisk(): Promise<void> {
  await lab.until(
    'all nodes are online and clean, and read the disk',
    async () =>
      (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean) &&
      (await sbdNodes()).every(({ fed, disksRead }) => fed && disksRead.length === 1) &&
      lab.nodes.every((node) => watchdogs.isRunning(node)),
    120_000,
  )
}

async function runsOn(node: string, seenFrom: string): Promise<void> {
  await lab.systole(seenFrom, 'resource', 'move', 'work', node, '--wait')
  await lab.until(`it runs on ${node}`, async () => (await lab.whereIs('work', seenFrom))[0] === node)
}

/** Fails if the resource is ever seen elsewhere while the machine that ran it is the same as before. */
async function runsElsewhereAfterTheEndOf(node: string, boot: number): Promise<void> {
  await lab.until(
    'it runs elsewhere',
    async () => {
      const hasEnded = !lab.power.isOn(node) || lab.power.pid1(node) !== boot
      const [where = node] = await lab.whereIs('work', 'n1')
      if (where !== node) expect(hasEnded).toBe(true)
      return where !== node
    },
    120_000,
  )
}

async function lastFencing(): Promise<unknown> {
  return (await lab.status('n1')).fencing.find(({ outcome }) => outcome === 'succeeded')
}

const onDisk = async (): Promise<string> => await lab.inNode('n1', 'sbd', '-d', disk.device, 'list')

const notes = async (node: string): Promise<string> => await lab.systole(node, 'status')

test('a node that is cut off ends by the message on the disk, and its resource runs elsewhere only then', async () => {
  await runsOn('n3', 'n1')
  const boot = lab.power.pid1('n3')
  const before = lab.power.selfReboots.length
  await lab.network.link('n3', 'down')
  await runsElsewhereAfterTheEndOf('n3', boot)
  expect(await lastFencing()).toMatchObject({ target: 'n3', device: 'disk' })
  // It has read its message, and did not wait for its watchdog.
  expect(lab.power.selfReboots.slice(before)).toEqual(['n3'])
  expect(watchdogs.resets).toEqual([])
  await allReadTheDisk()
  expect(await onDisk()).toMatch(/n3\tclear/)
})

test('stonith sbd status: --full shows the header and the slots of the disk', async () => {
  expect(await lab.systole('n1', 'stonith', 'sbd', 'status')).not.toContain('Timeout (watchdog)')
  const full = await lab.systole('n1', 'stonith', 'sbd', 'status', '--full')
  expect(full).toMatch(/Header version +: 2\.1[\s\S]*Timeout \(watchdog\)/)
  for (const node of lab.nodes) expect(full).toMatch(new RegExp(`\\t${node}\\tclear`))
})

test('a node whose daemon is frozen is reset by its watchdog before the message counts', async () => {
  await runsOn('n2', 'n1')
  const boot = lab.power.pid1('n2')
  const pid = (await lab.inNode('n2', 'cat', '/run/systoled.pid')).trim()
  await lab.inNode('n2', 'kill', '-STOP', pid)
  await runsElsewhereAfterTheEndOf('n2', boot)
  expect(await lastFencing()).toMatchObject({ target: 'n2', device: 'disk' })
  expect(watchdogs.resets).toEqual(['n2'])
  await allReadTheDisk()
})

/** Without the store it would be reset 9 s after its last reading. */
async function livesWithoutReading(node: string): Promise<void> {
  const before = watchdogs.resets.length
  const [reader = ''] = (await lab.inNode(node, 'pgrep', '-f', 'disk.mjs')).trim().split('\n')
  await lab.inNode(node, 'kill', '-STOP', reader)
  await lab.until(
    'it has hung for longer than a node without the store would live',
    async () => Number(/has not answered for (\d+) s/.exec(await notes(node))?.[1] ?? 0) >= 12,
  )
  expect(watchdogs.resets.length).toBe(before)
}

test('a node whose reading hangs lives on the word of the store, and ends by it when it is fenced', async () => {
  await livesWithoutReading('n3')
  const [resets, reboots, boot] = [watchdogs.resets.length, lab.power.selfReboots.length, lab.power.pid1('n3')]
  await lab.systole('n1', 'stonith', 'fence', 'n3')
  expect(lab.power.isOn('n3') && lab.power.pid1('n3') === boot).toBe(false)
  expect([watchdogs.resets.length, lab.power.selfReboots.slice(reboots)]).toEqual([resets, ['n3']])
  await allReadTheDisk()
})

test('a node whose reading hangs and that is cut off is reset before it counts as fenced', async () => {
  await runsOn('n3', 'n1')
  await livesWithoutReading('n3')
  const [resets, boot] = [watchdogs.resets.length, lab.power.pid1('n3')]
  await lab.network.link('n3', 'down')
  await runsElsewhereAfterTheEndOf('n3', boot)
  expect(watchdogs.resets.slice(resets)).toEqual(['n3'])
  await allReadTheDisk()
})

test('a message by hand is obeyed: a test is logged and taken away, off ends the node', async () => {
  await lab.systole('n1', 'stonith', 'sbd', 'device', 'message', disk.device, 'n2', 'test')
  await lab.until('it is taken away', async () => /n2\tclear/.test(await onDisk()))
  expect(lab.logs(200)).toMatch(/"node":"n2","disk":"[^"]*","message":"test","from":"[^"]*","msg":"a message was read/)
  const before = lab.power.selfReboots.length
  await lab.systole('n1', 'stonith', 'sbd', 'device', 'message', disk.device, 'n2', 'off')
  await lab.until('n2 has ended', () => lab.power.selfReboots.length > before)
  expect(lab.power.selfReboots.slice(before)).toEqual(['n2'])
  await allReadTheDisk()
})

test('a node that is told to exit feeds its watchdog no more, and cannot be fenced through the disk', async () => {
  const before = watchdogs.resets.length
  await lab.systole('n1', 'stonith', 'sbd', 'device', 'message', disk.device, 'n3', 'exit')
  await lab.until('its watchdog is stopped', () => !watchdogs.isRunning('n3'))
  expect(await notes('n3')).toMatch(/a message on \S+ stopped it/)
  expect(await notes('n1')).toMatch(/n3 does not read its SBD disks/)
  expect(await lab.systole('n1', 'why', '--fence', 'n3')).toMatch(/It currently reads none of \/dev\/loop\d+/)
  expect(await lab.try('n1', 'stonith', 'fence', 'n3')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/n3 did not report that it reads its disks/)
  expect(watchdogs.resets.length).toBe(before)
  const pid = (await lab.inNode('n3', 'cat', '/run/systoled.pid')).trim()
  await lab.inNode('n3', 'kill', '-TERM', pid)
  await allReadTheDisk()
})

test('when the disk vanishes nobody dies, and when it is set up anew it is read again', async () => {
  const [resets, reboots] = [watchdogs.resets.length, lab.power.selfReboots.length]
  const began = Date.now()
  disk.break()
  await lab.until('all nodes tell of it', async () => {
    const told = await Promise.all(lab.nodes.map(notes))
    return told.every((text) => text.includes(`${disk.device} cannot be used`))
  })
  await lab.until('longer than a node without the store would live', () => Date.now() - began > 15_000)
  disk.repair()
  await lab.systole('n1', 'stonith', 'sbd', 'device', 'setup', `device=${disk.device}`, '--force')
  await lab.until('all nodes have slots again', async () => (await onDisk()).trim().split('\n').length === 3)
  await lab.until('nothing is told of it any more', async () =>
    (await Promise.all(lab.nodes.map(notes))).every((text) => !text.includes('cannot be used')),
  )
  expect([watchdogs.resets.length, lab.power.selfReboots.length]).toEqual([resets, reboots])
  await allReadTheDisk()
  await lab.systole('n1', 'stonith', 'fence', 'n2')
  await allReadTheDisk()
})

test('times that do not fit are told, and such a disk fences nobody', async () => {
  await lab.inNode('n1', 'sbd', '-d', disk.device, '-1', '5', '-4', '6', 'create')
  await lab.until('all nodes tell of it', async () =>
    (await Promise.all(lab.nodes.map(notes))).every((text) => /6 s \(msgwait\), which is too short/.test(text)),
  )
  await lab.until('none tells that it reads it', async () =>
    (await sbdNodes()).every(({ fed, disksRead }) => !fed && disksRead.length === 0),
  )
  expect(await lab.try('n1', 'stonith', 'fence', 'n2')).toBeUndefined()
  // The agent may be asked first whom it knows: n2 has no slot any more.
  expect(lab.lastFailure).toMatch(/n2 did not report that it reads its disks|disk cannot fence n2/)
  await lab.systole('n1', 'stonith', 'sbd', 'device', 'setup', `device=${disk.device}`, '--force')
  await allReadTheDisk()
})

test('a node that stops in order stops its watchdog, and one that comes again reads the disk before it is a member', async () => {
  const before = watchdogs.resets.length
  await lab.systole('n3', 'cluster', 'stop')
  await lab.until('the watchdog of n3 is stopped', () => !watchdogs.isRunning('n3'))
  await lab.systole('n3', 'cluster', 'start')
  await allReadTheDisk()
  await lab.systole('n1', 'stonith', 'sbd', 'disable', '--force')
  await lab.until('no watchdog runs', () => lab.nodes.every((node) => !watchdogs.isRunning(node)))
  await lab.until(
    'no disk is read',
    async () => (await lab.inNode('n3', 'pgrep', '-f', 'disk.mjs').catch(() => 'none')) === 'none',
  )
  expect(watchdogs.resets.length).toBe(before)
})

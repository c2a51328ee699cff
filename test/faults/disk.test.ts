import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataFolder,
  memberStatus,
  mountDisk,
  notes,
  pidOf,
  shell,
  signal,
  slowDisk,
  storeLeader,
} from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, clusterFacts, whatRuns } from '../nodes/lab/links.ts'
import { run } from '../nodes/lab/network.ts'

/** Three real nodes, of which n2 has a small disk of its own; the service prefers to run there. */
const lab = new Lab(['n1', 'n2', 'n3'])
let disk: { readonly unmount: () => Promise<void> }

beforeAll(async () => {
  disk = await mountDisk(lab, 'n2', 'size=220m,nr_inodes=300')
  await beginWithService(lab)
  await lab.systole('n1', 'constraint', 'location', 'service', 'prefers', 'n2', '--wait')
  await serviceOn('n2')
})

afterAll(async () => {
  await disk.unmount()
  await lab.close()
})

async function serviceOn(node: string): Promise<void> {
  await lab.until(`the service runs on ${node}`, async () => (await lab.whereIs('service', 'n1')).includes(node))
}

let changes = 0
/** A change that the cluster has confirmed. */
async function change(): Promise<void> {
  await lab.systole('n1', 'resource', 'update', 'service', `fake=change-${++changes}`, '--wait')
}

/** Each member has all that was ever confirmed. */
async function allMembersHaveCaughtUp(): Promise<void> {
  await lab.until(
    'all members of the store are equal',
    async () => {
      const indices = await Promise.all(lab.nodes.map(async (node) => (await memberStatus(lab, node)).appliedIndex))
      return new Set(indices).size === 1
    },
    60_000,
  )
  for (const node of lab.nodes)
    expect(await lab.systole(node, 'resource', 'config', 'service')).toContain(`fake=change-${changes}`)
}

async function allAreBack(): Promise<void> {
  await lab.until(
    'all nodes are online and clean',
    async () => (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
    60_000,
  )
}

async function noteSaid(text: RegExp): Promise<void> {
  for (const node of lab.nodes)
    await lab.until(`status on ${node} says ${text}`, async () => text.test(await notes(lab, node)), 60_000)
}

async function nobodyWasFencedSince(before: readonly unknown[]): Promise<void> {
  expect((await clusterFacts(lab, 'n1')).fencing).toEqual(before)
}

/** Another daemon takes part. On a busy machine it may come too late for its node not to be fenced, but nothing may keep it from starting. */
async function daemonKilled(node: string): Promise<void> {
  const troubles = () => lab.logs(100_000).match(/cannot start|because of a bug/g)?.length ?? 0
  const before = { pid: await pidOf(lab, node, 'systoled'), troubles: troubles() }
  await signal(lab, node, 'systoled', 'KILL')
  await lab.until(
    'another daemon has registered',
    async () => {
      if ((await pidOf(lab, node, 'systoled')) === before.pid) return false
      const { members } = await clusterFacts(lab, node)
      return members.every(({ state }) => state === 'member')
    },
    60_000,
  )
  expect(troubles()).toBe(before.troubles)
}

const fullDisks = [
  {
    name: 'without room',
    fill: `dd if=/dev/zero of=${dataFolder}/fill/all bs=1M 2>/dev/null || true`,
    says: /On n2: The file system of \/var\/lib\/systole has less than 64 MB of room/,
  },
  {
    name: 'without room for files',
    fill: `i=0; while touch ${dataFolder}/fill/$i 2>/dev/null; do i=$((i+1)); done`,
    says: /On n2: The file system of \/var\/lib\/systole has fewer than 32 free inodes/,
  },
]
describe.each(fullDisks)('a disk $name', ({ fill, says }) => {
  test('takes nothing but a vote in the store, and every node says so', async () => {
    const before = await whatRuns(lab, 'n1')
    await shell(lab, 'n2', `mkdir ${dataFolder}/fill; ${fill}`)
    for (let i = 0; i < 5; i++) await change()
    await noteSaid(says)
    expect(await whatRuns(lab, 'n1')).toEqual({ ...before, starts: expect.anything() })
    await serviceOn('n2')
  })

  test('does not keep a daemon from coming back that was killed, nor a node that lost power', async () => {
    await daemonKilled('n2')
    await serviceOn('n2')
    await lab.power.off('n2')
    await lab.until('the service has moved', async () => {
      const [where = 'n2'] = await lab.whereIs('service', 'n1')
      return where !== 'n2'
    })
    await change()
    await lab.power.on('n2')
    await allAreBack()
    await serviceOn('n2')
    await noteSaid(says)
  })

  test('is whole again once it has room', async () => {
    const before = await whatRuns(lab, 'n1')
    await shell(lab, 'n2', `rm -r ${dataFolder}/fill`)
    await allMembersHaveCaughtUp()
    await lab.until('nothing is said of n2', async () => !(await notes(lab, 'n3')).includes('On n2:'), 60_000)
    expect(await whatRuns(lab, 'n1')).toEqual(before)
  })
})

test('a disk that becomes read-only takes nothing but a vote, and nothing is lost when it is written to again', async () => {
  const remount = `until mount -o remount,bind,ro ${dataFolder} 2>/dev/null; do :; done`
  await shell(lab, 'n2', `kill -9 ${await pidOf(lab, 'n2', 'etcd')}; ${remount}`)
  await change()
  await noteSaid(/On n2: etcd stopped because the file system of \/var\/lib\/systole\/etcd is read-only/)
  await daemonKilled('n2')
  await serviceOn('n2')
  await shell(lab, 'n2', `mount -o remount,bind,rw ${dataFolder}`)
  await allMembersHaveCaughtUp()
})

test('a full /run stops neither agents nor the daemon, and is told', async () => {
  const { fencing } = await clusterFacts(lab, 'n1')
  await shell(lab, 'n2', 'mount -o remount,size=400k /run; dd if=/dev/zero of=/run/fill bs=1k 2>/dev/null || true')
  await noteSaid(/On n2: The file system of \/run\/systole has less than 256 kB of room/)
  await serviceOn('n2')
  await nobodyWasFencedSince(fencing)
  await daemonKilled('n2')
  await serviceOn('n2')
  await shell(lab, 'n2', 'rm -f /run/fill')
  await lab.until('nothing is said of n2', async () => !(await notes(lab, 'n3')).includes('On n2:'), 60_000)
})

const damages = [
  {
    name: 'the end of its log torn',
    damage: `f=$(ls ${dataFolder}/etcd/data/member/wal/*.wal | tail -1); truncate -s 5000 $f`,
  },
  {
    name: 'a damaged byte in its log',
    damage: `f=$(ls ${dataFolder}/etcd/data/member/wal/*.wal | tail -1); printf X | dd of=$f bs=1 seek=4000 conv=notrunc 2>/dev/null`,
  },
  { name: 'an empty database', damage: `: >${dataFolder}/etcd/data/member/snap/db` },
  { name: 'no data of etcd', damage: `rm -r ${dataFolder}/etcd/data` },
]
for (const { name, damage } of damages)
  test(`a node that comes back from a power cut with ${name} loses no change that was confirmed`, async () => {
    await change()
    await lab.power.off('n2')
    await change()
    // The disk lies on the host while the node has no power.
    await lab.until('the others have fenced it', async () =>
      (await lab.status('n1')).nodes.some(({ online }) => !online),
    )
    const onHost = damage.replaceAll(dataFolder, join(lab.folder, 'nodes/n2/var'))
    await hostShell(onHost)
    await lab.power.on('n2')
    await allAreBack()
    await allMembersHaveCaughtUp()
    await serviceOn('n2')
  })

test('a node whose whole disk was replaced is started by hand, and loses no change that was confirmed', async () => {
  await change()
  await lab.power.off('n2')
  await change()
  await hostShell(`rm -r ${join(lab.folder, 'nodes/n2/var')}/*`)
  await lab.power.on('n2')
  await lab.until('its daemon is there', async () => (await lab.try('n2', 'cluster', 'status')) !== undefined)
  await lab.systole('n2', 'cluster', 'start')
  await allAreBack()
  await allMembersHaveCaughtUp()
})

describe('a slow disk', () => {
  const cases = [
    { name: 'of the leader', delayMs: 300, of: async () => [await storeLeader(lab)] },
    { name: 'of another member', delayMs: 1500, of: async () => [lab.nodes.find((node) => node !== leader) ?? ''] },
    { name: 'of all', delayMs: 200, of: async () => lab.nodes },
  ]
  let leader = ''
  for (const { name, delayMs, of } of cases)
    test(`${name} makes changes slow, and nothing else`, async () => {
      leader = await storeLeader(lab)
      const before = await whatRuns(lab, 'n1')
      const ends: (() => Promise<void>)[] = []
      for (const node of await of()) ends.push(await slowDisk(lab, node, delayMs))
      for (let i = 0; i < 4; i++) await change()
      for (const end of ends) await end()
      expect(await whatRuns(lab, 'n1')).toEqual({ ...before, starts: expect.anything() })
    })

  test('of a majority stops the cluster while it hangs, fences nobody, and needs nobody afterwards', async () => {
    await change()
    const { fencing } = await clusterFacts(lab, 'n1')
    const ends: (() => Promise<void>)[] = []
    for (const node of ['n1', 'n2']) ends.push(await slowDisk(lab, node, 8000))
    const writing = lab.try('n3', 'resource', 'update', 'service', 'fake=perhaps')
    await lab.until(
      'a node is without quorum',
      async () => {
        const states = await Promise.all(lab.nodes.map(async (node) => await clusterFacts(lab, node)))
        return states.some(({ quorate }) => !quorate)
      },
      60_000,
    )
    for (const end of ends) await end()
    await writing
    await lab.until('it runs again', async () => (await clusterFacts(lab, 'n1')).quorate, 60_000)
    await serviceOn('n2')
    await nobodyWasFencedSince(fencing)
    await change()
    await allMembersHaveCaughtUp()
  })
})

async function hostShell(line: string): Promise<void> {
  await run('sh', '-c', line)
}

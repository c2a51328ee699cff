import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** Nodes that are lost for good, one after the other: their votes go to others, so that the rest keeps its quorum. */
const lab = new Lab(['n1', 'n2', 'n3', 'n4'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

interface Quorum {
  readonly quorate: boolean
  readonly members: readonly { readonly node: string; readonly votes: boolean; readonly joiningVote: boolean }[]
}

interface EtcdMembers {
  readonly members: readonly { readonly name?: string; readonly isLearner?: boolean }[]
}

/** Whose vote counts; one that is given and does not count yet is not among them, as the store itself confirms. */
async function voters(node: string): Promise<string> {
  const { quorate, members } = JSON.parse(await lab.systole(node, 'quorum', 'status', '--json')) as Quorum
  if (!quorate) return 'no quorum'
  const counted = members.filter(({ votes }) => votes).map((member) => member.node)
  // Asked afterwards: a vote may have begun to count meanwhile, but none that was told can be missing.
  const byStore = await storeVoters(node)
  expect(counted.filter((name) => !byStore.has(name))).toEqual([])
  return counted.join(' ')
}

/** Before it can have copied anything. */
async function stopEtcdOnceThere(node: string): Promise<number> {
  const space = readlinkSync(`/proc/${lab.power.pid1(node)}/ns/pid`)
  const end = Date.now() + 60_000
  while (Date.now() < end) {
    const found = readdirSync('/proc')
      .map(Number)
      .find((pid) => pid > 0 && isEtcdIn(space, pid))
    if (found !== undefined) {
      process.kill(found, 'SIGSTOP')
      return found
    }
    // Oftener than the lab looks: a moment later it votes.
    await delay(10)
  }
  throw new Error(`Not within 60 s: etcd is started on ${node}.`)
}

function isEtcdIn(space: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'etcd' && readlinkSync(`/proc/${pid}/ns/pid`) === space
  } catch {
    return false // It has ended.
  }
}

/** Whether it has a vote that does not count. */
async function joins(node: string, seenFrom: string): Promise<boolean> {
  const { members } = JSON.parse(await lab.systole(seenFrom, 'quorum', 'status', '--json')) as Quorum
  return members.some((member) => member.node === node && member.joiningVote && !member.votes)
}

async function storeVoters(node: string): Promise<ReadonlySet<string>> {
  const pki = '/etc/systole/pki'
  const endpoints = lab.nodes
    .filter((each) => lab.power.isOn(each))
    .map((each) => `https://${lab.network.address(each)}:7702`)
    .join(',')
  const tls = ['--cacert', `${pki}/authority.crt`, '--cert', `${pki}/node.crt`, '--key', `${pki}/node.key`]
  const list = ['etcdctl', '--endpoints', endpoints, ...tls, 'member', 'list', '-w', 'json']
  const { members } = JSON.parse(await lab.inNode(node, 'env', 'ETCDCTL_API=3', ...list)) as EtcdMembers
  return new Set(
    members.filter(({ isLearner, name }) => isLearner !== true && name !== undefined).map(({ name }) => name ?? ''),
  )
}

async function lose(node: string, seenFrom: string): Promise<void> {
  lab.power.unplugged.add(node)
  await lab.power.off(node)
  await lab.until(`${node} is fenced`, async () => {
    const { nodes, fencing } = await lab.status(seenFrom)
    const fenced = fencing.some(({ target, outcome }) => target === node && outcome === 'succeeded')
    return fenced && nodes.every(({ unclean }) => !unclean)
  })
}

async function works(node: string): Promise<void> {
  await lab.systole(node, 'resource', 'update', 'work', `fake=${Date.now()}`, '--wait')
  expect(await lab.whereIs('work', node)).toHaveLength(1)
}

test('the vote of a node that is lost and fenced goes to the one that had none', async () => {
  await lab.until('three vote', async () => (await voters('n1')) === 'n1 n2 n3')
  const stopped = stopEtcdOnceThere('n4')
  await lose('n3', 'n1')
  const etcd = await stopped
  await lab.until('n4 is given the vote', async () => await joins('n4', 'n1'))
  expect(await voters('n1')).toBe('n1 n2')
  process.kill(etcd, 'SIGCONT')
  await lab.until('n4 votes instead', async () => (await voters('n1')) === 'n1 n2 n4')
  await works('n4')
}, 90_000)

test('the next loss leaves two of three, which go on: without the vote of n4 there would be no quorum', async () => {
  await lose('n2', 'n1')
  await works('n1')
  expect(await voters('n4')).toBe('n1 n2 n4')
}, 90_000)

test('a lost node comes back and takes the vote of the one that is still off; so can the others be lost as well', async () => {
  lab.power.unplugged.delete('n3')
  await lab.power.on('n3')
  await lab.until('n3 has the vote of n2', async () => (await voters('n1')) === 'n1 n3 n4')
  await lose('n1', 'n4')
  await works('n3')
}, 90_000)

test('a node that was away while two of its voters were replaced finds the cluster again', async () => {
  lab.power.unplugged.clear()
  await lab.power.on('n2')
  await lab.until('n2 has the vote of n1', async () => (await voters('n2')) === 'n2 n3 n4')
  await lab.power.on('n1')
  await lab.until('all four are online and clean', async () =>
    (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
  )
  expect(await voters('n1')).toBe('n2 n3 n4')
}, 90_000)

test('no daemon has met an error', () => {
  expect(lab.logs(100_000)).not.toMatch(/"level":"error"|Deprecat|DEP0/)
})

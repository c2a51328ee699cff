import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from './lab/client.ts'
import { Lab } from './lab/lab.ts'
import { addressHolders, createWebService } from './lab/web-service.ts'

/**
 * Two real nodes without a witness, a virtual address with nginx behind it, IPMI fencing on a network of its own, and a
 * client outside. The scenarios run in their order on one cluster; each begins with both nodes online and voting.
 */
const lab = new Lab(['n1', 'n2'])
let client: Client

interface Quorum {
  readonly quorate: boolean
  readonly members: readonly { readonly node: string; readonly votes: boolean }[]
  readonly twoNode: { readonly alone: boolean; readonly message?: string } | null
}

async function quorum(node: string): Promise<Quorum> {
  return JSON.parse(await lab.systole(node, 'quorum', 'status', '--json')) as Quorum
}

const other = (node: string): string => (node === 'n1' ? 'n2' : 'n1')

/** Switches on what is off, and waits for two voters with the service on one of them. Returns where it runs. */
async function settle(): Promise<string> {
  lab.power.unplugged.clear()
  for (const node of lab.nodes) await lab.power.on(node)
  await lab.until(
    'both nodes are online, clean and voting',
    async () => {
      const views = await Promise.all(lab.nodes.map((node) => lab.status(node)))
      const votes = await Promise.all(lab.nodes.map((node) => quorum(node)))
      return (
        views.every(({ nodes }) => nodes.length === 2 && nodes.every(({ online, unclean }) => online && !unclean)) &&
        votes.every(
          ({ quorate, twoNode, members }) => quorate && twoNode?.alone === false && members.every((m) => m.votes),
        )
      )
    },
    60_000,
  )
  await lab.systole('n1', 'resource', 'cleanup')
  await answeringBy()
  const [node = ''] = await lab.whereIs('web', 'n1')
  return node
}

/** Waits for a good answer to a question asked from now on, and returns who answered. */
async function answeringBy(from: number = Date.now(), by?: string): Promise<string> {
  let body = ''
  await lab.until(
    `the client gets an answer${by === undefined ? '' : ` from ${by}`}`,
    () => {
      body = client.goodSince(from).find((answer) => by === undefined || answer.body === by)?.body ?? ''
      return body !== ''
    },
    60_000,
  )
  return body
}

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  // Of two nodes that lose each other at the same moment, n1 is fenced later.
  await lab.systole('n1', 'stonith', 'update', 'fence-n1', 'pcmk_delay_base=2s')
  await createWebService(lab, 'n1')
  client = lab.client(`http://${lab.network.virtualAddress}/`)
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('power of the active node is cut: the survivor fences it, goes on alone, and answers', async () => {
  const victim = await settle()
  const survivor = other(victim)
  lab.power.unplugged.add(victim)
  const cut = Date.now()
  await lab.power.off(victim)
  await answeringBy(cut, survivor)
  const { quorate, twoNode, members } = await quorum(survivor)
  expect({ quorate, alone: twoNode?.alone }).toEqual({ quorate: true, alone: true })
  expect(members.filter(({ votes }) => votes).map(({ node }) => node)).toEqual([survivor])
  expect((await lab.status(survivor)).fencing).toContainEqual(
    expect.objectContaining({ target: victim, outcome: 'succeeded' }),
  )
  // The configuration can be changed by one alone.
  await lab.systole(survivor, 'resource', 'create', 'later', 'ocf:pacemaker:Dummy', '--wait')
  expect(await lab.whereIs('later', survivor)).toEqual([survivor])
}, 120_000)

test('the peer returns: it discards its log, joins again as a voter, and knows what was changed without it', async () => {
  await settle()
  for (const node of lab.nodes) expect(await lab.systole(node, 'resource', 'config')).toContain('later')
  await lab.systole('n1', 'resource', 'delete', 'later', '--force', '--wait')
}, 120_000)

test('power of the passive node is cut: the service never stops', async () => {
  const active = await settle()
  lab.power.unplugged.add(other(active))
  const cut = Date.now()
  await lab.power.off(other(active))
  await lab.until('the survivor votes alone', async () => (await quorum(active)).twoNode?.alone === true)
  await answeringBy()
  const missed = client.answers.filter(({ asked, ok }) => asked >= cut && !ok)
  expect(missed, missed.length === 0 ? '' : `cut at ${cut}, active ${active}:\n${lab.logs(400)}`).toEqual([])
}, 120_000)

test('the nodes lose each other: one is fenced, and the virtual address is never held by both', async () => {
  await settle()
  const begun = Date.now()
  const inits = new Map(lab.nodes.map((node) => [node, lab.power.pid1(node)]))
  const cut = Date.now()
  await lab.network.split([['n1'], ['n2']])
  await lab.until('n2 is fenced, and n1 has the service', async () => {
    const holders = await addressHolders(lab)
    expect(holders.length).toBeLessThan(2)
    return lab.power.pid1('n2') !== inits.get('n2') && client.goodSince(cut).some(({ body }) => body === 'n1')
  })
  expect(lab.power.pid1('n1')).toBe(inits.get('n1'))
  // n2 has booted, cannot reach n1, and waits for it.
  await lab.until('n2 waits for n1', async () => /waits for n1/.test((await quorum('n2')).twoNode?.message ?? ''))
  expect(await addressHolders(lab)).toEqual(['n1'])
  await lab.network.heal()
  await settle()
  const asked = client.goodSince(begun).map(({ body }) => body)
  // Once n1 has answered, n2 never does again.
  expect(asked.slice(asked.indexOf('n1')).filter((body) => body === 'n2')).toEqual([])
}, 120_000)

test('the fence device fails: the survivor keeps what it runs and recovers nothing, until a person confirms', async () => {
  const victim = await settle()
  const survivor = other(victim)
  await lab.systole('n1', 'resource', 'create', 'kept', 'ocf:pacemaker:Dummy')
  await lab.systole('n1', 'constraint', 'location', 'kept', 'prefers', survivor, '--wait')
  await lab.until('it runs on the survivor', async () => (await lab.whereIs('kept', survivor))[0] === survivor)
  lab.power.brokenControllers.add(victim)
  lab.power.unplugged.add(victim)
  try {
    await lab.power.off(victim)
    const cut = Date.now()
    await lab.until('it says that fencing fails', async () =>
      /could not be fenced/.test((await quorum(survivor)).twoNode?.message ?? ''),
    )
    // The daemon's death changes nothing: its member's own copy of the store tells the next one what to do.
    const daemon = (await lab.inNode(survivor, 'cat', '/run/systoled.pid')).trim()
    await lab.inNode(survivor, 'kill', '-9', daemon)
    await lab.until('the next daemon fails to fence as well', async () =>
      /could not be fenced/.test((await quorum(survivor)).twoNode?.message ?? ''),
    )
    expect(client.goodSince(cut + 50)).toEqual([])
    expect(await lab.inNode(survivor, 'ls', '/run')).toContain('Dummy-kept.state')
    await lab.systole(survivor, 'stonith', 'confirm', victim, '--yes')
    await answeringBy(cut, survivor)
  } finally {
    lab.power.brokenControllers.delete(victim)
  }
  await settle()
  await lab.systole('n1', 'resource', 'delete', 'kept', '--force', '--wait')
}, 150_000)

test('a node leaves in order: the other goes on without fencing it, and takes it back', async () => {
  await settle()
  const fenced = (await lab.status('n1')).fencing.length
  await lab.systole('n2', 'cluster', 'stop')
  await lab.until('n1 votes alone', async () => {
    const { quorate, twoNode } = await quorum('n1')
    return quorate && twoNode?.alone === true
  })
  await answeringBy(Date.now(), 'n1')
  expect((await lab.status('n1')).fencing).toHaveLength(fenced)
  await lab.systole('n2', 'cluster', 'start')
  await settle()
}, 120_000)

test('both lose power, and one returns: it waits for the other, until a person says that it is off', async () => {
  await settle()
  await Promise.all(lab.nodes.map((node) => lab.power.off(node)))
  const returned = Date.now()
  await lab.power.on('n2')
  await lab.until('n2 waits', async () =>
    /waits for n1.*quorum unblock/.test((await quorum('n2')).twoNode?.message ?? ''),
  )
  expect(client.goodSince(returned)).toEqual([])
  await lab.systole('n2', 'quorum', 'unblock', '--yes')
  await answeringBy(returned, 'n2')
  expect(await lab.try('n2', 'quorum', 'unblock', '--yes')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/nothing to unblock/)
}, 120_000)

test('the last survivor is rebooted alone: it waits for the other as well, and both meet', async () => {
  // n2 votes alone since the scenario before, and n1 has not been switched on since.
  await lab.power.off('n2')
  await lab.power.on('n2')
  await lab.until('n2 waits', async () => /waits for n1/.test((await quorum('n2')).twoNode?.message ?? ''))
  expect((await quorum('n2')).quorate).toBe(false)
  await settle()
}, 120_000)

test('no daemon has met an error', () => {
  expect(lab.logs(100_000)).not.toMatch(/"level":"error"|Deprecat|DEP0/)
})

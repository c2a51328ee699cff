import { afterAll, beforeAll, expect, test } from 'vitest'
import { other, WebPair } from './lab/web-pair.ts'
import { addressHolders } from './lab/web-service.ts'

/** The scenarios run in their order on one cluster; each begins with both nodes online and voting. More of them: `npm run e2e:nodes`. */
const pair = new WebPair()
const { lab } = pair

beforeAll(() => pair.begin(), 120_000)

afterAll(() => lab.close(), 60_000)

test('power of the active node is cut: the survivor fences it, goes on alone, and answers', async () => {
  const victim = await pair.settle()
  const survivor = other(victim)
  lab.power.unplugged.add(victim)
  const cut = Date.now()
  await lab.power.off(victim)
  await pair.answeringBy(cut, survivor)
  const { quorate, twoNode, members } = await pair.quorum(survivor)
  expect({ quorate, alone: twoNode?.alone }).toEqual({ quorate: true, alone: true })
  expect(members.filter(({ votes }) => votes).map(({ node }) => node)).toEqual([survivor])
  expect((await lab.status(survivor)).fencing).toContainEqual(
    expect.objectContaining({ target: victim, outcome: 'succeeded' }),
  )
  // The configuration can be changed by one alone.
  await lab.prepare(survivor, 'resource', 'create', 'later', 'ocf:pacemaker:Dummy', '--wait')
  expect(await lab.whereIs('later', survivor)).toEqual([survivor])
}, 120_000)

test('the peer returns: it discards its log, joins again as a voter, and knows what was changed without it', async () => {
  await pair.settle()
  for (const node of lab.nodes) expect(await lab.systole(node, 'resource', 'config')).toContain('later')
  await lab.systole('n1', 'resource', 'delete', 'later', '--force', '--wait')
}, 120_000)

test('the nodes lose each other: one is fenced, and the virtual address is never held by both', async () => {
  await pair.settle()
  const begun = Date.now()
  const inits = new Map(lab.nodes.map((node) => [node, lab.power.pid1(node)]))
  const cut = Date.now()
  await lab.network.split([['n1'], ['n2']])
  await lab.until('n2 is fenced, and n1 has the service', async () => {
    const holders = await addressHolders(lab)
    expect(holders.length).toBeLessThan(2)
    return lab.power.pid1('n2') !== inits.get('n2') && pair.client.goodSince(cut).some(({ body }) => body === 'n1')
  })
  expect(lab.power.pid1('n1')).toBe(inits.get('n1'))
  // n2 has booted, cannot reach n1, and waits for it.
  await lab.until('n2 waits for n1', async () => /waits for n1/.test((await pair.quorum('n2')).twoNode?.message ?? ''))
  expect(await addressHolders(lab)).toEqual(['n1'])
  await lab.network.heal()
  await pair.settle()
  const asked = pair.client.goodSince(begun).map(({ body }) => body)
  // Once n1 has answered, n2 never does again.
  expect(asked.slice(asked.indexOf('n1')).filter((body) => body === 'n2')).toEqual([])
}, 120_000)

test('both lose power, and one returns: it waits for the other, until a person says that it is off', async () => {
  await pair.settle()
  await Promise.all(lab.nodes.map((node) => lab.power.off(node)))
  const returned = Date.now()
  await lab.power.on('n2')
  await lab.until('n2 waits', async () =>
    /waits for n1.*quorum unblock/.test((await pair.quorum('n2')).twoNode?.message ?? ''),
  )
  expect(pair.client.goodSince(returned)).toEqual([])
  await lab.systole('n2', 'quorum', 'unblock', '--yes')
  await pair.answeringBy(returned, 'n2')
  expect(await lab.try('n2', 'quorum', 'unblock', '--yes')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/nothing to unblock/)
}, 120_000)

test('the last survivor is rebooted alone: it waits for the other as well, and both meet', async () => {
  // n2 votes alone since the scenario before, and n1 has not been switched on since.
  await lab.power.off('n2')
  await lab.power.on('n2')
  await lab.until('n2 waits', async () => /waits for n1/.test((await pair.quorum('n2')).twoNode?.message ?? ''))
  expect((await pair.quorum('n2')).quorate).toBe(false)
  await pair.settle()
}, 120_000)

test('no daemon has met an error', () => {
  expect(lab.logs(100_000)).not.toMatch(/"level":"error"|Deprecat|DEP0/)
})

import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, clusterFacts, Load, untilLinks, whatRuns } from '../nodes/lab/links.ts'

/** Three real nodes with IPMI fencing on two networks, each of which fails in every way, and a fourth node that comes later. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab([...nodes, 'n4'], { links: 2 })

beforeAll(() => beginWithService(lab, nodes), 180_000)

afterAll(() => lab.close(), 60_000)

/** Under load. Answers with the longest time for which the store took no change, in milliseconds. */
async function nothingHappensWhile(fault: () => Promise<void>): Promise<number> {
  const before = await whatRuns(lab, 'n2')
  const load = new Load(lab, nodes)
  await load.begin()
  await fault()
  await lab.network.heal()
  await untilLinks(lab, '11', nodes)
  const longest = await load.end()
  expect(await whatRuns(lab, 'n2')).toEqual(before)
  return longest
}

const oneWay = async (link: number, node: string): Promise<void> => {
  await lab.network.cutLink(link, [node], ['iifname'])
}

describe('nothing happens to resources', () => {
  const faults: readonly { readonly name: string; readonly links: string; readonly fault: () => Promise<void> }[] = [
    { name: 'when the first network drops every packet', links: '-1', fault: () => lab.network.cutLink(0) },
    { name: 'when the second one does', links: '1-', fault: () => lab.network.cutLink(1) },
    { name: 'and the first one again', links: '-1', fault: () => lab.network.cutLink(0) },
  ]
  for (const { name, links, fault } of faults)
    test(name, async () => {
      const longest = await nothingHappensWhile(async () => {
        await fault()
        await untilLinks(lab, links, nodes)
      })
      console.log(`${name}: the store stood still for ${longest} ms`)
      // A node acts by itself 4.5 s after its lease was confirmed last.
      expect(longest).toBeLessThan(4500)
    })

  const ofOne: readonly { readonly name: string; readonly fault: () => Promise<void> }[] = [
    { name: 'when one node is cut off from the first network', fault: () => lab.network.cutLink(0, ['n1']) },
    { name: 'when one node is cut off from the second network', fault: () => lab.network.cutLink(1, ['n3']) },
    { name: 'when nothing that a node sends on the first network arrives', fault: () => oneWay(0, 'n1') },
  ]
  for (const { name, fault } of ofOne)
    test(name, async () => {
      const longest = await nothingHappensWhile(async () => {
        await fault()
        await lab.until('a link is down', async () => {
          const { members } = await clusterFacts(lab, 'n2')
          return members.some(({ links }) => links.some(({ state }) => state === 'down'))
        })
      })
      console.log(`${name}: the store stood still for ${longest} ms`)
      expect(longest).toBeLessThan(4500)
    })
})

test('when a switch loses its power, no member of the store is started anew, neither then nor when it is back', async () => {
  const members = async () =>
    await Promise.all(nodes.map(async (node) => await lab.inNode(node, 'cat', '/var/lib/systole/etcd/etcd.pid')))
  const before = await members()
  const longest = await nothingHappensWhile(async () => {
    for (const node of nodes) await lab.network.cable(0, node, 'down')
    await untilLinks(lab, '-1', nodes)
    await twoLooks()
    expect(await members()).toEqual(before)
    for (const node of nodes) await lab.network.cable(0, node, 'up')
    await untilLinks(lab, '11', nodes)
    await twoLooks()
  })
  console.log(`without carrier: the store stood still for ${longest} ms`)
  expect(await members()).toEqual(before)
  expect(longest).toBeLessThan(4500)
})

/** A node compares its member with its addresses every five seconds. */
const twoLooks = async (): Promise<void> => await setTimeout(11_000)

test('while one network is gone, the cluster is commanded and resources move', async () => {
  await lab.network.cutLink(0)
  await untilLinks(lab, '-1', nodes)
  await lab.systole('n1', 'resource', 'move', 'service', 'n3', '--wait')
  expect(await lab.whereIs('service', 'n2')).toEqual(['n3'])
  await lab.systole('n1', 'resource', 'clear', 'service', '--wait')
  await lab.network.heal()
  await untilLinks(lab, '11', nodes)
})

test('a node that is cut off from both networks is fenced, and comes back on both', async () => {
  const [host = ''] = await lab.whereIs('service', 'n1')
  const other = nodes.find((node) => node !== host) ?? ''
  await lab.network.cutLink(0, [host])
  await lab.network.cutLink(1, [host])
  await lab.until('the service runs elsewhere', async () => {
    const [now] = await lab.whereIs('service', other)
    return now !== undefined && now !== host
  })
  const { fencing } = await clusterFacts(lab, other)
  expect(fencing).toMatchObject([{ target: host, outcome: 'succeeded' }])
  await lab.network.heal()
  await lab.until('it is back', async () => (await lab.status(other)).nodes.every(({ online }) => online), 60_000)
  await untilLinks(lab, '11', nodes)
})

test('a site boots with one of its networks dead, and runs what it ran', async () => {
  for (const node of nodes) await lab.power.off(node)
  await lab.network.cutLink(0)
  for (const node of nodes) await lab.power.on(node)
  const runs = async () => (await lab.whereIs('service', 'n1')).length === 1
  await lab.until('the service runs', async () => (await lab.status('n1')).quorum.quorate && (await runs()), 90_000)
  await lab.until(
    'all nodes are there',
    async () => (await lab.status('n1')).nodes.every(({ online }) => online),
    60_000,
  )
  await untilLinks(lab, '-1', nodes)
  await lab.network.heal()
  await untilLinks(lab, '11', nodes)
})

test('a node boots while one of its cards has no address, and gets the link with the address', async () => {
  await lab.power.off('n2')
  await lab.until('it is missed', async () => (await lab.status('n1')).nodes.some(({ online }) => !online))
  const card = (verb: string) => lab.network.inNode('n2', `addr ${verb} ${lab.network.addressOn(1, 'n2')}/24 dev eth1`)
  await card('del')
  await lab.power.on('n2')
  await lab.until('it is back', async () => (await lab.status('n1')).nodes.every(({ online }) => online), 60_000)
  await card('add')
  await untilLinks(lab, '11', nodes)
  // Its member of the store listens on the second network, too, once it had its turn.
  await lab.network.cutLink(0)
  await untilLinks(lab, '-1', nodes)
  await lab.until('its own member votes', async () => (await lab.systole('n2', 'quorum', 'status')).includes('n2'))
  await lab.network.heal()
  await untilLinks(lab, '11', nodes)
})

test('a node joins on both links', async () => {
  const addresses = lab.addressesOf('n4', 2).map((address) => `addr=${address}`)
  expect(await lab.try('n1', 'cluster', 'node', 'add', 'n4', addresses[0] ?? '')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/The cluster has 2 links, but n4 gets 1 of its addresses/)
  const { joinToken } = JSON.parse(await lab.systole('n1', 'cluster', 'node', 'add', 'n4', ...addresses, '--json'))
  await lab.systole('n4', 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
  await untilLinks(lab, '11')
})

test('an address is changed, and both links are deleted and added in turn', async () => {
  const before = await whatRuns(lab, 'n2')
  // What a node sends to the others there must come from its new address: it is that of the smaller network.
  await lab.network.inNode('n3', 'addr add 10.83.2.33/24 dev eth1')
  expect(await lab.try('n1', 'cluster', 'link', 'update', '1', 'n3=10.83.2.33')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/n3 sends to 10\.83\.2\.1 from 10\.83\.2\.3 and not from 10\.83\.2\.33/)
  await lab.network.inNode('n3', 'addr del 10.83.2.33/24 dev eth1')
  await lab.network.inNode('n3', 'addr add 10.83.2.33/25 dev eth1')
  expect(await lab.systole('n1', 'cluster', 'link', 'update', '1', 'n3=10.83.2.33')).toMatch(
    /Changed link 1, and every/,
  )
  for (const link of [0, 1]) {
    expect(await lab.systole('n2', 'cluster', 'link', 'delete', String(link))).toMatch(/is removed, and every/)
    const at = (node: string) => (link === 1 && node === 'n3' ? '10.83.2.33' : lab.network.addressOn(link, node))
    const line = lab.nodes.map((node) => `${node}=${at(node)}`)
    expect(await lab.systole('n1', 'cluster', 'link', 'add', ...line)).toMatch(
      new RegExp(`Added link ${link}, and every`),
    )
  }
  await untilLinks(lab, '11')
  expect(await whatRuns(lab, 'n2')).toEqual(before)
})

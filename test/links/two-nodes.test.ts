import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, Load, untilLinks, whatRuns } from '../nodes/lab/links.ts'

/** Two nodes, of which neither can do without the other, begin with one network and get a second one. */
const lab = new Lab(['n1', 'n2'], { links: 2 })

beforeAll(() => beginWithService(lab, lab.nodes, 1), 120_000)

afterAll(() => lab.close(), 60_000)

test('the second link is added while the cluster runs', async () => {
  const before = await whatRuns(lab, 'n1')
  const addresses = lab.nodes.map((node) => `${node}=${lab.network.addressOn(1, node)}`)
  const added = await lab.systole('n1', 'cluster', 'link', 'add', ...addresses, 'options', 'link_priority=2')
  expect(added).toMatch(/^Added link 1, and every node is reachable over it/m)
  expect(await whatRuns(lab, 'n1')).toEqual(before)
})

for (const link of [0, 1])
  test(`neither node is fenced when network ${link} drops every packet`, async () => {
    const before = await whatRuns(lab, 'n1')
    const load = new Load(lab)
    await load.begin()
    await lab.network.cutLink(link)
    await untilLinks(lab, link === 0 ? '-1' : '1-')
    await lab.network.heal()
    await untilLinks(lab, '11')
    expect(await load.end()).toBeLessThan(4500)
    expect(await whatRuns(lab, 'n1')).toEqual(before)
  })

test('when both networks are cut at once, one node fences the other and goes on, and the other waits for it', async () => {
  // On a busy machine, too, one of them must have ended before the other begins to fence.
  await lab.systole('n1', 'stonith', 'update', 'fence-n1', 'pcmk_delay_base=25s', '--wait')
  for (const link of [0, 1]) await lab.network.cutLink(link)
  await lab.until('n1 has fenced n2, and goes on', async () => {
    const { quorum, fencing } = await lab.status('n1')
    return quorum.quorate && fencing.some(({ target, outcome }) => target === 'n2' && outcome === 'succeeded')
  })
  await lab.until('the service runs', async () => (await lab.whereIs('service', 'n1')).join() === 'n1')
  const waits = async () => (await lab.systole('n2', 'quorum', 'status')).includes('waits for n1')
  await lab.until('n2 is up again, and waits', waits, 60_000)
  await lab.network.heal()
  await lab.until('both are online', async () => (await lab.status('n1')).nodes.every(({ online }) => online), 60_000)
  await untilLinks(lab, '11')
  const { fencing } = await lab.status('n1')
  // It had begun to wait for its own device when it lost power.
  expect(fencing.filter(({ target, outcome }) => target === 'n1' && outcome === 'succeeded')).toEqual([])
})

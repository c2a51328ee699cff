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
  expect(added).toMatch(/^Link 1 is added, and every node is heard on it/m)
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

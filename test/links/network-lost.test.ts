import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, Load, untilLinks, whatRuns } from '../nodes/lab/links.ts'

/** Three real nodes on two networks, one of which drops everything. */
const lab = new Lab(['n1', 'n2', 'n3'], { links: 2 })

beforeAll(() => beginWithService(lab), 120_000)

afterAll(() => lab.close(), 60_000)

test('each link is shown, with who is heard on it', async () => {
  await untilLinks(lab, '11')
  const shims = join(lab.folder, 'systole/shims')
  const shown = await lab.inNode('n1', `${shims}/corosync-cfgtool`, '-s')
  expect(shown).toMatch(/LINK ID 0 tcp\n\taddr\t= 10\.83\.0\.1\n[\s\S]*LINK ID 1 tcp\n\taddr\t= 10\.83\.2\.1\n/)
  expect(shown.match(/\tconnected/g)).toHaveLength(4)
  expect(await lab.systole('n3', 'cluster', 'config')).toMatch(/n2 +10\.83\.0\.2, 10\.83\.2\.2 +votes/)
})

test('a network that drops every packet costs a moment, and nothing that runs', async () => {
  const before = await whatRuns(lab, 'n2')
  const load = new Load(lab)
  await load.begin()
  await lab.network.cutLink(0)
  await untilLinks(lab, '-1')
  expect(await lab.systole('n3', 'status')).toMatch(/Link 0 to n1, n2 is down/)
  await lab.systole('n3', 'property', 'set', 'maintenance-mode=true')
  await lab.systole('n3', 'property', 'set', 'maintenance-mode=false', '--wait')
  await lab.network.heal()
  await untilLinks(lab, '11')
  // A node without quorum would have acted by itself after 4.5 s.
  expect(await load.end()).toBeLessThan(4000)
  expect(await whatRuns(lab, 'n2')).toEqual(before)
}, 60_000)

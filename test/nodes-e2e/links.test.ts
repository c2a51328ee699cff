import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, untilLinks, whatRuns } from '../nodes/lab/links.ts'

/** Links of three nodes that are changed while the cluster runs. */
const lab = new Lab(['n1', 'n2', 'n3'], { links: 2 })

beforeAll(() => beginWithService(lab), 120_000)

afterAll(() => lab.close(), 60_000)

test('a link is taken away and added while the cluster runs, and what cannot be is refused as a whole', async () => {
  await untilLinks(lab, '11')
  const before = await whatRuns(lab, 'n2')
  const removed = lab.systole('n2', 'cluster', 'link', 'delete', '0')
  const knownTo = (node: string) => lab.systole(node, 'cluster', 'config')
  await vi.waitFor(async () => expect(await knownTo('n1')).not.toContain('10.83.0.'), { timeout: 20_000 })
  expect(await lab.try('n1', 'cluster', 'link', 'update', '1', 'options', 'link_priority=2')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/does not have its new addresses yet[\s\S]*previous change of links is not complete/)
  expect(await removed).toMatch(/^Link 0 is removed, and every node is reachable over the others/m)
  for (const { line, says } of [
    { line: 'delete 1', says: /The nodes would have no link left/ },
    { line: 'add n1=10.83.0.1 n2=10.83.0.2', says: /The address of n3 is missing/ },
    { line: 'add n1=10.83.0.1 n2=10.83.0.2 n3=10.83.0.33', says: /n3 does not have the address 10\.83\.0\.33/ },
    {
      line: 'add n1=10.83.2.1 n2=10.83.0.2 n3=10.83.0.2',
      says: /given to two nodes[\s\S]*10\.83\.2\.1 already belongs to n1/,
    },
    { line: 'add n1=10.83.0.1 n2=10.83.0.2 n3=10.83.0.3 options linknumber=1', says: /Link 1 already exists/ },
  ]) {
    expect(await lab.try('n1', 'cluster', 'link', ...line.split(' '))).toBeUndefined()
    expect(lab.lastFailure).toMatch(says)
  }
  const addresses = lab.nodes.map((node) => `${node}=${lab.network.address(node)}`)
  expect(await lab.inNode('n3', 'pcs', 'cluster', 'link', 'add', ...addresses)).toMatch(/^Added link 0, and every/m)
  await untilLinks(lab, '11')
  expect(await whatRuns(lab, 'n2')).toEqual(before)
}, 90_000)

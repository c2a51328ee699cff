import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestNode } from './test-node.ts'

const dummy = { class: 'ocf', provider: 'pacemaker', type: 'Dummy' }
let node: TestNode
beforeEach(async () => {
  node = new TestNode()
  await node.serveTools()
})
afterEach(async () => await node.close())

test('the history of a connection names the container that its guest runs in, and that of another resource none', async () => {
  const attributes = { state: join(node.folder.path, 'dummy.state') }
  await node.run(dummy, 'g1', 'start', { attributes: { ...attributes, CRM_meta_container: 'vm1' } })
  expect([...node.records.values()].map(({ container }) => container)).toEqual(['vm1'])
  await node.run(dummy, 'd', 'start', { attributes })
  expect([...node.records.values()].filter(({ resource }) => resource === 'd')).toMatchObject([{ resource: 'd' }])
  expect([...node.records.values()].filter(({ resource }) => resource === 'd')[0]).not.toHaveProperty('container')
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestNode } from './test-node.ts'

/** Parameters that the kernel gives to no program: of a configuration that is older than the limits on values, or of many that are long together. */
const dummy = { class: 'ocf', provider: 'pacemaker', type: 'Dummy' }

let node: TestNode
let state: string
beforeEach(async () => {
  node = new TestNode()
  await node.serveTools()
  state = join(node.folder.path, 'dummy.state')
})
afterEach(async () => await node.close())

const tooLong = 'x'.repeat(200_000)
const together = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, 'x'.repeat(60_000)]))

for (const [what, parameters] of [
  ['one', { fake: tooLong }],
  ['many together', together],
] as const)
  test(`what never ran is not active, fails to start, and its stop does not fail (${what})`, async () => {
    const attributes = { ...parameters, state }
    expect(await node.run(dummy, 'd', 'monitor', { attributes, expected: 7 })).toMatchObject({
      'op-status': '0',
      'rc-code': '2',
      'exit-reason': expect.stringContaining('its parameters are too long'),
    })
    expect(await node.run(dummy, 'd', 'start', { attributes })).toMatchObject({ 'op-status': '4', 'rc-code': '1' })
    expect(await node.run(dummy, 'd', 'stop', { attributes })).toMatchObject({ 'op-status': '0', 'rc-code': '0' })
    expect(node.executor.mayRun).toEqual([])
  })

test('what was started with others is stopped with these, and a probe says nothing against it', async () => {
  await node.run(dummy, 'd', 'start', { attributes: { state } })
  const attributes = { state, fake: tooLong }
  expect(await node.run(dummy, 'd', 'monitor', { attributes, expected: 7 })).toMatchObject({ 'rc-code': '1' })
  expect(await node.run(dummy, 'd', 'reload', { attributes })).toMatchObject({ 'rc-code': '1' })
  expect(existsSync(state)).toBe(true)
  expect(await node.run(dummy, 'd', 'stop', { attributes })).toMatchObject({ 'op-status': '0', 'rc-code': '0' })
  expect(existsSync(state)).toBe(false)
})

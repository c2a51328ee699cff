/**
 * A daemon is frozen, connections to it are made that nobody answers, and its host loses its power: nothing ever ends them. Once it is back, it
 * must be reached.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  // Nobody switches it off before this test does.
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
}, 180_000)

afterAll(() => lab.close(), 60_000)

const reach = async (): Promise<boolean> => (await lab.try('n1', 'cluster', 'enable', 'n3')) !== undefined

test('a node that was frozen and lost its power is reached within seconds of its return', async () => {
  expect(await reach()).toBe(true)
  const daemon = (await lab.inNode('n3', 'cat', '/run/systoled.pid')).trim()
  await lab.inNode('n3', 'kill', '-STOP', daemon)
  await lab.until('the frozen daemon does not answer any more', async () => !(await reach()), 60_000)
  // Each of these waits for a connection that the kernel of n3 has accepted and its daemon does not know.
  await lab.until('a connection was made anew', async () => {
    await reach()
    const unread = await lab.inNode('n3', 'ss', '-Htn', 'sport', '=', ':7700')
    return unread.split('\n').some((line) => Number(line.trim().split(/\s+/)[1]) > 0)
  })
  await lab.power.off('n3')
  await lab.power.on('n3')
  await lab.until('its daemon is there again', async () => (await lab.try('n3', 'cluster', 'status')) !== undefined)
  const since = performance.now()
  await lab.until('a command reaches it', reach, 120_000)
  expect(performance.now() - since).toBeLessThan(10_000)
}, 300_000)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { bmcPassword, bmcUser } from './lab/bmc.ts'
import { Lab } from './lab/lab.ts'
import { run } from './lab/network.ts'

/** The lab itself: that a power cut is one, and that a split splits, is what the scenarios rest upon. */
const lab = new Lab(['n1', 'n2', 'n3'])
beforeAll(async () => {
  await lab.start()
  for (const node of lab.nodes) await lab.until(`${node} has booted`, async () => await isBooted(node))
})
afterAll(() => lab.close())

/** Its cables are what its PID 1 connects last. */
async function isBooted(node: string): Promise<boolean> {
  return (await lab.inNode(node, 'ip', '-brief', 'address', 'show', 'dev', 'oob0')).includes('UP')
}

async function reaches(from: string, to: string): Promise<boolean> {
  return await lab.inNode(from, 'ping', '-c1', '-W1', to).then(
    () => true,
    () => false,
  )
}

test('a node is a host of its own', async () => {
  expect((await lab.inNode('n2', 'hostname')).trim()).toBe('n2')
  expect(await reaches('n1', 'n2')).toBe(true)
})

test('a split separates the sides and leaves each whole', async () => {
  await lab.network.split([['n1'], ['n2', 'n3']])
  expect(await reaches('n1', 'n2')).toBe(false)
  expect(await reaches('n2', 'n3')).toBe(true)
  await lab.network.heal()
  expect(await reaches('n1', 'n2')).toBe(true)
})

test('an IPMI power-off ends everything in the node at once, and power-on boots it again', async () => {
  const init = lab.power.pid1('n3')
  const ipmi = async (...words: readonly string[]): Promise<string> => {
    const target = ['-I', 'lanplus', '-C', '3', '-H', lab.network.bmcAddress('n3'), '-U', bmcUser, '-P', bmcPassword]
    return await run(
      'ip',
      'netns',
      'exec',
      lab.network.nodeSpace('n1'),
      'ipmitool',
      ...target,
      'chassis',
      'power',
      ...words,
    )
  }
  expect(await ipmi('status')).toContain('is on')
  await ipmi('off')
  expect(await ipmi('status')).toContain('is off')
  expect(() => process.kill(init, 0)).toThrow('ESRCH')
  await ipmi('on')
  expect(await ipmi('status')).toContain('is on')
  await lab.until('the node answers again', () => reaches('n1', 'n3'))
})

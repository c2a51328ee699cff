/** A daemon that is stopped or hangs answers nothing: no command waits for it without an end. One real node, so that nobody fences it meanwhile. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signal } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
}, 120_000)

afterEach(async () => await signal(lab, 'n1', 'systoled', 'CONT'))
afterAll(async () => await lab.close(), 60_000)

const create = ['resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait=5']

test.each([
  ['a change', create],
  ['a question', ['status']],
])('%s ends, and says what to look at', async (_, words) => {
  await signal(lab, 'n1', 'systoled', 'STOP')
  const begun = performance.now()
  expect(await lab.try('n1', ...words)).toBeUndefined()
  expect(lab.lastFailure).toMatch(/has not answered for 30 s: it is stopped or hangs/)
  expect(performance.now() - begun).toBeLessThan(60_000)
})

test('cibadmin gives up after 30 s as well', async () => {
  await signal(lab, 'n1', 'systoled', 'STOP')
  const line = `${lab.folder}/systole/shims/cibadmin --query 2>&1; echo "exit $?"`
  expect(await lab.inNode('n1', 'bash', '-c', line)).toBe('cibadmin: Call failed: Timer expired\nexit 124\n')
})

test('so do the commands of agents', async () => {
  await signal(lab, 'n1', 'systoled', 'STOP')
  const calls = ['crm_attribute -n a -G', 'crm_node -n', 'attrd_updater -n a -U 1', 'crm_resource -L', 'crm_mon -1']
  const ended = calls.map(async (call) => {
    const line = `${lab.folder}/systole/shims/${call} 2>&1; echo "exit $?"`
    return await lab.inNode('n1', 'bash', '-c', line)
  })
  for (const [index, said] of (await Promise.all(ended)).entries())
    expect(said, calls[index]).toMatch(
      /^\S+: The daemon .* has not answered for 30 s: it is stopped or hangs.*\nexit 124\n$/,
    )
})

test('afterwards the daemon goes on', async () => {
  await lab.systole('n1', ...create.slice(0, -1), '--wait')
  expect(await lab.whereIs('web', 'n1')).toEqual(['n1'])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** What is shut down cleanly is missed by nobody: with `shutdown-lock` its resources wait for it. */
const lab = new Lab(['n1', 'n2', 'n3'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.systole('n1', 'property', 'set', 'shutdown-lock=true')
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'resource', 'move', 'work', 'n3', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

const cib = async (): Promise<string> => await lab.systole('n1', 'cluster', 'cib')
const lockPattern = /<lrm_resource [^>]*id="work"[^>]*shutdown-lock="\d+"/

/** With a change of something else, so that the cluster has looked since. */
async function settle(): Promise<void> {
  await lab.systole('n1', 'node', 'attribute', 'n1', `looked=${Date.now()}`, '--wait')
}

test('a resource waits for its node that was stopped, and starts there when it is back', async () => {
  await lab.until('it runs on n3', async () => (await lab.whereIs('work', 'n1'))[0] === 'n3')
  await lab.systole('n3', 'cluster', 'stop')
  await settle()
  expect(await lab.whereIs('work', 'n1')).toEqual([])
  expect(await cib()).toMatch(lockPattern)
  await lab.systole('n3', 'cluster', 'start')
  await lab.until('it runs on n3 again', async () => (await lab.whereIs('work', 'n1'))[0] === 'n3')
  await lab.until('the lock is gone', async () => !lockPattern.test(await cib()))
}, 120_000)

test('a lock ends with shutdown-lock-limit', async () => {
  await lab.systole('n1', 'property', 'set', 'shutdown-lock-limit=6s')
  await lab.systole('n3', 'cluster', 'stop')
  expect(await cib()).toMatch(lockPattern)
  await lab.until('it runs elsewhere', async () => ['n1', 'n2'].includes((await lab.whereIs('work', 'n1'))[0] ?? ''))
  expect(await cib()).not.toMatch(lockPattern)
}, 120_000)

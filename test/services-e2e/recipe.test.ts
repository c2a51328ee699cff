import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** Recipes on three nodes: all steps, a step that fails, a client that is killed in the middle, another user's change. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const file = join(lab.folder, 'recipe.yaml')

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  // Nobody is lost here: a slow machine is to fence no node.
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=15000')
  await lab.createFencing(nodes)
  await lab.systole(
    'n1',
    'resource',
    'create',
    'haproxy',
    'ocf:pacemaker:Dummy',
    'op',
    'monitor',
    'interval=5s',
    '--wait',
  )
}, 180_000)
afterAll(() => lab.close(), 60_000)

const create =
  'run: resource create galera ocf:pacemaker:Stateful op monitor interval=5s role=Promoted op monitor interval=6s role=Unpromoted promotable'
const write = (...steps: readonly string[]): void =>
  writeFileSync(file, `timeout: 30s\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`)
const configuration = async (): Promise<string> => {
  const [resources] = /<resources>[\s\S]*<\/resources>/.exec(await lab.systole('n2', 'cluster', 'cib')) ?? []
  if (resources === undefined) throw new Error('the CIB has no resources')
  return resources
}
const isStarted = async (): Promise<boolean> =>
  (await lab.systole('n2', 'resource', 'status', 'haproxy').catch(String)).includes('Started')
const waiting = async (): Promise<boolean> =>
  (await lab.systole('n2', 'config', 'history')).includes('unless confirmed')

interface Result {
  readonly state: string
  readonly steps: readonly { readonly state: string; readonly reason?: string }[]
}

async function run(node: string): Promise<{ readonly code: number; readonly result: Result }> {
  try {
    return { code: 0, result: JSON.parse(await lab.systole(node, 'recipe', 'run', file, '--json')) as Result }
  } catch (error) {
    const { code, stdout } = (error as { cause: { code: number; stdout: string } }).cause
    return { code, result: JSON.parse(stdout) as Result }
  }
}

test('a step that never comes to its end takes everything back: the balancer runs again, and nothing waits for a confirmation', async () => {
  const before = await configuration()
  write(
    'run: resource disable haproxy',
    create,
    '{wait: {promoted: galera-clone, min: 2}, timeout: 5s}',
    'run: resource enable haproxy',
  )
  const { code, result } = await run('n1')
  expect([code, result.state]).toEqual([1, 'taken back'])
  expect(result.steps.map(({ state }) => state)).toEqual(['taken back', 'taken back', 'failed', 'not begun'])
  expect(result.steps[2]?.reason).toBe('1 of 2 promoted')
  expect(await configuration()).toBe(before)
  await lab.until('haproxy is started', isStarted)
  expect(await waiting()).toBe(false)
}, 120_000)

test('a command that fails in the middle, for what runs does not start, takes everything back', async () => {
  const before = await configuration()
  write(
    'run: resource disable haproxy',
    'run: resource create broken ocf:heartbeat:IPaddr2 ip=10.83.0.99 nic=nothing0',
    'run: resource enable haproxy',
  )
  const { code, result } = await run('n2')
  expect([code, result.state, result.steps[1]?.state]).toEqual([1, 'taken back', 'failed'])
  expect(result.steps[1]?.reason).toMatch(/broken does not run: .*start of broken failed/)
  expect(await configuration()).toBe(before)
  await lab.until('haproxy is started', isStarted)
}, 120_000)

test('a client that is killed leaves nothing of it: the DC takes its changes back', async () => {
  const before = await configuration()
  write('run: resource disable haproxy', create, 'wait: {promoted: galera-clone, min: 3}')
  const known = "systole config history | grep -c 'unless confirmed'"
  await lab.inNode('n1', 'sh', '-c', `systole recipe run ${file} & until [ "$(${known})" = 2 ]; do :; done; kill -9 $!`)
  expect(await waiting()).toBe(true)
  await lab.until('everything is as it was', async () => (await configuration()) === before, 150_000)
  await lab.until('haproxy is started', isStarted)
  expect(await waiting()).toBe(false)
}, 240_000)

test('all steps are made, and stay', async () => {
  write(
    'run: resource disable haproxy',
    'wait: {stopped: haproxy}',
    create,
    'wait: {promoted: galera-clone}',
    'run: resource enable haproxy',
    'wait: converged',
  )
  expect(await lab.systole('n1', 'recipe', 'plan', file)).toContain('4. wait for galera-clone to be promoted\n')
  const { code, result } = await run('n3')
  expect([code, result.state]).toEqual([0, 'done'])
  expect(await lab.systole('n2', 'status')).toContain('Promoted: [')
  expect([await isStarted(), await waiting()]).toEqual([true, false])
}, 120_000)

test('what another user changed meanwhile is not overwritten: the step is named, and the rest is taken back', async () => {
  const other = 'run: resource meta haproxy priority=1'
  write('run: resource disable haproxy', other, '{wait: {started: haproxy}, timeout: 20s}')
  const running = run('n1')
  await lab.until('the second step is made', async () =>
    (await lab.systole('n2', 'config', 'history')).includes('priority=1'),
  )
  await lab.systole('n2', 'resource', 'meta', 'haproxy', 'priority=9')
  const { code, result } = await running
  expect([code, result.state]).toEqual([3, 'partly taken back'])
  expect(result.steps[1]?.reason).toContain('priority')
  expect(await lab.systole('n2', 'resource', 'config', 'haproxy')).toContain('priority=9')
  await lab.until('haproxy is started', isStarted)
}, 120_000)

test('a job runs a recipe on a node, for whoever may lose his terminal', async () => {
  write('run: resource meta haproxy priority=3', 'wait: {started: haproxy, min: 1}')
  expect(await lab.systole('n1', 'job', 'run', '--on=n2', '--', 'systole', 'recipe', 'run', file)).toContain(
    'all steps are done',
  )
  expect(await lab.systole('n3', 'resource', 'config', 'haproxy')).toContain('priority=3')
}, 120_000)

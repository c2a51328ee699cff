/** Jobs, copies and plays on a remote node, while members and its daemon die. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'
import { holder, isOnline } from './lab/remote.ts'

const remote = 'r1'
const lab = new Lab(['n1', 'n2', 'n3', remote], { remotes: [remote] })

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10', 'op', 'start', 'timeout=25')
  await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'))
}, 240_000)

afterAll(() => lab.close(), 60_000)

interface Job {
  readonly id: string
  readonly state: string
  readonly nodes: readonly { readonly node: string; readonly state: string; readonly reason?: string }[]
}

const file = (name: string): string => join(lab.folder, name)
const job = async (id: string, from = 'n1'): Promise<Job> =>
  JSON.parse(await lab.systole(from, 'job', 'show', id, '--json')) as Job
const detached = async (script: string, ...options: readonly string[]): Promise<string> => {
  const text = await lab.systole(
    'n1',
    'job',
    'run',
    `--on=${remote}`,
    ...options,
    '--detach',
    '--json',
    '--',
    'sh',
    '-c',
    script,
  )
  return (JSON.parse(text) as Job).id
}
const until = async (id: string, state: string, from = 'n1'): Promise<Job> => {
  await lab.until(`job ${id} is ${state}`, async () => (await job(id, from)).state === state, 60_000)
  return await job(id, from)
}
const lines = (name: string): number =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n').length : 0
const notHolder = async (): Promise<string> => ((await holder(lab, remote, 'n1')) === 'n2' ? 'n3' : 'n2')

test('a job runs there and on members, by name and by role; any member shows its output', async () => {
  const from = await notHolder()
  const shown = await lab.systole(from, 'job', 'run', `--on=n1,${remote}`, '--', 'sh', '-c', 'echo I am $SYSTOLE_NODE')
  for (const node of ['n1', remote]) expect(shown).toContain(`${node}: I am ${node}\n`)
  await lab.systole('n1', 'role', 'add', 'edge', remote)
  await lab.until('the role is known', async () => (await lab.systole(from, 'role', 'list', 'edge')).includes(remote))
  const failed = lab.systole(from, 'job', 'run', '--on=role=edge', '--', 'sh', '-c', 'echo no >&2; exit 5')
  await expect(failed).rejects.toMatchObject({
    cause: { code: 1, stdout: expect.stringMatching(/^r1: no\nr1 +failed with exit code 5/) as unknown },
  })
}, 60_000)

test('its output comes as it is printed, in the bound that the job has', async () => {
  const id = await detached(
    `echo first; while [ ! -e ${file('more')} ]; do sleep 0.1; done; seq 1 9999`,
    '--max-output=2048',
  )
  const from = await notHolder()
  const followed = lab.systole(from, 'job', 'output', id)
  await lab.until('the node of the task has begun', async () => (await job(id)).nodes[0]?.state === 'started')
  writeFileSync(file('more'), '')
  const text = await followed
  expect(text).toMatch(/^r1: first\nr1: 1\n/)
  expect(text).toMatch(/bytes of output were dropped here/)
  expect(text).toMatch(/r1: 9999\n$/)
}, 60_000)

test('a file is copied to it whole, and left alone where it is there already', async () => {
  const content = randomBytes(3 * 1024 * 1024)
  writeFileSync(file('original'), content)
  const copy = async (from: string): Promise<string> =>
    await lab.systole(from, 'job', 'copy', file('original'), `--on=n2,${remote}`, '--to=/run/copied', '--mode=0640')
  await copy(await notHolder())
  expect(await lab.inNode(remote, 'sh', '-c', 'sha256sum < /run/copied; stat -c %a:%u /run/copied')).toBe(
    await lab.inNode('n2', 'sh', '-c', 'sha256sum < /run/copied; stat -c %a:%u /run/copied'),
  )
  expect(await copy(await holder(lab, remote, 'n1'))).toMatch(/r1.*(already|unchanged)/)
  await expect(
    lab.systole('n1', 'job', 'copy', file('original'), `--on=${remote}`, '--to=/no/such/folder/file'),
  ).rejects.toMatchObject({ cause: { stdout: expect.stringMatching(/r1 .*cannot be written/) as unknown } })
}, 90_000)

test('a job that is cancelled ends there', async () => {
  const id = await detached(`echo $$ > ${file('pid')}; exec sleep 600`)
  await lab.until('it runs', async () => lines('pid') === 1)
  await lab.systole(await notHolder(), 'job', 'cancel', id)
  expect((await until(id, 'done')).nodes[0]).toMatchObject({ node: remote, state: 'cancelled' })
}, 60_000)

test('a task goes on when the member that holds the connection loses power, and runs once', async () => {
  const id = await detached(`echo once >> ${file('power')}; while [ ! -e ${file('go')} ]; do sleep 0.1; done`)
  await lab.until('it runs', async () => lines('power') === 1)
  const lost = await holder(lab, remote, 'n1')
  const other = lost === 'n1' ? 'n2' : 'n1'
  lab.power.unplugged.add(lost)
  await lab.power.off(lost)
  await lab.until('another member has the connection', async () => {
    const now = await holder(lab, remote, other)
    return now !== '' && now !== lost && (await isOnline(lab, remote, other))
  })
  writeFileSync(file('go'), '')
  expect((await until(id, 'done', other)).nodes[0]).toMatchObject({ state: 'succeeded' })
  expect(lines('power')).toBe(1)
  lab.power.unplugged.delete(lost)
  await lab.power.on(lost)
  await lab.until('the lost node is back', async () => (await lab.status(other)).nodes.every(({ online }) => online))
}, 120_000)

test('a task goes on while the daemon there is killed, and its end is recorded by the next', async () => {
  const id = await detached(
    `echo once >> ${file('killed')}; while [ ! -e ${file('go2')} ]; do sleep 0.1; done; echo end`,
  )
  await lab.until('it runs', async () => lines('killed') === 1)
  await lab.inNode(remote, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
  writeFileSync(file('go2'), '')
  expect((await until(id, 'done')).nodes[0]).toMatchObject({ state: 'succeeded' })
  expect(lines('killed')).toBe(1)
  expect(await lab.systole('n1', 'job', 'output', id)).toBe('r1: end\n')
}, 60_000)

test('a play has steps there', async () => {
  writeFileSync(
    file('site.yaml'),
    `- targets: [${remote}]\n  jobs:\n    - RUN: echo played on $SYSTOLE_NODE > ${file('played')}\n`,
  )
  await lab.systole('n1', 'play', 'run', file('site.yaml'))
  expect(readFileSync(file('played'), 'utf8')).toBe('played on r1\n')
}, 60_000)

interface Rollouts {
  readonly rollouts: readonly { readonly id: string; readonly state: string }[]
  readonly versions: readonly { readonly node: string; readonly version?: string; readonly state: string }[]
}

test('a rollout takes it to a version with the cluster nodes: drained, released, and put back', async () => {
  await lab.systole('n1', 'resource', 'create', 'edge', 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=10s')
  await lab.systole('n1', 'constraint', 'location', 'edge', 'prefers', `${remote}=1000`, '--wait')
  const at = async (): Promise<string> => (await lab.whereIs('edge', 'n1')).join()
  await lab.until('it runs on the remote node', async () => (await at()) === remote)
  const software = file('software-$SYSTOLE_NODE')
  const install = `[ $SYSTOLE_NODE = n2 ] || until [ -e ${file('upgrade')} ]; do sleep 0.1; done; echo 2 > ${software}`
  const steps = {
    actions: [{ name: 'install', run: install, undo: `rm -f ${software}` }],
    validate: [{ name: 'check', run: `test $(cat ${software}) = 2` }],
  }
  const nodes = [{ role: 'edge' }, { name: 'n2' }]
  const rollout = { rollout: 'shop', version: '2', nodes, waves: { order: ['edge'] }, steps, 'confirm-within': '1h' }
  writeFileSync(file('rollout.yaml'), JSON.stringify(rollout))
  const plan = await lab.systole('n1', 'rollout', 'plan', file('rollout.yaml'))
  expect(plan).toMatch(/Wave 1 \(role edge\):\n {2}r1\n {4}drain:\n.*edge/)
  const { id } = JSON.parse(
    await lab.systole(await notHolder(), 'rollout', 'start', file('rollout.yaml'), '--no-wait', '--json'),
  ) as { readonly id: string }
  await lab.until('it is drained while its command runs', async () => !['', remote].includes(await at()), 60_000)
  expect(lines('software-n2')).toBe(0)
  writeFileSync(file('upgrade'), '')
  const known = async (): Promise<Rollouts> =>
    JSON.parse(await lab.systole('n1', 'rollout', 'history', '--json')) as Rollouts
  const untilState = (state: string): Promise<void> =>
    lab.until(`it is ${state}`, async () => (await known()).rollouts[0]?.state === state, 90_000)
  await untilState('unconfirmed')
  const versions = async (): Promise<readonly string[]> => {
    const text = await lab.systole('n1', 'rollout', 'versions', '--json')
    return (JSON.parse(text) as Rollouts).versions.map(({ node, version, state }) => `${node} ${version} ${state}`)
  }
  expect(await versions()).toEqual(expect.arrayContaining(['n2 2 validated', 'r1 2 validated']))
  await lab.until('it is released', async () => (await at()) === remote)
  expect([lines('software-r1'), lines('software-n2')]).toEqual([1, 1])
  await lab.systole('n1', 'rollout', 'abort', id, '--no-wait')
  await untilState('aborted')
  expect([lines('software-r1'), lines('software-n2')]).toEqual([0, 0])
  expect(await versions()).not.toEqual(expect.arrayContaining([expect.stringContaining(' 2 ')]))
  await lab.until('nothing is held', async () => (await at()) === remote)
  const reboots = { ...rollout, steps: { actions: [{ run: 'reboot', reboots: true }] } }
  writeFileSync(file('reboots.yaml'), JSON.stringify(reboots))
  await expect(lab.systole('n1', 'rollout', 'start', file('reboots.yaml'))).rejects.toMatchObject({
    cause: { stderr: expect.stringContaining('r1 is a remote node without reconnect_interval') as unknown },
  })
  await lab.systole('n1', 'resource', 'delete', 'edge')
}, 240_000)

test('nobody on it may run jobs', async () => {
  await expect(lab.systole(remote, 'job', 'run', '--all', '--', 'id')).rejects.toThrow()
}, 30_000)

test('a task of a remote node that was fenced is lost, and not begun again', async () => {
  await lab.until('its connection is there', () => isOnline(lab, remote, 'n1'))
  const id = await detached(`echo once >> ${file('fenced')}; exec sleep 600`)
  await lab.until('it runs', async () => lines('fenced') === 1)
  lab.power.unplugged.add(remote)
  await lab.power.off(remote)
  expect((await until(id, 'done')).nodes[0]).toMatchObject({ state: 'lost' })
  await expect(lab.systole('n1', 'job', 'run', `--on=${remote}`, '--', 'id')).rejects.toMatchObject({
    cause: { code: 3, stdout: expect.stringContaining('not online') as unknown },
  })
  lab.power.unplugged.delete(remote)
  await lab.power.on(remote)
  await lab.systole('n1', 'resource', 'cleanup', remote)
  await lab.until('it is back', () => isOnline(lab, remote, 'n1'), 60_000)
  await lab.systole('n1', 'job', 'run', `--on=${remote}`, '--', 'true')
  expect(lines('fenced')).toBe(1)
}, 120_000)

/** Tasks, plays and rollouts on a remote node, while members, its daemon and its machine die. Jobs there: `test/nodes/remote.test.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { holder, isOnline } from '../nodes/lab/remote.ts'
import { RemoteJobs } from '../nodes/lab/remote-jobs.ts'

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

const jobs = new RemoteJobs(lab, remote)

test('a task goes on when the member that holds the connection loses power, and runs once', async () => {
  const id = await jobs.detached(
    `echo once >> ${jobs.file('power')}; while [ ! -e ${jobs.file('go')} ]; do sleep 0.1; done`,
  )
  await lab.until('it runs', async () => jobs.lines('power') === 1)
  const lost = await holder(lab, remote, 'n1')
  const other = lost === 'n1' ? 'n2' : 'n1'
  lab.power.unplugged.add(lost)
  await lab.power.off(lost)
  await lab.until('another member has the connection', async () => {
    const now = await holder(lab, remote, other)
    return now !== '' && now !== lost && (await isOnline(lab, remote, other))
  })
  writeFileSync(jobs.file('go'), '')
  expect((await jobs.until(id, 'done', other)).nodes[0]).toMatchObject({ state: 'succeeded' })
  expect(jobs.lines('power')).toBe(1)
  lab.power.unplugged.delete(lost)
  await lab.power.on(lost)
  await lab.until('the lost node is back', async () => (await lab.status(other)).nodes.every(({ online }) => online))
}, 120_000)

test('a task goes on while the daemon there is killed, and its end is recorded by the next', async () => {
  const id = await jobs.detached(
    `echo once >> ${jobs.file('killed')}; while [ ! -e ${jobs.file('go2')} ]; do sleep 0.1; done; echo end`,
  )
  await lab.until('it runs', async () => jobs.lines('killed') === 1)
  await lab.inNode(remote, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
  writeFileSync(jobs.file('go2'), '')
  expect((await jobs.until(id, 'done')).nodes[0]).toMatchObject({ state: 'succeeded' })
  expect(jobs.lines('killed')).toBe(1)
  expect(await lab.systole('n1', 'job', 'output', id)).toBe('r1: end\n')
}, 60_000)

test('a play has steps there', async () => {
  writeFileSync(
    jobs.file('site.yaml'),
    `- targets: [${remote}]\n  jobs:\n    - RUN: echo played on $SYSTOLE_NODE > ${jobs.file('played')}\n`,
  )
  await lab.systole('n1', 'play', 'run', jobs.file('site.yaml'))
  expect(readFileSync(jobs.file('played'), 'utf8')).toBe('played on r1\n')
}, 60_000)

interface Rollouts {
  readonly rollouts: readonly { readonly id: string; readonly state: string }[]
  readonly versions: readonly { readonly node: string; readonly version?: string; readonly state: string }[]
}

test('a rollout takes it to a version with the cluster nodes: drained, released, and put back', async () => {
  await lab.systole('n1', 'role', 'add', 'edge', remote)
  await lab.systole('n1', 'resource', 'create', 'edge', 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=10s')
  await lab.systole('n1', 'constraint', 'location', 'edge', 'prefers', `${remote}=1000`, '--wait')
  const at = async (): Promise<string> => (await lab.whereIs('edge', 'n1')).join()
  await lab.until('it runs on the remote node', async () => (await at()) === remote)
  const software = jobs.file('software-$SYSTOLE_NODE')
  const install = `[ $SYSTOLE_NODE = n2 ] || until [ -e ${jobs.file('upgrade')} ]; do sleep 0.1; done; echo 2 > ${software}`
  const steps = {
    actions: [{ name: 'install', run: install, undo: `rm -f ${software}` }],
    validate: [{ name: 'check', run: `test $(cat ${software}) = 2` }],
  }
  const nodes = [{ role: 'edge' }, { name: 'n2' }]
  const rollout = { rollout: 'shop', version: '2', nodes, waves: { order: ['edge'] }, steps, 'confirm-within': '1h' }
  writeFileSync(jobs.file('rollout.yaml'), JSON.stringify(rollout))
  const plan = await lab.systole('n1', 'rollout', 'plan', jobs.file('rollout.yaml'))
  expect(plan).toMatch(/Wave 1 \(role edge\):\n {2}r1\n {4}drain:\n.*edge/)
  const { id } = JSON.parse(
    await lab.systole(await jobs.notHolder(), 'rollout', 'start', jobs.file('rollout.yaml'), '--no-wait', '--json'),
  ) as { readonly id: string }
  await lab.until('it is drained while its command runs', async () => !['', remote].includes(await at()), 60_000)
  expect(jobs.lines('software-n2')).toBe(0)
  writeFileSync(jobs.file('upgrade'), '')
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
  expect([jobs.lines('software-r1'), jobs.lines('software-n2')]).toEqual([1, 1])
  await lab.systole('n1', 'rollout', 'abort', id, '--no-wait')
  await untilState('aborted')
  expect([jobs.lines('software-r1'), jobs.lines('software-n2')]).toEqual([0, 0])
  expect(await versions()).not.toEqual(expect.arrayContaining([expect.stringContaining(' 2 ')]))
  await lab.until('nothing is held', async () => (await at()) === remote)
  const reboots = { ...rollout, steps: { actions: [{ run: 'reboot', reboots: true }] } }
  writeFileSync(jobs.file('reboots.yaml'), JSON.stringify(reboots))
  await expect(lab.systole('n1', 'rollout', 'start', jobs.file('reboots.yaml'))).rejects.toMatchObject({
    cause: { stderr: expect.stringContaining('r1 is a remote node without reconnect_interval') as unknown },
  })
  await lab.systole('n1', 'resource', 'delete', 'edge')
}, 240_000)

test('a task of a remote node that was fenced is lost, and not begun again', async () => {
  await lab.until('its connection is there', () => isOnline(lab, remote, 'n1'))
  const id = await jobs.detached(`echo once >> ${jobs.file('fenced')}; exec sleep 600`)
  await lab.until('it runs', async () => jobs.lines('fenced') === 1)
  lab.power.unplugged.add(remote)
  await lab.power.off(remote)
  expect((await jobs.until(id, 'done')).nodes[0]).toMatchObject({ state: 'lost' })
  await expect(lab.systole('n1', 'job', 'run', `--on=${remote}`, '--', 'id')).rejects.toMatchObject({
    cause: { code: 3, stdout: expect.stringContaining('not online') as unknown },
  })
  lab.power.unplugged.delete(remote)
  await lab.power.on(remote)
  await lab.systole('n1', 'resource', 'cleanup', remote)
  await lab.until('it is back', () => isOnline(lab, remote, 'n1'), 60_000)
  await lab.systole('n1', 'job', 'run', `--on=${remote}`, '--', 'true')
  expect(jobs.lines('fenced')).toBe(1)
}, 120_000)

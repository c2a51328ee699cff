/**
 * Two nodes, a third for their quorum, and a remote node that runs what they tell it. The scenarios run in their order on one
 * cluster.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'
import { createService, holder, isOnline, runsOn, servicePid, tool } from './lab/remote.ts'
import { RemoteJobs } from './lab/remote-jobs.ts'

const remote = 'r1'
const lab = new Lab(['n1', 'n2', 'n3', remote], { remotes: [remote] })
const jobs = new RemoteJobs(lab, remote)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10')
}, 120_000)

afterAll(() => lab.close(), 60_000)

describe('a remote node', () => {
  test('is online once its connection runs', async () => {
    await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'))
    expect(await lab.systole('n1', 'status')).toContain(`RemoteOnline: [ ${remote} ]`)
  }, 60_000)

  test('runs what it is told, and restarts what died', async () => {
    await createService(lab, 'n1', remote)
    await lab.until('the service runs on the remote node', () => runsOn(lab, remote, 'n1'))
    const before = (await servicePid(lab, remote)) ?? ''
    await lab.inNode(remote, 'kill', '-9', before)
    await lab.until('the service was started again', async () => {
      const now = await servicePid(lab, remote)
      return now !== undefined && now !== before && (await runsOn(lab, remote, 'n1'))
    })
    expect(await tool(lab, 'n1', 'crm_failcount', '-G', '-r', 'service', '-N', remote)).toContain('value=1')
  }, 60_000)

  test('lets its agents ask and tell the cluster', async () => {
    expect(await tool(lab, remote, 'crm_node', '-n')).toBe(remote)
    await tool(lab, remote, 'attrd_updater', '-n', 'seen', '-U', 'yes')
    await tool(lab, remote, 'crm_attribute', '--lifetime', 'reboot', '--name', 'weight', '--update', '7')
    expect(await tool(lab, 'n1', 'attrd_updater', '-Q', '-n', 'seen', '-N', remote)).toContain('value="yes"')
    expect(await tool(lab, remote, 'crm_attribute', '-l', 'reboot', '-n', 'weight', '-G', '-q')).toBe('7')
    expect(await tool(lab, remote, 'crm_node', '-p')).toContain('n1')
  }, 60_000)

  test('has roles as other nodes have, and a script waits until enough nodes have one', async () => {
    const asked = ['role', 'list', 'db', '--min=3', '--json'] as const
    await lab.systole('n1', 'role', 'add', 'db', 'n1', remote)
    await expect(lab.systole('n2', ...asked)).rejects.toMatchObject({ cause: { code: 75 } })
    const waited = lab.systole('n2', ...asked, '--wait')
    await lab.systole('n1', 'role', 'add', 'db', 'n2')
    const { nodes } = JSON.parse(await waited) as { nodes: { name: string; online: boolean; addresses: string[] }[] }
    expect(nodes).toEqual(
      ['n1', 'n2', remote].map((name) => ({ name, online: true, addresses: [lab.network.address(name)] })),
    )
    await lab.systole('n1', 'role', 'remove', 'db', 'n1', 'n2', remote)
    expect(await lab.systole('n1', 'role', 'list')).toBe('No node has a role.\n')
  }, 60_000)

  test('a job runs there and on members, by name and by role; any member shows its output', async () => {
    const from = await jobs.notHolder()
    const shown = await lab.systole(
      from,
      'job',
      'run',
      `--on=n1,${remote}`,
      '--',
      'sh',
      '-c',
      'echo I am $SYSTOLE_NODE',
    )
    for (const node of ['n1', remote]) expect(shown).toContain(`${node}: I am ${node}\n`)
    await lab.systole('n1', 'role', 'add', 'edge', remote)
    await lab.until('the role is known', async () => (await lab.systole(from, 'role', 'list', 'edge')).includes(remote))
    const failed = lab.systole(from, 'job', 'run', '--on=role=edge', '--', 'sh', '-c', 'echo no >&2; exit 5')
    await expect(failed).rejects.toMatchObject({
      cause: { code: 1, stdout: expect.stringMatching(/^r1: no\nr1 +failed with exit code 5/) as unknown },
    })
  }, 60_000)

  test('its output comes as it is printed, in the bound that the job has', async () => {
    const id = await jobs.detached(
      `echo first; while [ ! -e ${jobs.file('more')} ]; do sleep 0.1; done; seq 1 9999`,
      '--max-output=2048',
    )
    const shown = jobs.file('shown')
    const command = `systole job output ${id} > ${shown}`
    const followed = lab.inNode(await jobs.notHolder(), 'sh', '-c', command)
    await lab.until('the first line is shown', () => readFileSync(shown, 'utf8') === 'r1: first\n')
    writeFileSync(jobs.file('more'), '')
    await followed
    const text = readFileSync(shown, 'utf8')
    expect(text).toMatch(/^r1: first\nr1: 1\n/)
    expect(text).toMatch(/bytes of output were dropped here/)
    expect(text).toMatch(/r1: 9999\n$/)
  }, 60_000)

  test('a file is copied to it whole, and left alone where it is there already', async () => {
    const content = randomBytes(3 * 1024 * 1024)
    writeFileSync(jobs.file('original'), content)
    const copy = async (from: string): Promise<string> =>
      await lab.systole(
        from,
        'job',
        'copy',
        jobs.file('original'),
        `--on=n2,${remote}`,
        '--to=/run/copied',
        '--mode=0640',
      )
    await copy(await jobs.notHolder())
    expect(await lab.inNode(remote, 'sh', '-c', 'sha256sum < /run/copied; stat -c %a:%u /run/copied')).toBe(
      await lab.inNode('n2', 'sh', '-c', 'sha256sum < /run/copied; stat -c %a:%u /run/copied'),
    )
    expect(await copy(await holder(lab, remote, 'n1'))).toMatch(/r1.*(already|unchanged)/)
    await expect(
      lab.systole('n1', 'job', 'copy', jobs.file('original'), `--on=${remote}`, '--to=/no/such/folder/file'),
    ).rejects.toMatchObject({ cause: { stdout: expect.stringMatching(/r1 .*cannot be written/) as unknown } })
  }, 90_000)

  test('a job that is cancelled ends there', async () => {
    const id = await jobs.detached(`echo $$ > ${jobs.file('pid')}; exec sleep 600`)
    await lab.until('it runs', async () => jobs.lines('pid') === 1)
    await lab.systole(await jobs.notHolder(), 'job', 'cancel', id)
    expect((await jobs.until(id, 'done')).nodes[0]).toMatchObject({ node: remote, state: 'cancelled' })
  }, 60_000)

  test('nobody on it may run jobs', async () => {
    await expect(lab.systole(remote, 'job', 'run', '--all', '--', 'id')).rejects.toThrow()
  }, 30_000)

  test('keeps what the option secret-names calls secret out of its log', async () => {
    await lab.prepare('n1', 'property', 'set', 'secret-names=stat*')
    const agent = ['leaky', 'ocf:pacemaker:Dummy', 'state=/nowhere/swordfish', 'op', 'start', 'on-fail=block']
    await lab.systole('n1', 'resource', 'create', ...agent, '--disabled', '--force')
    await lab.prepare('n1', 'constraint', 'location', 'leaky', 'prefers', `${remote}=INFINITY`)
    await lab.systole('n1', 'resource', 'enable', 'leaky')
    const log = join(lab.folder, 'nodes', remote, 'systoled.log')
    const said = (): readonly string[] =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /leaky/.test(line))
    // touch says what it could not make.
    await lab.until('its agent has said why it failed', () => said().some((line) => /cannot touch/.test(line)))
    expect(said().join('\n')).not.toContain('swordfish')
    await lab.systole('n1', 'resource', 'delete', 'leaky', '--force')
    await lab.systole('n1', 'property', 'unset', 'secret-names')
  }, 60_000)

  test('goes on while its daemon is killed, and is adopted by the next', async () => {
    const before = await servicePid(lab, remote)
    await lab.inNode(remote, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
    await lab.until(
      'another daemon serves',
      async () => (await isOnline(lab, remote, 'n1')) && (await runsOn(lab, remote, 'n1')),
    )
    await lab.systole('n1', 'status', 'wait', '60')
    expect(await servicePid(lab, remote)).toBe(before)
    await lab.inNode(remote, 'kill', '-9', before ?? '')
    await lab.until('the new daemon has noticed', async () => {
      const now = await servicePid(lab, remote)
      return now !== undefined && now !== before && (await runsOn(lab, remote, 'n1'))
    })
    expect((await lab.status('n1')).fencing).toHaveLength(0)
  }, 60_000)

  test('is handed over to another node without a stop', async () => {
    const before = await servicePid(lab, remote)
    const from = await holder(lab, remote, 'n1')
    const to = from === 'n2' ? 'n3' : 'n2'
    await lab.systole('n1', 'resource', 'move', remote, to, '--wait')
    expect(await holder(lab, remote, 'n1')).toBe(to)
    expect(await isOnline(lab, remote, 'n1')).toBe(true)
    expect(await servicePid(lab, remote)).toBe(before)
    expect((await lab.status('n1')).fencing).toHaveLength(0)
  }, 60_000)

  test('keeps its services when the node that holds its connection loses power', async () => {
    const before = await servicePid(lab, remote)
    const lost = await holder(lab, remote, 'n1')
    const other = lost === 'n1' ? 'n2' : 'n1'
    lab.power.unplugged.add(lost)
    await lab.power.off(lost)
    await lab.until('the connection has moved', async () => {
      const now = await holder(lab, remote, other)
      return now !== '' && now !== lost && (await isOnline(lab, remote, other)) && (await runsOn(lab, remote, other))
    })
    expect(await servicePid(lab, remote)).toBe(before)
    expect((await lab.status(other)).fencing.map(({ target }) => target)).not.toContain(remote)
    lab.power.unplugged.delete(lost)
    await lab.power.on(lost)
    await lab.until('the lost node is back', async () => (await lab.status(other)).nodes.every(({ online }) => online))
  }, 90_000)

  test('is fenced by its controller when it loses power, and its services run elsewhere', async () => {
    lab.power.unplugged.add(remote)
    await lab.power.off(remote)
    await lab.until('the service runs on a member', async () => {
      const [node = remote] = await lab.whereIs('service', 'n1')
      return node !== remote && (await servicePid(lab, node)) !== undefined
    })
    const fenced = (await lab.status('n1')).fencing.filter(({ target }) => target === remote)
    expect(fenced.some(({ outcome }) => outcome === 'succeeded')).toBe(true)
    lab.power.unplugged.delete(remote)
    await lab.power.on(remote)
    await lab.systole('n1', 'resource', 'cleanup', remote)
    await lab.until('the remote node is back with its service', () => runsOn(lab, remote, 'n1'), 60_000)
  }, 120_000)
})

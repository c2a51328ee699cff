/**
 * Two nodes, a third for their quorum, and a remote node that runs what they tell it. The scenarios run in their order on one
 * cluster.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'
import { createService, holder, isOnline, runsOn, servicePid, tool } from './lab/remote.ts'

const remote = 'r1'
const lab = new Lab(['n1', 'n2', 'n3', remote], { remotes: [remote] })

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

  test('keeps what the option secret-names calls secret out of its log', async () => {
    await lab.systole('n1', 'property', 'set', 'secret-names=stat*')
    const agent = ['leaky', 'ocf:pacemaker:Dummy', 'state=/nowhere/swordfish', 'op', 'start', 'on-fail=block']
    await lab.systole('n1', 'resource', 'create', ...agent, '--disabled', '--force')
    await lab.systole('n1', 'constraint', 'location', 'leaky', 'prefers', `${remote}=INFINITY`)
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

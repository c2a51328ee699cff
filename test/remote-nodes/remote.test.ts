/** One remote node of a small cluster: what an administrator does with it, and more of what may happen to it. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { createService, holder, isOnline, runsOn, servicePid, tool } from '../nodes/lab/remote.ts'

const remote = 'r1'
const members = ['n1', 'n2', 'n3']
const lab = new Lab([...members, remote], { remotes: [remote] })

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.addRemote(remote, 'n1', 'reconnect_interval=5s', 'op', 'monitor', 'interval=10')
  await createService(lab, 'n1', remote)
  await lab.until('the service runs on the remote node', () => runsOn(lab, remote, 'n1'), 60_000)
}, 300_000)

afterAll(() => lab.close(), 60_000)

async function settled(): Promise<void> {
  await lab.systole('n1', 'status', 'wait', '60')
}

async function isFenced(): Promise<boolean> {
  return (await lab.status('n1')).fencing.some(({ target }) => target === remote)
}

describe('an administrator', () => {
  test('puts it in standby and takes it out again', async () => {
    await lab.systole('n1', 'node', 'standby', remote, '--wait')
    expect(await servicePid(lab, remote)).toBeUndefined()
    expect(await isOnline(lab, remote, 'n1')).toBe(true)
    expect(await lab.systole('n1', 'status')).toContain(`RemoteNode ${remote}: standby`)
    await lab.systole('n1', 'node', 'unstandby', remote, '--wait')
    expect(await runsOn(lab, remote, 'n1')).toBe(true)
  })

  test('puts it in maintenance, where nothing is restarted', async () => {
    await lab.systole('n1', 'node', 'maintenance', remote, '--wait')
    const before = (await servicePid(lab, remote)) ?? ''
    await lab.inNode(remote, 'kill', '-9', before)
    await lab.systole('n1', 'node', 'attribute', remote, 'rack=b', '--wait')
    expect(await servicePid(lab, remote)).toBeUndefined()
    expect(await lab.systole('n1', 'node', 'attribute', remote)).toContain('rack=b')
    await lab.systole('n1', 'node', 'unmaintenance', remote)
    await lab.until('the service was started again', () => runsOn(lab, remote, 'n1'))
  })

  test('asks why something is there, and what the loss of the node would mean', async () => {
    expect(await lab.systole('n1', 'why', 'service')).toContain(remote)
    expect(await lab.systole('n1', 'why', '--fence', remote)).toContain('service')
  })
})

describe('a promotable clone', () => {
  test('has an instance there whose agent sets its promotion score', async () => {
    await lab.systole('n1', 'resource', 'create', 'state', 'ocf:pacemaker:Stateful', 'promotable', '--wait')
    const scores = await tool(lab, 'n1', 'attrd_updater', '-Q', '-n', 'master-state', '-A')
    expect(scores).toMatch(new RegExp(`host="${remote}" value="(5|10)"`))
    await lab.systole('n1', 'resource', 'delete', 'state', '--wait')
  })
})

describe('its services go on', () => {
  test('while the daemon of the node that holds its connection is killed', async () => {
    const before = await servicePid(lab, remote)
    const owner = await holder(lab, remote, 'n1')
    const other = owner === 'n1' ? 'n2' : 'n1'
    await lab.inNode(owner, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
    await lab.until('it is online again', async () => {
      const { nodes } = await lab.status(other)
      return nodes.every(({ online, unclean }) => online && !unclean) && (await runsOn(lab, remote, other))
    })
    expect(await servicePid(lab, remote)).toBe(before)
  })

  test('while all daemons of the cluster are killed, and a failure meanwhile is noticed later', async () => {
    await settled()
    const before = (await servicePid(lab, remote)) ?? ''
    for (const node of members) hold(node)
    for (const node of members) await lab.inNode(node, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
    expect(await servicePid(lab, remote)).toBe(before)
    await lab.inNode(remote, 'kill', '-9', before)
    for (const node of members) release(node)
    await lab.until(
      'the service was started again',
      async () => {
        const now = await servicePid(lab, remote)
        return now !== undefined && now !== before && (await runsOn(lab, remote, 'n1'))
      },
      60_000,
    )
    expect(await isFenced()).toBe(false)
    await lab.until('all members are there', async () => (await lab.status('n1')).nodes.every(({ online }) => online))
  })
})

describe('it leaves', () => {
  test('in order: its services move, and nobody is fenced', async () => {
    await settled()
    hold(remote)
    expect(await lab.inNode(remote, 'systoled', '--remote', '--leave')).toContain('has left the cluster')
    expect(await servicePid(lab, remote)).toBeUndefined()
    await lab.until('the service runs on a member', async () => {
      const [node = remote] = await lab.whereIs('service', 'n1')
      return node !== remote
    })
    expect(await isFenced()).toBe(false)
    release(remote)
    await lab.until('it is back, by its reconnect_interval', () => runsOn(lab, remote, 'n1'), 100_000)
  })

  test('for good when its connection is taken out of the configuration', async () => {
    await lab.systole('n1', 'cluster', 'node', 'remove-remote', remote, '--wait')
    expect(await servicePid(lab, remote)).toBeUndefined()
    expect((await lab.status('n1')).nodes.map(({ name }) => name)).toEqual(members)
    await lab.until(
      'nothing is recorded of it',
      async () => !(await lab.systole('n1', 'cluster', 'cib')).includes(`uname="${remote}"`),
    )
  })
})

/** Its daemon is not started again. */
function hold(node: string): void {
  writeFileSync(join(lab.folder, 'nodes', node, 'hold'), '')
}

function release(node: string): void {
  rmSync(join(lab.folder, 'nodes', node, 'hold'))
}

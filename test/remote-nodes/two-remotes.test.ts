/** Two remote nodes at once: their connections move, one is taken away for good, and a certificate is renewed. */

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdsForMonths, letExpireSoon } from '../nodes/lab/expiring.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { createService, holder, isOnline, runsOn, servicePid } from '../nodes/lab/remote.ts'

const remotes = ['r1', 'r2']
const members = ['n1', 'n2', 'n3']
const lab = new Lab([...members, ...remotes], { remotes })

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  for (const remote of remotes)
    await lab.addRemote(remote, 'n1', 'reconnect_interval=5s', 'op', 'monitor', 'interval=10')
  await createService(lab, 'n1', 'r1')
  await lab.systole('n1', 'resource', 'create', 'twin', 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=1', 'clone')
  await lab.until(
    'both remote nodes serve',
    async () => (await bothServe('n1')) && (await runsOn(lab, 'r1', 'n1')),
    90_000,
  )
}, 300_000)

afterAll(() => lab.close(), 60_000)

async function bothServe(seenFrom: string): Promise<boolean> {
  const { nodes, resources } = await lab.status(seenFrom)
  const twins = resources
    .filter(({ id, role }) => id.startsWith('twin') && role === 'Started')
    .flatMap((one) => one.nodes)
  return remotes.every(
    (remote) =>
      twins.includes(remote) && nodes.some(({ name, online, unclean }) => name === remote && online && !unclean),
  )
}

describe('two remote nodes', () => {
  test('keep what they run while the hosts of their connections go to standby, one after the other', async () => {
    const before = await servicePid(lab, 'r1')
    for (const member of ['n2', 'n3']) {
      await lab.systole('n1', 'node', 'standby', member, '--wait')
      for (const remote of remotes) expect(await holder(lab, remote, 'n1')).not.toBe(member)
      expect(await bothServe('n1')).toBe(true)
    }
    for (const remote of remotes) expect(await holder(lab, remote, 'n1')).toBe('n1')
    await lab.systole('n1', 'node', 'unstandby', 'n2', 'n3', '--wait')
    await lab.systole('n1', 'node', 'standby', 'n1', '--wait')
    for (const remote of remotes) expect(await holder(lab, remote, 'n1')).not.toBe('n1')
    await lab.systole('n1', 'node', 'unstandby', 'n1', '--wait')
    expect(await bothServe('n1')).toBe(true)
    expect(await servicePid(lab, 'r1')).toBe(before)
    expect((await lab.status('n1')).fencing).toEqual([])
  })

  test('are lost one at a time: the other’s services go on', async () => {
    const before = await servicePid(lab, 'r1')
    lab.power.unplugged.add('r2')
    await lab.power.off('r2')
    await lab.until(
      'r2 was fenced',
      async () => {
        const { fencing } = await lab.status('n1')
        return fencing.some(({ target, outcome }) => target === 'r2' && outcome === 'succeeded')
      },
      60_000,
    )
    expect(await servicePid(lab, 'r1')).toBe(before)
    expect(await isOnline(lab, 'r1', 'n1')).toBe(true)
  })
})

describe('a remote node that is gone for good', () => {
  test('is no node to be cleared while it is configured', async () => {
    await expect(lab.systole('n1', 'cluster', 'node', 'clear', 'r2')).rejects.toThrow('cluster node remove-remote r2')
    await expect(lab.systole('n1', 'cluster', 'node', 'clear', 'n2')).rejects.toThrow('cluster node remove n2')
    await expect(lab.systole('n1', 'cluster', 'node', 'clear', 'r9')).rejects.toThrow("'r9'")
  })

  test('is taken out, and what was left of it is cleared', async () => {
    await lab.systole('n1', 'cluster', 'node', 'remove-remote', 'r2', '--force')
    await lab.until(
      'nothing tells of it',
      async () => !(await lab.systole('n1', 'cluster', 'cib')).includes('uname="r2"'),
      120_000,
    )
    await lab.systole('n1', 'status', 'wait', '120')
    const fenced = async () => (await lab.status('n1')).fencing.filter(({ target }) => target === 'r2').length
    const before = await fenced()
    await lab.systole('n1', 'node', 'attribute', 'n1', 'rack=a', '--wait')
    expect(await fenced(), 'the next transition fences it no more').toBe(before)
    // As if a cluster node had died between the two: a record of a node that nobody knows.
    await lab.systole('n1', 'node', 'attribute', 'r2', 'rack=b', '--force').catch(() => undefined)
    await lab.inNode('n1', join(lab.folder, 'systole/shims/attrd_updater'), '-n', 'seen', '-U', 'yes', '-N', 'r2')
    expect(await lab.systole('n1', 'cluster', 'cib', 'scope=status')).toContain('uname="r2"')
    expect(await lab.systole('n1', 'cluster', 'node', 'clear', 'r2')).toContain('Deleted all records of r2')
    expect(await lab.systole('n1', 'cluster', 'cib')).not.toContain('uname="r2"')
  })
})

describe('a certificate that is about to run out', () => {
  test('is renewed over the connection, which stays, and holds for the next', async () => {
    const pki = join(lab.folder, 'nodes/r1/etc/pki')
    await letExpireSoon(lab, { name: 'r1', pki }, 'n1')
    const before = await servicePid(lab, 'r1')
    const restart = async () => await lab.inNode('r1', 'bash', '-c', 'kill $(cat /run/systoled.pid)')
    await restart()
    await lab.until('the certificate holds for years', () => holdsForMonths(pki), 90_000)
    const from = await holder(lab, 'r1', 'n1')
    const to = from === 'n2' ? 'n3' : 'n2'
    await lab.systole('n1', 'resource', 'move', 'r1', to, '--wait')
    expect(await isOnline(lab, 'r1', 'n1')).toBe(true)
    await restart()
    await lab.until(
      'it is connected by the new certificate',
      async () => (await isOnline(lab, 'r1', 'n1')) && (await runsOn(lab, 'r1', 'n1')),
    )
    expect(await servicePid(lab, 'r1')).toBe(before)
  })
})

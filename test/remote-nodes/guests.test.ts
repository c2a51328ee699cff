/** Guest nodes: what a virtual machine runs, while the machine, its host and the administrator do what they do. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdsForMonths, letExpireSoon } from '../nodes/lab/expiring.ts'
import { grantTimeToRestart } from '../nodes/lab/faults.ts'
import {
  createMachine,
  inMachine,
  installMachineAgent,
  letIn,
  type Machine,
  machineLog,
  machinePid,
} from '../nodes/lab/guests.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { createService, isOnline } from '../nodes/lab/remote.ts'

const members = ['n1', 'n2', 'n3']
const machine: Machine = { resource: 'vm1', name: 'g1', address: '10.83.0.101' }
const guest = machine.name
const lab = new Lab(members)

beforeAll(async () => {
  installMachineAgent(lab)
  await lab.start()
  await lab.formCluster()
  await grantTimeToRestart(lab)
  await lab.createFencing()
  await createMachine(lab, machine, 'n1')
  await letIn(lab, machine, 'n1')
}, 300_000)

afterAll(() => lab.close(), 60_000)

async function host(seenFrom: string): Promise<string> {
  const [node = ''] = await lab.whereIs(machine.resource, seenFrom)
  return node
}

/** The service's process inside the machine, as the machine knows it: another machine has another one. */
async function servicePid(seenFrom: string): Promise<string | undefined> {
  try {
    const found = await inMachine(lab, machine, await host(seenFrom), 'pgrep', '-f', '^/bin/sleep 86399')
    return found.trim() || undefined
  } catch {
    return undefined
  }
}

async function runsInside(seenFrom: string): Promise<boolean> {
  return (await lab.whereIs('service', seenFrom)).join() === guest && (await servicePid(seenFrom)) !== undefined
}

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  try {
    await lab.until(what, holds, timeoutMs)
  } catch (error) {
    throw new Error(`${String(error)}\n--- ${guest}\n${machineLog(lab, machine)}`)
  }
}

/** Its supervisor starts it again. */
async function killDaemon(): Promise<void> {
  await inMachine(lab, machine, await host('n1'), 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
}

/** How often a daemon of the node has become a member, by its log. */
function membershipsOf(node: string): number {
  const log = readFileSync(join(lab.folder, 'nodes', node, 'systoled.log'), 'utf8')
  return log.split('"as":"member"').length
}

async function fenced(seenFrom: string): Promise<readonly string[]> {
  return (await lab.status(seenFrom)).fencing.map(({ target }) => target)
}

describe('a guest node', () => {
  test('is online once its machine runs, on the node of the machine', async () => {
    await lab.systole(
      'n1',
      'cluster',
      'node',
      'add-guest',
      guest,
      machine.resource,
      `remote-addr=${machine.address}`,
      '--wait',
    )
    await until('the guest node is online', () => isOnline(lab, guest, 'n1'))
    expect(await lab.systole('n1', 'status')).toContain(`GuestOnline: [ ${guest} ]`)
    expect(await lab.whereIs(guest, 'n1')).toEqual([await host('n1')])
  })

  test('runs what it is told, and restarts what died', async () => {
    await createService(lab, 'n1', guest)
    await until('the service runs inside', () => runsInside('n1'))
    const before = (await servicePid('n1')) ?? ''
    await inMachine(lab, machine, await host('n1'), 'kill', '-9', before)
    await until('the service was started again', async () => {
      const now = await servicePid('n1')
      return now !== undefined && now !== before && (await runsInside('n1'))
    })
  })

  test('runs jobs, and is taken to a version by a rollout, drained', async () => {
    expect(await lab.systole('n2', 'job', 'run', `--on=${guest}`, '--', 'sh', '-c', 'echo I am $SYSTOLE_NODE')).toMatch(
      new RegExp(`^${guest}: I am ${guest}\n${guest} +succeeded`),
    )
    const steps = {
      actions: [{ name: 'install', run: 'pgrep -f "^/bin/sleep 86399" && exit 9; echo 2 > /run/software' }],
      validate: [{ name: 'check', run: 'test "$(cat /run/software)" = 2' }],
    }
    const file = join(lab.folder, 'rollout.yaml')
    writeFileSync(file, JSON.stringify({ rollout: 'inside', version: '2', nodes: [{ name: guest }], steps }))
    expect(await lab.systole('n1', 'rollout', 'start', file)).toContain('complete')
    expect(await inMachine(lab, machine, await host('n1'), 'cat', '/run/software')).toBe('2\n')
    await until('the service is back', () => runsInside('n1'))
    const versions = await lab.systole('n1', 'rollout', 'versions')
    expect(versions).toMatch(new RegExp(`^${guest} .*\\b2\\b`, 'm'))
  }, 180_000)

  test('is put in standby, and taken out of it', async () => {
    await lab.systole('n1', 'node', 'standby', guest, '--wait')
    expect(await servicePid('n1')).toBeUndefined()
    expect(await isOnline(lab, guest, 'n1')).toBe(true)
    expect(await lab.systole('n1', 'status')).toContain(`GuestNode ${guest}: standby`)
    await lab.systole('n1', 'node', 'unstandby', guest, '--wait')
    expect(await runsInside('n1')).toBe(true)
  })

  test('is put in maintenance, where nothing is restarted', async () => {
    await lab.systole('n1', 'node', 'maintenance', guest, '--wait')
    const before = (await servicePid('n1')) ?? ''
    await inMachine(lab, machine, await host('n1'), 'kill', '-9', before)
    await lab.systole('n1', 'node', 'attribute', guest, 'rack=b', '--wait')
    expect(await servicePid('n1')).toBeUndefined()
    expect(await lab.systole('n1', 'node', 'attribute', guest)).toContain('rack=b')
    await lab.systole('n1', 'node', 'unmaintenance', guest)
    await until('the service was started again', () => runsInside('n1'))
  })

  test('whose daemon is killed goes on', async () => {
    const before = await servicePid('n1')
    await killDaemon()
    await until('another daemon serves', async () => (await isOnline(lab, guest, 'n1')) && (await runsInside('n1')))
    await lab.systole('n1', 'status', 'wait', '60')
    expect(await servicePid('n1')).toBe(before)
  })

  test('whose certificate is about to run out gets another one over the connection', async () => {
    const pki = join(lab.folder, 'guests', guest, 'etc/pki')
    const before = await servicePid('n1')
    await letExpireSoon(lab, { name: guest, pki }, 'n1')
    await killDaemon()
    await until('the certificate holds for years', async () => holdsForMonths(pki), 90_000)
    await killDaemon()
    const updater = join(lab.folder, 'systole/shims/attrd_updater')
    await until('an agent in it is heard, by the new certificate', async () => {
      await inMachine(lab, machine, await host('n1'), updater, '-n', 'heard', '-U', 'yes')
      return (await isOnline(lab, guest, 'n1')) && (await runsInside('n1'))
    })
    await lab.systole('n1', 'status', 'wait', '60')
    expect(await servicePid('n1')).toBe(before)
    expect(await fenced('n1')).toEqual([])
  })

  test('whose machine dies is recovered with it, and nobody is fenced', async () => {
    const node = await host('n1')
    const before = await machinePid(lab, machine, node)
    await lab.inNode(node, 'kill', '-9', before)
    await until('another machine runs the service', async () => {
      const now = await host('n1')
      return now !== '' && (await machinePid(lab, machine, now)) !== before && (await runsInside('n1'))
    })
    expect(await fenced('n1')).toEqual([])
  })

  test('whose machine hangs is stopped with it and started anew', async () => {
    const node = await host('n1')
    const before = await machinePid(lab, machine, node)
    await inMachine(lab, machine, node, 'bash', '-c', 'kill -STOP $(cat /run/systoled.pid)')
    await until('another machine runs the service', async () => {
      const now = await host('n1')
      return now !== '' && (await machinePid(lab, machine, now)) !== before && (await runsInside('n1'))
    })
    expect(await fenced('n1')).toEqual([])
  })

  test('moves with its machine', async () => {
    const from = await host('n1')
    const to = from === 'n2' ? 'n3' : 'n2'
    await lab.systole('n1', 'resource', 'move', machine.resource, to, '--wait')
    await until(
      'the service runs in the machine there',
      async () => (await host('n1')) === to && (await runsInside('n1')),
    )
    expect(await lab.whereIs(guest, 'n1')).toEqual([to])
    expect(await fenced('n1')).toEqual([])
  })

  test('goes on while the daemon of its host is killed, and is found', async () => {
    await lab.systole('n1', 'status', 'wait', '60')
    const node = await host('n1')
    const other = node === 'n1' ? 'n2' : 'n1'
    const before = [await machinePid(lab, machine, node), await servicePid(other)]
    const lives = membershipsOf(node)
    await lab.inNode(node, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
    // Until then the others may show what they knew of the daemon that is gone.
    await until('the next daemon is a member', async () => membershipsOf(node) > lives)
    await until('all is online again, and found', async () => {
      const { nodes } = await lab.status(other)
      const isThere = nodes.every(({ online, unclean }) => online && !unclean)
      return isThere && (await host(other)) === node && (await runsInside(other))
    })
    await lab.systole(other, 'status', 'wait', '60')
    expect([await machinePid(lab, machine, node), await servicePid(other)]).toEqual(before)
    expect(await fenced(other)).not.toContain(node)
  })

  test('comes up elsewhere, with what it ran, when its host loses power', async () => {
    const lost = await host('n1')
    const other = lost === 'n1' ? 'n2' : 'n1'
    lab.power.unplugged.add(lost)
    await lab.power.off(lost)
    await until('the service runs in a machine on another node', async () => {
      const now = await host(other)
      return now !== '' && now !== lost && (await runsInside(other))
    })
    expect(await fenced(other)).not.toContain(guest)
    lab.power.unplugged.delete(lost)
    await lab.power.on(lost)
    await until('the lost node is back', async () => (await lab.status(other)).nodes.every(({ online }) => online))
  })

  test('leaves in order: its services move', async () => {
    await lab.systole('n1', 'status', 'wait', '60')
    writeFileSync(join(lab.folder, 'guests', guest, 'hold'), '')
    const left = inMachine(lab, machine, await host('n1'), 'systoled', '--remote', '--leave')
    await until('the service runs on a member', async () => {
      const [node = guest] = await lab.whereIs('service', 'n1')
      return node !== guest
    })
    rmSync(join(lab.folder, 'guests', guest, 'hold'))
    await left.catch(() => undefined)
    await until('it is back', () => runsInside('n1'))
    expect(await fenced('n1')).not.toContain(guest)
  })

  test('is none any more once its machine runs none; the machine runs on', async () => {
    const before = await machinePid(lab, machine, await host('n1'))
    await lab.systole('n1', 'cluster', 'node', 'remove-guest', guest, '--wait')
    expect(await machinePid(lab, machine, await host('n1'))).toBe(before)
    expect(await servicePid('n1')).toBeUndefined()
    expect((await lab.whereIs('service', 'n1')).length).toBe(1)
    expect((await lab.status('n1')).nodes.map(({ name }) => name)).toEqual(members)
    await until(
      'nothing is recorded of it',
      async () => !(await lab.systole('n1', 'cluster', 'cib')).includes(`uname="${guest}"`),
    )
    expect(await fenced('n1')).not.toContain(guest)
  })
})

/** A remote node whose daemon is a service of a real systemd, by the unit that the project ships, and which runs units there. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { createService, isOnline, runsOn, servicePid } from '../nodes/lab/remote.ts'

const remote = 'r1'
const lab = new Lab(['n1', remote], { remotes: [remote], systemd: true })
const unit = 'systoled-remote'

beforeAll(async () => {
  await lab.start()
  await lab.until('both have booted', async () => {
    for (const node of lab.nodes) await lab.inNode(node, 'systemctl', 'is-active', 'dbus')
    return true
  })
  await lab.formCluster()
  await lab.createFencing()
  await lab.addRemote(remote, 'n1', 'reconnect_interval=5s', 'op', 'monitor', 'interval=5')
  await createService(lab, 'n1', remote)
  await lab.until('the service runs on the remote node', () => runsOn(lab, remote, 'n1'), 60_000)
}, 300_000)

afterAll(() => lab.close(), 60_000)

async function property(name: string, of = unit): Promise<string> {
  return (await lab.inNode(remote, 'systemctl', 'show', '--value', '-p', name, of)).trim()
}

/** Another daemon than before serves the cluster. */
async function anotherDaemon(before: string): Promise<void> {
  await lab.until(
    'another daemon serves',
    async () => {
      const now = await property('MainPID')
      return now !== '0' && now !== before && (await isOnline(lab, remote, 'n1')) && (await runsOn(lab, remote, 'n1'))
    },
    60_000,
  )
  await lab.systole('n1', 'status', 'wait', '60')
}

async function fenced(): Promise<readonly string[]> {
  return (await lab.status('n1')).fencing.map(({ target }) => target)
}

test('its systemd runs the daemon by its unit', async () => {
  expect(await property('ActiveState')).toBe('active')
  const words = await lab.inNode(remote, 'sh', '-c', `tr '\\0' ' ' </proc/${await property('MainPID')}/cmdline`)
  expect(words).toContain('--remote')
})

describe('its services go on', () => {
  test('while the daemon is killed, which systemd starts again', async () => {
    const [service, daemon] = [await servicePid(lab, remote), await property('MainPID')]
    await lab.inNode(remote, 'systemctl', 'kill', '--kill-who=main', '--signal=KILL', unit)
    await anotherDaemon(daemon)
    expect(await property('NRestarts')).toBe('1')
    expect(await servicePid(lab, remote)).toBe(service)
  })

  test('while an administrator restarts the daemon', async () => {
    const [service, daemon] = [await servicePid(lab, remote), await property('MainPID')]
    await lab.inNode(remote, 'systemctl', 'restart', unit)
    await anotherDaemon(daemon)
    expect(await servicePid(lab, remote)).toBe(service)
    expect(await fenced()).toEqual([])
  })
})

test('a unit there is started, watched and stopped by way of its own systemd', async () => {
  const file = '/run/systemd/system/ticker.service'
  await lab.inNode(remote, 'sh', '-c', `printf '[Service]\\nExecStart=/bin/sleep 86398\\n' >${file}`)
  await lab.inNode(remote, 'systemctl', 'daemon-reload')
  await lab.systole(
    'n1',
    'resource',
    'create',
    'ticker',
    'systemd:ticker',
    'op',
    'monitor',
    'interval=2',
    '--disabled',
    '--force',
  )
  await lab.systole('n1', 'constraint', 'location', 'ticker', 'prefers', `${remote}=INFINITY`)
  await lab.systole('n1', 'constraint', 'location', 'ticker', 'avoids', 'n1')
  await lab.systole('n1', 'resource', 'enable', 'ticker', '--wait')
  expect(await lab.whereIs('ticker', 'n1')).toEqual([remote])
  const before = await property('MainPID', 'ticker')
  expect(before).not.toBe('0')
  await lab.inNode(remote, 'kill', '-9', before)
  await lab.until('it was started again', async () => {
    const now = await property('MainPID', 'ticker')
    return now !== '0' && now !== before
  })
  await lab.systole('n1', 'resource', 'delete', 'ticker', '--wait')
  expect(await property('ActiveState', 'ticker')).toBe('inactive')
})

test('one that has left in order stays down until its unit is started', async () => {
  await lab.systole('n1', 'status', 'wait', '60')
  expect(await lab.inNode(remote, 'systoled', '--remote', '--leave')).toContain('has left the cluster')
  await lab.until('the unit is down', async () => (await property('ActiveState')) === 'inactive')
  expect(await property('Result')).toBe('success')
  expect(await servicePid(lab, remote)).toBeUndefined()
  expect(await fenced()).toEqual([])
  await lab.inNode(remote, 'systemctl', 'start', unit)
  await lab.until('it is back, by its reconnect_interval', () => runsOn(lab, remote, 'n1'), 100_000)
})

describe('a rollout that boots it', () => {
  const bootId = async (): Promise<string> => await lab.inNode(remote, 'cat', '/proc/sys/kernel/random/boot_id')
  const note = join(lab.folder, 'boots')
  const write = (version: string, run: string): string => {
    const path = join(lab.folder, `kernel-${version}.yaml`)
    const actions = [{ name: 'boot', run: `echo boots >> ${note}; ${run}`, reboots: true, timeout: '4min' }]
    writeFileSync(path, JSON.stringify({ rollout: 'kernel', version, nodes: [{ name: remote }], steps: { actions } }))
    return path
  }
  const boots = (): number => (existsSync(note) ? readFileSync(note, 'utf8').trim().split('\n').length : 0)

  test('has it leave first: it is not fenced, boots once, and takes part again', async () => {
    await lab.systole('n1', 'status', 'wait', '60')
    const before = await bootId()
    expect(await lab.systole('n1', 'rollout', 'start', write('2', 'systemctl reboot'), '--force')).toContain('complete')
    expect(boots()).toBe(1)
    expect(await bootId()).not.toBe(before)
    expect(await fenced()).toEqual([])
    expect(await lab.systole('n1', 'rollout', 'verify', '2', remote)).toContain('run 2')
    await lab.until('its service runs on it again', () => runsOn(lab, remote, 'n1'), 120_000)
  }, 400_000)

  test('with a command that fails halts, and its daemon serves again without a boot', async () => {
    const before = await bootId()
    await expect(lab.systole('n1', 'rollout', 'start', write('3', 'exit 9'), '--force')).rejects.toMatchObject({
      cause: { code: 3, stdout: expect.stringContaining('boot ended with 9') as unknown },
    })
    expect(await bootId()).toBe(before)
    expect(await property('ActiveState')).toBe('active')
    expect(await fenced()).toEqual([])
    await expect(lab.systole('n1', 'rollout', 'abort')).rejects.toMatchObject({ cause: { code: 4 } })
    await lab.until('its service runs on it again', () => runsOn(lab, remote, 'n1'), 120_000)
  }, 400_000)
})

test('one that loses power is fenced, boots, and serves again without an administrator', async () => {
  await lab.systole('n1', 'status', 'wait', '60')
  await lab.power.off(remote)
  await lab.until('it was fenced', async () => (await fenced()).includes(remote), 60_000)
  await lab.until('its service runs on it again', () => runsOn(lab, remote, 'n1'), 120_000)
  expect(await property('ActiveState')).toBe('active')
})

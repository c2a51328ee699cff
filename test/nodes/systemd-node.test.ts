import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** A lab node with a systemd of its own: what it may write, and what a power cut leaves of it. */
const lab = new Lab(['n1'], { systemd: true, disks: ['/var/log'] })
beforeAll(() => lab.start())
afterAll(() => lab.close())

const shell = (line: string): Promise<string> => lab.inNode('n1', 'sh', '-c', line)

async function untilBooted(): Promise<void> {
  await lab.until('the daemon runs', async () => (await shell('systemctl is-active systoled')).trim() === 'active')
}

test('its systemd runs the daemon by the unit that the project ships, under the name of the node', async () => {
  await untilBooted()
  expect((await shell('hostname')).trim()).toBe('n1')
  expect((await shell('readlink -f /proc/1/exe')).trim()).toMatch(/\/systemd$/)
  await lab.until('the daemon answers', async () => (await lab.try('n1', 'cluster', 'status')) !== undefined)
})

test('the host is out of its reach', async () => {
  for (const place of ['/', '/usr', '/proc/sys']) await expect(shell(`touch ${place}/probe`)).rejects.toThrow('touch')
})

test('however often the daemon is killed, or asked to restart, it is back', async () => {
  await untilBooted()
  const mainPid = async () => (await shell('systemctl show --property MainPID --value systoled')).trim()
  // Without a word in the unit, systemd gives up after five starts within ten seconds.
  for (let times = 0; times < 8; times++) {
    const before = await mainPid()
    await shell(`kill -9 ${before}`)
    await lab.until('another one runs', async () => !['0', before].includes(await mainPid()))
  }
  await untilBooted()
  // An upgrade: it ends by itself.
  const before = await mainPid()
  await shell('systemctl reload systoled')
  await lab.until('another one runs after a reload', async () => !['0', before].includes(await mainPid()))
  await untilBooted()
})

test('after a power cut its disks are as they were, and everything else is new', async () => {
  await untilBooted()
  await shell('touch /etc/kept /var/log/kept /tmp/forgotten /run/forgotten')
  await lab.power.off('n1')
  await lab.power.on('n1')
  await untilBooted()
  expect(await shell('ls /etc/kept /var/log/kept')).toBe('/etc/kept\n/var/log/kept\n')
  await expect(shell('ls /tmp/forgotten')).rejects.toThrow('No such file')
  await expect(shell('ls /run/forgotten')).rejects.toThrow('No such file')
})

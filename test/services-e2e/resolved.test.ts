import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'

/**
 * Debian's systemd-resolved, with the node's DNS as the server of one domain and its own stub as the resolver of programs. The package is unpacked and not installed: installed, it
 * would take over the resolver of the machine that tests.
 */
const lab = new Lab(['n1'], { systemd: true })
const unpacked = join(lab.folder, 'resolved')
const shell = async (line: string): Promise<string> => await lab.inNode('n1', 'sh', '-c', line)

beforeAll(async () => {
  await mkdir(unpacked)
  await run('sh', '-c', `cd ${unpacked} && apt-get -q download systemd-resolved`)
  const [archive = ''] = readdirSync(unpacked)
  await run('dpkg-deb', '-x', join(unpacked, archive), unpacked)
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.createFencing(['n1'])
  await lab.systole(
    'n1',
    'resource',
    'create',
    'web',
    'ocf:systole:http',
    'address=0.0.0.0',
    'port=8080',
    'op',
    'monitor',
    'interval=2s',
    '--wait',
  )
  await lab.systole('n1', 'service', 'create', 'www', 'web', 'port=8080')
  await lab.systole('n1', 'service', 'dns', 'enable')
  await lab.systole('n1', 'service', 'wait', 'www', '--timeout=60s')
  await shell('grep -q ^systemd-resolve: /etc/passwd || useradd --system --no-create-home systemd-resolve')
  await shell(
    "mkdir -p /etc/systemd/resolved.conf.d && printf '[Resolve]\\nDNS=127.0.0.1\\nDomains=~systole\\nDNSSEC=no\\n' > /etc/systemd/resolved.conf.d/systole.conf",
  )
  await shell(`systemd-run --unit=resolved ${unpacked}/lib/systemd/systemd-resolved`)
}, 240_000)
afterAll(() => lab.close(), 60_000)

test('programs that ask its stub find a service of the cluster, and another name is not asked of the cluster', async () => {
  await lab.until(
    'the stub answers',
    async () =>
      (await shell('dig @127.0.0.53 +short +time=1 +tries=1 www.service.systole').catch(() => '')).trim() ===
      lab.network.address('n1'),
    60_000,
  )
  await shell(
    'printf "nameserver 127.0.0.53\\n" > /etc/resolv.conf.new && mount --bind /etc/resolv.conf.new /etc/resolv.conf',
  )
  expect(await shell('getent ahostsv4 www.service.systole')).toContain(lab.network.address('n1'))
  expect(await shell('dig @127.0.0.53 +short +tcp _www._tcp.service.systole SRV')).toContain(
    '1 1 8080 n1.node.systole.',
  )
  expect(await shell('dig @127.0.0.53 +time=2 +tries=1 nosuch.service.systole')).toContain('status: NXDOMAIN')
}, 120_000)

test('what stops is not found any more, within the time to live', async () => {
  await lab.systole('n1', 'resource', 'disable', 'web', '--wait')
  await lab.until(
    'it is gone',
    async () => (await shell('dig @127.0.0.53 +short +time=1 +tries=1 www.service.systole')).trim() === '',
    30_000,
  )
}, 60_000)

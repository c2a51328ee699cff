import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageKinds } from '../../src/daemon/host/message-kinds.ts'
import { isOnline } from '../nodes/lab/remote.ts'
import { createWebService } from '../nodes/lab/web-service.ts'
import { untilVotes } from '../nodes/lab/witness.ts'
import { PackageLab, released } from './package-lab.ts'

/**
 * Two nodes, a witness and a remote node, each with a systemd and a dpkg of its own: nothing of Systole is on them but what apt installs.
 * `root`: of another Debian than this machine's; `release`: its number.
 */
export function testRolesOn({ release, root }: { readonly release: string; readonly root?: string }): void {
  const lab = new PackageLab(['n1', 'n2', 'w1'], ['r1'], root)
  const nodes = ['n1', 'n2']

  beforeAll(async () => {
    lab.build()
    for (const name of ['systole', 'systole-remote', 'systole-witness']) lab.variant(name, '9.0.1')
    lab.variant('systole', '9.0.2', (program) => {
      writeFileSync(join(program, 'bin/systoled'), '#!/bin/sh\nexit 1\n')
      chmodSync(join(program, 'bin/systoled'), 0o755)
    })
    await lab.start()
    for (const node of lab.nodes) {
      await lab.booted(node)
      expect(await lab.inNode(node, 'cat', '/etc/debian_version')).toMatch(new RegExp(`^${release}\\.`))
      // That of the host was copied, perhaps while it worked.
      await lab.inNode(node, 'sh', '-c', 'rm -f /var/lib/dpkg/updates/*; dpkg --configure -a >/dev/null 2>&1; true')
    }
  }, 900_000)
  afterAll(() => lab.close(), 120_000)

  /** The service's process: the same as long as it was left alone. */
  const nginx = async (): Promise<string> => {
    const [active = ''] = await lab.whereIs('web', 'n1')
    return `${active} ${await lab.inNode(active, 'cat', '/run/nginx-lab.pid')}`
  }

  const fenced = async () => (await lab.status('n1')).fencing

  test('apt installs each role, and its daemon runs', async () => {
    for (const node of nodes) await lab.install(node, 'systole')
    await lab.install('w1', 'systole-witness')
    await lab.install('r1', 'systole-remote')
    for (const node of ['n1', 'n2', 'w1']) {
      expect((await lab.inNode(node, 'systemctl', 'is-enabled', 'systoled')).trim()).toBe('enabled')
      await lab.until(
        `the daemon of ${node} answers`,
        async () => (await lab.try(node, 'cluster', 'status')) !== undefined,
      )
      expect(await lab.runningVersion(node)).toBe(released)
    }
    // It has not joined: there is nothing to run yet, and nothing that fails.
    expect((await lab.inNode('r1', 'systemctl', 'is-enabled', 'systoled-remote')).trim()).toBe('enabled')
    expect(await lab.mainPid('r1', 'systoled-remote')).toBe('0')
    expect(await lab.inNode('n1', 'id', '-gn', 'hacluster')).toBe('haclient\n')
    expect(await lab.inNode('n1', 'cat', `/proc/${await lab.mainPid('n1')}/cmdline`)).toContain('/node/bin/node')
    // Another daemon, whose output is the journal's: it is told how grave each line is.
    const second = ['--unit=second', '-p', 'StandardOutput=journal', '-E', 'SYSTOLE_ROOT=/run/second']
    await lab.inNode('w1', 'systemctl', 'start', 'systemd-journald')
    await lab.inNode('w1', 'systemd-run', ...second, '/usr/sbin/systoled')
    await lab.until('the journal has its lines', async () =>
      /"PRIORITY" ?: ?"6".*"MESSAGE" ?: ?"\{|"MESSAGE" ?: ?"\{.*"PRIORITY" ?: ?"6"/.test(
        await lab.inNode('w1', 'journalctl', '-u', 'second', '-o', 'json'),
      ),
    )
    // A witness has no catalog, a node has: the message is found by its id, with its unit, and explained.
    await lab.inNode('n1', 'systemctl', 'start', 'systemd-journald')
    await lab.inNode('n1', 'systemd-run', ...second, '/usr/sbin/systoled')
    const started = messageKinds.get('daemon started')
    await lab.until('the journal explains the start of a daemon', async () => {
      const shown = await lab.inNode('n1', 'journalctl', '-x', '-u', 'second', `MESSAGE_ID=${started?.id ?? ''}`)
      return shown.includes(`Subject: ${started?.subject ?? ''}`)
    })
    await lab.inNode('n1', 'systemctl', 'stop', 'second')
    await lab.inNode('w1', 'systemctl', 'stop', 'second')
    // The commands were compiled here.
    await lab.inNode('n1', 'test', '-s', '/usr/lib/systole/current/dist/code/systole.cjs.compiled')
    expect(await lab.inNode('n1', 'man', '-w', 'systole-resource')).toContain(
      '/usr/share/man/man8/systole-resource.8.gz',
    )
  }, 900_000)

  test('they make a cluster, with a witness and a remote node', async () => {
    await lab.formCluster(nodes)
    await lab.createFencing(nodes)
    await createWebService(lab, 'n1')
    const added = await lab.systole('n1', 'quorum', 'device', 'add', 'model', 'net', 'host=w1', 'algorithm=ffsplit')
    await lab.inNode('w1', 'bash', '-c', added.split('\n').find((line) => line.includes('qdevice setup')) ?? 'false')
    await untilVotes(lab, 'n1', 3)
    // Its daemon sees nothing of the host, nodes' daemons everything.
    const protection = async (node: string) =>
      (await lab.inNode(node, 'systemctl', 'show', '-P', 'ProtectSystem', 'systoled')).trim()
    expect([await protection('w1'), await protection('n1')]).toEqual(['strict', 'no'])
    const daemon = await lab.mainPid('w1')
    await expect(lab.inNode('w1', 'nsenter', '-t', daemon, '-m', 'touch', '/usr/by-the-daemon')).rejects.toThrow(
      'Read-only file system',
    )
    expect(await lab.inNode('w1', 'nft', 'list', 'table', 'inet', 'systole')).toContain('7700')
    await lab.addRemote('r1', 'n1', 'reconnect_interval=5')
    await lab.until('the remote node is online', () => isOnline(lab, 'r1', 'n1'))
  }, 400_000)

  test('the HTTPS API answers on the witness under its unit, and a user of the node behind it logs in there', async () => {
    const password = 'Aeng4ohb'
    await lab.inNode('n1', 'sh', '-c', `useradd -M -G haclient -p "$(openssl passwd -6 ${password})" anna`)
    for (const node of ['n1', 'w1']) await lab.systole(node, 'console', 'enable')
    const ask = async (path: string, ...options: readonly string[]): Promise<string> =>
      await lab.inNode(
        'w1',
        ...[
          'curl',
          '-sS',
          '--cacert',
          '/etc/systole/pki/authority.crt',
          '-b',
          '/run/jar',
          '-c',
          '/run/jar',
          ...options,
        ],
        `https://w1:7705${path}`,
      )
    await lab.until('the witness is ready', async () => (await ask('/ready').catch(() => '')) === '{"ready":true}')
    // It gives root up before it listens, which the unit leaves it two capabilities for.
    expect(await lab.inNode('w1', 'sh', '-c', 'ps -eo user=,args= | grep [w]eb.mjs')).toMatch(/^nobody /)
    const logIn = async (said: string): Promise<string> =>
      await ask(
        '/api/v1/session',
        ...['-H', 'Content-Type: application/json', '-d', JSON.stringify({ user: 'anna', password: said })],
      )
    expect(await logIn('wrong')).toContain('The user or the password is wrong.')
    expect(JSON.parse(await logIn(password))).toMatchObject({ user: 'anna' })
    expect(JSON.parse(await ask('/api/v1/status'))).toMatchObject({ result: { configured: true, answeredBy: 'w1' } })
    for (const node of ['w1', 'n1']) await lab.systole(node, 'console', 'disable')
  }, 300_000)

  test('an upgrade leaves what runs alone, on a node, a witness and a remote node', async () => {
    const before = await nginx()
    const client = lab.client(`http://${lab.network.virtualAddress}/`)
    await lab.until('the client is answered', () => client.lastGood !== undefined)
    const begun = Date.now()
    for (const node of nodes) {
      await lab.install(node, 'systole', '9.0.1')
      expect(await lab.runningVersion(node)).toBe('9.0.1')
      await lab.until('all nodes are online', async () => (await lab.status('n1')).nodes.every(({ online }) => online))
    }
    await lab.install('w1', 'systole-witness', '9.0.1')
    expect(await lab.runningVersion('w1')).toBe('9.0.1')
    await untilVotes(lab, 'n1', 3)
    await lab.install('r1', 'systole-remote', '9.0.1')
    expect(await lab.runningVersion('r1', 'systoled-remote')).toBe('9.0.1')
    await lab.until('the remote node is online', () => isOnline(lab, 'r1', 'n1'))
    expect(await nginx()).toBe(before)
    expect(client.answers.filter(({ ok, asked }) => !ok && asked >= begun)).toEqual([])
    expect(await fenced()).toEqual([])
  }, 900_000)

  test('an upgrade whose daemon does not come up puts the one before back, and fails', async () => {
    const before = await nginx()
    await expect(lab.install('n2', 'systole', '9.0.2')).rejects.toThrow('is in use again')
    expect(await lab.runningVersion('n2')).toBe('9.0.1')
    expect(await lab.state('n2', 'systole')).toContain('iF 9.0.2')
    await lab.until('n2 is a node as before', async () =>
      (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
    )
    expect(await nginx()).toBe(before)
    expect(await fenced()).toEqual([])
    // The way back for good: the package that works.
    await lab.install('n2', 'systole', '9.0.1')
    expect(await lab.state('n2', 'systole')).toContain('ii 9.0.1')
    expect(await lab.runningVersion('n2')).toBe('9.0.1')
  }, 600_000)

  test('the other names replace those of Pacemaker, and go as they came', async () => {
    await lab.install('n2', 'systole-pacemaker-compat')
    expect(await lab.state('n2', 'pacemaker-cli-utils')).not.toContain('ii')
    expect(await lab.inNode('n2', '/usr/sbin/crm_mon', '-1')).toContain('webservice')
    expect(await lab.inNode('n2', '/usr/sbin/pcs', 'status')).toContain('webservice')
    expect(await lab.inNode('n2', '/usr/sbin/crm_error', '--', '0')).toContain('OK')
    expect(await lab.inNode('n2', 'dpkg-divert', '--list', '*crm_*')).toBe('')
    await lab.apt('n2', 'purge', 'systole-pacemaker-compat')
    await expect(lab.inNode('n2', '/usr/sbin/crm_mon', '-1')).rejects.toThrow()
  }, 400_000)

  test('a package goes only where nothing is lost by it, and purging leaves nothing', async () => {
    await expect(lab.apt('n2', 'remove', 'systole')).rejects.toThrow('systole cluster stop')
    await expect(lab.apt('r1', 'remove', 'systole-remote')).rejects.toThrow('systoled --remote --leave')
    await expect(lab.apt('w1', 'remove', 'systole-witness')).rejects.toThrow('quorum device remove')
    for (const node of ['n2', 'w1']) await lab.until('it runs on', async () => (await lab.mainPid(node)) !== '0')
    await lab.systole('n2', 'cluster', 'stop')
    await lab.apt('n2', 'remove', 'systole')
    expect(await lab.mainPid('n2')).toBe('0')
    await lab.inNode('n2', 'test', '-e', '/etc/systole/cluster.json')
    await expect(lab.inNode('n2', 'ls', '/usr/lib/systole/versions')).rejects.toThrow('No such file')
    await lab.apt('n2', 'purge', 'systole')
    for (const path of ['/usr/lib/systole', '/usr/sbin/systole', '/etc/logrotate.d/systole', '/run/systole'])
      await expect(lab.inNode('n2', 'ls', path)).rejects.toThrow('No such file')
    // The two folders are disks of the lab's machine.
    const left = 'find /etc/systole /var/lib/systole -mindepth 1 2>/dev/null; true'
    expect(await lab.inNode('n2', 'sh', '-c', left)).toBe('')
    expect(await fenced()).toEqual([])
  }, 400_000)
}

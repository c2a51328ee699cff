import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { findLeftAgents, processStart } from '../../src/resource-agents/index.ts'
import { agentFolder } from '../resource-agents/agent-folder.ts'
import { freePort } from '../support/free-ports.ts'
import { TestNode } from './test-node.ts'

let node: TestNode
beforeEach(async () => {
  node = new TestNode()
  await node.serveTools()
})
afterEach(async () => {
  // What a failed test has left running: it wrote its process id here.
  for (const file of ['pid', 'nginx.pid'].map((name) => join(node.folder.path, name))) {
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (pid > 1 && processStart(pid) !== undefined) process.kill(pid, 'SIGTERM')
  }
  await node.close()
})

const ocf = (provider: string, type: string) => ({ class: 'ocf', provider, type })

/** By this node's own decision. */
const stop = (resource: string) => ({
  resource: resourceId(resource),
  agent: ocf('test', 'web'),
  operation: 'stop',
  intervalMs: 0,
  startDelayMs: 0,
  timeoutMs: 5000,
  attributes: {},
  key: { action: 0, transition: 0, expectedExitCode: 0, uuid: 'local' },
})

describe('agents of Debian’s packages, as they are', () => {
  test('Dummy starts, is monitored and stops', async () => {
    const dummy = ocf('pacemaker', 'Dummy')
    const attributes = { state: join(node.folder.path, 'dummy.state') }
    expect(await node.run(dummy, 'd', 'monitor', { attributes, expected: 7 })).toMatchObject({ 'rc-code': '7' })
    expect(await node.run(dummy, 'd', 'start', { attributes })).toMatchObject({ 'rc-code': '0', 'op-status': '0' })
    expect(await node.run(dummy, 'd', 'monitor', { attributes, intervalMs: 10_000 })).toMatchObject({ 'rc-code': '0' })
    expect(await node.run(dummy, 'd', 'stop', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(node.written.filter((line) => line.includes('start'))).toEqual(['d start -1 193', 'd start 0 0'])
    expect(node.records.get('d_last_0')?.attributes).toMatchObject({
      operation: 'stop',
      'transition-key': '4:1:0:00000000-0000-4000-8000-000000000001',
    })
  })

  test('what is configured no more is forgotten, and its agent is not asked', async () => {
    const dummy = ocf('pacemaker', 'Dummy')
    const attributes = { state: join(node.folder.path, 'dummy.state') }
    await node.run(dummy, 'd', 'start', { attributes })
    await node.run(dummy, 'd', 'stop', { attributes })
    const before = node.written.length
    expect(await node.order(dummy, 'd', 'delete')).toEqual({ kind: 'taken', done: true })
    expect([...node.records.keys()]).toEqual([])
    expect(node.written).toHaveLength(before)
  })

  test('the digests that a start leaves say which parameters need a restart', async () => {
    const attributes = { state: join(node.folder.path, 'dummy.state'), envfile: '/dev/null' }
    const started = await node.run(ocf('pacemaker', 'Dummy'), 'd', 'start', { attributes })
    expect(started['op-digest']).toMatch(/^[0-9a-f]{32}$/)
    expect(started['op-restart-digest']).not.toBe(started['op-digest'])
    expect(started['op-force-restart']).toContain(' state ')
    expect(started['op-force-restart']).not.toContain(' envfile ')
  })

  test('Stateful is promoted and demoted, and sets its promotion score', async () => {
    const stateful = ocf('pacemaker', 'Stateful')
    const attributes = { state: join(node.folder.path, 'stateful.state'), CRM_meta_promotable: 'true' }
    const score = () => node.world.attributes.get('alpha//master-s')?.value
    await node.run(stateful, 's', 'start', { attributes })
    expect(score()).toBe('5')
    expect(await node.run(stateful, 's', 'promote', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(score()).toBe('10')
    expect(await node.run(stateful, 's', 'monitor', { attributes, expected: 8 })).toMatchObject({ 'rc-code': '8' })
    await node.run(stateful, 's', 'demote', { attributes })
    expect(await node.run(stateful, 's', 'stop', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(score()).toBeUndefined()
  })

  test('nginx serves from start to stop', async () => {
    const { path } = node.folder
    const port = await freePort()
    mkdirSync(join(path, 'logs'))
    const file = join(path, 'nginx.conf')
    writeFileSync(
      file,
      `worker_processes 1;\npid ${path}/nginx.pid;\nerror_log ${path}/logs/error.log;
       events {} http { access_log off; server { listen 127.0.0.1:${port}; location / { return 200 "hello\\n"; } } }`,
    )
    const attributes = { configfile: file, httpd: '/usr/sbin/nginx' }
    const nginx = ocf('heartbeat', 'nginx')
    expect(await node.run(nginx, 'web', 'start', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello\n')
    expect(await node.run(nginx, 'web', 'monitor', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(await node.run(nginx, 'web', 'stop', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(await node.run(nginx, 'web', 'monitor', { attributes, expected: 7 })).toMatchObject({ 'rc-code': '7' })
  })

  test('a broken configuration is a reason that people can read', async () => {
    const attributes = { configfile: join(node.folder.path, 'missing.conf') }
    const failed = await node.run(ocf('heartbeat', 'nginx'), 'web', 'start', { attributes })
    expect(failed['rc-code']).toBe('6')
    expect(failed['exit-reason']).toContain('missing.conf')
    expect(node.records.has('web_last_failure_0')).toBe(true)
  })
})

describe('an address in a namespace of its own', () => {
  const space = `systole-test-${process.pid}`
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { encoding: 'utf8' })
  const inside = (...words: readonly string[]) => ip('netns', 'exec', space, 'ip', ...words)
  beforeEach(() => {
    ip('netns', 'add', space)
    inside('link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth1')
    for (const link of ['lo', 'eth0', 'eth1']) inside('link', 'set', link, 'up')
    inside('addr', 'add', '10.99.0.1/24', 'dev', 'eth0')
    node.folder.add('IPaddr2', `exec ip netns exec ${space} /usr/lib/ocf/resource.d/heartbeat/IPaddr2 "$@"`)
  })
  afterEach(() => {
    ip('netns', 'del', space)
  })

  test('IPaddr2 takes it and gives it back', async () => {
    const address = ocf('test', 'IPaddr2')
    const attributes = { ip: '10.99.0.50', cidr_netmask: '24', nic: 'eth0' }
    expect(await node.run(address, 'vip', 'monitor', { attributes, expected: 7 })).toMatchObject({ 'rc-code': '7' })
    expect(await node.run(address, 'vip', 'start', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(inside('addr', 'show', 'dev', 'eth0')).toContain('10.99.0.50/24')
    expect(await node.run(address, 'vip', 'monitor', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(await node.run(address, 'vip', 'stop', { attributes })).toMatchObject({ 'rc-code': '0' })
    expect(inside('addr', 'show', 'dev', 'eth0')).not.toContain('10.99.0.50')
  })
})

describe('agents that misbehave', () => {
  test('a server that keeps the output of its agent open, as mysqld under runuser does, delays nothing', async () => {
    const pidFile = join(node.folder.path, 'pid')
    node.folder.add(
      'galera',
      `runuser -u nobody -- sh -c 'echo started; exec sleep 600' & echo $! > ${pidFile}; exit 0`,
    )
    const started = await node.run(ocf('test', 'galera'), 'g', 'start')
    expect(Number(started['exec-time'])).toBeLessThan(5000)
    const pid = Number(readFileSync(pidFile, 'utf8'))
    expect(processStart(pid)).toBeDefined()
    process.kill(pid, 'SIGTERM')
    await expect.poll(() => processStart(pid)).toBeUndefined()
  })

  test('one that hangs is ended with all its children; what it did is not known', async () => {
    const pidFile = join(node.folder.path, 'pid')
    node.folder.add('hangs', `sleep 600 & echo $! > ${pidFile}; wait`)
    const failed = await node.run(ocf('test', 'hangs'), 'h', 'start', { timeoutMs: 300 })
    expect(failed).toMatchObject({
      'op-status': '2',
      'rc-code': '1',
      'exit-reason': 'start did not complete within 300ms',
    })
    await expect.poll(() => processStart(Number(readFileSync(pidFile, 'utf8')))).toBeUndefined()
  })

  test('one whose metadata never comes delays no result for long', async () => {
    node.folder.add('silent', '[ "$1" = meta-data ] && exec sleep 9; exit 0')
    const began = Date.now()
    await node.run(ocf('test', 'silent'), 's', 'start', { timeoutMs: 5000 })
    expect(Date.now() - began).toBeLessThan(8000)
  })

  test('a monitor is told once, and again when its result changes, in the log too', async () => {
    const state = join(node.folder.path, 'broken')
    node.folder.add('web', `[ -e ${state} ] && exit 7; exit 0`)
    await node.run(ocf('test', 'web'), 'web', 'monitor', { intervalMs: 50 })
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(node.written).toEqual(['web monitor 0 0'])
    writeFileSync(state, '')
    await expect.poll(() => node.written).toEqual(['web monitor 0 0', 'web monitor 0 7'])
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(node.warnings).toEqual(['an operation did not end as expected'])
    expect(node.records.get('web_monitor_50')?.attributes['rc-code']).toBe('0')
    expect(node.records.get('web_last_failure_0')?.attributes['rc-code']).toBe('7')
  })

  test('what a probe printed is in the log where the probe failed', async () => {
    node.folder.add('web', 'echo "no such disk" >&2; exit 5')
    await node.run(ocf('test', 'web'), 'web', 'monitor', { expected: 7 })
    node.folder.add('db', 'echo "is here"; exit 0')
    await node.run(ocf('test', 'db'), 'db', 'monitor', { expected: 7 })
    const probes = node.told.filter(([message]) => message === 'a probe found something').map(([, fields]) => fields)
    expect(probes).toEqual([
      expect.objectContaining({ resource: 'web', exitCode: 5, output: expect.stringContaining('no such disk') }),
      expect.not.objectContaining({ output: expect.anything() }),
    ])
  })
})

describe('the store and the daemon come and go', () => {
  test('nothing starts while the store does not answer, and everything is written when it does', async () => {
    const begun = join(node.folder.path, 'begun')
    node.folder.add('web', `[ "$1" = start ] && touch ${begun}; exit 0`)
    const web = ocf('test', 'web')
    node.reachable = false
    await node.order(web, 'web', 'start')
    await node.order(web, 'db', 'monitor', { expected: 7 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect([existsSync(begun), node.written]).toEqual([false, []])
    node.reachable = true
    await expect
      .poll(() => [...node.written].sort(), { timeout: 5000 })
      .toEqual(['db monitor 0 0', 'web start -1 193', 'web start 0 0'])
  })

  test('whoever waits for the results to be written waits until the store answers', async () => {
    node.folder.add('web', 'exit 7')
    node.reachable = false
    await node.order(ocf('test', 'web'), 'web', 'monitor', { expected: 7 })
    await expect.poll(() => node.executor.history.length, { timeout: 5000 }).toBeGreaterThan(0)
    const written = node.executor.flushed().then(() => [...node.written])
    node.reachable = true
    expect(await written).toEqual(['web monitor 0 7'])
  })

  test('a node without quorum stops by itself what it runs, in order', async () => {
    const log = join(node.folder.path, 'log')
    node.folder.add('web', `echo "$OCF_RESOURCE_INSTANCE $1" >> ${log}; exit 0`)
    node.reachable = false
    node.executor.setQuorum(false)
    expect(await node.executor.stopLocally([[stop('web')], [stop('ip')]])).toEqual([])
    expect(readFileSync(log, 'utf8')).toBe('web stop\nip stop\n')
    expect(await node.order(ocf('test', 'web'), 'web', 'start')).toMatchObject({ kind: 'refused', why: 'no-quorum' })
    node.reachable = true
    await expect.poll(() => node.written.toSorted(), { timeout: 5000 }).toEqual(['ip stop 0 0', 'web stop 0 0'])
  })

  test('a start that is noted only when it has been given up for a stop leaves nothing that may run here', async () => {
    node.folder.add('web', 'exit 0')
    node.reachable = false
    await node.order(ocf('test', 'web'), 'web', 'start')
    await node.executor.stopLocally([[stop('web')]])
    node.reachable = true
    await node.executor.flushed()
    expect(node.written).toEqual(['web start -1 193', 'web stop 0 0'])
    expect(node.executor.mayRun).toEqual([])
  })

  test('the next daemon waits for an agent that the last one left, then goes on', async () => {
    const folder = agentFolder()
    const order = join(folder.path, 'order')
    const script = (seconds: number) => `sleep ${seconds}; echo "$1" >> ${order}; exit 0`
    folder.add('slow', script(1))
    const last = new TestNode(folder)
    await last.order(ocf('test', 'slow'), 'slow', 'start')
    await expect.poll(() => findLeftAgents(folder.host.runFolder).length).toBe(1)
    folder.add('slow', script(0))
    const next = new TestNode(folder, 100)
    next.executor.adopt()
    const probed = await next.run(ocf('test', 'slow'), 'slow', 'monitor')
    expect(readFileSync(order, 'utf8')).toBe('start\nmonitor\n')
    expect(Number(probed['call-id'])).toBeGreaterThanOrEqual(100)
    await last.executor.close()
    await next.close()
  })

  const shown = (folder: string) => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  const showing = (folder: string) =>
    `echo "$1 $OCF_RESKEY_address $OCF_RESKEY_CRM_meta_timeout" >> ${join(folder, 'log')}; exit 0`

  test('a stop gets the parameters of the start, not those of a configuration that has changed since', async () => {
    node.folder.add('web', showing(node.folder.path))
    const web = ocf('test', 'web')
    await node.run(web, 'web', 'start', { attributes: { address: 'old' }, timeoutMs: 9000 })
    await node.run(web, 'web', 'stop', { attributes: { address: 'new' }, timeoutMs: 8000 })
    await node.run(web, 'web', 'start', { attributes: { address: 'new' }, timeoutMs: 9000 })
    await node.run(web, 'web', 'stop', { attributes: { address: 'newer' }, timeoutMs: 8000 })
    expect(shown(node.folder.path)).toEqual(['start old 9000', 'stop old 8000', 'start new 9000', 'stop new 8000'])
  })

  test('where that cannot be kept for the next daemon, resources are started and stopped all the same', async () => {
    const folder = agentFolder()
    folder.add('web', showing(folder.path))
    const crowded = new TestNode(folder)
    writeFileSync(join(folder.host.runFolder, 'started'), '')
    await crowded.run(ocf('test', 'web'), 'web', 'start', { attributes: { address: 'old' }, timeoutMs: 9000 })
    await crowded.run(ocf('test', 'web'), 'web', 'stop', { attributes: { address: 'new' }, timeoutMs: 8000 })
    expect(shown(folder.path)).toEqual(['start old 9000', 'stop old 8000'])
    await crowded.close()
  })

  test('what is deleted from the configuration is stopped with the parameters that it had, by the next daemon too', async () => {
    const folder = agentFolder()
    folder.add('web', showing(folder.path))
    const last = new TestNode(folder)
    await last.run(ocf('test', 'web'), 'web', 'start', { attributes: { address: 'old' }, timeoutMs: 9000 })
    await last.executor.close()
    const next = new TestNode(folder, 100)
    await next.run(ocf('test', 'web'), 'web', 'stop', { timeoutMs: 8000 })
    expect(shown(folder.path)).toEqual(['start old 9000', 'stop old 8000'])
    await next.close()
  })

  test('what runs already when it is first looked at is stopped with the parameters by which it was found', async () => {
    node.folder.add('web', showing(node.folder.path))
    await node.run(ocf('test', 'web'), 'web', 'monitor', { attributes: { address: 'old' }, timeoutMs: 9000 })
    await node.run(ocf('test', 'web'), 'web', 'stop', { timeoutMs: 8000 })
    expect(shown(node.folder.path).at(-1)).toBe('stop old 8000')
  })

  test('what was started here and a probe found stopped may not run here, also when its history is deleted later', async () => {
    node.folder.add('web', '[ "$1" = monitor ] && exit 7; exit 0')
    const web = ocf('test', 'web')
    await node.run(web, 'web', 'start')
    await node.order(web, 'web', 'delete')
    expect(node.executor.mayRun).toEqual(['web'])
    await node.run(web, 'web', 'monitor', { expected: 7 })
    await node.order(web, 'web', 'delete')
    expect(node.executor.mayRun).toEqual([])
  })

  test('what a former version has noted of fence devices, with their secrets, is removed', async () => {
    const folder = agentFolder()
    const note = join(folder.host.runFolder, 'started/fence.json')
    mkdirSync(dirname(note), { recursive: true })
    writeFileSync(note, '{"password":"secret"}')
    const agent = { class: 'stonith', type: 'fence_ipmilan' }
    const attributes = { operation: 'start', interval: '0', 'rc-code': '0', 'op-status': '0', 'call-id': '1' }
    const device = resourceId('fence')
    const record = { node: nodeName('alpha'), resource: device, agent, recordId: 'fence_last_0', attributes }
    const next = new TestNode(folder, 100, undefined, [record])
    next.executor.adopt()
    expect(existsSync(note)).toBe(false)
    await next.close()
  })

  test('a monitor is cancelled, and its record goes', async () => {
    node.folder.add('web', 'exit 0')
    const web = ocf('test', 'web')
    await node.run(web, 'web', 'monitor', { intervalMs: 60_000 })
    expect(node.records.has('web_monitor_60000')).toBe(true)
    const attributes = { CRM_meta_operation: 'monitor', CRM_meta_interval: '60000' }
    expect(await node.order(web, 'web', 'cancel', { attributes })).toEqual({ kind: 'taken', done: true })
    expect(node.records.has('web_monitor_60000')).toBe(false)
  })

  test('a command of an old term is refused with the term that holds', async () => {
    node.folder.add('web', 'exit 0')
    await node.order(ocf('test', 'web'), 'web', 'start', { term: 9 })
    expect(await node.order(ocf('test', 'web'), 'web', 'stop', { term: 8 })).toMatchObject({
      kind: 'refused',
      why: 'old-term',
      highestTerm: 9,
    })
  })
})

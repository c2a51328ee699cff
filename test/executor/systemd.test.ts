import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UnitRunner } from '../../src/resource-agents/index.ts'
import { agentFolder } from '../resource-agents/agent-folder.ts'
import { SystemdBox } from './systemd-box/systemd-box.ts'
import { TestNode } from './test-node.ts'

const units = {
  'napper.service': '[Unit]\nDescription=Sleeps\n[Service]\nExecStart=/bin/sleep 600\nRestart=always\nRestartSec=0\n',
  'slow.service': '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sleep 1\nExecStop=/bin/sleep 1\n',
  'silent.service': '[Service]\nType=notify\nExecStart=/bin/sleep 600\n',
  'broken.service': '[Service]\nType=forking\nExecStart=/bin/false\n',
  'gated.service': '[Unit]\nConditionPathExists=/there/is/no/such/path\n[Service]\nExecStart=/bin/sleep 600\n',
  'invalid.service': '[Service]\nExecStart=relative/path\n',
  'seat@.service': '[Service]\nExecStart=/bin/sleep 60%i\n',
}

let box: SystemdBox
let node: TestNode
let runner: UnitRunner
beforeAll(async () => {
  box = await SystemdBox.start(units)
  node = new TestNode(agentFolder(), 1, (executor) => {
    runner = new UnitRunner((resource) => executor().notice(resource), {
      busSocket: box.path('/run/dbus/system_bus_socket'),
      runTimeUnits: box.path('/run/systemd/system'),
    })
    return runner
  })
})
afterAll(async () => {
  await node?.close()
  runner?.close()
  await box?.close()
})

const unit = (type: string) => ({ class: 'systemd', type })

describe('units of a real systemd, over D-Bus', () => {
  test('a service starts, is monitored and stops; while the cluster runs it, systemd does not restart it', async () => {
    const dropIn = box.path('/run/systemd/system/napper.service.d/50-systole.conf')
    expect(await node.run(unit('napper'), 'n', 'monitor', { expected: 7 })).toMatchObject({ 'rc-code': '7' })
    expect(await node.run(unit('napper'), 'n', 'start')).toMatchObject({ 'rc-code': '0', 'op-status': '0' })
    expect(box.processes('sleep\x00600')).toHaveLength(1)
    expect(readFileSync(dropIn, 'utf8')).toContain('Restart=no')
    expect(await node.run(unit('napper'), 'n', 'monitor')).toMatchObject({ 'rc-code': '0' })
    expect(await node.run(unit('napper.service'), 'n', 'start')).toMatchObject({ 'rc-code': '0' })
    expect(await node.run(unit('napper'), 'n', 'stop')).toMatchObject({ 'rc-code': '0' })
    expect(box.processes('sleep\x00600')).toHaveLength(0)
    expect(existsSync(dropIn)).toBe(false)
    await expect.poll(() => box.property('napper', 'Restart')).toBe('always')
    expect(await node.run(unit('napper'), 'n', 'stop')).toMatchObject({ 'rc-code': '0' })
  })

  test('a service that dies is noticed at once, not when its monitor is due', async () => {
    await node.run(unit('napper'), 'dying', 'start')
    await node.order(unit('napper'), 'dying', 'monitor', { intervalMs: 600_000 })
    await expect.poll(() => node.written).toContain('dying monitor 0 0')
    for (const pid of box.processes('sleep\x00600')) process.kill(pid, 'SIGKILL')
    await expect.poll(() => node.written.at(-1)).toBe('dying monitor 0 7')
    const [failed] = [...node.records.values()].filter(({ attributes }) => attributes['rc-code'] === '7').slice(-1)
    expect(failed?.attributes['exit-reason']).toBe('napper.service has failed: it is failed (failed, result signal).')
    await node.run(unit('napper'), 'dying', 'stop')
  })

  test('start and stop end when the job has ended', async () => {
    const started = await node.run(unit('slow'), 's', 'start')
    expect(Number(started['exec-time'])).toBeGreaterThanOrEqual(900)
    expect(await node.run(unit('slow'), 's', 'monitor')).toMatchObject({ 'rc-code': '0' })
    const stopped = await node.run(unit('slow'), 's', 'stop')
    expect(Number(stopped['exec-time'])).toBeGreaterThanOrEqual(900)
    expect(await node.run(unit('slow'), 's', 'monitor', { expected: 7 })).toMatchObject({ 'rc-code': '7' })
  })

  test('a time limit of a month is not over as it begins', async () => {
    const month = { timeoutMs: 31 * 24 * 3_600_000 }
    expect(await node.run(unit('slow'), 'm', 'start', month)).toMatchObject({ 'rc-code': '0', 'op-status': '0' })
    expect(await node.run(unit('slow'), 'm', 'stop', month)).toMatchObject({ 'rc-code': '0', 'op-status': '0' })
  })

  test('an instance of a template is a service of its own', async () => {
    await node.run(unit('seat@1'), 'one', 'start')
    await node.run(unit('seat@2'), 'two', 'start')
    expect(box.processes('sleep\x00601')).toHaveLength(1)
    await node.run(unit('seat@1'), 'one', 'stop')
    expect(box.processes('sleep\x00601')).toHaveLength(0)
    expect(await node.run(unit('seat@2'), 'two', 'monitor')).toMatchObject({ 'rc-code': '0' })
    await node.run(unit('seat@2'), 'two', 'stop')
  })

  const failures: readonly {
    readonly name: string
    readonly type: string
    readonly operation: string
    readonly timeoutMs?: number
    readonly status: string
    readonly code: string
    readonly reason: RegExp | undefined
  }[] = [
    {
      name: 'a service that fails to start says how',
      type: 'broken',
      operation: 'start',
      status: '0',
      code: '1',
      reason: /^broken\.service did not stay active: it is failed \(failed, result exit-code\)\.$/,
    },
    {
      name: 'a service whose condition is not met is not started',
      type: 'gated',
      operation: 'start',
      status: '0',
      code: '1',
      reason: /one of its conditions is not met/,
    },
    {
      name: 'a unit with a mistake cannot be used',
      type: 'invalid',
      operation: 'start',
      status: '4',
      code: '1',
      reason: /^systemd cannot use invalid\.service: it is bad-setting\.$/,
    },
    {
      name: 'a unit that is not there is not installed',
      type: 'absent',
      operation: 'start',
      status: '7',
      code: '5',
      reason: /^There is no unit absent\.service on this node\.$/,
    },
    { name: 'and needs no stop', type: 'absent', operation: 'stop', status: '0', code: '0', reason: undefined },
    {
      name: 'a service that never says that it is ready runs into its time limit',
      type: 'silent',
      operation: 'start',
      timeoutMs: 700,
      status: '2',
      code: '1',
      reason: /^start of silent\.service did not complete within 700ms$/,
    },
    { name: 'and is stopped', type: 'silent', operation: 'stop', status: '0', code: '0', reason: undefined },
    {
      name: 'a unit has no other operations',
      type: 'napper',
      operation: 'promote',
      status: '3',
      code: '3',
      reason: /^A systemd unit has no operation 'promote'\.$/,
    },
  ]
  for (const { name, type, operation, timeoutMs, status, code, reason } of failures)
    test(name, async () => {
      const more = timeoutMs === undefined ? {} : { timeoutMs }
      const record = await node.run(unit(type), `${type}-${operation}`, operation, more)
      expect(record).toMatchObject({ 'op-status': status, 'rc-code': code })
      if (reason === undefined) expect(record['exit-reason']).toBe('')
      else expect(record['exit-reason']).toMatch(reason)
    })

  test('after the bus was restarted, units are run as before', async () => {
    await node.run(unit('napper'), 'later', 'start')
    for (const pid of box.processes('dbus-daemon')) process.kill(pid, 'SIGKILL')
    await expect.poll(() => box.processes('dbus-daemon').length).toBe(0)
    await expect.poll(async () => (await node.run(unit('napper'), 'later', 'monitor'))['rc-code']).toBe('0')
    expect(await node.run(unit('napper'), 'later', 'stop')).toMatchObject({ 'rc-code': '0' })
  })

  test('where there is no bus, no unit is installed', async () => {
    const none = new UnitRunner(() => undefined, { busSocket: '/nonexistent/bus', runTimeUnits: '/nonexistent' })
    const call = node.folder.call('napper', { agent: unit('napper'), operation: 'monitor' })
    expect(await none.run(call).finished).toMatchObject({ status: 'not-installed', exitCode: 5 })
    none.close()
  })

  test('the box leaves nothing in the host’s folders', () => {
    expect(existsSync('/run/systemd/system') ? readdirSync('/run/systemd/system') : []).not.toContain(
      'napper.service.d',
    )
  })
})

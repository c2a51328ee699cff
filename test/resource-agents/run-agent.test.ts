import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resourceId } from '../../src/base/index.ts'
import {
  childProcessRunner,
  findLeftAgents,
  keptOutputBytes,
  processStart,
  waitForLeftAgent,
} from '../../src/resource-agents/index.ts'
import { lsbStatusAsMonitor } from '../../src/resource-agents/outcome.ts'
import { type AgentFolder, agentFolder } from './agent-folder.ts'

let folder: AgentFolder
beforeEach(() => {
  folder = agentFolder()
})
afterEach(() => folder.remove())

const run = (type: string, more: Parameters<AgentFolder['call']>[1] = {}) =>
  childProcessRunner(folder.host).run(folder.call(type, more)).finished

const gone = (pid: number) => expect.poll(() => processStart(pid), { timeout: 5000 }).toBeUndefined()

test('the exit code, the last exit reason and the output of an agent are its outcome', async () => {
  folder.add('web', 'echo hello; echo "ocf-exit-reason:first" >&2; echo "ocf-exit-reason:port 80 is taken" >&2; exit 6')
  const outcome = await run('web')
  expect(outcome).toMatchObject({ status: 'done', exitCode: 6, exitReason: 'port 80 is taken' })
  expect(outcome.output).toContain('hello')
})

test('an agent that is not installed is reported with the place where it was looked for', async () => {
  const outcome = await run('nowhere')
  expect(outcome).toMatchObject({ status: 'not-installed', exitCode: 5 })
  expect(outcome.exitReason).toContain('ocf:test:nowhere is not installed')
})

test('a unit is not run as a program', async () => {
  const outcome = await run('no-such-unit', { agent: { class: 'systemd', type: 'no-such-unit' } })
  expect(outcome).toMatchObject({ status: 'not-installed', exitCode: 5 })
  expect(outcome.exitReason).toBe('systemd:no-such-unit is not installed: there is no unit of that name.')
})

test('a name that leads out of the agents folder is no agent', async () => {
  const outcome = await run('x', { agent: { class: 'ocf', provider: 'test', type: '../../bin/true' } })
  expect(outcome.status).toBe('not-installed')
})

test('an agent that cannot be executed is an error that names it', async () => {
  folder.add('broken', '')
  writeFileSync(join(folder.path, 'ocf/test/broken'), '#!/nonexistent/interpreter\n')
  const outcome = await run('broken')
  expect(outcome).toMatchObject({ status: 'error', exitCode: 1 })
  expect(outcome.exitReason).toContain('could not be started')
})

test('an agent runs on a full disk, although what it prints is lost and nobody notes that it runs', async () => {
  folder.add('web', 'echo hello; exit 7')
  const runner = childProcessRunner(folder.host)
  const notes = join(folder.host.runFolder, 'ops')
  // Room for the folder itself and nothing in it.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,nr_inodes=1', 'tmpfs', notes])
  try {
    expect(() => writeFileSync(join(notes, 'file'), '')).toThrow(/ENOSPC/)
    expect(await runner.run(folder.call('web')).finished).toMatchObject({ status: 'done', exitCode: 7, output: '' })
  } finally {
    execFileSync('umount', [notes])
  }
})

test('an agent that is being written when it is called is waited for', async () => {
  folder.add('web', 'exit 0')
  const writing = openSync(join(folder.path, 'ocf/test/web'), 'r+')
  // The first attempt to start it is made, and refused by the kernel, before the call returns.
  const outcome = run('web')
  closeSync(writing)
  expect(await outcome).toMatchObject({ status: 'done', exitCode: 0 })
})

test('one that stays in the hands of whoever writes it is an error that says so', async () => {
  folder.add('web', 'exit 0')
  const writing = openSync(join(folder.path, 'ocf/test/web'), 'r+')
  const outcome = await run('web')
  closeSync(writing)
  expect(outcome).toMatchObject({ status: 'error', exitCode: 1 })
  expect(outcome.exitReason).toContain('could not be started: it is being written')
})

test('a parameter that the kernel does not take keeps the agent from starting, and nothing else', async () => {
  folder.add('web', 'exit 0')
  const outcome = await run('web', { attributes: { text: 'x'.repeat(200_000) } })
  expect(outcome).toMatchObject({ status: 'error', exitCode: 1 })
  expect(outcome.exitReason).toContain('its parameters are too long: the kernel takes no value of more than 128 KiB')
})

test('a reason is one line without control characters, and not without end', async () => {
  folder.add('red', `printf 'ocf-exit-reason:\\033[31mred\\001 %s\\n' "$(head -c 9000 /dev/zero | tr '\\0' y)"; exit 1`)
  const { exitReason = '' } = await run('red')
  expect(exitReason).toMatch(/^\[31mred {2}y+ \[\.\.\.\]$/)
  expect(exitReason.length).toBeLessThan(510)
})

test('at the time limit everything that the agent started is ended, and the result is unknown', async () => {
  folder.add('hangs', `sleep 600 & echo $! > ${folder.path}/child; trap "" TERM; while :; do sleep 600; done`)
  const before = Date.now()
  const outcome = await run('hangs', { timeoutMs: 300 })
  expect(outcome).toMatchObject({
    status: 'timeout',
    exitCode: 1,
    exitReason: 'start did not complete within 300ms, ignored SIGTERM and was killed',
  })
  expect(Date.now() - before).toBeLessThan(10_000)
  await gone(Number(readFileSync(join(folder.path, 'child'), 'utf8')))
})

test('an agent that obeys the request to end does not wait for the kill', async () => {
  folder.add('obeys', 'sleep 600')
  const outcome = await run('obeys', { timeoutMs: 100 })
  expect(outcome.status).toBe('timeout')
  expect(outcome.execTimeMs).toBeLessThan(1900)
})

test('a service that holds the output of its agent open delays nothing, and lives on', async () => {
  folder.add('holds', `sleep 60 & echo $! > ${folder.path}/service; echo started`)
  const outcome = await run('holds')
  expect(outcome).toMatchObject({ status: 'done', exitCode: 0, output: 'started\n' })
  expect(outcome.execTimeMs).toBeLessThan(10_000)
  const service = Number(readFileSync(join(folder.path, 'service'), 'utf8'))
  expect(processStart(service)).toBeDefined()
  process.kill(service, 'SIGKILL')
  await gone(service)
})

test('of endless output only the end is kept', async () => {
  folder.add('talks', 'head -c 30000000 /dev/zero | tr "\\0" x; echo; echo "ocf-exit-reason:the end"; exit 1')
  const outcome = await run('talks')
  expect(outcome.exitReason).toBe('the end')
  expect(outcome.output.length).toBeLessThanOrEqual(keptOutputBytes + 10)
})

test('an agent gets the environment of the OCF standard and nothing of the daemon’s own', async () => {
  process.env.SYSTOLE_TEST_LEAK = 'leak'
  folder.add('shows', `env > ${folder.path}/env`)
  await run('shows', {
    resource: resourceId('shows:1'),
    operation: 'monitor',
    attributes: { ip: '10.0.0.1', 'CRM_meta_clone-max': '3', CRM_meta_interval: '10000', OCF_CHECK_LEVEL: '20' },
    timeoutMs: 40_000,
  })
  const lines = readFileSync(join(folder.path, 'env'), 'utf8').split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'OCF_ROOT=/usr/lib/ocf',
      'OCF_RESOURCE_INSTANCE=shows:1',
      'OCF_RESOURCE_TYPE=shows',
      'OCF_RESOURCE_PROVIDER=test',
      'OCF_RESKEY_ip=10.0.0.1',
      'OCF_RESKEY_CRM_meta_clone_max=3',
      'OCF_RESKEY_CRM_meta_interval=10000',
      'OCF_RESKEY_CRM_meta_timeout=40000',
      'OCF_CHECK_LEVEL=20',
      `HA_SBIN_DIR=${folder.host.toolsFolder}`,
      'LC_ALL=C',
      'SHELL=/bin/bash',
    ]),
  )
  expect(lines.find((line) => line.startsWith('PATH='))).toMatch(new RegExp(`^PATH=${folder.host.toolsFolder}:`))
  expect(lines.join('\n')).not.toContain('leak')
})

test('an interrupted agent ends with its group, as cancelled', async () => {
  folder.add('waits', `sleep 600 & echo $! > ${folder.path}/child; wait`)
  const running = childProcessRunner(folder.host).run(folder.call('waits'))
  await expect.poll(() => existsSync(join(folder.path, 'child'))).toBe(true)
  running.kill()
  expect((await running.finished).status).toBe('cancelled')
  await gone(Number(readFileSync(join(folder.path, 'child'), 'utf8')))
})

test('the next daemon finds an agent that still runs, and ends it at its time limit', async () => {
  folder.add('long', 'sleep 600')
  const running = childProcessRunner(folder.host).run(folder.call('long', { timeoutMs: 600_000 }))
  const [left] = findLeftAgents(folder.host.runFolder)
  expect(left).toMatchObject({ resource: 'long', operation: 'start' })
  if (!left) throw new Error('the note is missing')
  await waitForLeftAgent({ ...left, killAtMs: 0 }, folder.host.runFolder)
  expect((await running.finished).exitReason).toBe('start was ended by SIGKILL')
  expect(findLeftAgents(folder.host.runFolder)).toEqual([])
})

test('an LSB script is asked for its status, whose codes become those of a monitor', async () => {
  const codes = [0, 1, 2, 3, 4, 150].map(lsbStatusAsMonitor)
  expect(codes).toEqual([0, 7, 7, 7, 1, 1])
  const outcome = await run('x', { agent: { class: 'lsb', type: 'no-such-script' }, operation: 'monitor' })
  expect(outcome).toMatchObject({ status: 'not-installed', exitCode: 5 })
})

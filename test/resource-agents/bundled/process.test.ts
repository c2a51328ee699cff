import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { processStart } from '../../../src/resource-agents/index.ts'
import { freePort } from '../../support/free-ports.ts'
import { BundledAgents } from './bundled-agents.ts'

let agents: BundledAgents
let port: number
let pidfile: string
let asked: Readonly<Record<string, string>>
beforeEach(async () => {
  agents = new BundledAgents()
  port = await freePort()
  pidfile = agents.path('server.pid')
  answers({ '/': {} })
  const server = `${import.meta.dirname}/stand-in.mjs`
  asked = {
    command: `${process.execPath} ${server} ${port} ${agents.path('answers')}`,
    url: `http://127.0.0.1:${port}/`,
    url_timeout: '1',
    stop_timeout: '2',
    pidfile,
    log: agents.path('log'),
  }
})
afterEach(async () => {
  await run('stop')
  agents.remove()
})

const answers = (wanted: object): void => writeFileSync(agents.path('answers'), JSON.stringify(wanted))
const run = (operation: string, more: Readonly<Record<string, string>> = {}) =>
  agents.run('process', operation, { ...asked, ...more })
const recordedPid = () => Number(readFileSync(pidfile, 'utf8').split('\n')[0])

describe('a process with a health URL', () => {
  test('a start ends when it answers, and a stop leaves nothing of it', async () => {
    expect((await run('monitor')).exitCode).toBe(7)
    expect((await run('start')).exitCode).toBe(0)
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
    const pid = recordedPid()
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    expect((await run('start')).exitCode).toBe(0)
    expect(recordedPid()).toBe(pid)
    expect((await run('monitor')).exitCode).toBe(0)
    expect((await run('stop')).exitCode).toBe(0)
    expect([pid, ...children].filter((each) => processStart(each) !== undefined)).toEqual([])
    expect((await run('monitor')).exitCode).toBe(7)
    expect((await run('stop')).exitCode).toBe(0)
  })

  test('one that hangs is found, and is stopped although it hears no signal', async () => {
    await run('start')
    process.kill(recordedPid(), 'SIGSTOP')
    expect(await run('monitor')).toMatchObject({
      exitCode: 1,
      exitReason: expect.stringContaining('timed out'),
    })
    expect((await run('stop')).exitCode).toBe(0)
    expect((await run('monitor')).exitCode).toBe(7)
  })

  test('one that takes questions and never answers is found too', async () => {
    await run('start')
    answers({ hang: true })
    expect(await run('monitor')).toMatchObject({ exitCode: 1, exitReason: expect.stringContaining('timed out') })
  })

  test('an answer that means trouble is a failure, with the answer as its reason', async () => {
    await run('start')
    answers({ '/': { code: 503 } })
    expect(await run('monitor')).toMatchObject({
      exitCode: 1,
      exitReason: `http://127.0.0.1:${port}/: the answer is 503, not 200-299`,
    })
    expect((await run('monitor', { codes: '200 500-503' })).exitCode).toBe(0)
  })

  test('one that was killed does not run, and starts again', async () => {
    await run('start')
    process.kill(recordedPid(), 'SIGKILL')
    await expect.poll(async () => (await run('monitor')).exitCode).toBe(7)
    expect((await run('start')).exitCode).toBe(0)
    expect((await run('monitor')).exitCode).toBe(0)
  })

  test('one that ignores the signal is killed when its time is up', async () => {
    const script = `trap "" TERM; while :; do sleep 0.1; done`
    await run('start', { command: `sh -c '${script}'`, url: '' })
    const pid = recordedPid()
    expect((await run('stop', { stop_timeout: '1' })).exitCode).toBe(0)
    expect(processStart(pid)).toBeUndefined()
  })

  test('its time is up by the clock, however long the agent’s own waits take on a busy machine', async () => {
    mkdirSync(agents.host.toolsFolder, { recursive: true })
    writeFileSync(join(agents.host.toolsFolder, 'sleep'), '#!/bin/sh\nexec /bin/sleep 2\n', { mode: 0o755 })
    await run('start', { command: `sh -c 'trap "" TERM; while :; do /bin/sleep 0.1; done'`, url: '' })
    expect(await run('stop', { stop_timeout: '2' })).toMatchObject({ status: 'done', exitCode: 0 })
  })

  test('one that waits for a child that was halted can end in order', async () => {
    const ended = agents.path('ended')
    const script = `trap "kill \\$child; wait \\$child; echo yes >${ended}; exit" TERM; /bin/sleep 600 & child=$!; wait`
    await run('start', { command: `sh -c '${script}'`, url: '' })
    const pid = recordedPid()
    const childOf = (): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
    await expect.poll(childOf).toBeGreaterThan(0)
    process.kill(childOf(), 'SIGSTOP')
    expect((await run('stop')).exitCode).toBe(0)
    expect(existsSync(ended)).toBe(true)
  })

  test('one that ends at once is a failed start, with its last words', async () => {
    expect(await run('start', { command: "sh -c 'echo the port is taken; exit 3'" })).toMatchObject({
      exitCode: 1,
      exitReason: 'it ended at once: the port is taken',
    })
    expect(await run('start', { command: '/nonexistent/program', log: '' })).toMatchObject({
      exitReason: 'it ended at once; what it printed is kept only where the parameter log names a file',
    })
  })

  test('it runs as its user, in its folder, with its environment and nothing of the cluster’s', async () => {
    writeFileSync(agents.path('env'), 'FROM_FILE="two words"\n')
    const more = { user: 'nobody', directory: '/usr', environment: "GIVEN='a b'", envfile: agents.path('env'), url: '' }
    const command = `sh -c 'id -un; pwd; env; exec sleep 60'`
    expect((await run('start', { ...more, command })).exitCode).toBe(0)
    const said = readFileSync(agents.path('log'), 'utf8')
    expect(said).toMatch(/^nobody\n\/usr\n/)
    expect(said).toContain('FROM_FILE=two words\n')
    expect(said).toContain('GIVEN=a b\n')
    expect(said).not.toContain('OCF_')
  })

  test('a foreign process that has the number of an old one is neither taken for it nor stopped', async () => {
    const foreign = spawn('sleep', ['60'], { detached: true })
    writeFileSync(pidfile, `${foreign.pid}\n12345\n`)
    expect((await run('monitor')).exitCode).toBe(7)
    expect((await run('stop')).exitCode).toBe(0)
    expect(processStart(foreign.pid ?? 0)).toBeDefined()
    expect(existsSync(pidfile)).toBe(false)
    foreign.kill('SIGKILL')
  })

  const bad = [
    { name: 'command', value: '', exitCode: 6, reason: 'command is missing' },
    { name: 'url', value: 'ftp://x', exitCode: 6, reason: "url 'ftp://x' begins with neither" },
    { name: 'codes', value: '2xx', exitCode: 6, reason: "codes '2xx' are not HTTP codes" },
    { name: 'stop_signal', value: 'SIGTERM', exitCode: 6, reason: "stop_signal 'SIGTERM' is none of" },
    { name: 'stop_timeout', value: 'long', exitCode: 6, reason: "stop_timeout 'long' is not a number" },
    { name: 'user', value: 'no-such-user', exitCode: 5, reason: "there is no user 'no-such-user'" },
    { name: 'directory', value: '/no/such/folder', exitCode: 5, reason: 'there is no folder /no/such/folder' },
    { name: 'envfile', value: '/no/such/file', exitCode: 5, reason: 'envfile /no/such/file cannot be read' },
  ]
  for (const { name, value, exitCode, reason } of bad)
    test(`${name}='${value}' is refused`, async () => {
      const outcome = await run('validate-all', { [name]: value })
      expect(outcome).toMatchObject({ exitCode, exitReason: expect.stringContaining(reason) })
    })
})

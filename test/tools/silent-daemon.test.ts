/** A daemon that is stopped or hangs holds no command, and one that takes its time for a call is waited for. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replyTo } from '../../src/tools/file/run-command.ts'
import { callDaemon } from '../../src/tools/file/socket-client.ts'
import { serveTools } from '../../src/tools/index.ts'

const shims = join(import.meta.dirname, '../../shims')
let folder: string
let path: string
let ends: (() => Promise<unknown> | unknown)[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-silent-'))
  path = join(folder, 'tools.sock')
  ends = []
})
afterEach(async () => {
  for (const end of ends) await end()
  rmSync(folder, { recursive: true })
})

interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

async function shim(tool: string, words: readonly string[], silence = '0.6'): Promise<Ended> {
  const env = { PATH: '/usr/bin:/bin', SYSTOLE_TOOLS_SOCKET: path, SYSTOLE_TOOLS_SILENCE: silence }
  return await new Promise((resolve) => {
    execFile(join(shims, tool), words, { env, timeout: 20_000 }, (error, output, errors) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, output, errors }),
    )
  })
}

/** Takes all calls, as the kernel does for a process that is stopped, and answers none. */
async function serveNothing(): Promise<Server> {
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => sockets.push(socket.on('error', () => undefined)))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server.listen(path), 'listening')
  return server
}

const sentence = (silence: string): string =>
  `The daemon of this node (${path}) has not answered for ${silence} s: it is stopped or hangs, and whether the command was carried out is unknown.`

describe('a silent daemon ends the command with a sentence and 124', () => {
  test.each([
    ['crm_attribute', '-n', 'a', '-G'],
    ['crm_master', '-v', '1'],
    ['attrd_updater', '-n', 'a', '-U', '1'],
    ['crm_node', '-n'],
    ['crm_resource', '--wait', '--timeout=1h'],
    ['crm_mon', '-1'],
    ['crm_failcount', '-r', 'web', '-G'],
    ['crm_ticket', '-l'],
    ['crm_standby', '-G'],
    ['stonith_admin', '-L'],
    ['pacemakerd', '--status'],
    ['corosync-quorumtool', '-s'],
  ])('%s', async (tool, ...words) => {
    await serveNothing()
    expect(await shim(tool, words)).toEqual({ code: 124, output: '', errors: `${tool}: ${sentence('0.6')}\n` })
  })

  test('with a request that the kernel has no room for', async () => {
    await serveNothing()
    const words = Array.from({ length: 10 }, () => 'x'.repeat(100_000))
    expect(await shim('attrd_updater', ['-n', 'a', '-U', ...words])).toMatchObject({ code: 124 })
  })

  test('what goes on in Node.js too, as crm_verify of the live CIB', async () => {
    await serveNothing()
    expect(await shim('crm_verify', ['-L'])).toEqual({
      code: 124,
      output: '',
      errors: `crm_verify: ${sentence('0.6')}\n`,
    })
  })

  test.each([
    ['crm_resource', '--wait', '--timeout=1s'],
    ['crm_resource', '--restart', '-r', 'web', '-T', '1'],
    ['stonith_admin', '--list', 'n1', '--timeout', '1000ms'],
    ['stonith_admin', '-L', '-t1'],
    ['crm_resource', '--wait', '--timeout=1ms'],
  ])('after the time of the call where that is shorter: %s', async (tool, ...words) => {
    await serveNothing()
    expect(await shim(tool, words, '30')).toEqual({ code: 124, output: '', errors: `${tool}: ${sentence('1')}\n` })
  })

  test('a longer time, or what only looks like one, changes nothing', async () => {
    await serveNothing()
    for (const words of [
      ['--wait', '-T', '1h'],
      ['-t', '0.1', '-Q', '-r', 'web'],
    ])
      expect(await shim('crm_resource', words)).toMatchObject({
        code: 124,
        errors: `crm_resource: ${sentence('0.6')}\n`,
      })
  })

  test('and a number that is none is refused', async () => {
    const says = 'SYSTOLE_TOOLS_SILENCE must be a number of seconds, as 30 or 2.5.'
    for (const silence of ['0', '5m', '-1'])
      expect(await shim('crm_node', ['-n'], silence)).toEqual({ code: 64, output: '', errors: `crm_node: ${says}\n` })
  })
})

test('a call that takes several times as long is waited for while the daemon lives', async () => {
  let answer: () => void = () => undefined
  let asked = 0
  const server = await serveTools(path, {
    handle: async (call) => {
      asked++
      await new Promise<void>((resolve) => (answer = resolve))
      return { exitCode: 0, output: call.tool, errors: '' }
    },
    callerOf: () => undefined,
  })
  ends.push(() => server.close())
  for (const call of [
    async () => (await shim('crm_node', ['-n'])).output,
    async () => (await callDaemon(path, { tool: 'crm_node', arguments: [] }, 600)).output,
  ]) {
    const slow = call()
    await expect(Promise.race([slow, new Promise((resolve) => setTimeout(resolve, 2500, 'waits'))])).resolves.toBe(
      'waits',
    )
    answer()
    expect(await slow).toBe('crm_node')
  }
  // Its questions are no calls.
  expect(asked).toBe(2)
})

test('a daemon is asked only in silence, and answers without looking at who asks', async () => {
  const server = await serveTools(path, {
    handle: () => Promise.reject(new Error('nobody may call')),
    callerOf: () => undefined,
  })
  ends.push(() => server.close())
  const socket = connect(path)
  socket.end()
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  expect(chunk.toString()).toBe('0 0\n')
})

test('in a process of its own a command ends so as well', async () => {
  await serveNothing()
  await expect(callDaemon(path, { tool: 'crm_node', arguments: ['-n'] }, 300)).rejects.toThrow(sentence('0.3'))
  const before = process.env.SYSTOLE_TOOLS_SILENCE
  process.env.SYSTOLE_TOOLS_SILENCE = '0.3'
  ends.push(() => {
    if (before === undefined) delete process.env.SYSTOLE_TOOLS_SILENCE
    else process.env.SYSTOLE_TOOLS_SILENCE = before
  })
  expect(await replyTo({ tool: 'crm_node', arguments: ['-n'] }, { SYSTOLE_TOOLS_SOCKET: path })).toMatchObject({
    exitCode: 124,
    errors: `crm_node: ${sentence('0.3')}\n`,
  })
  process.env.SYSTOLE_TOOLS_SILENCE = ''
  const call = { tool: 'stonith_admin', arguments: ['-B', 'n1', '-t', '1s'] }
  expect(await replyTo(call, { SYSTOLE_TOOLS_SOCKET: path })).toMatchObject({
    exitCode: 124,
    errors: `stonith_admin: ${sentence('1')}\n`,
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processStart } from '../../../src/resource-agents/index.ts'
import { freePort } from '../../support/free-ports.ts'
import { BundledAgents } from './bundled-agents.ts'

let agents: BundledAgents
let port: number
beforeEach(async () => {
  agents = new BundledAgents()
  port = await freePort()
  configure('first')
})
afterEach(async () => {
  await run('stop')
  agents.remove()
})

/** Every third answer is held back for a moment, so that a reload always meets connections that are in use. */
const configure = (text: string): void =>
  writeFileSync(
    agents.path('haproxy.cfg'),
    `defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
  timeout tarpit 400ms
frontend web
  bind 127.0.0.1:${port}
  http-request tarpit deny_status 200 if { rand(3) 0 }
  http-request return status 200 content-type text/plain string ${text}
`,
  )
const run = (operation: string, more: Readonly<Record<string, string>> = {}) =>
  agents.run('haproxy', operation, { config: agents.path('haproxy.cfg'), socket_timeout: '1', ...more })
const pid = () => Number(readFileSync(agents.path('agents/haproxy-haproxy/pid'), 'utf8'))

/** One request on a connection of its own; answers with its body, or with why there is none. */
const ask = (): Promise<string> =>
  new Promise((done) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => done(response.statusCode === 200 ? body : `status ${response.statusCode}`))
      response.on('error', (error) => done(`broken: ${error.message}`))
    }).on('error', (error) => done(`failed: ${error.message}`))
  })

/** Ten clients that ask without a pause until `finish`, which resolves with all answers. */
function load(): { readonly answers: string[]; finish(): Promise<readonly string[]> } {
  const answers: string[] = []
  let going = true
  const clients = Array.from({ length: 10 }, async () => {
    while (going) answers.push(await ask())
  })
  return {
    answers,
    finish: async () => {
      going = false
      await Promise.all(clients)
      return answers
    },
  }
}

test('five reloads under load lose no request, and the new configuration is in force', async () => {
  expect((await run('start')).exitCode).toBe(0)
  const clients = load()
  for (const text of ['second', 'third', 'fourth', 'fifth', 'last']) {
    const seen = clients.answers.length
    await expect.poll(() => clients.answers.length).toBeGreaterThan(seen + 50)
    const old = pid()
    configure(text)
    expect((await run('reload-agent')).exitCode).toBe(0)
    expect(pid()).not.toBe(old)
    expect((await run('monitor')).exitCode).toBe(0)
  }
  await expect.poll(() => clients.answers.at(-1)).toBe('last')
  const answers = await clients.finish()
  expect(answers.filter((answer) => /^(status|broken|failed)/.test(answer))).toEqual([])
  expect(answers.length).toBeGreaterThan(250)
})

test('a configuration that is refused stops nothing: the resource is degraded until a reload succeeds', async () => {
  await run('start')
  const before = pid()
  writeFileSync(agents.path('haproxy.cfg'), 'frontend web\n  bond 127.0.0.1:80\n')
  expect((await run('reload-agent')).exitCode).toBe(0)
  expect(pid()).toBe(before)
  expect(await run('monitor')).toMatchObject({ exitCode: 190, exitReason: expect.stringContaining("'bond'") })
  configure('mended')
  expect((await run('reload-agent')).exitCode).toBe(0)
  expect(await run('monitor')).toMatchObject({ exitCode: 0 })
})

test('it starts with no configuration that HAProxy refuses, and says what is wrong in it', async () => {
  writeFileSync(agents.path('haproxy.cfg'), 'frontend web\n  bond 127.0.0.1:80\n')
  expect(await run('start')).toMatchObject({ exitCode: 6, exitReason: expect.stringContaining("'bond'") })
  expect((await run('monitor')).exitCode).toBe(7)
})

test('one that hangs is found by its socket, and stopped', async () => {
  await run('start')
  const hanging = pid()
  process.kill(hanging, 'SIGSTOP')
  expect(await run('monitor')).toMatchObject({ exitCode: 1, exitReason: expect.stringContaining('does not answer') })
  expect((await run('stop')).exitCode).toBe(0)
  expect(processStart(hanging)).toBeUndefined()
})

test('one that was killed does not run, and starts again', async () => {
  await run('start')
  process.kill(pid(), 'SIGKILL')
  await expect.poll(async () => (await run('monitor')).exitCode).toBe(7)
  expect((await run('start')).exitCode).toBe(0)
  expect((await run('monitor')).exitCode).toBe(0)
})

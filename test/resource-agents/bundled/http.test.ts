import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AgentHost, childProcessRunner, metadataReader } from '../../../src/resource-agents/index.ts'
import { freePort } from '../../support/free-ports.ts'
import { type AgentFolder, agentFolder } from '../agent-folder.ts'

const bundled = join(dirname(fileURLToPath(import.meta.url)), '../../../agents/ocf')
const agent = { class: 'ocf', provider: 'systole', type: 'http' }
let folder: AgentFolder
let host: AgentHost
let port: number
beforeEach(async () => {
  folder = agentFolder()
  host = { ...folder.host, moreAgentFolders: [bundled], ocfRoot: '/nonexistent' }
  port = await freePort()
})
afterEach(async () => {
  await run('stop')
  folder.remove()
})

function run(operation: string, more: Readonly<Record<string, string>> = {}) {
  const attributes = { port: String(port), CRM_meta_on_node: 'alpha', ...more }
  return childProcessRunner(host).run(folder.call('http', { agent, operation, attributes })).finished
}

const answer = async () => (await fetch(`http://127.0.0.1:${port}/`)).text()

test('it starts, answers with the name of its node, and stops', async () => {
  expect((await run('monitor')).exitCode).toBe(7)
  expect((await run('start')).exitCode).toBe(0)
  expect(await answer()).toBe('alpha\n')
  expect((await run('monitor')).exitCode).toBe(0)
  expect((await run('start')).exitCode).toBe(0)
  expect((await run('stop')).exitCode).toBe(0)
  expect((await run('monitor')).exitCode).toBe(7)
  expect((await run('stop')).exitCode).toBe(0)
  await expect(answer()).rejects.toThrow()
})

test('a killed server is not running, and starts again', async () => {
  await run('start')
  const state = join(dirname(host.toolsSocket), 'http/http.pid')
  process.kill(Number(readFileSync(state, 'utf8')), 'SIGKILL')
  await expect.poll(async () => (await run('monitor')).exitCode).toBe(7)
  expect((await run('start')).exitCode).toBe(0)
  expect(await answer()).toBe('alpha\n')
})

test('another text takes effect without a restart', async () => {
  await run('start', { text: 'hello from' })
  expect(await answer()).toBe('hello from alpha\n')
  expect((await run('reload-agent', { text: 'greetings from' })).exitCode).toBe(0)
  await expect.poll(answer).toBe('greetings from alpha\n')
})

test('a port that is taken is the reason for a failed start', async () => {
  const other = createServer().listen(port, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const outcome = await run('start')
  await new Promise((resolve) => other.close(resolve))
  expect(outcome).toMatchObject({ exitCode: 1 })
  expect(outcome.exitReason).toContain('EADDRINUSE')
})

const bad = [
  { port: 'eighty', reason: "port 'eighty' is not a number" },
  { port: '70000', reason: 'port 70000 is not between 1 and 65535' },
]
for (const { port: written, reason } of bad)
  test(`port ${written} is refused`, async () => {
    expect(await run('validate-all', { port: written })).toMatchObject({ exitCode: 6, exitReason: reason })
  })

test('it tells what it needs', async () => {
  const metadata = await metadataReader(host)(agent)
  if (!metadata.ok) throw new Error('no metadata')
  expect(metadata.value.parameters.map(({ name, reloadable }) => [name, reloadable])).toEqual([
    ['port', false],
    ['address', false],
    ['text', true],
    ['state', false],
  ])
  expect(metadata.value.actions.map(({ name }) => name)).toContain('validate-all')
})

test('a foreign process in the state file is not taken for the server', async () => {
  const sleeping: ChildProcess = spawn('sleep', ['60'])
  folder.add('unused', '')
  const state = join(folder.path, 'foreign.pid')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(state, `${sleeping.pid}\n`)
  expect((await run('monitor', { state })).exitCode).toBe(7)
  expect((await run('stop', { state })).exitCode).toBe(0)
  expect(sleeping.exitCode).toBeNull()
  sleeping.kill('SIGKILL')
})

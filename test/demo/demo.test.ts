/**
 * The demonstration as a user runs it: real daemons, a real service, real power cuts. What it needs is built before
 * (`npm run build`).
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../demo/nodes.ts'

const project = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
let folder: string
let port = 0
let demo: ChildProcess
let printed = ''

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'sys-')), 'demo')
  port = (await freePorts(1))[0] ?? 0
  demo = spawn(process.execPath, [join(project, 'dist/demo.mjs')], {
    env: { ...process.env, SYSTOLE_DEMO: folder, SYSTOLE_DEMO_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [demo.stdout, demo.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
  await until('the service answers', async () => (await answer()) !== undefined)
})

afterAll(async () => {
  if (demo.exitCode === null) {
    demo.kill('SIGTERM')
    await new Promise((ended) => demo.once('exit', ended))
  }
  rmSync(resolve(folder, '..'), { recursive: true, force: true })
})

/** The name of the node that the service runs on; undefined where it does not answer. */
async function answer(): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(500) })
    return (await response.text()).trim()
  } catch {
    // Not there at the moment: that is the answer.
    return undefined
  }
}

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 45_000): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${what}.\n${printed}`)
    await new Promise((wait) => setTimeout(wait, 50))
  }
}

async function on(node: string, ...words: readonly string[]): Promise<string> {
  const env = { ...process.env, SYSTOLE_DEMO: folder }
  return (await run(join(project, 'demo/on'), [node, ...words], { env })).stdout
}

interface Status {
  readonly nodes: readonly { readonly name: string; readonly online: boolean }[]
}

async function allOnline(seenFrom: string): Promise<boolean> {
  // A daemon that has just been started does not listen yet.
  const printed = await on(seenFrom, 'status', '--json').catch(() => undefined)
  if (printed === undefined) return false
  const { nodes } = JSON.parse(printed) as Status
  return nodes.length === 3 && nodes.every(({ online }) => online)
}

test('nothing is remarked upon at its beginning', async () => {
  await until('all are online', async () => await allOnline('alpha'))
  expect(await on('alpha', 'status')).not.toContain('Remarks')
})

test('a daemon that is killed comes back, and its service never stops', async () => {
  const node = (await answer()) ?? ''
  const pidFile = join(folder, node, 'run/systole/systoled.pid')
  const pid = readFileSync(pidFile, 'utf8')
  const server = readFileSync(join(folder, node, 'run/systole/http/web.pid'), 'utf8')
  process.kill(Number(pid), 'SIGKILL')
  await until('another daemon runs', async () => readFileSync(pidFile, 'utf8') !== pid)
  await until('all nodes are online', async () => await allOnline(node))
  expect(readFileSync(join(folder, node, 'run/systole/http/web.pid'), 'utf8')).toBe(server)
  expect(await answer()).toBe(node)
})

test('when the power of its node is cut, the service answers from another one after the node was fenced', async () => {
  const node = (await answer()) ?? ''
  const env = { ...process.env, SYSTOLE_DEMO: folder }
  await run(join(project, 'demo/cut-power'), [node], { env })
  expect(await answer()).toBeUndefined()
  await until('the service answers again', async () => (await answer()) !== undefined)
  const now = (await answer()) ?? ''
  expect(now).not.toBe(node)
  expect(await on(now, 'stonith', 'history')).toContain(node)
  await until('the node is back', async () => await allOnline(now))
})

test('a service is moved, and no constraint is left behind', async () => {
  const from = (await answer()) ?? ''
  const to = ['alpha', 'beta', 'gamma'].find((name) => name !== from) ?? ''
  await on(from, 'resource', 'move', 'web', to)
  await until('the service answers there', async () => (await answer()) === to)
  await until('no constraint is left', async () => !(await on(from, 'cluster', 'cib')).includes('rsc_location'))
})

test('the cluster stops and starts as a whole', async () => {
  await on('alpha', 'cluster', 'stop', '--all')
  expect(await answer()).toBeUndefined()
  await on('alpha', 'cluster', 'start', '--all')
  await until('the service answers', async () => (await answer()) !== undefined)
})

test('at its end nothing is left: no process, no file', async () => {
  demo.kill('SIGINT')
  expect(await new Promise((ended) => demo.once('exit', ended))).toBe(0)
  expect(existsSync(folder)).toBe(false)
  expect(await answer()).toBeUndefined()
  const { stdout } = await run('sh', ['-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "'], {
    maxBuffer: 16 * 1024 * 1024,
  })
  expect(stdout).not.toContain(`${folder}/`)
})

/**
 * The demonstration: three nodes on this machine, a small web server that the cluster keeps running, a fence device that
 * really cuts their power, and a live view. Ctrl-C ends all of it and leaves nothing behind.
 */
import { execFile } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { EmbeddedStore, serveStore } from '../src/store/index.ts'
import { demoFolder, leaveFolder, takeFolder } from './folder.ts'
import { freePorts, Nodes, nodeNames, rootOf } from './nodes.ts'
import type { Picture } from './picture.ts'
import { changes, draw, watchCluster } from './view.ts'

const project = resolve(dirname(process.argv[1] ?? '.'), '..')
const interactive = process.stdout.isTTY === true
const run = promisify(execFile)

const nodes = new Nodes(join(project, 'bin/systoled'))
const ended = new AbortController()
process.on('SIGINT', () => end(0))
process.on('SIGTERM', () => end(0))
process.on('SIGHUP', () => end(0))
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

try {
  takeFolder()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
await demonstrate()

async function demonstrate(): Promise<void> {
  say('Starting three nodes on this machine …')
  const socket = join(demoFolder, 'store.sock')
  await serveStore(new EmbeddedStore({ directory: join(demoFolder, 'store') }), { path: socket })
  await nodes.form(socket)
  const port = await webPort()
  await configure(port)
  const help = commandsToTry(port)
  if (!interactive) process.stdout.write(`\n${help}\n`)
  await watchCluster(interactive ? redraw(help) : tellChanges(), ended.signal)
}

async function webPort(): Promise<number> {
  if (process.env.SYSTOLE_DEMO_PORT !== undefined) return Number(process.env.SYSTOLE_DEMO_PORT)
  const [port = 0] = await freePorts(1)
  return port
}

/** By the command line, as an administrator would. */
async function configure(port: number): Promise<void> {
  const alive = join(rootOf(nodeNames[0]))
  const systole = async (...words: readonly string[]): Promise<void> => {
    say(`  systole ${words.join(' ')}`)
    await retried(async () => {
      await run(join(project, 'bin/systole'), words, { env: { ...process.env, SYSTOLE_ROOT: alive } })
    })
  }
  const hosts = `pcmk_host_list=${nodeNames.join(',')}`
  await systole(
    'stonith',
    'create',
    'power',
    'fence_demo',
    `folder=${demoFolder}`,
    hosts,
    'pcmk_host_check=static-list',
  )
  await systole('resource', 'create', 'web', 'ocf:systole:http', `port=${port}`, 'op', 'monitor', 'interval=2s')
}

/** The cluster needs a moment to have quorum. */
async function retried(act: () => Promise<void>): Promise<void> {
  const last = Date.now() + 20_000
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (Date.now() > last || !/quorum|not known|not started/.test(String(error))) throw error
      await new Promise((wait) => setTimeout(wait, 300))
    }
  }
}

function commandsToTry(port: number): string {
  const on = (words: string): string => `demo/on alpha ${words}`
  return [
    `Try these in a second terminal, in ${project}:`,
    `  1  ${on('status')}`,
    '  2  demo/cut-power beta              # or wherever web runs, and watch; the cluster switches it on again',
    `  3  ${on('why web')}`,
    `  4  ${on('simulate --node-down gamma')}   # what would happen if`,
    `  5  ${on('resource move web alpha')}`,
    `The service itself: curl http://127.0.0.1:${port}/      Logs: ${demoFolder}/*.log      Ctrl-C ends everything.`,
  ].join('\n')
}

function redraw(help: string): (picture: Picture | undefined) => void {
  return (picture) => process.stdout.write(`\x1b[H\x1b[2J${draw(picture, help)}\n`)
}

function tellChanges(): (picture: Picture | undefined) => void {
  let before: Picture | undefined
  return (picture) => {
    const time = new Date().toISOString().slice(11, 23)
    for (const change of changes(before, picture)) process.stdout.write(`${time}  ${change}\n`)
    before = picture ?? before
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function end(code: number): void {
  nodes.end()
  ended.abort()
  leaveFolder()
  if (interactive) process.stdout.write('\nEverything of the demonstration is gone.\n')
  process.exit(code)
}

function fail(error: unknown): void {
  process.stderr.write(`The demonstration failed: ${error instanceof Error ? error.stack : String(error)}\n`)
  end(1)
}

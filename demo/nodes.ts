/**
 * The three nodes: daemons on loopback, each with a folder and ports of its own. What switches their power is the file
 * `<node>.power` that fence_demo writes: a node that is `on` and has no daemon is booted.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectLocal, type LocalClient } from '../src/rpc/index.ts'
import { demoFolder } from './folder.ts'

export const nodeNames = ['alpha', 'beta', 'gamma'] as const
export const rootOf = (node: string): string => join(demoFolder, node)

const bootMs = 2000
/** All nodes share this machine, which answers for each of them: only by the grace is a power cut told from a restart. */
const timings = { restartGraceMs: 2500 }
const lookMs = 200
const perNode = 3

export class Nodes {
  readonly #program: string
  readonly #daemons = new Map<string, ChildProcess>()
  #timer: NodeJS.Timeout | undefined
  #ended = false

  constructor(program: string) {
    this.#program = program
  }

  /** Sets up the cluster the way an administrator does: one node makes it, the others join it. */
  async form(storeSocket: string): Promise<void> {
    const ports = await freePorts(nodeNames.length * perNode)
    const nodes = nodeNames.map((name, index) => {
      const [peer = 0, heartbeat = 0, enrolment = 0] = ports.slice(index * perNode)
      return { name, id: String(index + 1), address: '127.0.0.1', ports: { peer, heartbeat, enrolment } }
    })
    for (const name of nodeNames) {
      mkdirSync(rootOf(name))
      this.#boot(name)
    }
    const [first, ...others] = nodes
    const options = JSON.stringify({ nodes, store: { kind: 'embedded-socket', path: storeSocket }, timings })
    const listed = nodes.map(({ name, address }) => ({ name, address }))
    const { nodes: tokens } = await answered(nodeNames[0], async (local) => {
      const made = await local.setupCluster({ clusterName: 'demo', nodes: listed, options, force: false })
      await local.startCluster({ nodes: [nodeNames[0]] })
      return made
    })
    const address = `127.0.0.1:${first?.ports.enrolment}`
    await Promise.all(
      others.map(async ({ name }) => {
        await answered(name, async (local) => {
          const token = tokens.find(({ node }) => node === name)?.token ?? ''
          await local.joinCluster({ address, token, nodeName: name, force: false })
          await local.startCluster({ nodes: [name] })
        })
      }),
    )
    this.#timer = setInterval(() => this.#look(), lookMs)
  }

  end(): void {
    this.#ended = true
    clearInterval(this.#timer)
  }

  /** A node that was switched off and on again needs a moment to boot. */
  #look(): void {
    for (const name of nodeNames) {
      if (this.#daemons.has(name) || readIfThere(powerFile(name)) !== 'on') continue
      writeFileSync(powerFile(name), 'booting')
      setTimeout(() => this.#boot(name), bootMs)
    }
  }

  #boot(name: string): void {
    if (this.#ended) return
    const power = powerFile(name)
    // It may have been switched off while it booted.
    if (readIfThere(power) === 'off') return
    const log = openSync(join(demoFolder, `${name}.log`), 'a')
    const { PATH = '' } = process.env
    const daemon = spawn(this.#program, [], {
      // In a group of its own: Ctrl-C in the terminal is for the demonstration, which ends the nodes itself.
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH, SYSTOLE_ROOT: rootOf(name), SYSTOLE_NODE_NAME: name },
    })
    writeFileSync(power, 'running')
    this.#daemons.set(name, daemon)
    daemon.on('exit', () => {
      this.#daemons.delete(name)
      // Nobody has switched the node off: the daemon is started again at once, as systemd does.
      if (readIfThere(power) === 'running') this.#boot(name)
    })
  }
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

const powerFile = (node: string): string => join(demoFolder, `${node}.power`)

/** The daemon has just been started: it answers in a moment. */
async function answered<T>(node: string, ask: (local: LocalClient) => Promise<T>): Promise<T> {
  const end = Date.now() + 30_000
  for (;;) {
    const local = connectLocal(rootOf(node))
    try {
      return await ask(local)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'UnreachableError' || Date.now() > end) throw error
      await delay(50)
    } finally {
      local.close()
    }
  }
}

/** Held all at once, so that none is given twice. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = held.map((server) => {
    const bound = server.address()
    return typeof bound === 'object' && bound ? bound.port : 0
  })
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

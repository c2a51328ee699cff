/**
 * The lab's power supply. Power on starts a node's PID 1 in its namespaces; power off pulls its cables and kills it,
 * and with it everything in the node, at once. Power controllers (`bmc.ts`) ask through a Unix socket.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, openSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { LabNetwork } from './network.ts'

interface Powered {
  readonly child: ChildProcess
  readonly pid1: number
}

export class PowerSupply {
  readonly #folder: string
  readonly #network: LabNetwork
  readonly #programs: string
  readonly #init: string
  readonly #powered = new Map<string, Powered>()
  readonly #switchingOff = new Set<string>()
  readonly #moving = new Map<string, Promise<void>>()
  /** Nodes whose power controller answers with an error. */
  readonly brokenControllers = new Set<string>()
  /** Whether a node that is reset or switched on by its controller boots again. */
  autoBoot = true
  /** Nodes that stay off whatever their controllers are told: somebody pulled the plug. */
  readonly unplugged = new Set<string>()
  /** Nodes that have rebooted without their controllers, each time. */
  readonly selfReboots: string[] = []
  /** A second place for the socket, where the nodes themselves can see it. */
  extraSocket: string | undefined
  readonly #servers: Server[] = []

  /** `init`: the script in this folder that is a node's PID 1. */
  constructor(folder: string, network: LabNetwork, programs: string, init: string) {
    this.#init = init
    this.#folder = folder
    this.#network = network
    this.#programs = programs
  }

  get socketPath(): string {
    return join(this.#folder, 'power.sock')
  }

  isOn(node: string): boolean {
    return this.#powered.has(node)
  }

  /** The host's process id of the node's PID 1: the door into its namespaces. */
  pid1(node: string): number {
    const powered = this.#powered.get(node)
    if (!powered) throw new Error(`The lab node ${node} has no power.`)
    return powered.pid1
  }

  async on(node: string): Promise<void> {
    await this.#inTurn(node, () => this.#switchOn(node))
  }

  async off(node: string): Promise<void> {
    await this.#inTurn(node, () => this.#switchOff(node))
  }

  /** A switch has one position: whoever comes while it is being moved waits. */
  async #inTurn(node: string, move: () => Promise<void>): Promise<void> {
    const before = this.#moving.get(node) ?? Promise.resolve()
    const own = before.then(move, move)
    this.#moving.set(node, own)
    await own
  }

  async #switchOn(node: string): Promise<void> {
    if (this.#powered.has(node)) return
    const network = this.#network
    // Before the cable carries anything: the boot takes what an earlier life has left only after it has mounted its disks.
    await network.loseAddresses(node)
    await network.link(node, 'up')
    const log = openSync(join(this.#folder, 'nodes', node, 'init.log'), 'a')
    const init = join(import.meta.dirname, this.#init)
    const inSpace = ['netns', 'exec', network.nodeSpace(node), 'unshare', '-m', '-u', '-i', '-p', '-f', '--mount-proc']
    const args = [init, this.#folder, node, network.address(node), network.outOfBandAddress(node), this.#programs]
    const child = spawn('ip', [...inSpace, ...args], { stdio: ['ignore', log, log], detached: true })
    const powered = { child, pid1: await firstChild(child) }
    this.#powered.set(node, powered)
    this.#note(`${node} on`)
    child.once('exit', () => this.#ended(node, powered))
  }

  /** The end of PID 1 that nobody pulled the plug for: reboot(2) in a PID namespace ends its init. The machine boots again. */
  #ended(node: string, powered: Powered): void {
    if (this.#powered.get(node) !== powered || this.#switchingOff.has(node)) return
    this.#powered.delete(node)
    this.selfReboots.push(node)
    this.#note(`${node} reboots`)
    void this.on(node)
  }

  async #switchOff(node: string): Promise<void> {
    const powered = this.#powered.get(node)
    if (!powered) return
    this.#note(`${node} off`)
    this.#switchingOff.add(node)
    await this.#network.link(node, 'down')
    const ended = powered.child.exitCode === null ? once(powered.child, 'exit') : Promise.resolve()
    process.kill(powered.pid1, 'SIGKILL')
    await ended
    this.#powered.delete(node)
    this.#switchingOff.delete(node)
  }

  /** Serves `status|on|off|reset|reboot NODE`, a line each, for the power controllers and for simple fence agents. */
  async serve(): Promise<void> {
    for (const path of [this.socketPath, this.extraSocket]) if (path !== undefined) await this.#serveAt(path)
  }

  async #serveAt(path: string): Promise<void> {
    const server = createServer((socket) => {
      let text = ''
      socket.on('data', (data) => {
        text += data.toString()
        if (!text.includes('\n')) return
        this.#answer(text.trim()).then(
          (answer) => socket.end(`${answer}\n`),
          (error: unknown) => socket.end(`ERR ${String(error)}\n`),
        )
      })
      socket.on('error', (error) => this.#note(`socket: ${error.message}`))
    })
    server.listen(path)
    await once(server, 'listening')
    this.#servers.push(server)
  }

  async #answer(line: string): Promise<string> {
    const [command, node = ''] = line.split(' ')
    if (command === 'ping') return 'OK'
    if (command === 'list')
      return this.#network.nodes.map((name) => `${name},${this.isOn(name) ? 'on' : 'off'}`).join(';')
    if (this.brokenControllers.has(node)) return 'ERR broken'
    if (command === 'status') return this.isOn(node) ? 'OK on' : 'OK off'
    const cycles = command === 'reset' || command === 'reboot'
    if (command === 'off' || cycles) await this.off(node)
    const boots = command === 'on' || (cycles && this.autoBoot)
    if (boots && !this.unplugged.has(node)) await this.on(node)
    return 'OK'
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close()
    for (const node of [...this.#powered.keys()]) await this.off(node)
  }

  #note(event: string): void {
    appendFileSync(join(this.#folder, 'power.log'), `${(Date.now() / 1000).toFixed(3)} ${event}\n`)
  }
}

/** `unshare` forks: its only child is the PID 1 of the new namespace. */
async function firstChild(parent: ChildProcess): Promise<number> {
  for (let attempt = 0; attempt < 6000; attempt++) {
    if (parent.exitCode !== null) throw new Error(`The lab node's init ended at once, with ${parent.exitCode}.`)
    const children = parent.pid ? childrenOf(parent.pid) : []
    if (children[0] !== undefined) return children[0]
    await delay(5)
  }
  throw new Error('The lab node did not start within 30 s.')
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

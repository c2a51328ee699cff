/**
 * A lab of real nodes on one machine: namespaces for nodes, a bridge between them, an IPMI power controller for each, a
 * client outside. What runs in them is what an administrator runs: `systoled` under supervision and the `systole` command.
 */
import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bmcPassword, bmcUser, PowerControllers } from './bmc.ts'
import { Client } from './client.ts'
import { LabNetwork, run } from './network.ts'
import { PowerSupply } from './power.ts'
import { onlyReads, StatusReader } from './status-reader.ts'

export interface StatusNode {
  readonly name: string
  readonly online: boolean
  readonly unclean: boolean
  readonly dc: boolean
  readonly standby: boolean
}

export interface StatusResource {
  readonly id: string
  readonly agent: string
  readonly role: string
  readonly nodes: readonly string[]
  readonly failed: boolean
}

export interface Status {
  readonly nodes: readonly StatusNode[]
  readonly resources: readonly StatusResource[]
  readonly quorum: { readonly quorate: boolean }
  readonly fencing: readonly { readonly target: string; readonly outcome: string; readonly begun: string }[]
}

export class Lab {
  readonly folder: string
  readonly network: LabNetwork
  readonly power: PowerSupply
  readonly controllers: PowerControllers
  readonly #clients: Client[] = []
  readonly #reader: StatusReader

  readonly #disks: readonly string[]
  readonly #systemd: boolean

  readonly #remotes: readonly string[]

  /**
   * `remotes`: those of the nodes that run `systoled --remote` (`addRemote`).
   * `disks`: folders, such as `/var/lib/mysql`, of which each node has its own; what a power cut leaves in them stays.
   * `links`: how many networks the nodes share.
   * `systemd`: each node boots a systemd of its own, which runs the daemon by the unit of `packaging/`; /etc is a disk then.
   */
  constructor(
    nodes: readonly string[],
    {
      disks = [],
      remotes = [],
      systemd = false,
      links = 1,
    }: {
      readonly disks?: readonly string[]
      readonly remotes?: readonly string[]
      readonly systemd?: boolean
      readonly links?: number
    } = {},
  ) {
    this.#disks = disks
    this.#remotes = remotes
    this.#systemd = systemd
    this.folder = mkdtempSync(join(tmpdir(), 'systole-lab-'))
    this.network = new LabNetwork(`lab${randomBytes(3).toString('hex')}`, nodes, links)
    const programs = join(this.folder, 'programs')
    mkdirSync(programs)
    installPrograms(join(this.folder, 'systole'), programs)
    this.#reader = new StatusReader(join(this.folder, 'systole/dist/code/systole.cjs'))
    this.power = new PowerSupply(this.folder, this.network, programs, systemd ? 'systemd-init.sh' : 'node-init.sh')
    this.controllers = new PowerControllers(this.folder, this.network, this.power.socketPath)
  }

  get nodes(): readonly string[] {
    return this.network.nodes
  }

  get #members(): readonly string[] {
    return this.nodes.filter((node) => !this.#remotes.includes(node))
  }

  /** Namespaces, power controllers, and power on everywhere. No node knows of a cluster yet. */
  async start(): Promise<void> {
    const hosts = this.nodes.map((node) => `${this.network.address(node)} ${node}`)
    writeFileSync(join(this.folder, 'disks'), this.#disks.map((path) => `${path}\n`).join(''))
    writeFileSync(join(this.folder, 'hosts'), `127.0.0.1 localhost\n${hosts.join('\n')}\n`)
    for (const node of this.nodes)
      for (const part of ['etc', 'var']) mkdirSync(join(this.folder, 'nodes', node, part), { recursive: true })
    for (const node of this.#remotes) {
      this.#mark(node, 'remote')
      this.#mark(node, 'hold')
    }
    await this.network.create()
    await this.power.serve()
    for (const node of this.nodes) this.controllers.start(node)
    for (const node of this.nodes) await this.power.on(node)
  }

  /** A certificate for the remote node, its daemon, and the connection to it in the configuration. */
  async addRemote(remote: string, member: string, ...options: readonly string[]): Promise<void> {
    const token = (await this.systole(member, 'cluster', 'token', '--remote', '--node', remote)).trim()
    await this.inNode(remote, 'systoled', '--remote', '--join', this.network.address(member), '--token', token)
    rmSync(join(this.folder, 'nodes', remote, 'hold'), { force: true })
    if (this.#systemd) await this.inNode(remote, 'systemctl', 'start', 'systoled-remote')
    await this.systole(member, 'cluster', 'node', 'add-remote', remote, this.network.address(remote), ...options)
  }

  #mark(node: string, name: string): void {
    writeFileSync(join(this.folder, 'nodes', node, name), '')
  }

  addressesOf(node: string, links: number): readonly string[] {
    return Array.from({ length: links }, (_, link) => this.network.addressOn(link, node))
  }

  /** Sets up one cluster of all or some nodes the way an administrator does, and waits until they are online. */
  async formCluster(nodes: readonly string[] = this.#members, links = this.network.links, name = 'lab'): Promise<void> {
    const [first = '', ...others] = nodes
    await this.#untilAnswers(first)
    const members = nodes.flatMap((node) => [
      node,
      ...this.addressesOf(node, links).map((address) => `addr=${address}`),
    ])
    const setup = JSON.parse(await this.prepare(first, 'cluster', 'setup', name, ...members, '--json')) as {
      readonly joins?: readonly { readonly node: string; readonly token: string }[]
      /** Of an older build: one for all. */
      readonly joinToken?: string
    }
    await this.prepare(first, 'cluster', 'start')
    const tokenOf = (node: string): string =>
      setup.joins?.find((join) => join.node === node)?.token ?? setup.joinToken ?? ''
    const join = async (node: string): Promise<void> => {
      await this.#untilAnswers(node)
      await this.prepare(node, 'cluster', 'join', this.network.address(first), '--token', tokenOf(node))
      await this.prepare(node, 'cluster', 'start')
    }
    await Promise.all(others.map(join))
    await this.until('all nodes are online and there is a DC', async () => {
      const { nodes: seen } = await this.status(first)
      return seen.length === nodes.length && seen.every(({ online }) => online) && seen.some(({ dc }) => dc)
    })
  }

  async #untilAnswers(node: string): Promise<void> {
    const answers = async (): Promise<boolean> => (await this.try(node, 'cluster', 'status', '--json')) !== undefined
    await this.until(`the daemon of ${node} answers`, answers)
  }

  /** An IPMI fence device for each node. */
  async createFencing(nodes: readonly string[] = this.nodes): Promise<void> {
    const [first = ''] = nodes
    for (const node of nodes)
      await this.prepare(
        first,
        'stonith',
        'create',
        `fence-${node}`,
        'fence_ipmilan',
        ...this.fencingOptions(node),
        '--no-test',
      )
  }

  fencingOptions(node: string): readonly string[] {
    return [
      `ip=${this.network.bmcAddress(node)}`,
      `username=${bmcUser}`,
      `password=${bmcPassword}`,
      'lanplus=1',
      'cipher=3',
      'power_wait=0',
      `pcmk_host_list=${node}`,
    ]
  }

  /** The words before a command that is typed on the host for a node. */
  doorTo(node: string): string {
    return `nsenter -t ${this.power.pid1(node)} -m -u -i -p -n env PATH=${this.folder}/programs:$PATH`
  }

  /** Runs a program inside a node. */
  async inNode(node: string, ...command: readonly string[]): Promise<string> {
    const programs = join(this.folder, 'programs')
    const path = `PATH=${programs}:/usr/sbin:/usr/bin:/sbin:/bin`
    const into = ['-t', String(this.power.pid1(node)), '-m', '-u', '-i', '-p', '-n']
    return await run('nsenter', ...into, 'env', path, `LAB_NODE=${node}`, ...command)
  }

  async systole(node: string, ...args: readonly string[]): Promise<string> {
    return onlyReads(args) ? await this.prepare(node, ...args) : await this.inNode(node, 'systole', ...args)
  }

  /** `systole` by a process that stays loaded, for what only gets a cluster ready: a process of its own for each command is a tenth of the time. */
  async prepare(node: string, ...args: readonly string[]): Promise<string> {
    return this.#runsThisBuild()
      ? await this.#reader.read(`/proc/${this.power.pid1(node)}/root`, args)
      : await this.inNode(node, 'systole', ...args)
  }

  /** The same, where a failure is an answer too. */
  async try(node: string, ...args: readonly string[]): Promise<string | undefined> {
    try {
      return await this.systole(node, ...args)
    } catch (error) {
      this.lastFailure = String(error)
      return undefined
    }
  }

  /** What the last command that was only tried has said. */
  lastFailure = ''

  /** What `systole status --json` says on the node, through the socket of its daemon there. */
  async status(node: string): Promise<Status> {
    return JSON.parse(await this.systole(node, 'status', '--json')) as Status
  }

  /** Another build's programs, or those of a package, take the place of the links. */
  #runsThisBuild(): boolean {
    return lstatSync(join(this.folder, 'programs/systole'), { throwIfNoEntry: false })?.isSymbolicLink() === true
  }

  /** The nodes on which a resource is started, as seen from a node. */
  async whereIs(resource: string, seenFrom: string): Promise<readonly string[]> {
    const { resources } = await this.status(seenFrom)
    return resources.find(({ id }) => id === resource)?.nodes ?? []
  }

  client(url: string, intervalMs?: number, patienceMs?: number): Client {
    const client = new Client(this.network, url, intervalMs, patienceMs)
    this.#clients.push(client)
    return client
  }

  /** Waits for a state; the error names it and what was seen last. */
  async until(what: string, holds: () => Promise<boolean> | boolean, timeoutMs = 30_000): Promise<void> {
    const end = Date.now() + timeoutMs
    const begun = Date.now()
    let last: unknown
    while (Date.now() < end) {
      try {
        if (await holds()) return
        last = undefined
      } catch (error) {
        last = error
      }
      await delay(Math.min(50 + (Date.now() - begun) / 10, 250))
    }
    throw new Error(
      `Not within ${timeoutMs} ms: ${what}.${last === undefined ? '' : ` Last error: ${String(last)}`}\n${this.logs()}\n${this.etcdLogs()}`,
    )
  }

  /** The ends of the nodes' logs, for a failing test. */
  logs(lines = 25): string {
    return this.nodes
      .map((node) => {
        const file = join(this.folder, 'nodes', node, 'systoled.log')
        return `--- ${node}\n${lastLines(file, lines)}`
      })
      .join('\n')
  }

  etcdLogs(lines = 12): string {
    const file = (node: string) => join(this.folder, 'nodes', node, 'var/etcd/etcd.log')
    return this.nodes.map((node) => `--- etcd of ${node}\n${lastLines(file(node), lines)}`).join('\n')
  }

  /** What the nodes' systemds made in the hierarchy of theirs; it is empty once they have no power. */
  async #removeCgroups(): Promise<void> {
    const script = `mount -t tmpfs tmpfs /mnt && mkdir /mnt/systemd && mount -t cgroup -o none,name=systemd systemd /mnt/systemd &&
      for group in /mnt/systemd/${basename(this.folder)}-*; do [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} +; done`
    await run('unshare', '--mount', '--propagation', 'private', 'bash', '-c', script)
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close()
    await this.#reader.close()
    await this.power.close()
    await this.controllers.close()
    await this.network.remove()
    if (this.#systemd) await this.#removeCgroups()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function lastLines(file: string, count: number): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n') : '(no log)'
}

/** What the nodes run is what was built when the lab began: a build meanwhile changes nothing. */
function installPrograms(folder: string, programs: string): void {
  const project = resolve(import.meta.dirname, '../../..')
  mkdirSync(folder)
  for (const part of ['bin', 'dist', 'agents', 'shims', 'packaging', 'package.json'])
    if (existsSync(join(project, part)))
      cpSync(join(project, part), join(folder, part), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
  for (const program of ['systole', 'systoled', 'pcs'])
    symlinkSync(join(folder, 'bin', program), join(programs, program))
}

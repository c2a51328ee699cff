/** Three nodes with a versioned service behind HAProxy and an address, of which a rollout upgrades two, or five, of which it upgrades all; and whoever is struck at one of its boundaries. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RolloutsKnown } from '../../src/rollout/index.ts'
import type { Client } from '../nodes/lab/client.ts'
import { Lab, type Status } from '../nodes/lab/lab.ts'
import { Boundaries } from './boundaries.ts'
import { nodesTried, nodesUpgraded } from './choice.ts'
import { Shop } from './shop.ts'

export const victims = ['the DC', 'the node', 'the client', 'everything'] as const
export type Victim = (typeof victims)[number]

type Rollout = RolloutsKnown['rollouts'][number]

/** All that a rollout may change. */
interface Everything {
  readonly [fact: string]: unknown
  readonly versions: readonly { readonly node: string; readonly version: string | undefined; readonly state: string }[]
}

interface SettledStatus extends Status {
  readonly transition: { readonly state: string } | null
}

/** A node is drained, upgraded and released in 10 to 40 s, by what else the machine does; and whoever was struck is fenced, boots and joins. */
const wholeMs = 120_000 + 60_000 * nodesUpgraded.length

export class BoundaryLab {
  readonly lab = new Lab(nodesTried)
  readonly shop = new Shop(this.lab)
  client: Client | undefined
  /** For a rollout with all that it loses. */
  readonly wholeMs = wholeMs

  async start(): Promise<void> {
    const { lab, shop } = this
    shop.install()
    writeFileSync(join(lab.folder, 'haproxy.cfg'), shop.haproxy())
    await lab.start()
    await lab.formCluster()
    await lab.createFencing()
    const vip = ['ocf:heartbeat:IPaddr2', `ip=${lab.network.virtualAddress}`, 'cidr_netmask=24', 'nic=eth0']
    const balancer = ['ocf:systole:haproxy', `config=${join(lab.folder, 'haproxy.cfg')}`]
    await lab.systole('n1', 'resource', 'create', 'shop', ...shop.resource)
    await lab.systole('n1', 'resource', 'create', 'lb', ...balancer, 'op', 'monitor', 'interval=2s', 'clone')
    await lab.systole('n1', 'resource', 'create', 'vip', ...vip, 'op', 'monitor', 'interval=2s')
    await lab.systole('n1', 'constraint', 'colocation', 'add', 'vip', 'with', 'lb-clone')
    await lab.systole('n1', 'constraint', 'order', 'lb-clone', 'then', 'vip')
    this.client = lab.client(`http://${lab.network.virtualAddress}/`, 50, 2000)
    await this.untilQuiet()
  }

  async close(): Promise<void> {
    await this.lab.close()
  }

  /** What the daemons have written, for whoever looks for the cause of a failure. */
  keepLogs(folder: string): void {
    for (const node of this.lab.nodes) {
      mkdirSync(join(folder, node), { recursive: true })
      const log = join(this.lab.folder, 'nodes', node, 'systoled.log')
      if (existsSync(log)) cpSync(log, join(folder, node, 'systoled.log'))
    }
    const power = join(this.lab.folder, 'power.log')
    if (existsSync(power)) cpSync(power, join(folder, 'power.log'))
  }

  /** On whichever node answers. */
  async ask(...words: readonly string[]): Promise<string> {
    for (const node of this.lab.nodes) {
      if (!this.lab.power.isOn(node)) continue
      const text = await this.lab.try(node, ...words)
      if (text !== undefined) return text
    }
    throw new Error(`No node has answered. ${this.lab.lastFailure}`)
  }

  async rollout(upgrade: string): Promise<Rollout | undefined> {
    const { rollouts } = JSON.parse(await this.ask('rollout', 'history', '--json')) as RolloutsKnown
    return rollouts.find(({ definition }) => definition.name === upgrade)
  }

  async untilState(upgrade: string, ...states: readonly string[]): Promise<Rollout> {
    let last: Rollout | undefined
    await this.lab
      .until(
        `${upgrade} is ${states.join(' or ')}`,
        async () => {
          last = await this.rollout(upgrade)
          return last !== undefined && states.includes(last.state)
        },
        wholeMs,
      )
      .catch((error: unknown) => {
        throw new Error(`${JSON.stringify(last, null, 1)}\n${String(error)}`)
      })
    if (!last) throw new Error(upgrade)
    return last
  }

  /** All are there, everything runs, and nothing is left to do. */
  async untilQuiet(): Promise<void> {
    let seen = ''
    await this.lab
      .until(
        'all is quiet',
        async () => {
          seen = await this.ask('status', '--json')
          const { nodes, resources, quorum, transition } = JSON.parse(seen) as SettledStatus
          return (
            quorum.quorate &&
            transition?.state === 'idle' &&
            nodes.every(({ online, unclean, standby }) => online && !unclean && !standby) &&
            resources.every(({ role, failed }) => role === 'Started' && !failed)
          )
        },
        120_000,
      )
      .catch((error: unknown) => {
        throw new Error(`${seen}\n${String(error)}`)
      })
    const since = Date.now()
    await this.lab.until('the shop answers', () => (this.client?.goodSince(since).length ?? 0) > 0)
  }

  /** All that a rollout may change; where the cluster has placed the address is no matter. */
  async everything(): Promise<Everything> {
    const { nodes, resources } = await this.lab.status('n1')
    const { versions } = JSON.parse(await this.ask('rollout', 'versions', '--json')) as RolloutsKnown
    const cib = await this.ask('cluster', 'cib')
    return {
      nodes: nodes.map(({ name, online, standby, unclean }) => ({ name, online, standby, unclean })),
      resources: resources.map(({ id, role, failed }) => ({ id, role, failed })).sort((a, b) => (a.id < b.id ? -1 : 1)),
      versions: versions.map(({ node, version, state }) => ({ node, version, state })),
      software: this.shop.versions(),
      holds: JSON.parse(await this.ask('hold', 'list', '--json')) as unknown,
      configuration: cib.slice(cib.indexOf('<configuration>'), cib.indexOf('<status')),
    }
  }

  /** Runs one to the boundary, and strikes there: `begin` starts it, or brings it on its way back. */
  async strikeAt(
    { boundary, upgrade, victim }: { readonly boundary: string; readonly upgrade: string; readonly victim: Victim },
    words: readonly string[],
  ): Promise<readonly string[]> {
    const { lab, shop } = this
    const [node = ''] = boundary.split('/')
    if (boundary.endsWith('/install/middle')) shop.shut(node)
    let reached: () => void = () => undefined
    const isThere = new Promise<void>((resolve) => {
      reached = resolve
    })
    const wanted = { boundaries: new Set([boundary]), upgrade }
    const { boundaries, close } = await Boundaries.watch(lab, shop, wanted, reached)
    const end = this.type(...words)
    try {
      await Promise.race([
        isThere,
        never(`${boundary} was not reached`, () => `${boundaries.seen.join(' ')}\n${this.#printed()}`),
      ])
      return await this.strike(victim, { node, dc: () => boundaries.dc })
    } finally {
      end()
      await close()
      shop.open(node)
    }
  }

  /** Answers who has lost power. */
  async strike(
    victim: Victim,
    { node, dc }: { readonly node: string; readonly dc: () => string },
  ): Promise<readonly string[]> {
    const { lab } = this
    if (victim === 'the client') return []
    if (victim === 'the DC') await lab.until('there is a DC', () => dc() !== '')
    const struck = victim === 'everything' ? lab.nodes : [victim === 'the DC' ? dc() : node]
    await Promise.all(struck.map((one) => lab.power.off(one)))
    return struck
  }

  /** A node that was lost is fenced, and boots by that; one that had left, or all of them, somebody switches on. */
  async powerAll(struck: readonly string[]): Promise<void> {
    const { lab } = this
    const [one = ''] = struck
    const isNoted = async (): Promise<boolean> => lab.power.isOn(one) || (await this.#hasLeft(one))
    if (struck.length === 1) await lab.until('it was fenced, or had left', isNoted, 10_000).catch(() => undefined)
    for (const node of struck) await lab.power.on(node)
  }

  /** The others know that it is away and that nothing runs there: nobody will fence it. */
  async #hasLeft(node: string): Promise<boolean> {
    const { nodes } = JSON.parse(await this.ask('status', '--json')) as Status
    const seen = nodes.find(({ name }) => name === node)
    return seen !== undefined && !seen.online && !seen.unclean
  }

  async untilOnline(wanted: readonly string[]): Promise<void> {
    await this.lab.until(
      `${wanted.join(', ')} are online`,
      async () => {
        const { nodes } = JSON.parse(await this.ask('status', '--json')) as Status
        return wanted.every((one) => nodes.some(({ name, online }) => name === one && online))
      },
      wholeMs,
    )
  }

  get #output(): string {
    return join(this.lab.folder, 'typed')
  }

  /** What the command has said, for a failing test. */
  #printed(): string {
    return existsSync(this.#output) ? readFileSync(this.#output, 'utf8') : ''
  }

  /** A command that somebody follows on n1, which is one of those that are upgraded; answers how it is killed. */
  type(...words: readonly string[]): () => void {
    const line = `exec ${this.lab.doorTo('n1')} systole ${words.join(' ')} >${this.#output} 2>&1`
    const typed = spawn('sh', ['-c', line], { stdio: 'ignore', detached: true })
    return () => kill(typed)
  }
}

/** With all that it has started. */
function kill({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has ended with its node, and nobody has said so yet.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

async function never(what: string, seen: () => string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, wholeMs).unref())
  throw new Error(`${what} within ${wholeMs / 1000} s. Seen: ${seen()}`)
}

/** Several networks in a lab: what a node says of its links, and clients of the store that notice each moment in which it stands still. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from './lab.ts'

interface ClusterFacts {
  readonly dc?: string
  readonly term?: number
  readonly quorate: boolean
  readonly fencing: readonly unknown[]
  readonly members: readonly {
    readonly node: string
    readonly state: string
    readonly links: readonly { readonly number: number; readonly address: string; readonly state: string }[]
  }[]
}

export async function clusterFacts(lab: Lab, node: string): Promise<ClusterFacts> {
  return JSON.parse(await lab.systole(node, 'cluster', 'status', '--json')) as ClusterFacts
}

/** Who leads, which resources were started when, who was fenced, and how often a node was without quorum: a link that fails changes none of it. */
export async function whatRuns(lab: Lab, seenFrom: string): Promise<object> {
  const { dc, term, quorate, fencing } = await clusterFacts(lab, seenFrom)
  const cib = await lab.systole(seenFrom, 'cluster', 'cib')
  const starts = [...cib.matchAll(/operation="start"[^>]*transition-key="([^"]*)"/g)].map(([, key]) => key).sort()
  const quorumLosses = lab.logs(10_000).match(/has lost quorum/g)?.length ?? 0
  return { dc, term, quorate, fencing, starts, quorumLosses }
}

/** A cluster of these nodes on its first networks, all of them unless a number is given, with fencing and a service that is running. */
export async function beginWithService(lab: Lab, nodes: readonly string[] = lab.nodes, links?: number): Promise<void> {
  await lab.start()
  await lab.formCluster(nodes, links)
  await lab.createFencing()
  const agent = 'ocf:pacemaker:Dummy'
  await lab.systole('n1', 'resource', 'create', 'service', agent, 'op', 'monitor', 'interval=1', '--wait')
}

/** All nodes are online, and the service of `beginWithService` runs on this one. */
export async function untilServiceIsOn(lab: Lab, node: string): Promise<void> {
  await lab.until(
    'all nodes are online, and the service runs where it should',
    async () => {
      const { nodes } = await lab.status('n1')
      return (
        nodes.every(({ online, unclean }) => online && !unclean) && (await lab.whereIs('service', 'n1'))[0] === node
      )
    },
    120_000,
  )
}

/** On every node, to every other: `1` is up, `-` is not. In the order of the links' numbers. */
export async function untilLinks(lab: Lab, wanted: string, nodes: readonly string[] = lab.nodes): Promise<void> {
  await lab.until(`the links are ${wanted}`, async () => {
    const seen = await Promise.all(nodes.map(async (node) => await linksSeenFrom(lab, node)))
    return seen.flat().every((states) => states === wanted)
  })
}

async function linksSeenFrom(lab: Lab, node: string): Promise<readonly string[]> {
  const { members } = await clusterFacts(lab, node)
  return members
    .filter((member) => member.node !== node)
    .map(({ links }) => links.map(({ state }) => (state === 'up' ? '1' : '-')).join(''))
}

/** On each node a program that writes to the store, one value after the other. */
export class Load {
  readonly #lab: Lab
  readonly #folder: string
  readonly #nodes: readonly string[]
  #ends: readonly Promise<string>[] = []

  constructor(lab: Lab, nodes: readonly string[] = lab.nodes) {
    this.#lab = lab
    this.#nodes = nodes
    this.#folder = join(lab.folder, `load-${randomUUID()}`)
  }

  /** Resolves when each of them writes. */
  async begin(): Promise<void> {
    mkdirSync(this.#folder)
    writeFileSync(this.#flag, '')
    this.#ends = this.#nodes.map(async (node) => await this.#write(node))
    await this.#lab.until('every node writes to the store', () =>
      this.#nodes.every((node) => this.#times(node).length > 3),
    )
  }

  /** The longest time between two writes on any node, in milliseconds. */
  async end(): Promise<number> {
    rmSync(this.#flag)
    await Promise.all(this.#ends)
    const times = this.#nodes.map((node) => this.#times(node))
    return Math.max(...times.flatMap((list) => list.map((time, index) => time - (list[index - 1] ?? time))))
  }

  get #flag(): string {
    return join(this.#folder, 'goes-on')
  }

  #file(node: string): string {
    return join(this.#folder, node)
  }

  /** Of each write, in milliseconds since the epoch. */
  #times(node: string): readonly number[] {
    const file = this.#file(node)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
  }

  async #write(node: string): Promise<string> {
    const write = `attrd_updater -n load -U $i -p >/dev/null 2>&1 && date +%s%3N >>${this.#file(node)}`
    const loop = `i=0; while [ -e ${this.#flag} ]; do i=$((i+1)); ${write}; sleep 0.05; done`
    return await this.#lab.inNode(node, 'bash', '-c', `PATH=${join(this.#lab.folder, 'systole/shims')}:$PATH; ${loop}`)
  }
}

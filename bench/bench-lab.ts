/** A lab for measuring: the agents and the fence agent with which the same things are measured on Pacemaker. */
import { cpSync, existsSync, mkdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type ClusterState, connectLocal } from '../src/rpc/index.ts'
import { Lab } from '../test/nodes/lab/lab.ts'
import { readEvents, type StampedEvent } from './events.ts'
import { nodeUsage } from './processes.ts'

/** Where Pacemaker's measurements lie; ours use the same agents, from there. */
export const pacemakerBench = resolve(import.meta.dirname, '../../shared/bench/pacemaker-netns')
const agentFolder = '/usr/lib/ocf/resource.d/bench'
const fenceAgent = '/usr/sbin/fence_netns'

export type Fencing = 'netns' | 'ipmi'

export class BenchLab extends Lab {
  static async form(nodes: readonly string[], fencing: Fencing): Promise<BenchLab> {
    const lab = new BenchLab(nodes)
    try {
      await lab.startForBench()
      await lab.formCluster()
      await lab.fenceWith(fencing)
      return lab
    } catch (error) {
      await lab.close()
      throw error
    }
  }

  /** As `start`, with the event log visible in every node and the bench's agents in place. */
  async startForBench(): Promise<void> {
    linkAgents()
    mkdirSync(join(this.folder, 'shared'), { recursive: true })
    this.power.autoBoot = false
    this.power.extraSocket = join(this.folder, 'shared', 'hw.sock')
    await this.start()
  }

  async fenceWith(fencing: Fencing): Promise<void> {
    if (fencing === 'ipmi') return await this.createFencing()
    // One device for all of them, as Pacemaker's measurement has it.
    await this.systole(this.first, 'stonith', 'create', 'st', 'fence_netns', `pcmk_host_list=${this.nodes.join(' ')}`)
  }

  get first(): string {
    return this.nodes[0] ?? ''
  }

  events(since: number): readonly StampedEvent[] {
    return readEvents(join(this.folder, 'shared', 'events.log'), since)
  }

  /** CPU seconds that all nodes have used so far. */
  cpuSeconds(): number {
    return this.nodes
      .filter((node) => this.power.isOn(node))
      .reduce((sum, node) => sum + nodeUsage(this.power.pid1(node)).cpuSeconds, 0)
  }

  /** What the node's daemon says, asked without a program in between, whose start would be measured too. */
  async state(node: string): Promise<ClusterState> {
    const daemon = connectLocal(`/proc/${this.power.pid1(node)}/root`)
    try {
      return await daemon.getState({}, { timeoutMs: 2000 })
    } finally {
      daemon.close()
    }
  }

  /** Waits until nothing is left to do, seen from a node: idle, and idle still when what came last has had its effect. */
  async settled(seenFrom: string, timeoutMs = 120_000): Promise<void> {
    let idleAt: string | undefined
    await this.until(
      'the cluster has settled',
      async () => {
        const { transition, revision } = await this.state(seenFrom)
        const seen = transition.state === 'idle' ? `${transition.number} ${revision}` : undefined
        const settled = seen !== undefined && seen === idleAt
        idleAt = seen
        return settled
      },
      timeoutMs,
    )
  }

  /** Where the nodes' logs go when the lab is closed; nowhere by default. */
  static keepLogsIn: string | undefined

  override async close(): Promise<void> {
    const { keepLogsIn } = BenchLab
    if (keepLogsIn !== undefined)
      for (const part of [...this.nodes.map((node) => `nodes/${node}/systoled.log`), 'shared/events.log', 'power.log'])
        if (existsSync(join(this.folder, part)))
          cpSync(join(this.folder, part), join(keepLogsIn, basename(this.folder), part))
    await super.close()
    for (const link of [agentFolder, fenceAgent]) if (linked.has(link)) unlinkSync(link)
    linked.clear()
  }
}

const linked = new Set<string>()

/** Debian's folders are where both clusters look for agents. Links that were there before stay. */
function linkAgents(): void {
  if (!existsSync(pacemakerBench)) throw new Error(`The bench's agents are missing: ${pacemakerBench} does not exist.`)
  const wanted: readonly (readonly [string, string])[] = [
    [agentFolder, join(pacemakerBench, 'ocf/bench')],
    [fenceAgent, join(pacemakerBench, 'fence_netns')],
  ]
  for (const [link, target] of wanted)
    if (!existsSync(link)) {
      symlinkSync(target, link)
      linked.add(link)
    }
}

/** Lab nodes with fencing, three of them unless more are wanted, for the suites that run real services under Debian's agents, and a client outside. */
import { chmodSync } from 'node:fs'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'

export class ServiceLab {
  readonly lab: Lab

  /** `disks`: the folders in which the service keeps its data. */
  constructor(disks: readonly string[], nodes: readonly string[] = ['n1', 'n2', 'n3']) {
    this.lab = new Lab(nodes, { disks })
  }

  get nodes(): readonly string[] {
    return this.lab.nodes
  }

  get address(): string {
    return this.lab.network.virtualAddress
  }

  async start(): Promise<void> {
    // Services run as users of their own and read their configuration here.
    chmodSync(this.lab.folder, 0o755)
    await this.lab.start()
    await this.lab.formCluster()
    await this.lab.createFencing()
  }

  async close(): Promise<void> {
    await this.lab.close()
  }

  /** A command on any node that is part of the cluster. */
  async systole(...args: readonly string[]): Promise<string> {
    return await this.lab.systole(await this.member(), ...args)
  }

  /** `a b c` as on a command line; for words without spaces. */
  async line(text: string): Promise<string> {
    return await this.systole(...text.trim().split(/\s+/))
  }

  /** A node that is powered and has quorum. */
  async member(): Promise<string> {
    for (const node of this.nodes) {
      if (!this.lab.power.isOn(node)) continue
      const text = await this.lab.try(node, 'status', '--json')
      if (text !== undefined && (JSON.parse(text) as { quorum: { quorate: boolean } }).quorum.quorate) return node
    }
    throw new Error(`No node has quorum. ${this.lab.lastFailure}`)
  }

  /** The nodes on which a resource, or an instance of it, has a role, as `crm_mon`'s readers see it. */
  async active(resource: string, role: 'Started' | 'Promoted' | 'Unpromoted'): Promise<readonly string[]> {
    const { resources } = await this.lab.status(await this.member())
    return resources
      .filter((each) => each.id.split(':')[0] === resource && each.role === role && !each.failed)
      .flatMap(({ nodes }) => nodes)
      .sort()
  }

  async untilActive(
    resource: string,
    role: 'Started' | 'Promoted' | 'Unpromoted',
    count: number,
    timeoutMs = 120_000,
  ): Promise<void> {
    await this.lab.until(
      `${resource} is ${role} on ${count} nodes`,
      async () => (await this.active(resource, role)).length === count,
      timeoutMs,
    )
  }

  async untilOnline(count = this.nodes.length): Promise<void> {
    await this.lab.until(
      `${count} nodes are online and clean`,
      async () => {
        const { nodes } = await this.lab.status(await this.member())
        return nodes.filter(({ online, unclean }) => online && !unclean).length === count
      },
      60_000,
    )
  }

  /** Nothing is left to do in the cluster. */
  async untilSettled(): Promise<void> {
    await this.lab.until(
      'the cluster has settled',
      async () => (await this.systole('status')).includes('The cluster is settled.'),
      180_000,
    )
  }

  /** A program in the client's namespace, outside of the cluster. */
  async client(program: string, ...args: readonly string[]): Promise<string> {
    return await run('ip', 'netns', 'exec', this.lab.network.clientSpace, 'timeout', '10', program, ...args)
  }

  /** The same again until it succeeds and answers what is wanted; returns the milliseconds that it took. */
  async clientUntil(what: string, wanted: (answer: string) => boolean, ...command: readonly string[]): Promise<number> {
    const [program = '', ...args] = command
    const began = Date.now()
    await this.lab.until(what, async () => wanted(await this.client(program, ...args)), 120_000)
    return Date.now() - began
  }

  async powerOff(...nodes: readonly string[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.lab.power.off(node)))
  }

  async powerOn(...nodes: readonly string[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.lab.power.on(node)))
  }
}

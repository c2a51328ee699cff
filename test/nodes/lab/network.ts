/**
 * The lab's network: one namespace that is the switch (a bridge for the cluster, one for the power controllers), one for
 * each node, one for a client outside. Everything has the lab's name in it and goes with `remove`.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program and returns what it printed; its standard error is in the message when it fails. */
export async function run(program: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute(program, [...args], { maxBuffer: 64 * 1024 * 1024 })
    return stdout
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${message.split('\n')[0]}\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  }
}

export class LabNetwork {
  readonly name: string
  readonly nodes: readonly string[]
  /** How many networks the nodes share; the client is on the first. */
  readonly links: number

  constructor(name: string, nodes: readonly string[], links = 1) {
    this.name = name
    this.nodes = nodes
    this.links = links
  }

  get switchSpace(): string {
    return `${this.name}-sw`
  }

  get clientSpace(): string {
    return `${this.name}-cl`
  }

  nodeSpace(node: string): string {
    return `${this.name}-${node}`
  }

  address(node: string): string {
    return `10.83.0.${this.#number(node)}`
  }

  /** On link 0 it is that by which the client knows the node. */
  addressOn(link: number, node: string): string {
    return link === 0 ? this.address(node) : `10.83.${1 + link}.${this.#number(node)}`
  }

  outOfBandAddress(node: string): string {
    return `10.83.1.${this.#number(node)}`
  }

  bmcAddress(node: string): string {
    return `10.83.1.${100 + this.#number(node)}`
  }

  readonly virtualAddress = '10.83.0.200'

  #number(node: string): number {
    return this.nodes.indexOf(node) + 1
  }

  /** The switch's end of a node's cable. Names of interfaces are short, those of nodes need not be. */
  #cable(node: string, link = 0): string {
    return link === 0 ? `d-${this.#number(node)}` : `e${link}-${this.#number(node)}`
  }

  get #moreLinks(): readonly number[] {
    return Array.from({ length: this.links - 1 }, (_, index) => index + 1)
  }

  #oobCable(node: string): string {
    return `o-${this.#number(node)}`
  }

  async create(): Promise<void> {
    const { switchSpace, clientSpace } = this
    for (const space of [switchSpace, clientSpace, ...this.nodes.map((node) => this.nodeSpace(node))])
      await run('ip', 'netns', 'add', space)
    await this.#inSwitch(
      'link set lo up',
      'link add br0 type bridge',
      'link add br1 type bridge',
      'link set br0 up',
      'link set br1 up',
      'addr add 10.83.0.254/24 dev br0',
      ...this.nodes.map((node) => `addr add ${this.bmcAddress(node)}/24 dev br1`),
      `link add d-cl type veth peer name eth0 netns ${clientSpace}`,
      'link set d-cl master br0 up',
    )
    for (const node of this.nodes) {
      const space = this.nodeSpace(node)
      await this.#inSwitch(
        `link add ${this.#cable(node)} type veth peer name eth0 netns ${space}`,
        `link add ${this.#oobCable(node)} type veth peer name oob0 netns ${space}`,
        `link set ${this.#cable(node)} master br0 up`,
        `link set ${this.#oobCable(node)} master br1 up`,
      )
    }
    for (const link of this.#moreLinks) await this.#createLink(link)
    await batch(clientSpace, ['link set lo up', 'addr add 10.83.0.253/24 dev eth0', 'link set eth0 up'])
    await run('ip', 'netns', 'exec', switchSpace, 'nft', 'add table bridge lab')
    await run(
      'ip',
      'netns',
      'exec',
      switchSpace,
      'nft',
      'add chain bridge lab cuts { type filter hook forward priority 0 ; }',
    )
  }

  /** A node's address there is that of its card, as it is after each boot. */
  async #createLink(link: number): Promise<void> {
    const [bridge, card] = [`br${1 + link}`, `eth${link}`]
    await this.#inSwitch(`link add ${bridge} type bridge`, `link set ${bridge} up`)
    for (const node of this.nodes) {
      const [space, cable] = [this.nodeSpace(node), this.#cable(node, link)]
      await this.#inSwitch(
        `link add ${cable} type veth peer name ${card} netns ${space}`,
        `link set ${cable} master ${bridge} up`,
      )
      await batch(space, [`addr add ${this.addressOn(link, node)}/24 dev ${card}`, `link set ${card} up`])
    }
  }

  /** Pulls or plugs the node's cables to the cluster's switch. Its power controller stays reachable. */
  async link(node: string, state: 'up' | 'down'): Promise<void> {
    for (const link of [0, ...this.#moreLinks]) await this.cable(link, node, state)
  }

  /** A machine without power has no addresses; the namespace, which outlives it, keeps them until something takes them away. */
  async loseAddresses(node: string): Promise<void> {
    await batch(this.nodeSpace(node), ['addr flush dev eth0'])
  }

  /** Pulls or plugs one cable of the node. Its card has no carrier then, and keeps its address. */
  async cable(link: number, node: string, state: 'up' | 'down'): Promise<void> {
    await this.#inSwitch(`link set ${this.#cable(node, link)} ${state}`)
  }

  /** No packet passes between these nodes and the others on one network, and nobody is told. `iifname` alone: what they send is lost. */
  async cutLink(
    link: number,
    nodes: readonly string[] = this.nodes,
    ways: readonly ('iifname' | 'oifname')[] = ['iifname', 'oifname'],
  ): Promise<void> {
    for (const node of nodes)
      for (const way of ways) {
        const drop = `add rule bridge lab cuts ${way} "${this.#cable(node, link)}" drop`
        await run('ip', 'netns', 'exec', this.switchSpace, 'nft', drop)
      }
  }

  /** Splits the nodes into sides that cannot reach each other; the client reaches all of them. */
  async split(sides: readonly (readonly string[])[]): Promise<void> {
    await this.heal()
    const rules = sides.flatMap((side) =>
      this.nodes
        .filter((other) => !side.includes(other))
        .flatMap((other) =>
          side.map(
            (node) => `add rule bridge lab cuts iifname "${this.#cable(node)}" oifname "${this.#cable(other)}" drop`,
          ),
        ),
    )
    for (const rule of rules) await run('ip', 'netns', 'exec', this.switchSpace, 'nft', rule)
  }

  /** Two nodes do not reach each other; all others reach both. */
  async separate(one: string, other: string): Promise<void> {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const drop = `add rule bridge lab cuts iifname "${this.#cable(from)}" oifname "${this.#cable(to)}" drop`
      await run('ip', 'netns', 'exec', this.switchSpace, 'nft', drop)
    }
  }

  /** Some packets from or to the node are lost: one of a hundred, say, or all that are longer than others. On link 0. */
  async drop(
    node: string,
    which: { readonly percent: number } | { readonly longerThanBytes: number },
    ways: readonly ('iifname' | 'oifname')[] = ['iifname', 'oifname'],
  ): Promise<void> {
    const match =
      'percent' in which ? `numgen random mod 100 lt ${which.percent}` : `meta length gt ${which.longerThanBytes}`
    for (const way of ways) {
      const drop = `add rule bridge lab cuts ${way} "${this.#cable(node)}" ${match} drop`
      await run('ip', 'netns', 'exec', this.switchSpace, 'nft', drop)
    }
  }

  /** No new packet gets to these ports of the node, nor from it to those of the others. */
  async closePorts(node: string, ...ports: readonly number[]): Promise<void> {
    for (const way of ['iifname', 'oifname']) {
      const drop = `add rule bridge lab cuts ${way} "${this.#cable(node)}" tcp dport { ${ports.join(', ')} } drop`
      await run('ip', 'netns', 'exec', this.switchSpace, 'nft', drop)
    }
  }

  async heal(): Promise<void> {
    await run('ip', 'netns', 'exec', this.switchSpace, 'nft', 'flush chain bridge lab cuts')
    for (const node of this.nodes) await this.link(node, 'up')
  }

  /** A line of ip(8) about a node's network cards. */
  async inNode(node: string, line: string): Promise<void> {
    await batch(this.nodeSpace(node), [line])
  }

  async remove(): Promise<void> {
    const existing = (await run('ip', 'netns', 'list')).split('\n').map((line) => line.split(' ')[0] ?? '')
    for (const space of existing.filter((name) => name.startsWith(`${this.name}-`)))
      await run('ip', 'netns', 'delete', space)
  }

  async #inSwitch(...lines: readonly string[]): Promise<void> {
    await batch(this.switchSpace, lines)
  }
}

async function batch(space: string, lines: readonly string[]): Promise<void> {
  for (const line of lines) await run('ip', '-n', space, ...line.split(' '))
}

/**
 * The one who adds, removes and replaces nodes: wants something, types the command for it on any node that has quorum, and types it again where it was
 * refused or nothing came of it. What has begun is the cluster's to end: nobody types anything for a removal that is under way.
 */
import type { NodeName } from '../../src/base/index.ts'
import type { SimDaemon } from './daemon.ts'
import type { Host } from './host.ts'
import type { World } from './world.ts'

/** `anew`: its host is lost; another one takes its place, by the same name. */
type Place = 'in' | 'out' | 'anew'

const patienceMs = 6000

export class Administrator {
  readonly #world: World
  readonly #wanted = new Map<NodeName, Place>()
  readonly #regretted = new Set<NodeName>()
  /** Whose command has not answered yet. */
  readonly #typing = new Set<NodeName>()

  constructor(world: World) {
    this.#world = world
  }

  begin(): void {
    this.#world.timeline.after(this.#world.chance.between(300, 1500), () => {
      for (const [node, place] of this.#wanted) if (!this.#typing.has(node)) this.#pursue(node, place)
      this.begin()
    })
  }

  add(node: NodeName): void {
    this.#wanted.set(node, 'in')
  }

  remove(node: NodeName): void {
    this.#wanted.set(node, 'out')
  }

  replace(node: NodeName): void {
    this.#wanted.set(node, 'anew')
  }

  /** Whoever is a node now is to be one, unless something else is wanted of it. */
  keepAll(): void {
    for (const node of this.#world.nodeNames) if (!this.#wanted.has(node)) this.#wanted.set(node, 'in')
  }

  /** Where it is still leaving it stays; where not, it is added again. */
  regret(node: NodeName): void {
    this.#wanted.set(node, 'in')
    this.#regretted.add(node)
  }

  #pursue(node: NodeName, place: Place): void {
    const life = this.#where(node)
    const entry = life?.host.list.nodes.find(({ name }) => name === node)
    if (life === undefined) return
    const type = (command: string, run: (reported: (trouble?: string) => void) => void): void =>
      this.#type({ node, life, command, run })
    if (entry?.leaving === true) {
      if (this.#regretted.delete(node)) type('node remove --cancel', (reported) => life.nodes.cancel(node, reported))
      return
    }
    if (place === 'in') this.#bringIn(node, life, type)
    else if (entry !== undefined) type('node remove', (reported) => life.nodes.remove(node, reported))
    else if (place === 'anew') {
      this.#world.reinstall(node)
      this.#wanted.set(node, 'in')
    }
  }

  #bringIn(
    node: NodeName,
    life: SimDaemon,
    type: (command: string, run: (reported: (trouble?: string) => void) => void) => void,
  ): void {
    const host = this.#world.hosts.get(node)
    const entry = life.host.list.nodes.find(({ name }) => name === node)
    // A node that lags shows a list in which it is not.
    if (host === undefined || (entry === undefined && this.#world.isListed(node))) return
    if (entry === undefined) {
      if (host.joined) this.#world.forgets(node, 'destroyed')
      this.#world.reinstall(node)
      type('node add', (reported) => life.nodes.add(node, reported))
    } else if (this.#knowsNobody(host)) this.#world.forgets(node, 'destroyed: all that it knew were replaced')
    else if (this.#world.isAdmitted(host, life.host.list)) this.#world.startDaemon(node)
    // Its host has forgotten the cluster, and the cluster knows it by the key that it had.
    else if (entry.keys?.some((key) => key !== host.key))
      type('node remove', (reported) => life.nodes.remove(node, reported))
    else if (host.isOn && !host.joined && this.#world.network.connects(life.node, node))
      type('join', (reported) => life.nodes.letIn(host, reported))
  }

  /** It was away while everybody else of its list was replaced: nobody whom it would believe is left to tell it. */
  #knowsNobody({ name, joined, list }: Host): boolean {
    const others = list.nodes.filter((entry) => entry.name !== name)
    return joined && others.length > 0 && !others.some((other) => this.#world.isListed(other.name))
  }

  #type({
    node,
    life,
    command,
    run,
  }: {
    readonly node: NodeName
    readonly life: SimDaemon
    readonly command: string
    readonly run: (reported: (trouble?: string) => void) => void
  }): void {
    const { world } = { world: this.#world }
    world.log(life.node, 'types', `${command} ${node}`)
    this.#typing.add(node)
    world.timeline.after(patienceMs, () => this.#typing.delete(node))
    run((trouble) => {
      world.log(life.node, 'types', `${command} ${node}: ${trouble ?? 'done'}`)
      this.#typing.delete(node)
    })
  }

  /** Somewhere else, where there is quorum. */
  #where(node: NodeName): SimDaemon | undefined {
    const lives = [...this.#world.daemons.values()].filter(
      (life) => life.isAlive && life.node !== node && life.isQuorate() && !life.host.isPaused,
    )
    return this.#world.chance.pick(lives)
  }
}

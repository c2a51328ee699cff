/**
 * What goes wrong, and when: chosen from the seed. Without fencing, faults that only fencing can answer are left out: a host
 * that hangs, an agent that cannot stop, a daemon that stays dead on an isolated node, or begins twice
 * before its probes are done, so that nobody stops what runs there (Systole says so when fencing is disabled).
 */
import type { NodeName } from '../../src/base/index.ts'
import { resourceId } from '../../src/base/index.ts'
import type { Wishes } from './configuration.ts'
import type { SimDisks } from './disks.ts'
import type { AgentFault } from './host.ts'
import { witnessEntry, witnessName } from './node-list.ts'
import type { World } from './world.ts'

interface Fault {
  readonly name: string
  readonly weight: number
  readonly needsFencing?: boolean
  readonly run: () => void
}

export class Faults {
  readonly #world: World
  readonly #only: readonly string[] | undefined
  /** Without fencing: not before this time may the network be cut or a daemon be killed. */
  #quietUntil = 0
  #active = true

  /** `only`: the names of those that happen; undefined: all of them. */
  constructor(world: World, only?: readonly string[]) {
    this.#world = world
    this.#only = only
    const unknown = only?.filter((name) => !this.#all().some((fault) => fault.name === name)) ?? []
    if (unknown.length > 0) throw new Error(`There is no fault of the name ${unknown.join(', ')} in this cluster.`)
  }

  next(until: number): void {
    const { timeline, chance } = this.#world
    if (!this.#active || timeline.now >= until) return
    const fault = this.#pick()
    if (fault !== undefined) {
      this.#world.counts.faults++
      fault.run()
    }
    // Sometimes two things fail at the same moment.
    timeline.after(chance.happens(0.2) ? chance.between(0, 100) : chance.between(300, 5000), () => this.next(until))
  }

  /** The network is whole, devices and agents work, hosts are on, daemons run, failures are forgotten. */
  repair(): void {
    this.#active = false
    const { network, hosts, hostNames } = this.#world
    network.heal()
    network.loss = 0
    network.extraDelayMs = 0
    this.#world.device = 'works'
    this.#world.disks?.repair()
    this.#world.broken.clear()
    for (const node of hostNames) {
      const host = hosts.get(node)
      host?.faults.clear()
      host?.mute.clear()
      host?.resume()
      if (host?.isOn) this.#world.startDaemon(node)
      else this.#world.powerOn(node)
    }
    this.#world.administrator.keepAll()
    this.#startWhatIsDown()
    for (const ms of [1000, 16_000, 40_000]) this.#world.timeline.after(ms, () => this.#world.cleanUp())
  }

  /** Again and again: a fence device that comes late, or a daemon that leaves, may undo it once more. */
  #startWhatIsDown(): void {
    this.#world.timeline.after(15_000, () => {
      for (const node of this.#world.nodeNames) {
        this.#world.powerOn(node)
        this.#world.startDaemon(node)
      }
      this.#startWhatIsDown()
    })
  }

  #pick(): Fault | undefined {
    const { chance, fencing } = this.#world
    const faults = this.#all().filter(
      ({ name, needsFencing }) => (fencing || !needsFencing) && this.#only?.includes(name) !== false,
    )
    let rest = chance.real() * faults.reduce((sum, { weight }) => sum + weight, 0)
    return faults.find(({ weight }) => {
      rest -= weight
      return rest < 0
    })
  }

  #all(): readonly Fault[] {
    return [
      { name: 'power', weight: 3, run: () => this.#losePower() },
      { name: 'daemon', weight: 3, run: () => this.#killDaemon() },
      { name: 'pause', weight: 3, needsFencing: true, run: () => this.#pause(200, 9000) },
      { name: 'short pause', weight: 1, run: () => this.#pause(50, 900) },
      { name: 'partition', weight: 4, run: () => this.#partition() },
      { name: 'link', weight: 2, needsFencing: true, run: () => this.#cutLink() },
      { name: 'loss', weight: 2, run: () => this.#lossyNetwork() },
      { name: 'agent', weight: 4, run: () => this.#breakAgent() },
      { name: 'service', weight: 3, run: () => this.#killService() },
      { name: 'device', weight: 2, needsFencing: true, run: () => this.#breakDevice() },
      { name: 'edit', weight: 5, run: () => this.#edit() },
      { name: 'leave', weight: 1, run: () => this.#leave() },
      // Where it is asked for: for over a minute nothing else comes of it.
      { name: 'mute', weight: this.#only?.includes('mute') ? 3 : 0, needsFencing: true, run: () => this.#mute() },
      { name: 'upgrade', weight: 1, run: () => this.#restartAndCutOff() },
      ...(this.#world.changing ? this.#changesOfNodes() : []),
      ...(this.#world.disks ? this.#diskFaults(this.#world.disks) : []),
      ...(this.#world.witness ? this.#witnessFaults() : []),
      { name: 'blackout', weight: 0.3, run: () => this.#blackout() },
    ]
  }

  #changesOfNodes(): readonly Fault[] {
    return [
      { name: 'node add', weight: 4, run: () => this.#addNode() },
      { name: 'node remove', weight: 4, run: () => this.#removeNode() },
      { name: 'node replace', weight: 2, run: () => this.#replaceNode() },
    ]
  }

  #diskFaults(disks: SimDisks): readonly Fault[] {
    return [
      { name: 'disk', weight: 2, run: () => this.#loseDisk(disks) },
      { name: 'disk access', weight: 3, run: () => this.#loseDisks(disks) },
    ]
  }

  /** For everybody. */
  #loseDisk(disks: SimDisks): void {
    const { chance, timeline } = this.#world
    const disk = chance.pick(disks.paths) ?? '/dev/a'
    this.#log(`${disk} is lost`)
    disks.lost.add(disk)
    timeline.after(chance.between(500, 20_000), () => disks.lost.delete(disk))
  }

  /** For one node. */
  #loseDisks(disks: SimDisks): void {
    const { chance, timeline } = this.#world
    const node = this.#node()
    const how = chance.happens(0.5) ? 'fails' : 'hangs'
    this.#log(`its reading of disks ${how}`, node)
    disks.trouble.set(node, how)
    timeline.after(chance.between(500, 20_000), () => disks.trouble.delete(node))
  }

  #addNode(): void {
    const { chance, machines, nodeNames, administrator } = this.#world
    const node = chance.pick(machines.filter((machine) => !nodeNames.includes(machine)))
    if (node === undefined) return
    this.#log('is wanted as a node', node)
    administrator.add(node)
  }

  #removeNode(): void {
    const { chance, nodeNames, administrator, timeline } = this.#world
    if (nodeNames.length <= 2) return
    const node = this.#node()
    this.#log('is wanted no more', node)
    administrator.remove(node)
    if (chance.happens(0.3))
      timeline.after(chance.between(500, 9000), () => {
        this.#log('is wanted after all', node)
        administrator.regret(node)
      })
  }

  /** Its machine is gone; another takes its name. */
  #replaceNode(): void {
    const { administrator } = this.#world
    const node = this.#node()
    this.#log('is replaced', node)
    this.#world.losePower(node, 'its machine is broken')
    administrator.replace(node)
  }

  #witnessFaults(): readonly Fault[] {
    const { chance, hosts } = this.#world
    return [
      { name: 'witness power', weight: 2, run: () => this.#losePower(witnessName) },
      { name: 'witness pause', weight: 1, run: () => hosts.get(witnessName)?.pause(chance.between(500, 15_000)) },
      { name: 'quorum device', weight: 2, run: () => this.#changeWitness() },
    ]
  }

  /** An administrator takes it out, or adds it again. */
  #changeWitness(): void {
    const life = this.#world.daemons.get(this.#node())
    if (life?.isAlive !== true || !life.isQuorate()) return
    const { witness, ...without } = this.#world.list
    this.#log(witness === undefined ? 'quorum device add' : 'quorum device remove', life.node)
    if (witness === undefined)
      life.ask(
        () => this.#world.changeList((list) => ({ ...list, witness: witnessEntry(false) })),
        () => undefined,
      )
    else life.votes.removeWitness(({ witness: _out, ...list }) => ({ ...list, nodes: without.nodes }))
  }

  #node(): NodeName {
    return this.#world.chance.pick(this.#world.nodeNames) ?? this.#world.nodeNames[0] ?? ('' as NodeName)
  }

  #log(text: string, node = 'all'): void {
    this.#world.log(node, 'fault', text)
  }

  #losePower(node = this.#node()): void {
    this.#world.losePower(node, 'somebody pulled the plug')
    // With fencing the device switches it on again, sometimes before that somebody puts the plug back.
    const { chance, timeline } = this.#world
    timeline.after(chance.between(500, 15_000), () => this.#world.powerOn(node))
  }

  #killDaemon(): void {
    const { chance, timeline, network, fencing } = this.#world
    if (!fencing && (!network.isWhole || timeline.now < this.#quietUntil)) return
    const node = this.#node()
    if (this.#world.daemons.get(node)?.isAlive !== true) return
    this.#quietUntil = timeline.now + 10_000
    this.#world.killDaemon(node)
    const downMs = chance.happens(0.7) ? chance.between(100, 2000) : chance.between(2000, fencing ? 9000 : 4000)
    timeline.after(downMs, () => this.#world.startDaemon(node))
  }

  #pause(low: number, high: number): void {
    const node = this.#node()
    const ms = this.#world.chance.between(low, high)
    this.#log(`stands still for ${Math.round(ms)} ms`, node)
    this.#world.hosts.get(node)?.pause(ms)
  }

  #partition(): void {
    const { chance, hostNames, network, timeline, fencing } = this.#world
    if (!fencing && timeline.now < this.#quietUntil) return
    const side = hostNames.filter(() => chance.happens(0.4))
    const other = hostNames.filter((node) => !side.includes(node))
    if (side.length === 0 || other.length === 0) return
    this.#log(`the network splits: ${side} | ${other}`)
    network.partition([side, other])
    // Longer than the others wait for a watchdog.
    this.#healLater(chance.between(300, this.#world.watchdogs ? 25_000 : 14_000))
  }

  #cutLink(): void {
    const { chance, network, hostNames } = this.#world
    const [a = this.#node(), b = a] = [chance.pick(hostNames), chance.pick(hostNames)]
    if (a === b) return
    this.#log(`the link between ${a} and ${b} is cut`)
    network.cut(a, b)
    this.#healLater(chance.between(500, 14_000))
  }

  #healLater(ms: number): void {
    this.#world.timeline.after(ms, () => {
      this.#log('the network is whole')
      this.#world.network.heal()
    })
  }

  #lossyNetwork(): void {
    const { chance, network, timeline } = this.#world
    network.loss = chance.between(0.02, 0.35)
    network.extraDelayMs = chance.between(0, 80)
    this.#log(`loses ${Math.round(network.loss * 100)} % and delays up to ${Math.round(network.extraDelayMs)} ms`)
    timeline.after(chance.between(1000, 8000), () => {
      network.loss = 0
      network.extraDelayMs = 0
    })
  }

  /** The daemon of a node does not tell what it does with a resource, or those of all nodes do not: a name that none of them can take. */
  #mute(): void {
    const { chance, hosts, nodeNames, services, timeline } = this.#world
    const resource = resourceId(chance.pick(services) ?? 'web')
    const nodes = chance.happens(0.4) ? nodeNames : nodeNames.filter(() => chance.happens(0.4))
    for (const node of nodes) {
      this.#world.log(node, 'fault', `tells nothing of ${resource}`)
      hosts.get(node)?.mute.add(resource)
      // Something to do with it.
      hosts.get(node)?.kill(resource)
    }
    timeline.after(chance.between(1000, 150_000), () => {
      for (const node of nodes) hosts.get(node)?.mute.delete(resource)
    })
  }

  #breakAgent(): void {
    const { chance, hosts, fencing, timeline, services, rich } = this.#world
    const kinds: readonly AgentFault[] = [
      'start-fails',
      'start-fails-but-runs',
      'start-lies',
      'start-hangs',
      'monitor-hangs',
      ...(fencing ? (['stop-fails'] as const) : []),
      ...(rich ? richFaults : []),
      ...(rich && fencing ? (['demote-fails'] as const) : []),
    ]
    const fault = chance.pick(kinds) ?? 'start-fails'
    const resource = resourceId(agentOf(fault) ?? chance.pick(services) ?? 'web')
    const node = this.#node()
    this.#log(`the agent of ${resource}: ${fault}`, node)
    const host = hosts.get(node)
    host?.faults.set(resource, fault)
    timeline.after(chance.between(500, 10_000), () => host?.faults.delete(resource))
  }

  #killService(): void {
    const { chance, hosts, services } = this.#world
    const resource = resourceId(chance.pick(services) ?? 'web')
    for (const [node, host] of hosts) if (host.kill(resource)) this.#log(`${resource} is killed`, node)
  }

  #breakDevice(): void {
    const { chance, timeline } = this.#world
    this.#world.device = chance.happens(0.5) ? 'fails' : 'late'
    this.#log(`the fence device ${this.#world.device}`)
    timeline.after(chance.between(1000, 15_000), () => {
      this.#world.device = 'works'
    })
  }

  #edit(): void {
    const { chance, nodeNames, services } = this.#world
    const service = chance.pick(services) ?? 'web'
    const node = this.#node()
    const change = (wishes: Wishes): Wishes =>
      chance.happens(0.5)
        ? { ...wishes, stopped: toggled(wishes.stopped, service, 2) }
        : { ...wishes, standby: toggled(wishes.standby, node, nodeNames.length - 2) }
    this.#world.edit(this.#node(), (wishes) => {
      const after = change(wishes)
      this.#log(`an administrator: stopped ${after.stopped}; standby ${after.standby}`)
      return after
    })
  }

  #leave(): void {
    const { chance, timeline } = this.#world
    const node = this.#node()
    const daemon = this.#world.daemons.get(node)
    if (daemon?.isAlive !== true) return
    daemon.leave()
    timeline.after(chance.between(6000, 20_000), () => this.#world.startDaemon(node))
  }

  /** While the daemon of a node begins anew, its network goes; then somebody wants it to stop. */
  #restartAndCutOff(): void {
    const { chance, timeline, network, nodeNames, fencing } = this.#world
    if (!fencing && (!network.isWhole || timeline.now < this.#quietUntil)) return
    this.#quietUntil = timeline.now + 25_000
    const node = this.#node()
    this.#world.killDaemon(node)
    timeline.after(chance.between(50, 800), () => this.#world.startDaemon(node))
    timeline.after(chance.between(300, 4000), () => {
      this.#log(`${node} is cut off`)
      network.partition([[node], nodeNames.filter((other) => other !== node)])
      this.#healLater(chance.between(5000, 25_000))
      timeline.after(chance.between(0, 8000), () => this.#world.daemons.get(node)?.leave())
      timeline.after(chance.between(15_000, 25_000), () => this.#world.startDaemon(node))
    })
  }

  #blackout(): void {
    this.#log('everything loses power')
    for (const node of this.#world.hostNames) this.#losePower(node)
  }
}

const richFaults: readonly AgentFault[] = [
  'promote-lies',
  'promote-fails-but-is',
  'migrate-fails',
  'migrate-fails-but-moves',
  'migrate-lies',
  'arrival-fails',
]

/** Whose agent can fail in that way. */
function agentOf(fault: AgentFault): string | undefined {
  if (/^(promote|demote)/.test(fault)) return 'data'
  return /^(migrate|arrival)/.test(fault) ? 'vm' : undefined
}

/** At most so many at once: something must be left to run, and somewhere to run it. */
function toggled(list: readonly string[], item: string, most: number): readonly string[] {
  if (list.includes(item)) return list.filter((other) => other !== item)
  return list.length >= most ? list.slice(1) : [...list, item]
}

/**
 * A made-up cluster for rollouts, driven by a seed: nodes with power, daemons and commands that take time and fail; a DC that writes each step in one
 * transaction, or dies before or after it; an operator who says anything at any time. It checks the invariants of `step.ts` at each write.
 */
import { type NodeName, nodeName, seededRandom } from '../../src/base/index.ts'
import {
  hasEnded,
  isUnderWay,
  type NodeSeen,
  type NodeVersion,
  newRecord,
  type RolloutDefinition,
  type RolloutEffect,
  type RolloutInput,
  type RolloutRecord,
  readRollout,
  resolveNodes,
  rolloutStep,
  rolloutWord,
  type TaskSeen,
  type Word,
  words,
} from '../../src/rollout/index.ts'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface Host {
  readonly name: NodeName
  readonly roles: string
  /** Without a vote: it is fenced where its connection breaks, and so must leave before it boots. */
  readonly isRemote: boolean
  isOn: boolean
  /** The daemon takes part. */
  daemon: boolean
  boot: number
  standby: boolean
  maintenance: boolean
  /** Removed from the cluster, for good. */
  removed: boolean
  /** Which commands have changed it: half of one counts. */
  readonly changed: Set<number>
}

interface Task extends Mutable<TaskSeen> {
  readonly node: NodeName
  readonly argv: readonly string[]
  readonly timeoutMs: number
  boot: number
  endsAt: number
  cancel: boolean
}

export interface Outcome {
  readonly state: string
  readonly ticks: number
  readonly tasks: number
  readonly violations: readonly string[]
}

const tickMs = 1000
const isUndo = (argv: readonly string[]): boolean => argv[0] === 'undo'

export class World {
  readonly #random: () => number
  readonly #hosts: readonly Host[]
  readonly #definition: RolloutDefinition
  readonly #holds = new Set<NodeName>()
  readonly #tasks = new Map<string, Task>()
  readonly #versions = new Map<NodeName, NodeVersion>()
  readonly #versionsBefore: ReadonlyMap<NodeName, NodeVersion>
  readonly #runs = new Map<string, number>()
  readonly violations: string[] = []
  #record: RolloutRecord
  #now = 1_000_000
  #settledAt = 0
  #tick = 0
  /** How soon a node comes back. */
  readonly #returning: number
  #words = 0
  /** How often a command fails, of one. */
  #failing: number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
    const count = 3 + this.#below(4)
    const hasRemote = count > 3 && this.#chance(0.5)
    this.#hosts = Array.from({ length: count }, (_, at) => ({
      name: nodeName(`n${at + 1}`),
      roles: at % 3 === 0 ? 'db' : at % 3 === 1 ? 'web' : '',
      isRemote: hasRemote && at === count - 1,
      isOn: true,
      daemon: true,
      boot: 1,
      standby: false,
      maintenance: false,
      removed: false,
      changed: new Set<number>(),
    }))
    this.#returning = this.#chance(0.5) ? 0.2 : 0.01
    this.#failing = this.#chance(0.3) ? 0 : this.#random() * 0.3
    this.#definition = this.#draw()
    for (const { name } of this.#hosts)
      if (this.#chance(0.7)) this.#versions.set(name, { version: '1', state: 'validated' })
    this.#versionsBefore = new Map(this.#versions)
    const facts = this.#hosts.map(({ name, roles }) => ({
      name,
      attributes: new Map(roles === '' ? [] : [[`${roles}-role`, 'true']]),
    }))
    const { waves, limits } = resolveNodes(this.#definition, facts)
    this.#record = newRecord(
      {
        id: 'r1',
        definition: this.#definition,
        waves,
        limits,
        user: 'root',
        from: nodeName('n1'),
        before: this.#versionsBefore,
      },
      this.#now,
    )
  }

  run(faultTicks = 400, mostTicks = 6000): Outcome {
    while (!hasEnded(this.#record) && this.#tick < mostTicks) {
      if (this.#tick < faultTicks) this.#disturb()
      else this.#calm()
      this.#hostsWork()
      this.#dcWorks()
      this.#now += tickMs
      this.#tick += 1
    }
    this.#checkEnd()
    return { state: this.#record.state, ticks: this.#tick, tasks: this.#tasks.size, violations: this.violations }
  }

  #draw(): RolloutDefinition {
    const command = (name: string, more: object = {}): object => ({
      name,
      run: ['do', name],
      ...(this.#chance(0.8) && { undo: ['undo', name] }),
      timeout: `${2 + this.#below(20)}s`,
      retries: this.#below(3),
      'retry-delay': '2s',
      ...more,
    })
    const some = (stage: string, most: number): readonly object[] =>
      Array.from({ length: this.#below(most + 1) }, (_, at) =>
        command(`${stage}-${at}`, this.#chance(0.15) ? { reboots: true } : {}),
      )
    const read = readRollout({
      rollout: 'made-up',
      version: '2',
      nodes: 'all',
      waves: {
        'max-unavailable': 1 + this.#below(3),
        ...(this.#chance(0.5) && { order: ['db', 'web'] }),
        ...(this.#chance(0.4) && { limits: [{ role: 'db', 'max-unavailable': 1 }] }),
      },
      steps: {
        hold: (['drain', 'standby', 'maintenance', 'none'] as const)[this.#below(4)],
        'hold-timeout': '100s',
        'release-timeout': '100s',
        before: some('before', 1),
        actions: [command('action'), ...some('actions', 2)],
        after: some('after', 1),
        validate: this.#chance(0.6) ? [{ name: 'validate', run: ['do', 'validate'], retries: 1 }] : [],
      },
      'on-failure': (['halt', 'node-back', 'wave-back'] as const)[this.#below(3)],
      ...(this.#chance(0.3) && { window: { from: '00:18', to: '00:30' } }),
      ...(this.#chance(0.3) && { 'confirm-within': '60s' }),
    })
    if (!read.ok) throw new Error(JSON.stringify(read.reports))
    return read.value
  }

  /** Power, daemons, the operator. */
  #disturb(): void {
    for (const host of this.#hosts) {
      if (host.removed) continue
      if (this.#chance(0.004)) this.#powerOff(host)
      else if (!host.isOn && this.#chance(this.#returning)) this.#powerOn(host)
      if (this.#chance(0.01)) host.daemon = false
      else if (host.isOn && !host.daemon && this.#chance(this.#returning)) this.#daemonStarts(host)
      if (this.#chance(0.004)) host.standby = !host.standby
      if (this.#chance(0.002)) host.maintenance = !host.maintenance
    }
    if (this.#chance(0.003)) for (const host of this.#hosts) this.#powerOff(host)
    if (this.#chance(0.001)) this.#remove()
    if (this.#chance(0.005)) this.#releaseByForce()
    if (this.#chance(0.03)) this.#say(this.#chance(0.9) ? 'resume' : (words[this.#below(words.length)] ?? 'pause'))
  }

  /** Everything comes back, and the operator wants an end, one or the other. */
  #calm(): void {
    this.#failing = 0
    for (const host of this.#hosts) {
      if (host.removed) continue
      if (!host.isOn) this.#powerOn(host)
      if (!host.daemon) this.#daemonStarts(host)
      host.standby = false
      host.maintenance = false
    }
    if (this.#tick % 50 !== 0) return
    const { state } = this.#record
    if (state === 'paused' || state === 'halted') this.#say(this.#chance(0.7) ? 'resume' : 'abort')
    if (state === 'unconfirmed' && this.#chance(0.3)) this.#say('confirm')
  }

  #powerOff(host: Host): void {
    if (!host.isOn) return
    host.isOn = false
    host.daemon = false
    this.#unsettle()
  }

  /** One that is off: at most one, so that quorum can be had again. */
  #remove(): void {
    const host = this.#hosts.find(({ isOn }) => !isOn)
    if (host === undefined || this.#hosts.some(({ removed }) => removed)) return
    host.removed = true
    this.#unsettle()
  }

  /** By an operator, where no command may begin at this moment. */
  #releaseByForce(): void {
    const isFree = (name: NodeName): boolean =>
      ![...this.#tasks.values()].some(({ node, state }) => node === name && state === 'ready')
    const [name] = [...this.#holds].filter(isFree)
    if (name !== undefined) this.#holds.delete(name)
    this.#unsettle()
  }

  #powerOn(host: Host): void {
    if (host.removed) return
    host.isOn = true
    host.boot += 1
    if (this.#chance(0.8)) this.#daemonStarts(host)
  }

  #daemonStarts(host: Host): void {
    if (!host.isOn) return
    host.daemon = true
    this.#unsettle()
    for (const task of this.#tasks.values())
      if (task.node === host.name && task.state === 'running' && task.boot !== host.boot) task.state = 'lost'
  }

  #unsettle(): void {
    this.#settledAt = this.#now + this.#below(8) * tickMs
  }

  #say(word: Word): void {
    const heard = rolloutWord(this.#record, { word, by: 'root' }, this.#now)
    if ('refused' in heard) return
    if (word === 'resume' || word === 'abort') this.#words += 1
    this.#write(heard.state, heard.effects)
  }

  /** A command changes its node when it begins; whether it fails is known when it ends. A host that loses power ends it. */
  #hostsWork(): void {
    for (const [id, task] of this.#tasks) {
      const host = this.#host(task.node)
      if (task.state === 'ready' && host.daemon && this.#chance(0.5)) this.#begins(id, task, host)
      else if (host.removed) this.#afterRemoval(task)
      else if (task.state === 'running' && host.isOn && task.boot === host.boot && this.#now >= task.endsAt)
        this.#ends(task, host)
    }
  }

  /** As the DC does with tasks of such a node (cleanTasks). */
  #afterRemoval(task: Task): void {
    if (task.state === 'running') task.state = 'lost'
    else if (task.state === 'ready' && task.cancel) task.state = 'cancelled'
  }

  #begins(id: string, task: Task, host: Host): void {
    const others = [...this.#tasks.values()].filter((one) => one.node === task.node && one.state === 'running')
    if (others.some((one) => one.boot === host.boot)) this.#wrong(`two commands run on ${host.name}`)
    if (this.#definition.hold !== 'none' && !this.#holds.has(host.name)) this.#wrong(`${id} begins without a hold`)
    this.#runs.set(id, (this.#runs.get(id) ?? 0) + 1)
    if ((this.#runs.get(id) ?? 0) > 1) this.#wrong(`${id} runs twice`)
    Object.assign(task, {
      state: 'running',
      began: true,
      boot: host.boot,
      endsAt: this.#now + this.#below(20) * tickMs,
    })
    const at = this.#commandAt(task)
    const same = [...this.#tasks.values()].filter(
      (one) => one.node === task.node && one.argv.join() === task.argv.join(),
    )
    const passes = 2 * (1 + this.#words)
    if (same.length > passes * (1 + (this.#definition.commands[at]?.retries ?? 0)))
      this.#wrong(`${task.argv.join(' ')} is tried too often on ${host.name}`)
    if (!isUndo(task.argv)) host.changed.add(at)
    if (this.#definition.commands[at]?.reboots === true && !isUndo(task.argv) && this.#chance(0.9)) {
      if (host.isRemote !== (task.argv[0] === '/bin/sh')) this.#wrong(`${host.name} boots as another kind of node does`)
      this.#powerOff(host)
      this.#powerOn(host)
    }
  }

  #ends(task: Task, host: Host): void {
    const failed = this.#chance(this.#failing)
    if (task.cancel) Object.assign(task, { state: 'cancelled' })
    else Object.assign(task, { state: 'done', exitCode: failed ? 1 : 0 })
    if (task.state === 'done' && isUndo(task.argv) && !failed) host.changed.delete(this.#commandAt(task))
  }

  #commandAt({ argv }: Task): number {
    return this.#definition.commands.findIndex(({ name }) => name === argv.at(-1))
  }

  #dcWorks(): void {
    for (let round = 0; round < 5; round++) {
      const { state, effects } = rolloutStep(this.#record, this.#input(), this.#now)
      if (state === this.#record) return
      // It dies before the transaction, or right after it.
      if (this.#chance(0.05)) return
      this.#write(state, effects)
      if (this.#chance(0.05)) return
    }
  }

  #input(): RolloutInput {
    const settled = this.#now >= this.#settledAt
    const nodes = new Map<NodeName, NodeSeen>(
      this.#hosts.map((host) => [
        host.name,
        {
          online: host.daemon,
          standby: host.standby,
          maintenance: host.maintenance,
          empty: settled && (this.#holds.has(host.name) || host.standby || !host.daemon),
          ...(host.daemon && { bootId: String(host.boot) }),
          ...(host.isRemote && { isRemote: true as const }),
          votes: host.isRemote ? 0 : 1,
          ...(this.#versions.has(host.name) && { version: this.#versions.get(host.name) as NodeVersion }),
        },
      ]),
    )
    return {
      nodes,
      tasks: this.#tasks,
      removed: new Set(this.#hosts.filter(({ removed }) => removed).map(({ name }) => name)),
      held: this.#holds,
      settled,
      majority: this.#majority(),
      otherVotes: 0,
      roles: new Map([['host', this.#hosts.filter(({ daemon }) => daemon).length]]),
      services: new Map(),
      clock: { day: 1, minutes: Math.floor(this.#now / 60_000) % 60 },
    }
  }

  /** One of two goes on alone when the other has left in order. */
  #majority(): number {
    const count = this.#hosts.filter(({ removed, isRemote }) => !removed && !isRemote).length
    return count === 2 ? 1 : Math.floor(count / 2) + 1
  }

  /** One transaction: all of it, or nothing. */
  #write(next: RolloutRecord, effects: readonly RolloutEffect[]): void {
    const before = this.#record
    this.#checkBegun(before, next)
    this.#record = next
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: RolloutEffect): void {
    switch (effect.kind) {
      case 'put-hold':
        this.#holds.add(effect.node)
        this.#unsettle()
        return
      case 'delete-hold':
        this.#holds.delete(effect.node)
        this.#unsettle()
        return
      case 'put-task':
        if (this.#tasks.has(effect.id)) this.#wrong(`${effect.id} is written twice`)
        this.#tasks.set(effect.id, {
          state: 'ready',
          began: false,
          node: effect.node,
          argv: effect.argv,
          timeoutMs: effect.timeoutMs,
          boot: 0,
          endsAt: 0,
          cancel: false,
        })
        return
      case 'cancel-task': {
        const task = this.#tasks.get(effect.id)
        if (task?.state === 'ready') task.state = 'cancelled'
        else if (task) task.cancel = true
        return
      }
      case 'version':
        this.#versions.set(effect.node, effect.version)
        return
      case 'journal':
        return
    }
  }

  /** Whoever is taken down now keeps every limit, with all that are down for other reasons. */
  #checkBegun(before: RolloutRecord, next: RolloutRecord): void {
    const was = new Set(before.nodes.filter(isUnderWay).map(({ node }) => node))
    const is = next.nodes.filter(isUnderWay).map(({ node }) => node)
    const fresh = is.filter((node) => !was.has(node))
    const down = new Set([
      ...is,
      ...this.#hosts
        .filter(({ daemon, standby, maintenance, removed }) => !removed && (!daemon || standby || maintenance))
        .map((one) => one.name),
    ])
    for (const { label, maxUnavailable, nodes } of next.limits) {
      const count = nodes.filter((node) => down.has(node)).length
      if (fresh.some((node) => nodes.includes(node)) && count > maxUnavailable)
        this.#wrong(`${count} of ${label} are down, and only ${maxUnavailable} may be`)
    }
    for (const node of fresh) {
      if (!this.#host(node).daemon) this.#wrong(`${node} begins while it is offline`)
      const isForward = next.nodes.find((one) => one.node === node)?.goal === 'forward'
      const minutes = Math.floor(this.#now / 60_000) % 60
      if (isForward && this.#definition.window && (minutes < 18 || minutes >= 30))
        this.#wrong(`${node} begins outside the window`)
      const wave = next.nodes.find((one) => one.node === node)?.wave ?? 0
      const isOpen = (one: RolloutRecord['nodes'][number]): boolean =>
        one.phase !== 'done' && !this.#host(one.node).removed
      if (isForward && next.nodes.some((one) => one.wave < wave && isOpen(one)))
        this.#wrong(`${node} begins before an earlier wave is done`)
    }
    const leaves = this.#definition.commands.some(({ reboots }) => reboots)
    const left = this.#hosts.filter(({ name, daemon, isRemote }) => daemon && !isRemote && !is.includes(name)).length
    if (fresh.length > 0 && leaves && left < this.#majority()) this.#wrong('too few are left for quorum')
  }

  #checkEnd(): void {
    const { state } = this.#record
    if (!hasEnded(this.#record)) {
      this.#wrong(`it does not end: ${JSON.stringify(this.#record.nodes)}`)
      return
    }
    if (this.#holds.size > 0) this.#wrong(`holds are left: ${[...this.#holds].join()}`)
    for (const { name, changed, removed } of this.#hosts) {
      if (removed) continue
      const { commands } = this.#definition
      const undone = commands.map((_, at) => at).filter((at) => commands[at]?.undo === undefined || !changed.has(at))
      if (state === 'complete' && commands.some((_, at) => !changed.has(at))) this.#wrong(`${name} lacks a command`)
      if (state === 'aborted' && undone.length < commands.length) this.#wrong(`${name} is not as it was`)
      const version = this.#versions.get(name)
      if (state === 'complete' && version?.version !== '2') this.#wrong(`${name} has no version`)
      const was = this.#versionsBefore.get(name)
      if (state === 'aborted' && version?.version !== was?.version) this.#wrong(`${name} keeps its version`)
    }
    for (const task of this.#tasks.values())
      if (task.state === 'ready' || task.state === 'running') this.#wrong('a command is left')
  }

  #wrong(what: string): void {
    this.violations.push(`tick ${this.#tick}: ${what}`)
  }

  #host(name: NodeName): Host {
    const found = this.#hosts.find((one) => one.name === name)
    if (!found) throw new Error(name)
    return found
  }

  readonly #chance = (of: number): boolean => this.#random() < of
  readonly #below = (end: number): number => Math.floor(this.#random() * end)
}

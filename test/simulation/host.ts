/**
 * A machine: its power, its pauses, and what truly runs on it, whatever anybody believes. Agents act on that truth: a start
 * makes a resource active at once, a stop ends it only when the agent is done, so that the checkers see the worst of both.
 * What agents do outlives the daemon and ends with the power.
 */
import type { NodeName, ResourceId } from '../../src/base/index.ts'
import { type ClusterFile, storeHosts } from '../../src/daemon/node-list/cluster-file.ts'
import type { FencingRecord } from '../../src/fencing/index.ts'
import type { WhyPeerIsOff } from '../../src/quorum/index.ts'
import type { AgentOutcome } from '../../src/resource-agents/index.ts'
import { keyOf } from './node-list.ts'
import type { Chance, Timeline } from './timeline.ts'

export type AgentFault =
  | 'start-fails'
  /** Exits with an error and has started all the same. */
  | 'start-fails-but-runs'
  /** Says that it has started, and nothing runs: the next monitor finds out. */
  | 'start-lies'
  | 'start-hangs'
  | 'stop-fails'
  | 'monitor-hangs'
  /** Says that it is promoted, and is not: the next monitor finds out. */
  | 'promote-lies'
  | 'promote-fails-but-is'
  | 'demote-fails'
  /** Nothing has moved. */
  | 'migrate-fails'
  /** Exits with an error and has moved all the same. */
  | 'migrate-fails-but-moves'
  /** Says that it has moved, and nothing has. */
  | 'migrate-lies'
  /** It has moved, and the other side says that it has not. */
  | 'arrival-fails'

export interface AgentRun {
  readonly resource: ResourceId
  readonly operation: string
  readonly timeoutMs: number
  /** Of a migration: makes it run there instead of here; false where it cannot. */
  readonly moveAway?: () => boolean
}

export type Outcome = Omit<AgentOutcome, 'output'>

interface Running extends AgentRun {
  readonly end: (outcome: Outcome) => void
  ended: boolean
}

export class Host {
  readonly name: NodeName
  isOn = true
  /** When it lost its power last. */
  offSince = 0
  /** Counts the boots: another boot is another machine, as far as what runs is concerned. */
  boot = 1
  /** It had quorum in this boot. */
  met = false
  /** It belongs to the cluster, as it knows: it has a list and a key. */
  joined: boolean
  /** What it is known by: another one each time that it joins. */
  key: string
  /** The list of nodes on its disk. */
  list: ClusterFile
  /** On its disk: the word on which its member has begun as a cluster of one, until the store knows who is off. */
  word: { readonly without: NodeName; readonly word: WhyPeerIsOff } | undefined
  /** On its disk: what it has fenced without a majority, until the store has it. */
  journal: readonly FencingRecord[] = []
  /** Its member of the store has a complete copy. */
  hasData: boolean
  /** Disks of SBD on which this boot has a slot, by their UUIDs; undefined: it has ended that in order. */
  slots: ReadonlySet<string> | undefined
  readonly active = new Set<ResourceId>()
  /** Of these, the promoted ones. */
  readonly promoted = new Set<ResourceId>()
  /** What this boot's daemons have started or found here, and neither stopped nor found stopped: they note it below /run. */
  readonly started = new Set<ResourceId>()
  readonly faults = new Map<ResourceId, AgentFault>()
  /** What its daemons do of these they do not tell. */
  readonly mute = new Set<ResourceId>()
  readonly #timeline: Timeline
  readonly #chance: Chance
  readonly #agents = new Set<Running>()
  #pausedUntil = 0
  #feeding = 0
  #keysMade = 1
  watchdogRuns = false

  constructor(name: NodeName, list: ClusterFile, timeline: Timeline, chance: Chance) {
    this.name = name
    this.list = list
    this.key = keyOf(name, 1)
    this.joined = storeHosts(list).some((host) => host.name === name)
    this.hasData = this.joined
    this.#timeline = timeline
    this.#chance = chance
  }

  get bootId(): string {
    return `${this.name}-${this.boot}`
  }

  /** Its daemon is gone. What runs stays. */
  forget(): void {
    this.joined = false
    this.key = keyOf(this.name, ++this.#keysMade)
    this.hasData = false
    this.met = false
    this.word = undefined
    this.journal = []
  }

  get isPaused(): boolean {
    return this.#timeline.now < this.#pausedUntil
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#timeline.now + ms)
  }

  resume(): void {
    this.#pausedUntil = 0
  }

  powerOff(): void {
    if (this.isOn) this.offSince = this.#timeline.now
    this.isOn = false
    this.boot++
    this.met = false
    this.slots = undefined
    this.active.clear()
    this.promoted.clear()
    this.started.clear()
    this.#stopWatchdog()
    this.#agents.clear()
    this.#pausedUntil = 0
  }

  /** The timer is not the machine's: no pause stops it. A feeding also starts it. */
  feedWatchdog(timeoutMs: number, reset: () => void): void {
    const feeding = ++this.#feeding
    this.watchdogRuns = true
    this.#timeline.after(timeoutMs, () => {
      if (feeding === this.#feeding) reset()
    })
  }

  #stopWatchdog(): void {
    this.#feeding++
    this.watchdogRuns = false
  }

  stopWatchdog(): void {
    this.#stopWatchdog()
  }

  /** In this boot only; while the machine is paused it waits. */
  after(ms: number, run: () => void): void {
    const { boot } = this
    const attempt = () => {
      if (this.boot !== boot || !this.isOn) return
      if (this.isPaused) this.#timeline.after(this.#pausedUntil - this.#timeline.now + 0.1, attempt)
      else run()
    }
    this.#timeline.after(ms, attempt)
  }

  get busyAgents(): readonly AgentRun[] {
    return [...this.#agents]
  }

  /** Calls back once, or never when the power goes first. */
  runAgent(run: AgentRun, end: (outcome: Outcome) => void): { readonly kill: () => void } {
    const agent: Running = { ...run, end, ended: false }
    this.#agents.add(agent)
    const fault = this.faults.get(run.resource)
    const hangs =
      (run.operation === 'start' && fault === 'start-hangs') ||
      (run.operation === 'monitor' && fault === 'monitor-hangs')
    if (run.operation === 'start' && this.#startsIt(fault)) this.active.add(run.resource)
    if (run.operation === 'promote' && this.active.has(run.resource) && fault !== 'promote-lies')
      this.promoted.add(run.resource)
    const takesMs = hangs ? run.timeoutMs : Math.min(run.timeoutMs, this.#durationMs(run.operation))
    this.after(takesMs, () => {
      if (agent.ended) return
      const outcome = hangs ? timedOut : this.#finish(run, fault)
      this.#end(agent, { ...outcome, execTimeMs: Math.round(takesMs) })
    })
    return { kill: () => this.#end(agent, timedOut) }
  }

  #end(agent: Running, outcome: Outcome): void {
    if (agent.ended) return
    agent.ended = true
    this.#agents.delete(agent)
    agent.end(outcome)
  }

  #startsIt(fault: AgentFault | undefined): boolean {
    if (fault === 'start-fails' || fault === 'start-lies') return false
    return fault !== 'start-hangs' || this.#chance.happens(0.5)
  }

  #finish({ resource, operation, moveAway }: AgentRun, fault: AgentFault | undefined): Outcome {
    switch (operation) {
      case 'promote':
        return exit(fault === 'promote-fails-but-is' || !this.active.has(resource) ? 1 : 0)
      case 'demote':
        if (fault === 'demote-fails' && this.promoted.has(resource)) return exit(1)
        this.promoted.delete(resource)
        return exit(this.active.has(resource) ? 0 : 7)
      case 'migrate_to': {
        if (!this.active.has(resource) || fault === 'migrate-fails') return exit(1)
        if (fault === 'migrate-lies') return exit(0)
        const moved = moveAway?.() ?? false
        return exit(moved && fault !== 'migrate-fails-but-moves' ? 0 : 1)
      }
      case 'migrate_from':
        return exit(this.active.has(resource) && fault !== 'arrival-fails' ? 0 : 1)
      case 'start':
        return fault === 'start-fails' || fault === 'start-fails-but-runs' ? exit(1) : exit(0)
      case 'stop':
        if (fault === 'stop-fails' && this.active.has(resource)) return exit(1)
        this.kill(resource)
        return exit(0)
      case 'monitor':
        if (this.promoted.has(resource)) return exit(8)
        return exit(this.active.has(resource) ? 0 : 7)
      default:
        return exit(0)
    }
  }

  /** It ends, whoever knows of it. */
  kill(resource: ResourceId): boolean {
    this.promoted.delete(resource)
    return this.active.delete(resource)
  }

  #durationMs(operation: string): number {
    return operation === 'monitor' ? this.#chance.between(5, 40) : this.#chance.between(20, 400)
  }
}

const exit = (exitCode: number): Outcome => ({ status: 'done', exitCode, execTimeMs: 0 })
const timedOut: Outcome = { status: 'timeout', exitCode: 1, exitReason: 'the agent took too long', execTimeMs: 0 }

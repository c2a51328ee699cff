/**
 * How a play goes on: which steps begin on which nodes, from the play, its tasks, and who is there. The state goes to the store in one transaction with the
 * tasks that begin or are taken back, so that whoever is the DC next goes on from exactly there. What has failed stops what would begin after it;
 * what is under way ends first. A person resumes it, and then only what was not done is done.
 */
import type { NodeName, Step } from '../base/index.ts'
import { isFinished, type TaskRecord } from '../jobs/index.ts'
import { isDone, isOver, type PlayHost, type PlayRecord, type PlayStepRecord } from './play.ts'

/** A life of a node, as tasks name it. */
export interface NodeLife {
  readonly incarnation: number
  readonly bootId?: string
}

export interface PlayWorld {
  readonly tasks: ReadonlyMap<string, TaskRecord>
  /** Of a node that is there. */
  readonly life: (node: NodeName) => NodeLife | undefined
  /** A remote node whose connection is being started. */
  readonly isComing: (node: NodeName) => boolean
  /** The node is one of the cluster: it can come back. */
  readonly isListed: (node: NodeName) => boolean
}

export type PlayEffect =
  | { readonly kind: 'begin'; readonly task: TaskRecord }
  /** To what it becomes, by compare-and-swap. */
  | { readonly kind: 'change'; readonly task: TaskRecord }

/** More than these begin or change with the next step: a transaction has an end. */
const mostAtOnce = 40
/** Of the output of a task that failed, as the record keeps it. */
const mostTail = 2000
/** Of all those together: of a play that fails on many nodes at once, the record must still fit into the store. */
const mostTails = 128 * 1024
/** Of all that QUERY has collected. */
export const mostQueried = 256 * 1024

/** `now`: ISO 8601. */
export function playStep(play: PlayRecord, world: PlayWorld, now: string): Step<PlayRecord, PlayEffect> {
  if (isOver(play)) return { state: play, effects: [] }
  const draft = new Draft(play, world, now)
  draft.learn()
  if (play.state === 'cancelling') draft.cancel()
  else {
    draft.takeBack()
    if (!draft.hasFailed) draft.begin()
  }
  draft.endIfOver()
  return { state: draft.state, effects: draft.effects }
}

/** What an operator says of it. */
export type PlayWord = 'resume' | 'cancel'

export function playWord(play: PlayRecord, word: PlayWord): PlayRecord | string {
  if (word === 'cancel') {
    if (play.state === 'done' || play.state === 'cancelled') return `The play ${play.id} has ended.`
    return play.state === 'halted' ? { ...play, state: 'cancelled' } : { ...play, state: 'cancelling' }
  }
  if (play.state === 'done') return `The play ${play.id} is done: there is nothing to resume.`
  if (play.state === 'active') return play
  if (play.state === 'cancelling') return `The play ${play.id} is being cancelled. Wait until it has ended.`
  const { ended: _, ...open } = play
  return { ...open, state: 'active', steps: play.steps.map(again) }
}

/** What was not done is done again; of a step for one node the same one comes first. */
function again(step: PlayStepRecord): PlayStepRecord {
  if (isDone(step)) return step
  const hosts = step.hosts.map(
    (host): PlayHost => (host.state === 'succeeded' ? host : { node: host.node, state: 'waiting' }),
  )
  const had = step.hosts.findIndex(({ task }) => task !== undefined)
  const first = hosts[had]
  if (!step.once || first === undefined) return { ...step, hosts }
  return { ...step, hosts: [first, ...hosts.filter((host) => host !== first)] }
}

class Draft {
  readonly effects: PlayEffect[] = []
  #play: PlayRecord
  /** Those of the play; a list of its own once something changes: a play has thousands, and the DC looks at it after each change of the store. */
  #steps: readonly PlayStepRecord[]
  #changed: PlayStepRecord[] | undefined
  readonly #done: boolean[]
  readonly #failed = new Set<number>()
  #tails: number
  readonly #world: PlayWorld
  readonly #now: string

  constructor(play: PlayRecord, world: PlayWorld, now: string) {
    this.#play = play
    this.#steps = play.steps
    this.#done = play.steps.map(isDone)
    for (const [at, step] of play.steps.entries()) if (hasFailed(step)) this.#failed.add(at)
    this.#tails = play.steps.reduce(
      (sum, { hosts }) => hosts.reduce((all, { tail = '' }) => all + sizeOf(tail), sum),
      0,
    )
    this.#world = world
    this.#now = now
  }

  get state(): PlayRecord {
    return this.#changed === undefined ? this.#play : { ...this.#play, steps: this.#changed }
  }

  get hasFailed(): boolean {
    return this.#failed.size > 0
  }

  /** What has come of its tasks. */
  learn(): void {
    this.#each((host, step) => {
      if (host.state !== 'started') return host
      const task = this.#taskOf(host)
      if (task === undefined) return this.#ended(host, 'lost', 'the record of its task is gone')
      if (!isFinished(task)) return host
      if (step.reboots && hasBooted(task)) return this.#afterBoot(host, task)
      if (!this.#collect(host, task))
        return this.#ended(afterTask(host, task), 'failed', `QUERY has collected more than ${mostQueried / 1024} KiB`)
      return this.#withinTails(afterTask(host, task))
    })
  }

  /** A task that its node has not claimed is not for whoever comes back later, unless that was asked for. */
  takeBack(): void {
    this.#each((host, step) => {
      const task = this.#taskOf(host)
      if (host.state !== 'started' || task?.state !== 'ready' || this.#mayCome(host.node) || this.#isFull()) return host
      this.#change({ ...task, state: 'cancelled', reason: 'it had not begun', ended: this.#now })
      const { task: _, started: __, ...without } = host
      if (step.once && this.#othersFor(step, host)) return { ...without, state: 'skipped' }
      return this.#ended(without, 'offline', 'the node was lost before it had begun')
    })
  }

  begin(): void {
    for (const [at, step] of this.#steps.entries()) {
      if (this.#isFull() || this.hasFailed) return
      if (this.#done[at] || !step.requires.every((one) => this.#isDoneAt(one))) continue
      if (step.once) this.#beginOnce(at, step)
      else for (const host of step.hosts) if (host.state === 'waiting') this.#beginOn(at, host)
    }
  }

  cancel(): void {
    this.#each((host) => {
      if (host.state === 'waiting') return this.#ended(host, 'cancelled')
      const task = this.#taskOf(host)
      if (host.state !== 'started' || task === undefined || this.#isFull()) return host
      if (task.state === 'ready') {
        this.#change({ ...task, state: 'cancelled', reason: 'it had not begun', ended: this.#now })
        return this.#ended(host, 'cancelled')
      }
      // The reboot of a node cannot be taken back: what is known of it is what counts.
      if (isFinished(task)) return this.#ended(host, 'cancelled')
      if (!task.cancel) this.#change({ ...task, cancel: true })
      return host
    })
  }

  endIfOver(): void {
    const { state } = this.#play
    const steps = this.#steps
    if (steps.some(({ hosts }) => hosts.some((host) => host.state === 'started'))) return
    if (this.#done.every(Boolean)) this.#end('done')
    else if (state === 'cancelling') {
      if (steps.every(({ hosts }) => hosts.every((host) => host.state !== 'waiting'))) this.#end('cancelled')
    } else if (this.hasFailed) this.#end('halted')
  }

  #end(state: PlayRecord['state']): void {
    this.#play = { ...this.#play, state, ended: this.#now }
  }

  #beginOnce(at: number, step: PlayStepRecord): void {
    if (step.hosts.some(({ state }) => state === 'started')) return
    const waiting = step.hosts.filter(({ state }) => state === 'waiting')
    const there = waiting.find(({ node }) => this.#world.life(node) !== undefined)
    if (there !== undefined) this.#beginOn(at, there)
    else if (!waiting.some(({ node }) => this.#mayCome(node))) for (const host of waiting) this.#beginOn(at, host)
  }

  /** A node that is away has failed, or is waited for. */
  #beginOn(at: number, host: PlayHost): void {
    if (this.#isFull()) return
    if (this.#world.life(host.node) === undefined) {
      if (this.#mayCome(host.node)) return
      const why = this.#world.isListed(host.node) ? 'the node was not online' : 'the node was removed from the cluster'
      this.#put(at, this.#ended(host, 'offline', why))
      return
    }
    const task = this.#newTask(at, host.node)
    this.effects.push({ kind: 'begin', task })
    this.#play = { ...this.#play, begun: this.#play.begun + 1 }
    this.#put(at, { node: host.node, state: 'started', task: task.id })
  }

  #newTask(at: number, node: NodeName): TaskRecord {
    const { id, begun, query, force, user } = this.#play
    return {
      id: `${id}.${begun + 1}`,
      node,
      // A node of a version that does not know parts finds no such program, and fails.
      argv: ['systole-components'],
      part: `${id}/${at}`,
      stdin: JSON.stringify({ query, ...(force && { force }) }),
      timeoutMs: this.#steps[at]?.timeoutMs ?? 0,
      notes: true,
      owner: { kind: 'play', name: id, user },
      state: 'ready',
    }
  }

  /** False: there is no room for it, and what follows would miss it. */
  #collect(host: PlayHost, { said }: TaskRecord): boolean {
    if (said === undefined) return true
    const facts = factsIn(said)
    const own = { ...this.#play.query[host.node], ...facts }
    const query = { ...this.#play.query, [host.node]: own }
    if (Buffer.byteLength(JSON.stringify(query)) > mostQueried) return false
    this.#play = { ...this.#play, query }
    return true
  }

  /** After the boot, once the node is back in another one. */
  #afterBoot(host: PlayHost, task: TaskRecord): PlayHost {
    const life = this.#world.life(host.node)
    const isBack =
      life !== undefined &&
      (task.bootId === undefined || life.bootId === undefined
        ? life.incarnation !== task.incarnation
        : life.bootId !== task.bootId)
    if (!isBack) return !this.#isLate(host, task) ? host : this.#ended(host, 'failed', 'the node has not booted')
    return this.#ended({ node: host.node, state: host.state, ...(host.task && { task: host.task }) }, 'succeeded')
  }

  #isLate({ node }: PlayHost, { ended = '', timeoutMs }: TaskRecord): boolean {
    return this.#world.life(node) !== undefined && Date.parse(this.#now) - Date.parse(ended) > timeoutMs
  }

  /** Others of a step for one node can still have their turn. */
  #othersFor({ hosts }: PlayStepRecord, not: PlayHost): boolean {
    return hosts.some(({ node, state }) => node !== not.node && state === 'waiting' && this.#mayCome(node))
  }

  #mayCome(node: NodeName): boolean {
    if (this.#world.life(node) !== undefined || this.#world.isComing(node)) return true
    return this.#play.queue === true && this.#world.isListed(node)
  }

  #isDoneAt(at: number): boolean {
    return this.#done[at] === true
  }

  #isFull(): boolean {
    return this.effects.length >= mostAtOnce
  }

  #change(task: TaskRecord): void {
    this.effects.push({ kind: 'change', task })
  }

  #ended(host: PlayHost, state: PlayHost['state'], reason?: string): PlayHost {
    const { reason: _, ...rest } = host
    return { ...rest, state, ended: this.#now, ...(reason !== undefined && { reason }) }
  }

  #taskOf({ task }: PlayHost): TaskRecord | undefined {
    return task === undefined ? undefined : this.#world.tasks.get(task)
  }

  #each(change: (host: PlayHost, step: PlayStepRecord) => PlayHost): void {
    // One by one: what a host becomes may depend on what another has become.
    for (const [at, { hosts }] of this.#steps.entries())
      for (const host of hosts) {
        const step = this.#steps[at]
        if (step === undefined) continue
        const changed = change(host, step)
        if (changed !== host) this.#put(at, changed)
      }
  }

  #put(at: number, changed: PlayHost): void {
    const step = this.#steps[at]
    if (step === undefined) return
    this.#changed ??= [...this.#steps]
    this.#steps = this.#changed
    const next = { ...step, hosts: step.hosts.map((host) => (host.node === changed.node ? changed : host)) }
    this.#changed[at] = next
    this.#done[at] = isDone(next)
    if (hasFailed(next)) this.#failed.add(at)
    else this.#failed.delete(at)
  }

  /** What has no room any more is left out. */
  #withinTails({ tail, ...host }: PlayHost): PlayHost {
    if (tail === undefined || this.#tails + sizeOf(tail) > mostTails) return host
    this.#tails += sizeOf(tail)
    return { ...host, tail }
  }
}

/** As JSON has it, where a control character is six. */
const sizeOf = (tail: string): number => Buffer.byteLength(JSON.stringify(tail))

const failures: readonly PlayHost['state'][] = ['failed', 'lost', 'offline', 'cancelled']

/** Of a step for one node: nobody has done it, nobody does it, and nobody may begin. */
const hasFailed = (step: PlayStepRecord): boolean =>
  !isDone(step) && step.hosts.some(({ state }) => failures.includes(state))

/** The task ended with the order to boot, or by the boot. */
const hasBooted = ({ state, exitCode }: TaskRecord): boolean => state === 'lost' || exitCode === 0

function afterTask(host: PlayHost, task: TaskRecord): PlayHost {
  const { exitCode, signal, timedOut, reason, started, ended, tail } = task
  const outcome = exitCode === 0 && timedOut === undefined ? 'succeeded' : 'failed'
  const state = task.state === 'lost' || task.state === 'cancelled' ? task.state : outcome
  const why = timedOut ? 'its time limit had passed' : signal === undefined ? reason : `ended by ${signal}`
  return {
    node: host.node,
    state,
    task: task.id,
    ...(exitCode !== undefined && { exitCode }),
    ...(why !== undefined && { reason: why }),
    ...(started !== undefined && { started }),
    ...(ended !== undefined && { ended }),
    ...(state !== 'succeeded' && tail !== undefined && { tail: tail.slice(-mostTail) }),
  }
}

function factsIn(said: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(said)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

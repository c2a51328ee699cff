/**
 * Which nodes of a job begin next, and when it has ended, from the job, its tasks, and who is there. The state goes to the store in one transaction with the
 * tasks that it begins or ends, so that whoever is the DC next goes on from exactly there.
 */
import type { NodeName, Step } from '../base/index.ts'
import { hasEnded, type JobNode, type JobRecord, type TaskLife, taskOf } from './job.ts'
import { isFinished, type TaskRecord } from './task.ts'

export interface JobWorld {
  readonly tasks: ReadonlyMap<string, TaskRecord>
  readonly isUp: (node: NodeName) => boolean
  /** A remote node whose connection is being started: `status` shows it as online already, as Pacemaker does. */
  readonly isComing: (node: NodeName) => boolean
  /** The node is one of the cluster: it can come back. */
  readonly isListed: (node: NodeName) => boolean
  /** Of a node that claims its tasks itself. Nothing where that is not known, or somebody else claims for it. */
  readonly lifeOf: (node: NodeName) => TaskLife | undefined
  /** Whether somebody holds the lock that the job wants. */
  readonly isLocked: boolean
}

export type JobEffect =
  | { readonly kind: 'begin'; readonly task: TaskRecord }
  /** To what it becomes, by compare-and-swap. */
  | { readonly kind: 'change'; readonly task: TaskRecord }
  | { readonly kind: 'lock' }
  | { readonly kind: 'unlock' }

/** More than these begin or change with the next step: a transaction has an end. */
const mostAtOnce = 40
/** Half of what etcd takes: the job itself is in the transaction, too. */
const mostBytes = 4 * 1024 * 1024

function mostTasks({ argv, env, stdin }: JobRecord): number {
  const { length } = new TextEncoder().encode(JSON.stringify([argv, env, stdin]))
  return Math.max(1, Math.min(mostAtOnce, Math.floor(mostBytes / length)))
}

/** `now`: ISO 8601. */
export function jobStep(job: JobRecord, world: JobWorld, now: string): Step<JobRecord, JobEffect> {
  if (job.state === 'done') return { state: job, effects: [] }
  const draft = new Draft(job, world, now)
  draft.learn()
  if (job.state === 'cancelling') draft.cancel()
  else draft.goOn()
  draft.endIfOver()
  return { state: draft.state, effects: draft.effects }
}

class Draft {
  readonly effects: JobEffect[] = []
  #job: JobRecord
  readonly #world: JobWorld
  readonly #now: string
  readonly #most: number

  constructor(job: JobRecord, world: JobWorld, now: string) {
    this.#job = job
    this.#world = world
    this.#now = now
    this.#most = mostTasks(job)
  }

  get state(): JobRecord {
    return this.#job
  }

  /** What has come of its tasks. */
  learn(): void {
    this.#each((node) => {
      if (node.state !== 'started') return node
      const task = this.#taskOf(node)
      if (task === undefined) return this.#ended(node, 'lost', 'the record of its task is gone')
      return isFinished(task) ? afterTask(node, task) : node
    })
  }

  cancel(): void {
    this.#each((node) => {
      if (node.state === 'waiting') return this.#ended(node, 'cancelled')
      const task = this.#taskOf(node)
      if (node.state !== 'started' || task === undefined || this.#isFull()) return node
      if (task.state === 'ready') return this.#withdrawn(node, task, 'cancelled')
      if (!task.cancel) this.effects.push({ kind: 'change', task: { ...task, cancel: true } })
      return node
    })
  }

  goOn(): void {
    this.#giveUpOffline()
    const over = this.#whyOver()
    if (over !== undefined) this.#skip(over)
    const next = this.#next()
    if (next.length > 0 && this.#mayBegin()) for (const node of next) this.#begin(node)
  }

  endIfOver(): void {
    if (!this.#job.nodes.every(hasEnded)) return
    const { holdsLock, ...job } = this.#job
    if (holdsLock) this.effects.push({ kind: 'unlock' })
    this.#job = { ...job, state: 'done', ended: this.#now }
  }

  /** A task that its node has not claimed is not for whoever comes back later, unless that was asked for. */
  #giveUpOffline(): void {
    this.#each((node) => {
      const task = this.#taskOf(node)
      if (node.state !== 'started' || task?.state !== 'ready' || this.#mayCome(node)) return node
      if (this.#isFull()) return node
      return this.#withdrawn(node, task, 'offline')
    })
  }

  /** Those whose turn it is. On the way, nodes that are away lose theirs. */
  #next(): readonly JobNode[] {
    const { nodes, order, limit } = this.#job
    const underWay = nodes.filter(({ state }) => state === 'started').length
    const free = order === 'parallel' ? limit - underWay : underWay > 0 ? 0 : order === 'once' ? 1 : limit
    const next: JobNode[] = []
    for (const node of nodes) {
      if (next.length >= Math.min(free, this.#most - this.effects.length)) break
      if (node.state !== 'waiting') continue
      if (this.#world.isUp(node.node)) next.push(node)
      else if (!this.#mayCome(node)) this.#put(this.#ended(node, 'offline', this.#whyOffline(node)))
    }
    return next
  }

  /** It is there, or is waited for. A node that was removed never comes. */
  #mayCome({ node }: JobNode): boolean {
    return (
      this.#world.isUp(node) || this.#world.isComing(node) || (this.#job.queue === true && this.#world.isListed(node))
    )
  }

  #whyOffline({ node }: JobNode): string {
    return this.#world.isListed(node) ? 'the node was not online' : 'the node was removed from the cluster'
  }

  /** The rest is for the next step, which follows when this one is written. */
  #isFull(): boolean {
    return this.effects.length >= this.#most
  }

  #mayBegin(): boolean {
    const { lock, holdsLock } = this.#job
    if (lock === undefined || holdsLock) return true
    if (this.#world.isLocked) return false
    this.effects.push({ kind: 'lock' })
    this.#job = { ...this.#job, holdsLock: true }
    return true
  }

  #begin(node: JobNode): void {
    const life = this.#mayAssign() ? this.#world.lifeOf(node.node) : undefined
    const task = taskOf(this.#job, node.node, life && { life, now: this.#now })
    this.effects.push({ kind: 'begin', task })
    this.#job = { ...this.#job, begun: this.#job.begun + 1 }
    this.#put({ ...node, state: 'started', task: task.id })
  }

  /** Of these it must be known for certain that they were not begun: another node, or the next life of the same, gets them then. */
  #mayAssign(): boolean {
    return this.#job.order !== 'once' && this.#job.queue !== true
  }

  #whyOver(): string | undefined {
    const { order, maxFail = Number.POSITIVE_INFINITY, nodes } = this.#job
    if (this.#failed() > maxFail) return 'too many other nodes had failed'
    return order === 'once' && nodes.some(hasRun) ? 'it was run on another node' : undefined
  }

  #skip(reason: string): void {
    this.#each((node) => (node.state === 'waiting' ? this.#ended(node, 'skipped', reason) : node))
  }

  #withdrawn(node: JobNode, task: TaskRecord, state: 'cancelled' | 'offline'): JobNode {
    const reason = 'it had not begun'
    this.effects.push({ kind: 'change', task: { ...task, state: 'cancelled', reason, ended: this.#now } })
    const { task: _, ...without } = node
    return this.#ended(without, state, state === 'offline' ? 'the node was lost before it had begun' : undefined)
  }

  #ended(node: JobNode, state: JobNode['state'], reason?: string): JobNode {
    return { ...node, state, ended: this.#now, ...(reason !== undefined && { reason }) }
  }

  #failed(): number {
    return this.#job.nodes.filter(({ state }) => state === 'failed' || state === 'lost').length
  }

  #taskOf({ task }: JobNode): TaskRecord | undefined {
    return task === undefined ? undefined : this.#world.tasks.get(task)
  }

  #each(change: (node: JobNode) => JobNode): void {
    this.#job = { ...this.#job, nodes: this.#job.nodes.map(change) }
  }

  #put(changed: JobNode): void {
    this.#each((node) => (node.node === changed.node ? changed : node))
  }
}

/** It may have begun there: for `once`, no other node may. */
const hasRun = ({ state }: JobNode): boolean => ['succeeded', 'failed', 'lost', 'cancelled'].includes(state)

function afterTask(node: JobNode, task: TaskRecord): JobNode {
  const { exitCode, signal, timedOut, reason, started, ended } = task
  const outcome = exitCode === 0 && timedOut === undefined ? 'succeeded' : 'failed'
  // Its node was away before it had begun: nobody has cancelled it.
  if (task.state === 'cancelled' && task.assigned && !task.cancel)
    return { ...node, state: 'offline', ...(reason !== undefined && { reason }), ...(ended !== undefined && { ended }) }
  return {
    ...node,
    state: task.state === 'lost' || task.state === 'cancelled' ? task.state : outcome,
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(timedOut && { timedOut }),
    ...(reason !== undefined && { reason }),
    ...(started !== undefined && { started }),
    ...(ended !== undefined && { ended }),
  }
}

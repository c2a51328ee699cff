/**
 * On the member that holds the connection to a remote node: follows the tasks of that node, as `taskStep` decides. It asks the remote node how each of them is, claims
 * and records in the store, and does so only as long as it holds the connection: every write compares that. So a remote node says something of its own
 * tasks only, and what it says of one is measured (src/remote/task-calls.ts).
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import type { IsSecret } from '../../cib/index.ts'
import { type TaskAction, type TaskRecord, type TaskTrace, taskStep } from '../../jobs/index.ts'
import {
  CallFailedError,
  fitsRemote,
  LinkEndedError,
  type RemoteLink,
  type TaskAnswer,
  type TaskWork,
} from '../../remote/index.ts'
import { type Comparison, type Entry, isStoreFailure, type Store, unchanged } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { playPartKey, taskKey, tasksPrefix } from '../records/keys.ts'
import { taskForLog } from './job-for-log.ts'
import { type KnownTask, TaskBook } from './task-book.ts'
import { mostRunning, mostStarts } from './task-keeper.ts'

/** A connection to a remote node that this member holds. */
export interface HeldRemote {
  readonly remote: NodeName
  readonly link: Pick<RemoteLink, 'call' | 'ended'>
  /** True in the store as long as this member holds it. */
  readonly owned: Comparison
}

export interface RemoteTaskKeeperPorts {
  readonly log: Log
  readonly store: () => Store
  readonly entry: (key: string) => Entry | undefined
  readonly below: (prefix: string) => readonly Entry[]
  readonly held: () => readonly HeldRemote[]
  readonly quorate: () => boolean
  readonly secretNames: () => IsSecret
}

const longestWaitMs = 20_000
/** Until something is tried again; and a remote node that answers at once what it was to wait for is not asked more often. */
const pauseMs = 500
const cleanEveryMs = 10 * 60_000

export class RemoteTaskKeeper {
  readonly #ports: RemoteTaskKeeperPorts
  readonly #book: TaskBook
  /** By link and id. One that ends is begun again with the next look, where it must be. */
  readonly #followed = new Map<HeldRemote['link'], Map<string, Following>>()
  #cleaning: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: RemoteTaskKeeperPorts) {
    this.#ports = ports
    this.#book = new TaskBook(ports.below)
  }

  /** After every change of the store, and when a connection was made. */
  look(): void {
    const held = this.#closed ? [] : this.#ports.held()
    for (const link of this.#followed.keys()) if (link.ended) this.#followed.delete(link)
    if (held.length === 0) return
    const names = new Set(held.map(({ remote }) => remote))
    const unfinished = this.#book.unfinished((node) => names.has(node))
    for (const one of held) this.#lookAt(one, unfinished)
    this.#cleaning ??= setTimeout(() => this.#clean(), cleanEveryMs).unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#cleaning)
    for (const followed of this.#followed.values()) for (const following of followed.values()) following.wake()
  }

  #lookAt(held: HeldRemote, unfinished: readonly KnownTask[]): void {
    const isNew = !this.#followed.has(held.link)
    const followed = this.#followed.get(held.link) ?? new Map<string, Following>()
    this.#followed.set(held.link, followed)
    if (isNew) void this.#dropOld(held)
    for (const { entry, task } of unfinished) {
      if (task.node !== held.remote) continue
      const following = followed.get(task.id)
      if (following) following.see(entry.modRevision)
      else if (followed.size < mostRunning) this.#follow(held, followed, task.id)
    }
  }

  #follow(held: HeldRemote, followed: Map<string, Following>, id: string): void {
    const following = new Following(this.#ports, held, id, () => this.#closed)
    followed.set(id, following)
    following
      .run()
      .catch((error: unknown) => {
        if (!(error instanceof LinkEndedError)) throw error
      })
      .finally(() => {
        followed.delete(id)
        this.look()
      })
  }

  #clean(): void {
    this.#cleaning = undefined
    for (const held of this.#ports.held()) void this.#dropOld(held)
    this.look()
  }

  /** Folders there of tasks that the store, asked after them, does not know any more. */
  async #dropOld({ link, remote }: HeldRemote): Promise<void> {
    const { log, store } = this.#ports
    try {
      const { ids } = await link.call('tasks', { drop: [] })
      if (ids.length === 0) return
      const { entries } = await store().list(tasksPrefix)
      const known = new Set(entries.map(({ key }) => key))
      const drop = ids.filter((id) => !known.has(taskKey(id)))
      if (drop.length > 0) await link.call('tasks', { drop })
    } catch (error) {
      if (!(error instanceof LinkEndedError || error instanceof CallFailedError || isStoreFailure(error))) throw error
      log.info('folders of old tasks could not be removed yet', { remote, error })
    }
  }
}

/** One task on its remote node, over one connection. */
class Following {
  readonly #ports: RemoteTaskKeeperPorts
  readonly #held: HeldRemote
  readonly #id: string
  readonly #isClosed: () => boolean
  #seen = 0
  #wake: () => void = () => undefined
  #starts = 0

  constructor(ports: RemoteTaskKeeperPorts, held: HeldRemote, id: string, isClosed: () => boolean) {
    this.#ports = ports
    this.#held = held
    this.#id = id
    this.#isClosed = isClosed
  }

  see(revision: number): void {
    if (revision > this.#seen) this.wake()
  }

  wake(): void {
    this.#wake()
  }

  async run(): Promise<void> {
    let answer: TaskAnswer | undefined
    for (;;) {
      const known = this.#known()
      if (known === undefined || this.#isClosed()) return
      this.#seen = Math.max(this.#seen, known.entry.modRevision)
      try {
        answer = answer === undefined ? await this.#ask({}) : await this.#act(known, answer)
      } catch (error) {
        if (!(error instanceof CallFailedError)) throw error
        answer = await this.#failed(known, error)
      }
    }
  }

  /** The record, where it is one of this node that has not ended. */
  #known(): KnownTask | undefined {
    const entry = this.#ports.entry(taskKey(this.#id))
    if (entry === undefined) return undefined
    const book = new TaskBook(() => [entry])
    return book.unfinished((node) => node === this.#held.remote)[0]
  }

  async #act(known: KnownTask, { trace, ...life }: TaskAnswer): Promise<TaskAnswer | undefined> {
    const { task } = known
    const now = new Date()
    const self = { node: this.#held.remote, ...life }
    const action = taskStep(task, { self, trace: believed(trace, now) }, now.toISOString())
    switch (action.kind) {
      case 'record':
        // It was claimed. Otherwise it has ended, or another one has changed it: then it is asked for again.
        return (await this.#record(known, action)) && action.record.state === 'running' ? { trace, ...life } : undefined
      case 'start':
        return await this.#start(known)
      case 'stop':
        return await this.#wait({ cancel: true })
      case 'none':
        return await this.#wait({})
    }
  }

  async #start({ entry, task }: KnownTask): Promise<TaskAnswer | undefined> {
    if (++this.#starts > mostStarts)
      return await this.#end({ entry, task }, `it could not be started on this node: the log of ${task.node} says why`)
    const part = task.part === undefined ? undefined : this.#ports.entry(playPartKey(task.part))
    if (task.part !== undefined && part === undefined)
      return await this.#end({ entry, task }, 'what it was to do is not in the store')
    const begin = workOf(task, part)
    const request = { id: task.id, begin, ...(task.cancel && { cancel: task.cancel }), waitMs: 0 }
    if (!fitsRemote('task', request)) return await this.#end({ entry, task }, 'it is longer than a remote node takes')
    return await this.#held.link.call('task', request)
  }

  async #ask(more: { readonly cancel?: true; readonly waitMs?: number }): Promise<TaskAnswer> {
    return await this.#held.link.call('task', { id: this.#id, waitMs: 0, ...more })
  }

  /** Until it does not run any more, or its record was changed. */
  async #wait(more: { readonly cancel?: true }): Promise<TaskAnswer | undefined> {
    const begun = performance.now()
    const changed = new Promise<undefined>((resolve) => {
      this.#wake = () => resolve(undefined)
    })
    const answer = await Promise.race([this.#ask({ ...more, waitMs: longestWaitMs }), changed])
    const isEarly = answer?.trace.kind === 'alive' && performance.now() - begun < longestWaitMs - pauseMs
    if (isEarly) await Promise.race([changed, delay(pauseMs, undefined, { ref: false })])
    return answer
  }

  async #failed(known: KnownTask, error: Error): Promise<TaskAnswer | undefined> {
    const { log } = this.#ports
    const { task } = known
    // In the words of versions that know no tasks.
    if (/does not (know|support) 'task'/.test(error.message)) {
      const reason = `the version of Systole on ${task.node} runs no tasks: upgrade it`
      return await this.#end(known, reason, task.state === 'running' ? 'lost' : 'done')
    }
    log.warn('a task could not be followed on a remote node', { task: task.id, remote: task.node, error })
    await delay(pauseMs, undefined, { ref: false })
    return undefined
  }

  async #end(known: KnownTask, reason: string, state: 'done' | 'lost' = 'done'): Promise<undefined> {
    const ended = new Date().toISOString()
    const outcome = state === 'done' ? { exitCode: 126 } : {}
    await this.#record(known, { kind: 'record', record: { ...known.task, state, ...outcome, ended, reason } })
    return undefined
  }

  /**
   * By compare-and-swap, as long as this member holds the connection. Whether it is what the view shows by now; what fails is tried again with what is known
   * then.
   */
  async #record({ entry }: KnownTask, { record }: TaskAction & { readonly kind: 'record' }): Promise<boolean> {
    const { log, store, quorate, secretNames } = this.#ports
    try {
      const { applied, revision } = quorate()
        ? await store().transaction({
            compare: [unchanged(entry.key, entry), this.#held.owned],
            writes: [{ kind: 'put', key: entry.key, value: toBytes(record) }],
          })
        : { applied: false, revision: 0 }
      if (applied) {
        log.info('a task has changed', { ...taskForLog(record, secretNames()), remote: record.node })
        this.#seen = revision
        return await this.#isShown(revision)
      }
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      log.warn('the state of a task could not be recorded yet', { task: record.id, state: record.state, error })
    }
    await delay(pauseMs, undefined, { ref: false })
    return false
  }

  /** Once the view shows what was written: false where that does not come, or another one has changed it since. */
  async #isShown(revision: number): Promise<boolean> {
    const now = (): number => this.#ports.entry(taskKey(this.#id))?.modRevision ?? Number.POSITIVE_INFINITY
    const until = performance.now() + longestWaitMs
    while (now() < revision && !this.#isClosed() && performance.now() < until) await delay(2, undefined, { ref: false })
    return now() === revision
  }
}

function workOf(task: TaskRecord, part: Entry | undefined): TaskWork {
  const { argv, env, stdin, timeoutMs, maxOutput, notes, owner } = task
  return {
    argv,
    ...(env !== undefined && { env }),
    ...(stdin !== undefined && { stdin }),
    timeoutMs,
    ...(maxOutput !== undefined && { maxOutput }),
    ...(notes && { notes }),
    owner: { kind: owner.kind, name: owner.name },
    ...(part !== undefined && { components: JSON.stringify(fromBytes(part.value)) }),
  }
}

/** Old tasks are deleted by the time of their end: no remote node has them stay for ever by a time of its own. */
function believed(trace: TaskTrace, now: Date): TaskTrace {
  if (trace.kind !== 'ended') return trace
  const { result } = trace
  const past = (moment: string): string => (Date.parse(moment) > now.getTime() ? now.toISOString() : moment)
  return { kind: 'ended', result: { ...result, started: past(result.started), ended: past(result.ended) } }
}

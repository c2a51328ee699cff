/** On every node: claims the tasks that are ready for it, starts their runners, watches them, and records what came of them. What is done when is decided by `taskStep`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { IsSecret } from '../../cib/index.ts'
import { isTaskId, type TaskRecord, type TaskSelf, taskStep } from '../../jobs/index.ts'
import { type Entry, isStoreFailure, type Revision, type Store, unchanged } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { playPartKey, taskKey, tasksPrefix } from '../records/keys.ts'
import { taskForLog } from './job-for-log.ts'
import type { TaskRunners } from './start-runner.ts'
import { type KnownTask, TaskBook } from './task-book.ts'
import { endLeftCommand, folders, hasBegun, stopTask, traceOf, writeCancel, writeOrder } from './task-files.ts'
import { orderOf } from './task-order.ts'

export interface TaskKeeperPorts {
  readonly log: Log
  readonly store: () => Store
  readonly entry: (key: string) => Entry | undefined
  readonly below: (prefix: string) => readonly Entry[]
  readonly self: TaskSelf
  /** Of all tasks. */
  readonly folder: string
  /** Instead of the command of a task of a play. */
  readonly componentsCommand: (task: TaskRecord, components: unknown) => Pick<TaskRecord, 'argv' | 'stdin'>
  /** This node may change the store. */
  readonly quorate: () => boolean
  readonly startRunner: TaskRunners['start']
  /** A task is about to be claimed, which will need a runner. */
  readonly warmRunner: () => void
  /** What the log hides in commands. */
  readonly secretNames: () => IsSecret
}

/** Of runners that a former daemon started, and of what failed. */
const lookAgainMs = 200
/** Runners that ended before they began: something on this node keeps them from it. */
export const mostStarts = 3
/** Folders of tasks that are no more are looked for that often. */
const cleanEveryMs = 10 * 60_000
/** At the same time. The others wait for their turn. */
export const mostRunning = 64

export class TaskKeeper {
  readonly #ports: TaskKeeperPorts
  readonly #book: TaskBook
  /** Until its outcome is known: undefined; then the revision that it has made, which the view may not show yet. */
  readonly #written = new Map<string, Revision | undefined>()
  /** Tasks whose runners have not ended with them. */
  readonly #runners = new Set<string>()
  readonly #starts = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #cleaning: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: TaskKeeperPorts) {
    this.#ports = ports
    this.#book = new TaskBook(ports.below)
  }

  /** After every change of the store, and when a runner has ended. */
  look(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#cleaning ??= setTimeout(() => this.#clean(), 0)
    const own = this.#own()
    let running = own.filter(({ task }) => task.state === 'running').length
    for (const known of own) {
      if (known.task.state === 'ready' && !known.task.cancel && running++ >= mostRunning) continue
      this.#lookAt(known)
    }
    const mustWatch = own.some(({ task }) => task.state === 'running' && !this.#runners.has(task.id))
    if (mustWatch) this.#timer = setTimeout(() => this.look(), lookAgainMs)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#cleaning)
  }

  #own(): readonly KnownTask[] {
    const own = this.#book.unfinished((node) => node === this.#ports.self.node)
    for (const id of [...this.#written.keys(), ...this.#starts.keys()])
      if (!this.#book.has(id)) {
        this.#written.delete(id)
        this.#starts.delete(id)
      }
    return own
  }

  #lookAt({ entry, task }: KnownTask): void {
    const { self, log } = this.#ports
    const written = this.#written.get(task.id)
    if (this.#written.has(task.id) && (written === undefined || entry.modRevision < written)) return
    const folder = this.#folderOf(task.id)
    const trace = traceOf(folder, this.#runners.has(task.id))
    const action = taskStep(task, { self, trace }, new Date().toISOString())
    switch (action.kind) {
      case 'record':
        if (trace.kind === 'gone') endLeftCommand(folder)
        if (action.record.state === 'running') this.#ports.warmRunner()
        this.#record(entry, action.record)
        break
      case 'start':
        // Of those that were not held up before they were claimed: the end of another one looks again.
        if (this.#runners.size < mostRunning) this.#start(entry, task)
        break
      case 'stop':
        try {
          stopTask(folder)
        } catch (error) {
          log.warn('a task could not be cancelled yet', { task: task.id, error })
        }
        break
      case 'none':
    }
  }

  #record(entry: Entry, record: TaskRecord): void {
    const { log, store, quorate } = this.#ports
    const { id, state } = record
    if (!quorate()) return
    this.#written.set(id, undefined)
    store()
      .transaction({
        compare: [unchanged(entry.key, entry)],
        writes: [{ kind: 'put', key: entry.key, value: toBytes(record) }],
      })
      .then(({ applied, revision }) => {
        if (!applied) {
          this.#again(id)
          return
        }
        this.#written.set(id, revision)
        log.info('a task has changed', taskForLog(record, this.#ports.secretNames()))
        // What came meanwhile was left.
        this.look()
      })
      .catch((error: unknown) => {
        if (!isStoreFailure(error)) throw error
        log.warn('the state of a task could not be recorded yet', { task: id, state, error })
        this.#again(id)
      })
  }

  #again(id: string): void {
    this.#written.delete(id)
    this.#lookSoon()
  }

  #start(entry: Entry, task: TaskRecord): void {
    const { startRunner, log } = this.#ports
    const { id } = task
    const folder = this.#folderOf(id)
    const starts = (this.#starts.get(id) ?? 0) + 1
    if (starts > mostStarts) {
      const reason = 'it could not be started on this node: its log says why'
      this.#record(entry, { ...task, state: 'done', exitCode: 126, ended: new Date().toISOString(), reason })
      return
    }
    this.#starts.set(id, starts)
    const part = task.part === undefined ? undefined : this.#ports.entry(playPartKey(task.part))
    if (task.part !== undefined && part === undefined) {
      const reason = 'what it was to do is not in the store'
      this.#record(entry, { ...task, state: 'done', exitCode: 126, ended: new Date().toISOString(), reason })
      return
    }
    const meant = part === undefined ? task : { ...task, ...this.#ports.componentsCommand(task, fromBytes(part.value)) }
    try {
      writeOrder(folder, orderOf(meant, this.#ports.self.node))
      if (task.cancel) writeCancel(folder)
      this.#runners.add(id)
      startRunner(folder, (error) => {
        if (error !== undefined) log.warn('the runner of a task failed', { task: id, error })
        this.#ended(id)
      })
    } catch (error) {
      // What the system refuses it may allow a moment later; anything else is a bug.
      if (!(error instanceof Error && 'code' in error)) throw error
      this.#runners.delete(id)
      log.warn('a task could not be started', { task: id, starts, error })
      this.#lookSoon()
    }
  }

  #ended(id: string): void {
    this.#runners.delete(id)
    if (this.#closed) return
    if (hasBegun(this.#folderOf(id))) this.look()
    else this.#lookSoon()
  }

  /** Folders of tasks that the store, asked itself, does not know any more. */
  async #removeOld(): Promise<void> {
    const { folder, store } = this.#ports
    const present = folders(folder).filter(isTaskId)
    if (present.length === 0) return
    const { entries } = await store().list(tasksPrefix)
    const known = new Set(entries.map(({ key }) => key))
    for (const id of present)
      if (!known.has(taskKey(id)) && traceOf(this.#folderOf(id), this.#runners.has(id)).kind !== 'alive')
        rmSync(this.#folderOf(id), { recursive: true, force: true })
  }

  #clean(): void {
    this.#removeOld()
      .catch((error: unknown) => this.#ports.log.info('folders of old tasks could not be removed yet', { error }))
      .finally(() => {
        if (!this.#closed) this.#cleaning = setTimeout(() => this.#clean(), cleanEveryMs)
      })
  }

  #lookSoon(): void {
    clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = setTimeout(() => this.look(), lookAgainMs)
  }

  #folderOf(id: string): string {
    return join(this.#ports.folder, id)
  }
}

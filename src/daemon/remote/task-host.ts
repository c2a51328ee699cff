/**
 * A remote node's part in tasks: begins what the member that holds its connection asks for, once, and answers how it is. It claims nothing and records
 * nothing: that the member does (jobs/remote-task-keeper.ts). Of other nodes' tasks it never hears.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import { isTaskId, type TaskTrace } from '../../jobs/index.ts'
import {
  type CallHandlers,
  isTaskAnswer,
  mostTaskFolders,
  type TaskAnswer,
  type TaskCalls,
  type TaskWork,
} from '../../remote/index.ts'
import { RefusedError } from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import { readOutput } from '../jobs/read-output.ts'
import type { TaskRunners } from '../jobs/start-runner.ts'
import { endLeftCommand, folders, stopTask, traceOf, writeCancel, writeOrder } from '../jobs/task-files.ts'
import { orderOf } from '../jobs/task-order.ts'
import { writeFilePart } from '../jobs/write-file.ts'

export interface TaskHostPorts {
  readonly log: Log
  readonly node: NodeName
  readonly incarnation: number
  readonly bootId: string
  /** Of all tasks. */
  readonly folder: string
  readonly componentsCommand: (
    task: Pick<TaskWork, 'stdin'> & { readonly owner: { readonly name: string } },
    components: unknown,
  ) => { readonly argv: readonly string[]; readonly stdin?: string }
  readonly startRunner: TaskRunners['start']
  readonly warmRunner: () => void
}

/** Of a runner that a former daemon started. */
const lookAgainMs = 200

export class TaskHost implements CallHandlers<TaskCalls> {
  readonly #ports: TaskHostPorts
  /** With what is to be done when one has ended. */
  readonly #runners = new Map<string, Promise<void>>()
  readonly #closed = new AbortController()

  constructor(ports: TaskHostPorts) {
    this.#ports = ports
  }

  get bootId(): string {
    return this.#ports.bootId
  }

  close(): void {
    this.#closed.abort()
  }

  readonly task = async ({ id, begin, cancel, waitMs }: TaskCalls['task']['request']): Promise<TaskAnswer> => {
    const folder = this.#folderOf(id)
    const isNew = this.#traceOf(id).kind === 'nothing'
    // It is about to be claimed.
    if (isNew && begin === undefined && !cancel) this.#ports.warmRunner()
    if (isNew && begin !== undefined) this.#begin(id, begin, cancel)
    else if (!isNew && cancel) stopTask(folder)
    const trace = await this.#until(id, waitMs)
    // Nobody looks after its time limit any more.
    if (trace.kind === 'gone') endLeftCommand(folder)
    const { incarnation, bootId } = this.#ports
    const answer = { trace, incarnation, bootId }
    if (isTaskAnswer(answer)) return answer
    this.#ports.log.warn('the result of a task is none that can be recorded', { task: id })
    return { trace: { kind: 'gone' }, incarnation, bootId }
  }

  readonly readTask = async ({
    id,
    offset,
    waitMs,
  }: TaskCalls['readTask']['request']): Promise<TaskCalls['readTask']['answer']> => {
    const { data, ended } = await readOutput(this.#folderOf(id), { offset, waitMs, signal: this.#closed.signal })
    return { data, ended }
  }

  readonly tasks = async ({ drop }: TaskCalls['tasks']['request']): Promise<TaskCalls['tasks']['answer']> => {
    for (const id of drop)
      if (this.#traceOf(id).kind !== 'alive') rmSync(this.#folderOf(id), { recursive: true, force: true })
    return { ids: folders(this.#ports.folder).filter(isTaskId).slice(0, mostTaskFolders) }
  }

  readonly writeFile = async (part: TaskCalls['writeFile']['request']): Promise<TaskCalls['writeFile']['answer']> => {
    try {
      const { outcome } = await writeFilePart(part)
      if (outcome === 'ended')
        this.#ports.log.info('a file was copied here by a job', { path: part.path, sha256: part.sha256 })
      return { outcome }
    } catch (error) {
      if (error instanceof RefusedError) return { refused: error.message.slice(0, 1000) }
      throw error
    }
  }

  #begin(id: string, work: TaskWork, cancel: true | undefined): void {
    const { node, log, startRunner, componentsCommand } = this.#ports
    const { components, ...task } = work
    const meant = components === undefined ? task : { ...task, ...componentsCommand(task, JSON.parse(components)) }
    const folder = this.#folderOf(id)
    writeOrder(folder, orderOf({ ...meant, id }, node))
    if (cancel) writeCancel(folder)
    log.info('a task begins', { task: id, owner: `${work.owner.kind} ${work.owner.name}` })
    const ended = new Promise<void>((resolve) => {
      startRunner(folder, (error) => {
        if (error !== undefined) log.warn('the runner of a task failed', { task: id, error })
        resolve()
      })
    })
    this.#runners.set(
      id,
      ended.then(() => void this.#runners.delete(id)),
    )
  }

  /** How it is, once it does not run any more or the time is over. */
  async #until(id: string, waitMs: number): Promise<TaskTrace> {
    const until = performance.now() + waitMs
    for (;;) {
      const trace = this.#traceOf(id)
      const left = until - performance.now()
      if (trace.kind !== 'alive' || left <= 0 || this.#closed.signal.aborted) return trace
      const over = new AbortController()
      const own = this.#runners.get(id)
      const pause = delay(own === undefined ? Math.min(left, lookAgainMs) : left, undefined, {
        signal: AbortSignal.any([over.signal, this.#closed.signal]),
        ref: false,
      }).catch(() => undefined)
      await (own === undefined ? pause : Promise.race([own, pause]))
      over.abort()
    }
  }

  #traceOf(id: string): TaskTrace {
    return traceOf(this.#folderOf(id), this.#runners.has(id))
  }

  #folderOf(id: string): string {
    return join(this.#ports.folder, id)
  }
}

/**
 * What tasks here do not outlive: a boot, and where the kernel's boot says little, as in a container that is made anew with everything in it, its folder of
 * run-time files.
 */
export function taskLife(run: string, bootId: string | undefined): string {
  const path = join(run, 'tasks-life')
  const known = readIfThere(path)?.trim()
  const life = known !== undefined && /^[0-9a-f]{16}$/.test(known) ? known : randomBytes(8).toString('hex')
  if (life !== known) writeWhole(path, `${life}\n`)
  return `${bootId ?? 'unknown'}.${life}`
}

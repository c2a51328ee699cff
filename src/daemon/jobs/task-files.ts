/**
 * The folder of a task on its node, below `tasks/` of the data folder, for root only:
 * `task.json`, what is to be run; `begun`, which process runs it, made once; `cancel`, when it is to end; `output`, bounded; `result.json`;
 * `settled`, once the cluster was started on the node after the command was lost (left-stopped.ts).
 */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskResult, TaskTrace } from '../../jobs/index.ts'
import { processStart, signalGroup } from '../../resource-agents/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'

/** What the runner needs to know. */
export interface TaskOrder {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeoutMs: number
  readonly maxOutput: number
  /** It says on its descriptor 3 how each of its commands has ended. */
  readonly notes?: true
}

const ownOnly = 0o600

export const tasksFolder = (data: string): string => join(data, 'tasks')
export const outputFile = (folder: string): string => join(folder, 'output')
const orderFile = (folder: string): string => join(folder, 'task.json')
const begunFile = (folder: string): string => join(folder, 'begun')
const cancelFile = (folder: string): string => join(folder, 'cancel')
const groupFile = (folder: string): string => join(folder, 'group')
const settledFile = (folder: string): string => join(folder, 'settled')
const resultFile = (folder: string): string => join(folder, 'result.json')

export function writeOrder(folder: string, order: TaskOrder): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeWhole(orderFile(folder), JSON.stringify(order), ownOnly)
}

export const readOrder = (folder: string): TaskOrder => JSON.parse(readFileSync(orderFile(folder), 'utf8')) as TaskOrder

/** This process is the one that runs the task; false where another one was. */
export function begin(folder: string): boolean {
  const own = `${begunFile(folder)}.${process.pid}`
  writeFileSync(own, processNote(process.pid), { mode: ownOnly })
  try {
    // Whole, and by one process only.
    linkSync(own, begunFile(folder))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

/** Nothing where the file is not whole. */
export function argvOf(folder: string): readonly string[] {
  const { argv } = parsed(readIfThere(orderFile(folder))) as Partial<TaskOrder>
  return Array.isArray(argv) ? argv : []
}

export const hasBegun = (folder: string): boolean => existsSync(begunFile(folder))

export const writeCancel = (folder: string): void => writeFileSync(cancelFile(folder), '', { mode: ownOnly })
export const isCancelled = (folder: string): boolean => existsSync(cancelFile(folder))

export const writeResult = (folder: string, result: TaskResult): void =>
  writeWhole(resultFile(folder), JSON.stringify(result), ownOnly)

/** `isComing`: a runner that this daemon started has not ended yet. */
export function traceOf(folder: string, isComing: boolean): TaskTrace {
  // Before the result is looked for: whoever is gone then has written it, or never will.
  const isAlive = runnerOf(folder) !== undefined
  const result = readResult(folder)
  if (result !== undefined) return { kind: 'ended', result }
  if (isAlive || isComing) return { kind: 'alive' }
  return { kind: hasBegun(folder) ? 'gone' : 'nothing' }
}

/** The runner, or the command that it left. */
export const isRunning = (folder: string): boolean =>
  runnerOf(folder) !== undefined || living(groupFile(folder)) !== undefined

export const isSettled = (folder: string): boolean => existsSync(settledFile(folder))
export const settle = (folder: string): void => writeFileSync(settledFile(folder), '', { mode: ownOnly })

/** The process that runs the task, while it lives. */
export const runnerOf = (folder: string): number | undefined => living(begunFile(folder))

export const noteGroup = (folder: string, leader: number): void =>
  writeFileSync(groupFile(folder), processNote(leader), { mode: ownOnly })

/** The command of a runner that was killed: nobody looks after its time limit any more. */
export function endLeftCommand(folder: string): void {
  const leader = living(groupFile(folder))
  if (leader !== undefined) signalGroup(leader, 'SIGKILL')
}

const processNote = (pid: number): string => JSON.stringify({ pid, start: processStart(pid) })

function living(file: string): number | undefined {
  const { pid, start } = parsed(readIfThere(file)) as { readonly pid?: number; readonly start?: string }
  return pid !== undefined && start !== undefined && processStart(pid) === start ? pid : undefined
}

export function readResult(folder: string): TaskResult | undefined {
  const { started, ended, ...more } = parsed(readIfThere(resultFile(folder))) as Partial<TaskResult>
  return started === undefined || ended === undefined ? undefined : { started, ended, ...more }
}

/** A file that a power cut tore is none. */
function parsed(text: string | undefined): object {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

export function folders(all: string): readonly string[] {
  return existsSync(all) ? readdirSync(all) : []
}

/** The file first: a runner that has not begun looks for it. */
export function stopTask(folder: string): void {
  writeCancel(folder)
  const runner = runnerOf(folder)
  if (runner === undefined) return
  try {
    process.kill(runner, 'SIGTERM')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/**
 * The runner of a task, a process of its own that no daemon's end ends: runs the command in the folder that its argument names, and writes what
 * came of it there. Without an argument it was started before there was a task for it (start-runner.ts): it reads the names of folders, each with a NUL behind it, runs
 * one after another, and writes a line after each.
 */
import { readSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { TaskResult } from '../../jobs/index.ts'
import {
  describeStartFailure,
  OutputTail,
  type ProgramEnd,
  type ProgramRun,
  runProgram,
} from '../../resource-agents/index.ts'
import { BoundedOutput } from './bounded-output.ts'
import { CommandNotes } from './command-notes.ts'
import { begin, isCancelled, noteGroup, outputFile, readOrder, type TaskOrder, writeResult } from './task-files.ts'

const tailBytes = 4096
/** Between SIGTERM and SIGKILL, for the whole group. */
const graceMs = 10_000
/** What the command left behind may hold its output open: nobody waits for that once nothing has come for so many looks. */
const quietLooks = 5
const lookEveryMs = 100
/** As shells report a program that does not exist, and one that cannot be run. */
const notFoundExit = 127
const cannotRunExit = 126

/** What it runs now. */
let present: { readonly folder: string; readonly stop: () => void } | undefined

export async function main([named]: readonly string[]): Promise<number> {
  // Before it begins: from then on nobody else will run it. What came late, for a task that has ended, ends no other one.
  process.on('SIGTERM', () => {
    if (present !== undefined && isCancelled(present.folder)) present.stop()
  })
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  if (named !== undefined) {
    await runTask(named)
    return 0
  }
  for (let folder = nextFolder(); folder !== undefined; folder = nextFolder()) {
    await runTask(folder)
    sayFree()
  }
  return 0
}

/** Until whoever started it says for which task, or has ended. */
function nextFolder(): string | undefined {
  const buffer = Buffer.alloc(4096)
  let text = ''
  for (;;) {
    const length = readSync(0, buffer)
    text += buffer.toString('utf8', 0, length)
    if (text.endsWith('\0')) return text.slice(0, -1)
    // A daemon of a version before ADR 74 says one, and nothing behind it.
    if (length === 0) return text === '' ? undefined : text
  }
}

/** To a daemon that is there: of one that has ended nothing more comes. */
function sayFree(): void {
  try {
    writeSync(1, '\n')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  }
}

async function runTask(folder: string): Promise<void> {
  const order = readOrder(folder)
  if (!begin(folder)) return
  const started = new Date().toISOString()
  // Whoever cancels writes the file first and sends the signal then.
  if (isCancelled(folder)) {
    writeResult(folder, { started, ended: started, cancelled: true, reason: 'it had not begun' })
    return
  }
  const run = startCommand(order)
  present = { folder, stop: run.kill }
  if (run.processGroup !== undefined) noteGroup(folder, run.processGroup)
  if (isCancelled(folder)) run.kill()
  const end = await outcome(folder, order, run)
  writeResult(folder, { ...end, started, ended: new Date().toISOString() })
  present = undefined
}

function startCommand({ argv: [path = '', ...words], env, stdin, timeoutMs, notes }: TaskOrder): ProgramRun {
  const run = runProgram({
    path,
    arguments: words,
    environment: env,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', notes ? 'pipe' : 'ignore'],
    timeoutMs,
    graceMs,
  })
  const input = run.child?.stdin
  // A command need not read what it is given.
  input?.on('error', () => undefined)
  input?.end(stdin)
  return run
}

async function outcome(
  folder: string,
  { maxOutput, notes }: TaskOrder,
  run: ProgramRun,
): Promise<Omit<TaskResult, 'started' | 'ended'>> {
  const output = new BoundedOutput(outputFile(folder), maxOutput)
  const tail = new OutputTail(tailBytes)
  const { child } = run
  let isClosed = child === undefined
  let quiet = 0
  const closed = new Promise<void>((resolve) => child?.once('close', resolve)).then(() => {
    isClosed = true
  })
  for (const stream of [child?.stdout, child?.stderr])
    stream?.on('data', (chunk: Buffer) => {
      quiet = 0
      output.add(chunk)
      tail.add(chunk)
    })
  const commands = notes ? new CommandNotes(child?.stdio[3]) : undefined
  const end = await run.ended
  // By looks and not by time: a busy machine may give this process none, and what was written must be read.
  const mayWait = (): boolean => end.failure === undefined && !isClosed && quiet++ < quietLooks
  while (mayWait()) await Promise.race([closed, delay(lookEveryMs)])
  for (const stream of [child?.stdout, child?.stderr]) stream?.destroy()
  output.finish()
  return {
    ...howItEnded(end),
    ...(tail.text !== '' && { tail: tail.text }),
    ...commands?.finish(),
  }
}

function howItEnded({ failure, exitCode, signal, timedOut, killed }: ProgramEnd): Partial<TaskResult> {
  if (failure !== undefined)
    return {
      exitCode: failure.code === 'ENOENT' ? notFoundExit : cannotRunExit,
      reason: `it could not be started: ${failure.code === 'ENOENT' ? 'there is no such program' : describeStartFailure(failure)}`,
    }
  return {
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(timedOut && { timedOut }),
    ...(killed && { cancelled: true }),
  }
}

/**
 * Runs an alert agent: in a process group of its own, as a user who may do little, for as long as its timeout. Of what it prints the first
 * part is kept for the log; a program that prints on and on waits for a reader then, until its time is over.
 */
import { isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { shippedAgent } from '../../alert-agents/index.ts'
import type { AlertCall } from '../../alerts/index.ts'
import { baseEnvironment, describeStartFailure, type ProgramEnd, runProgram } from '../../resource-agents/index.ts'
import { agentHost } from '../host/agent-host.ts'
import { installFolder } from '../host/install-folder.ts'
import type { Paths } from '../host/paths.ts'
import { alertUser } from './alert-user.ts'

export interface AlertEnd {
  /** Why it failed; undefined where it did not. */
  readonly failure?: string
  /** The program asks to be called again for the same later. */
  readonly isLater: boolean
}

export interface AlertRun {
  readonly ended: Promise<AlertEnd>
  kill(): void
}

const keptOutput = 2000
const lastWordsMs = 500
/** EX_TEMPFAIL of sysexits.h: the recipient could not be reached, and perhaps can be later. */
const tryAgain = 75

export function runAlert(call: AlertCall, paths: Paths): AlertRun {
  if (!isAbsolute(call.path)) return notRun(`${call.path} is not an absolute path`)
  try {
    return begin(call, paths)
  } catch (error) {
    // No file may be opened any more, for example.
    return notRun(`${call.path} could not be started: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const notRun = (failure: string): AlertRun => ({
  ended: Promise.resolve({ failure, isLater: false }),
  kill: () => undefined,
})

function begin(call: AlertCall, paths: Paths): AlertRun {
  const user = alertUser()
  const run = runProgram({
    path: programOf(call.path),
    arguments: [],
    environment: {
      ...baseEnvironment(agentHost(paths)),
      HOME: user.home,
      ...(user.name === '' ? {} : { USER: user.name, LOGNAME: user.name }),
      ...call.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeoutMs: call.timeoutMs,
    ...(user.as === undefined ? {} : { as: user.as }),
  })
  const printed = new Printed()
  const streams = [run.child?.stdout, run.child?.stderr].filter((stream) => stream !== undefined && stream !== null)
  const read = streams.map(async (stream) => await readInto(printed, stream))
  const ended = run.ended.then(async (end) => {
    // Its last words may not have been read yet, and what it leaves running may hold the pipes open for good.
    if (end.exitCode !== 0) await Promise.race([Promise.all(read), delay(lastWordsMs, undefined, { ref: false })])
    for (const stream of streams) stream.destroy()
    const failure = failureOf(call, end, printed.text)
    return { ...(failure === undefined ? {} : { failure }), isLater: !end.timedOut && end.exitCode === tryAgain }
  })
  return { ended, kill: run.kill }
}

/** Resolves when there is nothing more to read, or no room for it. */
async function readInto(printed: Printed, stream: Readable): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.once('close', resolve)
    // A reader that is gone, or comes late, is no trouble of ours.
    stream.on('error', () => resolve())
    stream.on('data', (chunk: Buffer) => {
      if (printed.add(chunk)) return
      stream.pause()
      resolve()
    })
  })
}

/** Those that come with Systole are those of the version that runs, wherever it is installed. */
function programOf(path: string): string {
  const name = shippedAgent(path)
  return name === undefined ? path : join(installFolder(), 'agents/alerts', name)
}

class Printed {
  text = ''

  /** Whether there is room for more. */
  add(chunk: Buffer): boolean {
    if (this.text.length < keptOutput) this.text = (this.text + chunk.toString('utf8')).slice(0, keptOutput)
    return this.text.length < keptOutput
  }
}

function failureOf({ path, timeoutMs }: AlertCall, end: ProgramEnd, printed: string): string | undefined {
  const last = printed.trim().split('\n').at(-1) ?? ''
  const said = last === '' ? '' : `: ${last.slice(0, 200)}`
  if (end.failure) return `${path} could not be started: ${describeStartFailure(end.failure)}`
  if (end.timedOut) return `${path} did not end within ${timeoutMs / 1000} s and was ended${said}`
  if (end.exitCode === undefined) return `${path} was ended by ${end.signal ?? 'a signal'}${said}`
  if (end.exitCode === tryAgain) return `${path} could not deliver${said}`
  return end.exitCode === 0 ? undefined : `${path} ended with exit code ${end.exitCode}${said}`
}

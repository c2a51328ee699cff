/**
 * A program in a session and process group of its own, with a time limit. What counts is the end of the program itself:
 * what it left behind may be the service, which may hold its output open for years, so that nobody waits for that.
 * At the time limit, and only then, the whole group is ended: first asked, after a grace killed.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { timerMs } from '../base/index.ts'

export interface ProgramEnd {
  /** Undefined where a signal ended it. */
  readonly exitCode?: number
  readonly signal?: string
  /** The time limit had passed, whatever the program did after that. */
  readonly timedOut: boolean
  /** It was ended by `kill`. */
  readonly killed: boolean
  /** Asked to end, it did not, and had to be killed. */
  readonly stubborn: boolean
  readonly execTimeMs: number
  /** Why it could not be started. */
  readonly failure?: NodeJS.ErrnoException
}

export interface ProgramRun {
  /** Undefined where it could not be started. */
  readonly processGroup: number | undefined
  /** Undefined where it could not even be tried. */
  readonly child: ChildProcess | undefined
  readonly ended: Promise<ProgramEnd>
  /** Ends the group before its time limit. */
  kill(): void
}

export interface ProgramCall {
  readonly path: string
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly stdio: NonNullable<SpawnOptions['stdio']>
  readonly timeoutMs: number
  /** Between SIGTERM and SIGKILL, where it is not the usual time. */
  readonly graceMs?: number
  /** Another user than the daemon's, without any further groups. */
  readonly as?: { readonly uid: number; readonly gid: number }
}

/** How long a group has between being asked to end and being killed. */
export const killGraceMs = 2000

export function runProgram(call: ProgramCall): ProgramRun {
  const began = process.hrtime.bigint()
  const child = spawned(call)
  if (child instanceof Error) return neverStarted(child)
  const processGroup = child.pid
  let timedOut = false
  let killed = false
  let stubborn = false
  let killTimer: NodeJS.Timeout | undefined
  /** What cannot be ended is waited for no longer than its time: its end is told all the same. */
  const signalled = (signal: NodeJS.Signals): void => {
    try {
      if (processGroup !== undefined) signalGroup(processGroup, signal)
    } catch {
      stubborn = true
    }
  }
  const end = () => {
    if (processGroup === undefined || killTimer !== undefined) return
    signalled('SIGTERM')
    killTimer = setTimeout(() => {
      stubborn = true
      signalled('SIGKILL')
    }, call.graceMs ?? killGraceMs)
  }
  const timeout = setTimeout(() => {
    timedOut = true
    end()
  }, timerMs(call.timeoutMs))
  const ended = new Promise<ProgramEnd>((resolve) => {
    const finish = (result: Pick<ProgramEnd, 'exitCode' | 'signal' | 'failure'>) => {
      clearTimeout(timeout)
      // The program is gone; what it started and nobody wants any more goes as well.
      if (killTimer !== undefined && processGroup !== undefined) {
        clearTimeout(killTimer)
        signalled('SIGKILL')
      }
      resolve({
        ...result,
        timedOut,
        killed,
        stubborn,
        execTimeMs: Number((process.hrtime.bigint() - began) / 1_000_000n),
      })
    }
    child.once('error', (failure) => finish({ failure }))
    child.once('exit', (exitCode, signal) => finish(exitCode === null ? { signal: signal ?? 'SIGKILL' } : { exitCode }))
  })
  return {
    processGroup,
    child,
    ended,
    kill: () => {
      killed = true
      end()
    },
  }
}

/** Some failures Node.js throws instead of telling them later, such as that of a program that is being written (ETXTBSY). */
function spawned(call: ProgramCall): ChildProcess | NodeJS.ErrnoException {
  try {
    return spawn(call.path, call.arguments, {
      env: call.environment,
      stdio: call.stdio,
      detached: true,
      cwd: '/',
      ...call.as,
    })
  } catch (error) {
    if (isErrno(error)) return error
    throw error
  }
}

function isErrno(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

function neverStarted(failure: NodeJS.ErrnoException): ProgramRun {
  const ended = Promise.resolve({ failure, timedOut: false, killed: false, stubborn: false, execTimeMs: 0 })
  return { processGroup: undefined, child: undefined, ended, kill: () => undefined }
}

/** Why a program could not be started, in words. The file itself was there and executable when it was looked for. */
export function describeStartFailure({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
      return 'it is gone, or the interpreter in its first line does not exist'
    case 'EACCES':
      return 'it may not be executed'
    case 'ETXTBSY':
      return 'it is being written'
    case 'E2BIG':
      return 'its parameters are too long: the kernel takes no value of more than 128 KiB, and no more than 2 MiB of them all'
    case 'EAGAIN':
    case 'ENOMEM':
      return 'the node has no room for another process'
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open'
    default:
      return message
  }
}

/** A group that is gone already is what was wanted. */
export function signalGroup(processGroup: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-processGroup, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/**
 * When a process started, in clock ticks since the boot: with its id this names it for ever. Undefined where there is no
 * such process, or only its zombie.
 */
export function processStart(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name stands in brackets and may hold blanks and brackets itself.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

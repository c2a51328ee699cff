/** A command of the user's as a child of this one, which it does not outlive. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'

export type Ended =
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'not-started'; readonly why: string; readonly exitCode: number }

export interface Child {
  readonly ended: Promise<Ended>
  /** SIGTERM, and SIGKILL where that is not enough. */
  readonly end: () => void
}

/** Well within the margin of kept-lock.ts. */
const killAfterMs = 5_000
/** As shells report a program that does not exist. */
const notFoundExit = 127

/**
 * In a process group of its own, so that its children end with it, unless a person types to it. util-linux's setpriv ends it where this process is
 * killed. With `apart`, its output goes to standard error.
 */
export function runChild(program: string, args: readonly string[], apart: boolean): Child {
  const isGroup = process.stdin.isTTY !== true
  let child: ChildProcess | undefined
  const send = (signal: NodeJS.Signals): void => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(isGroup ? -child.pid : child.pid, signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  // A terminal sends its own signals to both.
  const passOn = (signal: NodeJS.Signals): void => {
    if (isGroup || signal === 'SIGTERM') send(signal)
  }
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
  // Before it starts: it may be at work by the time at which this process goes on.
  for (const signal of signals) process.on(signal, passOn)
  const started = spawn('setpriv', ['--pdeathsig', 'TERM', '--', program, ...args], {
    detached: isGroup,
    stdio: ['inherit', apart ? process.stderr : 'inherit', 'inherit'],
  })
  child = started
  let killing: NodeJS.Timeout | undefined
  const ended = new Promise<Ended>((resolve) => {
    started.on('error', (error) =>
      resolve({ kind: 'not-started', why: `${program} cannot be run: ${error.message}.`, exitCode: notFoundExit }),
    )
    started.on('exit', (code, signal) =>
      resolve({ kind: 'ended', exitCode: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] }),
    )
  }).finally(() => {
    clearTimeout(killing)
    for (const signal of signals) process.off(signal, passOn)
  })
  return {
    ended,
    end: () => {
      send('SIGTERM')
      killing ??= setTimeout(() => send('SIGKILL'), killAfterMs)
    },
  }
}

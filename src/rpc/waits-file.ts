import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Beside the socket: where a daemon that cannot begin yet says why, each time that it has tried. */
export const waitsFile = (socketPath: string): string => join(dirname(socketPath), 'waits')

/** One that was stopped meanwhile, or has died, does not wait any more. */
const freshMs = 20_000

export function whyNotThere(socketPath: string): string | undefined {
  try {
    const file = waitsFile(socketPath)
    return Date.now() - statSync(file).mtimeMs < freshMs ? readFileSync(file, 'utf8').trim() : undefined
  } catch {
    return undefined
  }
}

/** Beside the socket: a daemon that restarts itself says so, for whoever calls in that second. */
export const restartsFile = (socketPath: string): string => join(dirname(socketPath), 'restarts')

/** Its supervisor starts it within that time. */
const restartedWithinMs = 10_000

export function isRestarting(socketPath: string): boolean {
  try {
    return Date.now() - statSync(restartsFile(socketPath)).mtimeMs < restartedWithinMs
  } catch {
    return false
  }
}

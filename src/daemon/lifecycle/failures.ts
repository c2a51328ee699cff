/** Calls that failed, and the end of a daemon that is to be started again. */
import { AssertionError } from '../../base/index.ts'
import { BadMessageError, localSocketPath, restartsFile } from '../../rpc/index.ts'
import { writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { Seldom } from '../host/seldom.ts'

/** For people; a mistake of the program ends it. */
export function failedCalls(log: Log, fail: (error: unknown) => void): (method: string, error: unknown) => void {
  const badMessages = new Seldom()
  return (method, error) => {
    if (error instanceof BadMessageError) {
      if (badMessages.mayTell(method, performance.now()))
        log.warn('a call was refused because it is not understood', { method, what: error.message })
      return
    }
    log.error('a call failed', { method, error })
    if (error instanceof AssertionError) fail(error)
  }
}

/** Whoever calls meanwhile learns from the file why nobody answers. */
export function restartDaemon(paths: Paths, log: Log, reason: string): void {
  log.error('the daemon ends, to be started again', { reason })
  try {
    writeWhole(restartsFile(localSocketPath(paths.root)), `${reason}\n`)
  } finally {
    // On a full disk as well.
    process.exit(1)
  }
}

/** The daemon as a process: its log, its signals, and its end. */
import { setTimeout as delay } from 'node:timers/promises'
import { OutsideError, takesNoChange } from '../base/index.ts'
import { localSocketPath, RefusedError, waitsFile } from '../rpc/index.ts'
import { localHandlers } from './api/local-api.ts'
import { peerHandlers } from './api/peer-api.ts'
import { writeWhole } from './host/files.ts'
import { type Log, openLog } from './host/log.ts'
import type { Paths } from './host/paths.ts'
import { unexpectedEnd } from './host/unexpected-end.ts'
import { Daemon } from './lifecycle/daemon.ts'
import { ownName } from './node-list/own-name.ts'
import type { Pulse } from './pulse/pulse.ts'

export async function runDaemon(paths: Paths, pulse: Pulse | undefined): Promise<void> {
  const log = await ownLog(paths)
  // A node that is wrong about itself is worse than a node that is down: whoever supervises the daemon starts it again.
  const fail = (error: unknown): void => {
    log.error(unexpectedEnd(error), { error })
    process.exit(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  const daemon = new Daemon(paths, log, { local: localHandlers, peers: peerHandlers }, fail)
  const end = (signal: NodeJS.Signals): void => {
    log.info('ending; resources stay as they are', { signal })
    daemon.end().then(() => process.exit(0), fail)
  }
  // `systemctl reload`: whoever supervises the daemon starts it again.
  process.on('SIGHUP', (signal) => {
    daemon.announceRestart().then(() => end(signal), fail)
  })
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  try {
    await daemon.start(pulse)
  } catch (error) {
    log.error('the daemon cannot start', isTold(error) ? { why: error.message } : { error })
    tellWhoAsks(paths, error)
    // Whoever supervises it tries again at once.
    await delay(startAgainMs)
    process.exit(1)
  }
}

const startAgainMs = 1000

/** A daemon whose log cannot be what was asked for does not start, and says why where it can. */
async function ownLog(paths: Paths): Promise<Log> {
  try {
    return openLog(ownName())
  } catch (error) {
    if (!isTold(error)) throw error
    process.stderr.write(`${error.message}\n`)
    tellWhoAsks(paths, error)
    await delay(startAgainMs)
    process.exit(1)
  }
}

/** The command line finds no socket: it says what this daemon waits for. */
function tellWhoAsks({ root }: Paths, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error)
  try {
    writeWhole(waitsFile(localSocketPath(root)), `${why}\n`)
  } catch (failure) {
    if (!takesNoChange(failure)) throw failure
  }
}

/** What is wrong with the host or its files, in a sentence. */
const isTold = (error: unknown): error is Error => error instanceof RefusedError || error instanceof OutsideError

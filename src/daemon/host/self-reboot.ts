/** This machine ends itself, hard: nothing that is still running may delay it. */
import { spawn } from 'node:child_process'
import type { Log } from './log.ts'

export interface SelfReboot {
  readonly log: Log
  /** One of several nodes on a machine: its machine is not ours to reboot. */
  readonly isolated: boolean
}

export function rebootSelf({ log, isolated }: SelfReboot, why: string): void {
  if (isolated) {
    log.error(`${why}: this node shares its machine (SYSTOLE_ROOT), so its daemon ends instead`)
    process.exit(1)
  }
  log.error(`${why}: this node reboots itself now`)
  const child = spawn('/sbin/reboot', ['--force', '--force'], { stdio: 'ignore', detached: true })
  child.on('error', (error) => {
    log.error('this node cannot reboot itself: its daemon ends, and its resources may go on', { error })
    process.exit(1)
  })
  child.unref()
}

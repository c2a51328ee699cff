/** This machine ends itself, hard: nothing that is still running may delay it. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { SelfEnd } from '../../node/index.ts'
import type { Log } from './log.ts'

export interface SelfReboot {
  readonly log: Log
  /** One of several nodes on a machine: its machine is not ours to reboot. */
  readonly isolated: boolean
}

export function endSelf({ log, isolated }: SelfReboot, how: SelfEnd, why: string): void {
  if (isolated) {
    log.error(`${why}: this node shares its machine (SYSTOLE_ROOT), so only its daemon ends`)
    process.exit(1)
  }
  log.error(`${why}: ${sentences[how]}`)
  // Where the kernel does not crash at once, the machine is reset all the same.
  if (how === 'crashdump') crashKernel(log)
  const child = spawn(how === 'off' ? '/sbin/poweroff' : '/sbin/reboot', ['--force', '--force'], {
    stdio: 'ignore',
    detached: true,
  })
  child.on('error', (error) => {
    log.error('this node cannot reboot itself: its daemon ends, and its resources may keep running', { error })
    process.exit(1)
  })
  child.unref()
}

function crashKernel(log: Log): void {
  try {
    writeFileSync('/proc/sysrq-trigger', 'c')
  } catch (error) {
    log.error('the kernel cannot be made to crash: this node reboots itself instead', { error })
  }
}

const sentences: Readonly<Record<SelfEnd, string>> = {
  reset: 'this node reboots itself now',
  off: 'this node powers itself off now',
  crashdump: 'this node lets its kernel crash now',
}

/** One daemon for each SYSTOLE_ROOT. */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OutsideError, takesNoChange } from '../../base/index.ts'
import { readIfThere, writeWhole } from './files.ts'

export class AlreadyRunningError extends OutsideError {
  override readonly name = 'AlreadyRunningError'
  constructor(pid: number, file: string) {
    super(`Another systoled (process ${pid}) is running here: ${file}. Stop it first.`)
  }
}

export function takeLock(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const pid = Number(readIfThere(file) ?? 0)
  if (pid > 0 && pid !== process.pid && isDaemon(pid)) throw new AlreadyRunningError(pid, file)
  try {
    writeWhole(file, `${process.pid}\n`)
  } catch (error) {
    // A daemon that was killed must come back: its ports, too, keep a second one out.
    if (!takesNoChange(error)) throw error
    process.stderr.write(`${file} cannot be written (${String(error)}): the daemon starts without its lock.\n`)
  }
}

/** A number alone proves nothing: after a crash another program may have it. */
function isDaemon(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('systoled')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/**
 * One process at a time holds an embedded store: two of them would each keep revisions and leases of their own. The holder is
 * named by process id and start time, so that a lock left by a killed process, or by one whose id was used again, doesn't count.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreUnavailableError } from '../errors.ts'

/** Takes the lock; the result gives it back. */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'held-by')
  const own = `${process.pid} ${startTime(process.pid) ?? ''}\n`
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
  writeFileSync(draft, own)
  try {
    // Linking is atomic and fails where the name is taken.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (linked(draft, path)) return () => rmSync(path, { force: true })
      const holder = livingHolder(path)
      if (holder !== undefined)
        throw new StoreUnavailableError(
          `The store in ${directory} is in use by process ${holder}. Stop that process, or connect to its socket.`,
        )
      rmSync(path, { force: true })
    }
    throw new StoreUnavailableError(`The store in ${directory} could not be locked: other processes are taking it.`)
  } finally {
    rmSync(draft, { force: true })
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function livingHolder(path: string): number | undefined {
  const [pid, started] = (textOf(path) ?? '').trim().split(' ')
  const holder = Number(pid)
  if (!Number.isInteger(holder) || holder <= 0) return undefined
  return startTime(holder) === started ? holder : undefined
}

/** Field 22 of /proc/PID/stat; the command name before it may hold spaces and brackets. Undefined where there is no such process. */
function startTime(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined
    throw error
  }
}

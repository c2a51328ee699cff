/**
 * One process at a time holds an embedded store: two of them would each keep revisions and leases of their own. The holder is
 * named by process id and start time, so that a lock left by a killed process, or by one whose id was used again, doesn't count.
 */
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreUnavailableError } from '../port/errors.ts'
import { livingProcess, processIdentity, textIfThere } from '../port/process-identity.ts'

/** Takes the lock; the result gives it back. */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'held-by')
  const own = `${processIdentity(process.pid)}\n`
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
  writeFileSync(draft, own)
  try {
    // Linking is atomic and fails where the name is taken.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (linked(draft, path)) return () => rmSync(path, { force: true })
      const holder = livingProcess(textIfThere(path))
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

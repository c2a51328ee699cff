/** Small files that must be whole after a power cut: written beside, flushed, then renamed over the old one. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export function writeWhole(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.new`
  // One that a crash left may have another mode.
  rmSync(fresh, { force: true })
  const file = openSync(fresh, 'wx', mode)
  try {
    // Whole or not at all: a full disk takes a part of it without an error, and refuses the rest.
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(fresh, path)
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** What is in it goes, the folder stays. */
export function emptyFolder(folder: string): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true, force: true })
}

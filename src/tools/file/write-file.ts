/**
 * Files that a caller names and that may hold secrets. A new one is its owner's alone. One that is there stays the same file: its inode, mode and
 * owner are kept and links are followed, so that whoever may not read it cannot do so after a change. As it is written in place, a
 * copy of the new text stands beside it until it is whole: after a power cut one of the two is.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Writing } from '../tool.ts'

export function writeCallersFile(
  path: string,
  text: string,
  { anybodyMayRead, replaces, writerOnly }: Writing = {},
): void {
  const known = statIfThere(path)
  // A device, a pipe or a socket takes what it is given.
  if (known && !known.isFile()) writeFileSync(path, text)
  else if (known === undefined) create(path, text, anybodyMayRead === true ? 0o666 : 0o600)
  else if (writerOnly === true) replaceAsOwn(realpathSync(path), text)
  else if (replaces === true) replace(realpathSync(path), text, known)
  else overwrite(realpathSync(path), text)
}

function statIfThere(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

function create(path: string, text: string, mode: number): void {
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  writeAndClose(file, text)
}

function overwrite(path: string, text: string): void {
  const copy = besideIfPossible(path, text)
  const file = openSync(path, O_WRONLY | O_NOFOLLOW)
  try {
    const bytes = Buffer.from(text)
    writeFileSync(file, bytes)
    ftruncateSync(file, bytes.length)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (copy !== undefined) rmSync(copy, { force: true })
}

function replace(path: string, text: string, { mode, uid, gid }: Stats): void {
  const fresh = nameBeside(path)
  const file = openSync(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    if (process.getuid?.() === 0) fchownSync(file, uid, gid)
    fchmodSync(file, mode & 0o7777)
  } catch (error) {
    closeSync(file)
    rmSync(fresh, { force: true })
    throw error
  }
  writeAndClose(file, text)
  renameSync(fresh, path)
}

function replaceAsOwn(path: string, text: string): void {
  const fresh = nameBeside(path)
  create(fresh, text, 0o600)
  renameSync(fresh, path)
}

function writeAndClose(file: number, text: string): void {
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Undefined where the caller may write the file but not its folder: then there is no copy. */
function besideIfPossible(path: string, text: string): string | undefined {
  const copy = nameBeside(path)
  try {
    create(copy, text, 0o600)
    return copy
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return undefined
    rmSync(copy, { force: true })
    throw error
  }
}

/** Nobody can guess it, and put a link there. */
const nameBeside = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.new`

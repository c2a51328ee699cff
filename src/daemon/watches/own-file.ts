/** A file that decides what root does must be root's, and nobody else's to write. What is checked is what is read: both by one descriptor. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../../base/index.ts'

type OwnText = { readonly text: string } | { readonly why: string }

export function readOwn(path: string, longest: number): OwnText {
  try {
    // A link is not followed, and a pipe that nobody writes holds up nobody.
    const opened = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return readOpened(path, opened, longest)
    } finally {
      closeSync(opened)
    }
  } catch (error) {
    const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP'
    return { why: isLink ? `${path} is not a file` : reasonOf(error) }
  }
}

function readOpened(path: string, opened: number, longest: number): OwnText {
  const found = fstatSync(opened)
  if (!found.isFile()) return { why: `${path} is not a file` }
  if (!isOwn(found)) return { why: `${path} can be written by others than root` }
  if (!isOwn(lstatSync(dirname(path)))) return { why: `the folder of ${path} can be written by others than root` }
  if (found.size > longest) return { why: `${path} is longer than ${longest} bytes` }
  return { text: readFileSync(opened, 'utf8') }
}

const isOwn = ({ uid, mode }: Stats): boolean => (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0

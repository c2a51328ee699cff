/**
 * The part of a node in copying a file: what is there already is not written again, parts go to a file beside the target, and that takes its place whole, once its
 * content has been checked on the disk. A part that comes twice is written once.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { reasonOf } from '../../base/index.ts'
import { type Messages, refuse } from '../../rpc/index.ts'
import { whyShared } from './own-folder.ts'

type FilePart = Messages['FilePart']

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_RDONLY } = constants
const pieceBytes = 256 * 1024

type FileOutcome = 'same' | 'differs' | 'written' | 'ended' | 'aborted'

export async function writeFilePart(part: FilePart): Promise<{ readonly outcome: FileOutcome }> {
  refuseWrong(part)
  try {
    const shared = await whyShared(dirname(part.path))
    if (shared !== undefined)
      throw refuse('shared-folder', `${shared} Copy to a folder of root's, and move the file with 'systole job run'.`)
    switch (part.phase) {
      case 'check':
        return { outcome: await isThere(part) }
      case 'write':
        return { outcome: await write(part) }
      case 'end':
        return { outcome: await end(part) }
      case 'abort':
        await rm(beside(part), { force: true })
        return { outcome: 'aborted' }
      default:
        throw refuse('bad-phase', 'This version of Systole does not know that part of a copy.')
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw refuse('cannot-write', `${part.path} cannot be written: ${reasonOf(error)}`)
    throw error
  }
}

const isCopyId = (text: string): boolean => /^[a-z0-9]{10,64}$/.test(text)

function refuseWrong({ id, path, sha256, mode }: FilePart): void {
  if (!isCopyId(id)) throw refuse('bad-name', 'That is not the id of a copy.')
  if (!isAbsolute(path) || path.includes('\0') || path.endsWith('/') || normalize(path) !== path)
    throw refuse('bad-path', `'${path}' is not the absolute path of a file.`)
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw refuse('bad-digest', 'That is not a SHA-256 digest.')
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o7777) throw refuse('bad-mode', 'That is not a mode of a file.')
}

const besideName = ({ path }: FilePart): string => `.${basename(path).slice(0, 100)}.systole-`
const beside = (part: FilePart): string => join(dirname(part.path), `${besideName(part)}${part.id}`)

/** What copies that were killed have left beside the target. One that goes on has written within that time. */
const leftAfterMs = 3_600_000

async function removeLeft(part: FilePart): Promise<void> {
  const folder = dirname(part.path)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(besideName(part)) || !isCopyId(name.slice(besideName(part).length))) continue
    const path = join(folder, name)
    const known = await lstat(path).catch(unlessMissing)
    if (known?.isFile() && Date.now() - known.mtimeMs > leftAfterMs) await rm(path, { force: true })
  }
}

/** Content and mode, owned by root. A link or a folder in its place is another thing. */
async function isThere(part: FilePart): Promise<'same' | 'differs'> {
  const known = await lstat(part.path).catch(unlessMissing)
  if (known === undefined) {
    await lstat(dirname(part.path))
    return 'differs'
  }
  if (known.isDirectory()) throw refuse('is-folder', `${part.path} is a folder: add the name of the file.`)
  const isAlike = known.isFile() && known.size === part.size && known.uid === 0 && (known.mode & 0o7777) === part.mode
  return isAlike && (await digestOf(part.path)) === part.sha256 ? 'same' : 'differs'
}

async function write(part: FilePart): Promise<'written'> {
  const data = Buffer.from(part.data, 'base64')
  const file = await opened(part)
  try {
    const { size } = await file.stat()
    if (size < part.offset) throw refuse('gap', `A part of ${part.path} is missing: the copy must begin again.`)
    for (let at = 0; at < data.length; )
      at += (await file.write(data, at, data.length - at, part.offset + at)).bytesWritten
  } finally {
    await file.close()
  }
  return 'written'
}

async function opened(part: FilePart): Promise<FileHandle> {
  const path = beside(part)
  if (part.offset > 0) return await open(path, O_RDWR | O_NOFOLLOW)
  await removeLeft(part)
  // One of before is this copy's own first part, which comes for the second time.
  await rm(path, { force: true })
  return await open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
}

async function end(part: FilePart): Promise<'ended'> {
  const path = beside(part)
  const file = await open(path, O_RDWR | O_NOFOLLOW).catch(unlessMissing)
  // It came for the second time: the answer to the first was lost.
  if (file === undefined && (await isThere(part)) === 'same') return 'ended'
  if (file === undefined) throw refuse('gap', `A part of ${part.path} is missing: the copy must begin again.`)
  try {
    if ((await digest(file)) !== part.sha256) {
      await rm(path, { force: true })
      throw refuse(
        'bad-content',
        `The content that arrived for ${part.path} is not what was sent: nothing was changed.`,
      )
    }
    await file.chown(0, 0)
    await file.chmod(part.mode)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(path, part.path)
  const folder = await open(dirname(part.path), O_RDONLY)
  await folder.sync().finally(async () => await folder.close())
  return 'ended'
}

async function digestOf(path: string): Promise<string> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  return await digest(file).finally(async () => await file.close())
}

/** Piece by piece: the daemon has other work meanwhile. */
async function digest(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(pieceBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, pieceBytes, at)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(piece.subarray(0, bytesRead))
    at += bytesRead
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

/** Whether the file systems under the daemon's folders have the room that it and etcd need, before one of them fails for lack of it. */
import { statfsSync } from 'node:fs'
import type { Paths } from './paths.ts'

const mebibyte = 1024 * 1024
/** etcd makes each file of its log 64 MB long before it writes to it. */
const dataRoomBytes = 64 * mebibyte
/** What agents print, and a few bytes for each resource. */
const runRoomBytes = mebibyte / 4
/** For the files of a member that is replaced, or of resources that are started. */
const leastFiles = 32

/** A sentence for each folder that is short of room; the same one as long as it is. */
export function shortages({ data, run }: Pick<Paths, 'data' | 'run'>): readonly string[] {
  return [
    ...shortage(data, dataRoomBytes, 'without it, etcd stops, and this node’s vote in the store is lost'),
    ...shortage(
      run,
      runRoomBytes,
      'without it, the output of agents is lost, and a restarted daemon does not know which agents run',
    ),
  ]
}

function shortage(folder: string, neededBytes: number, otherwise: string): readonly string[] {
  const room = roomIn(folder)
  if (typeof room === 'string') return [`${folder} cannot be inspected (${room}).`]
  if (room.bytes < neededBytes)
    return [
      `The file system of ${folder} has less than ${inWords(neededBytes)} of free space. Free some, because ${otherwise}.`,
    ]
  if (room.files < leastFiles)
    return [
      `The file system of ${folder} has fewer than ${leastFiles} free inodes (\`df -i\`). Free some, because ${otherwise}.`,
    ]
  return []
}

/** Or why it is not known. */
function roomIn(folder: string): { readonly bytes: number; readonly files: number } | string {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder)
    // A file system that makes room for files as they come counts none.
    return { bytes: bavail * bsize, files: files > 0 ? ffree : Number.POSITIVE_INFINITY }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message
    throw error
  }
}

function inWords(bytes: number): string {
  return bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MB` : `${Math.floor(bytes / 1024)} kB`
}

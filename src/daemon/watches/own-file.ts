/** A file that decides what root does must be root's, and nobody else's to write. */
import { lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../../base/index.ts'

export function whyUnfit(path: string): string | undefined {
  try {
    const found = lstatSync(path)
    if (!found.isFile()) return `${path} is not a file`
    if (!isOwn(found)) return `${path} can be written by others than root`
    return isOwn(lstatSync(dirname(path))) ? undefined : `the folder of ${path} can be written by others than root`
  } catch (error) {
    return reasonOf(error)
  }
}

const isOwn = ({ uid, mode }: Stats): boolean => (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0

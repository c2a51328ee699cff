/**
 * Whether a folder is one where nobody but root decides what its name leads to: each folder on the way belongs to root and can be written by nobody else,
 * or only as /tmp can, where nobody replaces what is another's. Whoever could write one would swap a folder for a link, and root would write where the link leads.
 */
import { lstat, readlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { refuse } from '../../rpc/index.ts'

const mostLinks = 40
const sticky = 0o1000

export async function refuseSharedFolder(folder: string): Promise<void> {
  let at = '/'
  let rest = folder.split('/').filter((name) => name !== '')
  await refuseShared(at)
  for (let links = 0; rest.length > 0; ) {
    const [name = '', ...more] = rest
    const next = join(at, name)
    const known = await refuseShared(next)
    if (!known.isSymbolicLink()) {
      at = next
      rest = more
      continue
    }
    if (++links > mostLinks) throw refuse('bad-path', `${folder} leads through too many links.`)
    const target = resolve(at, await readlink(next))
    at = '/'
    rest = [...target.split('/').filter((part) => part !== ''), ...more]
  }
}

async function refuseShared(path: string): Promise<Awaited<ReturnType<typeof lstat>>> {
  const known = await lstat(path)
  const isRoots = known.uid === 0 || known.uid === process.getuid?.()
  const others = known.gid === 0 ? 0o002 : 0o022
  const isShared = !known.isSymbolicLink() && (known.mode & others) !== 0 && (known.mode & sticky) === 0
  if (isRoots && !isShared) return known
  throw refuse(
    'shared-folder',
    `${path} can be changed by others than root, who could lead the copy elsewhere. Copy to a folder of root's, and move the file with 'systole job run'.`,
  )
}

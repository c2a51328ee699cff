/**
 * Whether a folder is one where nobody but root decides what its name leads to: each folder on the way belongs to root and can be written by nobody else,
 * or only as /tmp can, where nobody replaces what is another's. Whoever could write one would swap a folder for a link, and root would write where the link leads.
 */
import { lstat, readlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const mostLinks = 40
const sticky = 0o1000

/** Why it is another's, as a sentence; nothing where it is root's. */
export async function whyShared(folder: string): Promise<string | undefined> {
  let at = '/'
  let rest = folder.split('/').filter((name) => name !== '')
  const atRoot = sharedWith(at, await lstat(at))
  if (atRoot !== undefined) return atRoot
  for (let links = 0; rest.length > 0; ) {
    const [name = '', ...more] = rest
    const next = join(at, name)
    const known = await lstat(next)
    const why = sharedWith(next, known)
    if (why !== undefined) return why
    if (!known.isSymbolicLink()) {
      at = next
      rest = more
      continue
    }
    if (++links > mostLinks) return `${folder} leads through too many links.`
    const target = resolve(at, await readlink(next))
    at = '/'
    rest = [...target.split('/').filter((part) => part !== ''), ...more]
  }
  return undefined
}

function sharedWith(path: string, known: Awaited<ReturnType<typeof lstat>>): string | undefined {
  const isRoots = known.uid === 0 || known.uid === process.getuid?.()
  const others = known.gid === 0 ? 0o002 : 0o022
  const mode = Number(known.mode)
  const isShared = !known.isSymbolicLink() && (mode & others) !== 0 && (mode & sticky) === 0
  return isRoots && !isShared
    ? undefined
    : `${path} can be changed by others than root, who could have root write elsewhere.`
}

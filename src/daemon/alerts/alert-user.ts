/**
 * Who alert agents run as: hacluster, as with Pacemaker, where there is such a user; else nobody. A daemon that is not root's runs them as
 * it runs itself.
 */
import { readFileSync } from 'node:fs'

export interface AlertUser {
  readonly name: string
  readonly home: string
  readonly as?: { readonly uid: number; readonly gid: number }
}

export function alertUser(passwd = '/etc/passwd'): AlertUser {
  if (process.getuid?.() !== 0) return { name: '', home: '/' }
  const users = readFileSync(passwd, 'utf8').split('\n')
  return (
    userIn(users, 'hacluster') ?? userIn(users, 'nobody') ?? { name: '', home: '/', as: { uid: 65_534, gid: 65_534 } }
  )
}

function userIn(users: readonly string[], wanted: string): AlertUser | undefined {
  for (const line of users) {
    const [name = '', , uid, gid, , home = '/'] = line.split(':')
    if (name === wanted) return { name, home, as: { uid: Number(uid), gid: Number(gid) } }
  }
  return undefined
}

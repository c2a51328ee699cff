/**
 * What the list of nodes has revoked, for this host's member of etcd: a file that etcd reads at each handshake. Connections that are open know nothing of it:
 * the kernel ends those of all others to the ports of etcd, and whoever may have one makes it anew within moments.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { type MemberSettings, readsRevocations, revocationList } from '../../store/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile, WitnessEntry } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import { readIdentity } from '../pki/identity.ts'

export const revokedFile = (paths: Pick<Paths, 'pki'>): string => join(paths.pki, 'revoked.crl')

/** Must be there before etcd starts. Answers whether there is more in it than before. */
export function writeRevocations(paths: Paths, { revoked = [] }: Pick<ClusterFile, 'revoked'>): boolean {
  const path = revokedFile(paths)
  const before = readIfThere(path)
  // Behind the list, where nobody reads: by which this host tells whether the file is up to date.
  const note = `# ${revoked.join(' ')}\n`
  if (before?.endsWith(note)) return false
  writeWhole(path, `${revocationList(readIdentity(paths.pki), revoked, new Date())}${note}`)
  return revoked.length > 0
}

/** Of other hosts to this host's member. */
export function endConnections(own: WitnessEntry, log: Log): void {
  const { etcdClient, etcdPeer } = own.ports
  const others = addressesOf(own).map((address) => `and not dst ${address.includes(':') ? `[${address}]` : address}`)
  const filter = `( sport = :${etcdClient} or sport = :${etcdPeer} ) and not dst 127.0.0.1 and not dst [::1] ${others.join(' ')}`
  execFile('ss', ['-K', '-t', '-H', '-n', ...filter.trim().split(' ')], { timeout: endWithinMs }, (error) => {
    if (error) log.error('connections of a removed node to the store may still be open: restart etcd here', { error })
    else log.info('connections to the store were ended, because certificates were revoked')
  })
}

const endWithinMs = 5000

/** A member that an earlier build has started reads no list: it must be started anew once there is one. */
export const mustReadRevocations = (settings: MemberSettings, { revoked = [] }: ClusterFile): boolean =>
  revoked.length > 0 && !readsRevocations(settings)

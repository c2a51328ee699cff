/**
 * Whose vote does not count yet, by what the store itself says of its members. The list of nodes runs ahead of it: a node that is
 * given a vote is named at once, and first copies the store, as does one whose data was lost.
 */
import type { NodeName } from '../../base/index.ts'
import { EtcdAdmin, readTlsFiles } from '../../store/index.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, storeHosts } from '../node-list/cluster-file.ts'
import { clientTls, isMemberOf, voterEndpoints } from '../store/store-config.ts'

const askWithinMs = 1000

/** Undefined where no member answers; a member answers without a majority as well, from what it knows. */
export async function joiningVotes(
  file: ClusterFile,
  self: NodeName,
  paths: Paths,
): Promise<ReadonlySet<NodeName> | undefined> {
  const voters = storeHosts(file).filter(({ votes }) => votes)
  if (file.store.kind !== 'etcd' || voters.length === 0) return undefined
  const admin = new EtcdAdmin({ endpoints: voterEndpoints(file, self), tls: readTlsFiles(clientTls(paths)) })
  try {
    const members = await admin.members(askWithinMs)
    const counting = members.filter(({ isLearner }) => !isLearner).flatMap(({ peerURLs }) => peerURLs)
    return new Set(voters.filter((node) => !isMemberOf(node, counting)).map(({ name }) => name))
  } catch {
    return undefined
  } finally {
    admin.close()
  }
}

/** The list of nodes of the cluster that this host belongs to; a refusal where it belongs to none. */
import { refuse } from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'

export function configuredFile(daemon: Daemon): ClusterFile {
  daemon.refuseOnWitness()
  if (daemon.file) return daemon.file
  throw refuse(
    'not-configured',
    'This host does not belong to a cluster. Run `systole cluster setup` or `cluster join`.',
  )
}

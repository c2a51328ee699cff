/** The list of nodes of the cluster that this host belongs to; a refusal where it belongs to none. */
import { refuse } from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import type { ClusterNode } from '../node/cluster-node.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import type { SharedState } from '../shared-state/shared-state.ts'

/** What many calls need of the daemon whose node takes part. */
export interface AnsweringDaemon extends Pick<Daemon, 'file' | 'refuseOnWitness'> {
  readonly log: Pick<Log, 'warn'>
  readonly node: SharedState & Pick<ClusterNode, 'file'>
}

export function configuredFile(daemon: Pick<Daemon, 'file' | 'refuseOnWitness'>): ClusterFile {
  daemon.refuseOnWitness()
  if (daemon.file) return daemon.file
  throw refuse(
    'not-configured',
    'This host does not belong to a cluster. Run `systole cluster setup` or `cluster join`.',
  )
}

/** What a node of a cluster is built from by the daemon of its host, and what it reports there. */
import type { NodeName } from '../../base/index.ts'
import type { Change } from '../../controller/index.ts'
import type { NodePki, PeerCredentials, PkiOrder, TlsIdentity } from '../../rpc/index.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import type { WithAuthority } from '../pki/authority.ts'
import type { Pulse } from '../pulse/pulse.ts'
import type { StoreChange } from '../records/store-view.ts'

export interface ClusterNodeSetup {
  readonly file: ClusterFile
  readonly own: ClusterNodeEntry
  /** As it is now: it may be renewed. */
  readonly identity: () => TlsIdentity
  readonly pulse: Pulse
  readonly paths: Paths
  readonly log: Log
  readonly withAuthority: WithAuthority
  readonly ownPki: { readonly state: () => NodePki; readonly follow: (order: PkiOrder) => Promise<void> }
  /** A bug: the daemon ends, to be started again. */
  readonly fail: (error: unknown) => void
  /** No bug: the node must come back as somebody new. */
  readonly restart: (reason: string) => void
  /** Another host's list of nodes, which may be newer than the file. */
  readonly onNodeList: (listed: ClusterFile) => void
  /** The store's. Who is not in it was removed. */
  readonly onStoredList: (listed: ClusterFile) => void
  /** Those that were made for a node that is removed. */
  readonly withdrawTokens: (node: NodeName) => Promise<unknown>
  /** More than half of the other nodes say so. */
  readonly onRemoved: () => void
  /** A list that counts although this node's own may be as new. */
  readonly giveWayTo: (listed: ClusterFile) => void
  /** Who calls on this host, and what they may do. */
  readonly local: { readonly access: AccessControl; readonly credentials: PeerCredentials | undefined }
  readonly metrics: DaemonMetrics
  /** What is wrong with the host beside this node, a sentence each. */
  readonly troubles: () => readonly string[]
}

/** What its parts have the node do. */
export interface NodeHooks {
  /** The copy of the store has changed. */
  readonly onChanges: (changes: readonly StoreChange[], observed: readonly Change[]) => void
  /** Whoever depends on the state of the cluster looks at it again. */
  readonly look: () => void
  /** What ran here is stopped, and the others know that this node goes. */
  readonly depart: (how: { readonly disarm: boolean }) => void
}

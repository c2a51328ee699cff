import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'

/** What every part of a node may ask it for: what it knows of the cluster, where it writes, and whether it may. */
export interface NodeSources {
  readonly self: NodeName
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  /** A record of the store, as this node knows it. */
  readonly entry: (key: string) => Entry | undefined
  readonly below: (prefix: string) => readonly Entry[]
  readonly file: () => ClusterFile
  /** By this node's own clock, now. */
  readonly quorate: () => boolean
  /** Is the DC, and has quorum. */
  readonly leads: () => boolean
  /** While it leads. */
  readonly term: () => number | undefined
}

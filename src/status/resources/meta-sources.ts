/** Where the meta-attributes of a resource come from. */
import type { Agent, NvSet } from '../../cib/index.ts'
import type { ClusterOptions } from '../cluster-status.ts'
import type { TimeZone } from '../rules/index.ts'

export interface MetaSources {
  readonly resourceDefaults: readonly NvSet[]
  readonly options: ClusterOptions
  readonly zone: TimeZone
  readonly unfencingEnabled: boolean
}

export interface MetaOwner {
  readonly sets: readonly NvSet[]
  /** The values of the group, clone or bundle around it. */
  readonly inherited?: ReadonlyMap<string, string> | undefined
  /** Of primitives only. */
  readonly agent?: Agent | undefined
  /** It connects a remote or guest node. */
  readonly isConnection?: boolean
}

/**
 * What `readStatus` fills while it reads: nodes, resources and their state, mutable and known to this room alone. They are
 * turned into the readonly `ClusterStatus` at the end and never escape.
 */
import type { NodeName, ResourceId } from '../base/index.ts'
import {
  type Agent,
  type BundleDefinition,
  type Configuration,
  type Md5,
  type NvSet,
  type OperationDefinition,
  type Role,
  roleRank,
} from '../cib/index.ts'
import type {
  ClusterOptions,
  ExpiredRecurring,
  FailCount,
  FailedOperation,
  HistoryBan,
  HistoryEntry,
  NodeStatus,
  OnFail,
  PrimitiveResource,
  ResourceMeta,
} from './cluster-status.ts'
import type { TimedChange } from './recheck.ts'
import type { RecordedNode } from './records.ts'
import type { TimeZone } from './rules/index.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export interface NodeDraft extends Omit<Mutable<NodeStatus>, 'fencingReasons' | 'attributes' | 'utilization'> {
  fencingReasons: string[]
  attributes: Map<string, string>
  utilization: Map<string, number>
  connectionResource?: PrimitiveDraft
  definition?: { readonly attributes: readonly NvSet[]; readonly utilization: readonly NvSet[] }
}

export interface CommonDraft {
  readonly id: ResourceId
  readonly configuredId: ResourceId
  readonly meta: ResourceMeta
  orphan: boolean
  readonly parent?: CollectiveDraft | undefined
  /** It is, or is part of, a promotable clone. */
  readonly promotable: boolean
}

export interface PrimitiveDraft extends CommonDraft {
  readonly kind: 'primitive'
  readonly agent: PrimitiveResource['agent']
  readonly instance?: PrimitiveResource['instance']
  readonly parameters: readonly NvSet[]
  readonly operations: readonly OperationDefinition[]
  readonly utilization: ReadonlyMap<string, number>
  readonly implicit: boolean
  readonly connectionOf?: NodeName
  container?: PrimitiveDraft
  readonly reconnectIntervalMs?: number
  /** A bundle's member, or what the bundle implies. */
  readonly bundled: boolean
  readonly state: StateDraft
}

export interface StateDraft {
  /** Undefined while nothing is known of it. */
  role: Role | undefined
  active: Map<NodeName, Role>
  knownOn: Set<NodeName>
  managed: boolean
  maintenance: boolean
  failed: boolean
  blocked: boolean
  mustStop: boolean
  failureIgnored: boolean
  heldOn: NodeName[]
  migratable: boolean
  multiplyActive: boolean
  onFail?: { readonly node: NodeName; readonly action: OnFail }
  pending?: { readonly node: NodeName; readonly operation: string; readonly intervalMs: number }
  askedOn?: NodeName
  partialMigration?: { readonly source: NodeName; readonly target: NodeName }
  demandedRole?: { readonly role: Role; readonly reason: string }
  historyName?: string
  shutdownLock?: { readonly node: NodeName; readonly since: number }
  lockExpiredOn?: NodeName
  bans: HistoryBan[]
  danglingMigrations: NodeName[]
  failCounts: Map<NodeName, FailCount>
  otherAgents: Map<NodeName, Agent>
  history: Map<NodeName, readonly HistoryEntry[]>
  namesakes: Map<NodeName, readonly (readonly HistoryEntry[])[]>
  clearFailCountOn: { readonly node: NodeName; readonly reason: string }[]
  expiredRecurring: ExpiredRecurring[]
  demoteOn: NodeName[]
  recoverOn: NodeName[]
}

interface CollectiveCommon extends CommonDraft {
  /** The meta-attributes that members inherit. */
  readonly inheritable: ReadonlyMap<string, string>
}

export interface GroupDraft extends CollectiveCommon {
  readonly kind: 'group'
  readonly members: PrimitiveDraft[]
  /** Where any member is active, in the order in which that was found. */
  readonly activeOn: Set<NodeName>
}

export type InstanceDraft = PrimitiveDraft | GroupDraft

export interface CloneDraft extends CollectiveCommon {
  readonly kind: 'clone'
  readonly cloneMax: number
  readonly cloneNodeMax: number
  readonly cloneMin: number
  readonly unique: boolean
  readonly ordered: boolean
  readonly interleave: boolean
  readonly notify: boolean
  readonly promotedMax: number
  readonly promotedNodeMax: number
  readonly instances: InstanceDraft[]
  /** The instances that are active on a node, by any of their members, in the order in which that was found. */
  readonly activeOn: Map<NodeName, InstanceDraft[]>
  /** No instance before this one is free any more. */
  firstFree: number
  /** Adds one more instance, for one that is found active beyond the wanted number. */
  readonly grow: () => InstanceDraft
}

export interface ReplicaDraft {
  readonly number: number
  readonly container: PrimitiveDraft
  readonly ip?: PrimitiveDraft
  readonly remote?: PrimitiveDraft
  child?: PrimitiveDraft
  readonly ipAddress?: string
  readonly node?: NodeName
}

export interface BundleDraft extends CollectiveCommon {
  readonly kind: 'bundle'
  readonly definition: BundleDefinition
  readonly replicas: ReplicaDraft[]
  readonly replicasPerHost: number
  readonly promotedMax: number
  clone?: CloneDraft
}

export type CollectiveDraft = GroupDraft | CloneDraft | BundleDraft
export type ResourceDraft = PrimitiveDraft | CollectiveDraft

/** Everything that is read, and what it is read from. */
export interface World {
  readonly configuration: Configuration
  readonly options: ClusterOptions
  readonly zone: TimeZone
  readonly haveQuorum: boolean
  /** Becomes true where the history knows one that is not configured any more. */
  haveFenceDevice: boolean
  readonly unfencingEnabled: boolean
  /** Left out by callers to whom it is all the same whether a failure's parameters are still those that are configured. */
  readonly md5: Md5 | undefined
  readonly nodes: Map<NodeName, NodeDraft>
  readonly resources: ResourceDraft[]
  readonly primitives: Map<ResourceId, PrimitiveDraft>
  /** Of clones that are not unique, by the configured name of the primitive inside. */
  readonly cloneByMember: Map<string, CloneDraft>
  readonly recorded: ReadonlyMap<NodeName, RecordedNode>
  /** By node and operation key. */
  readonly failures: Map<string, FailedOperation>
  /** Containers that must stop because something inside of them failed: on a node, or wherever a bundle's is. */
  readonly containersToStop: { readonly container: PrimitiveDraft; readonly on: NodeName | undefined }[]
  /** When something will look different although nothing happens. */
  readonly moments: TimedChange[]
}

export const isActiveRole = (role: Role | undefined): boolean => roleRank(role) >= roleRank('Started')

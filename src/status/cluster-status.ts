/**
 * What the CIB says at one moment: every rule evaluated, every default applied, every recorded operation read. This is
 * the scheduler's only input besides the constraints. Nothing here chooses anything.
 */
import type { NodeName, ResourceId } from '../base/index.ts'
import type { Agent, Configuration, OperationDefinition, Role, Score } from '../cib/index.ts'

export interface ClusterStatus {
  readonly configuration: Configuration
  /** The moment for which rules were evaluated, in seconds since the epoch. */
  readonly now: number
  /** Seconds since the epoch at which some rule, failure timeout or shutdown lock next changes what holds, if any does. */
  readonly recheckAt?: number
  readonly options: ClusterOptions
  readonly haveQuorum: boolean
  readonly nodes: readonly NodeStatus[]
  /** Top-level resources in the order of the CIB, then orphans found in the history. */
  readonly resources: readonly Resource[]
  readonly tickets: readonly TicketStatus[]
  /** Operations in the history that failed, as "Failed Resource Actions" lists them. */
  readonly failures: readonly FailedOperation[]
}

/** Cluster options with their defaults applied and old spellings resolved. Durations in milliseconds. */
export interface ClusterOptions {
  readonly noQuorumPolicy: 'stop' | 'freeze' | 'ignore' | 'demote' | 'fence'
  readonly symmetricCluster: boolean
  readonly maintenanceMode: boolean
  readonly stopAllResources: boolean
  readonly stopOrphanResources: boolean
  readonly stopOrphanActions: boolean
  readonly removeAfterStop: boolean
  readonly startupFencing: boolean
  readonly fencingEnabled: boolean
  readonly fencingAction: 'reboot' | 'off' | 'poweroff'
  readonly fencingTimeoutMs: number
  readonly haveWatchdog: boolean
  readonly concurrentFencing: boolean
  readonly priorityFencingDelayMs: number
  readonly nodePendingTimeoutMs: number
  readonly startFailureIsFatal: boolean
  readonly enableStartupProbes: boolean
  readonly enableAcl: boolean
  readonly batchLimit: number
  readonly migrationLimit: number
  readonly clusterDelayMs: number
  readonly placementStrategy: 'default' | 'utilization' | 'minimal' | 'balanced'
  readonly nodeHealthStrategy: 'none' | 'migrate-on-red' | 'only-green' | 'progressive' | 'custom'
  readonly nodeHealthBase: Score
  readonly nodeHealthGreen: Score
  readonly nodeHealthYellow: Score
  readonly nodeHealthRed: Score
  readonly shutdownLock: boolean
  readonly shutdownLockLimitMs: number
  /** Every option as written, by its published name. */
  readonly raw: ReadonlyMap<string, string>
}

export interface NodeStatus {
  readonly id: string
  readonly name: NodeName
  readonly kind: 'member' | 'remote' | 'guest'
  readonly online: boolean
  /** Must be fenced before anything that it may run is recovered. */
  readonly unclean: boolean
  /** Joined the membership, but not yet the cluster's controller group. */
  readonly pending: boolean
  readonly standby: boolean
  readonly standbyOnFail: boolean
  readonly maintenance: boolean
  readonly shutdown: boolean
  readonly isDc: boolean
  /** Never seen by the cluster since its start. */
  readonly unseen: boolean
  /** Why it must be fenced: one reason per failed expectation, in words. */
  readonly fencingReasons: readonly string[]
  readonly attributes: ReadonlyMap<string, string>
  readonly utilization: ReadonlyMap<string, number>
  /** For remote and guest nodes: the resource that is their connection. */
  readonly connection?: ResourceId
  /** For guest nodes: the resource that is their container. */
  readonly container?: ResourceId
  readonly featureSet?: string
  readonly healthScore: Score
  readonly health: 'green' | 'yellow' | 'red'
}

export interface TicketStatus {
  readonly id: string
  readonly granted: boolean
  readonly standby: boolean
  readonly lastGranted?: number
  readonly attributes: ReadonlyMap<string, string>
}

export type Resource = PrimitiveResource | GroupResource | CloneResource | BundleResource

/** Meta-attributes that every kind has, after defaults and rules; a child's own value wins over its parent's. */
export interface ResourceMeta {
  readonly priority: Score
  readonly stickiness: Score
  readonly managed: boolean
  readonly maintenance: boolean
  readonly targetRole?: Role
  readonly requires: 'nothing' | 'quorum' | 'fencing' | 'unfencing'
  readonly multipleActive: 'stop_start' | 'stop_only' | 'block' | 'stop_unexpected'
  /** A score: INFINITY where none is written. */
  readonly migrationThreshold: Score
  readonly failureTimeoutMs?: number
  readonly allowMigrate: boolean
  readonly critical: boolean
  readonly raw: ReadonlyMap<string, string>
}

interface ResourceCommon {
  /** The name of this instance: `web`, `ping:1`, `web-group:0`. */
  readonly id: ResourceId
  /** The name in the configuration: the same for all instances of a clone. */
  readonly configuredId: ResourceId
  readonly meta: ResourceMeta
  /** In the history, but no longer in the configuration. */
  readonly orphan: boolean
}

export interface PrimitiveResource extends ResourceCommon {
  readonly kind: 'primitive'
  readonly agent: Agent
  /** Set for members of clones: the number of the instance, and whether its number is part of its identity. */
  readonly instance?: { readonly number: number; readonly unique: boolean; readonly promotable: boolean }
  /** Parameters as they hold on a node; rules may make them differ between nodes. */
  readonly parametersOn: (node: NodeName | undefined) => ReadonlyMap<string, string>
  readonly operations: readonly OperationDefinition[]
  readonly utilization: ReadonlyMap<string, number>
  readonly state: PrimitiveState
}

export interface GroupResource extends ResourceCommon {
  readonly kind: 'group'
  readonly members: readonly PrimitiveResource[]
}

export interface CloneResource extends ResourceCommon {
  readonly kind: 'clone'
  readonly cloneMax: number
  readonly cloneNodeMax: number
  readonly cloneMin: number
  readonly unique: boolean
  readonly ordered: boolean
  readonly interleave: boolean
  readonly notify: boolean
  readonly promotable: boolean
  readonly promotedMax: number
  readonly promotedNodeMax: number
  readonly instances: readonly (PrimitiveResource | GroupResource)[]
}

export interface BundleResource extends ResourceCommon {
  readonly kind: 'bundle'
  readonly replicas: readonly {
    readonly number: number
    readonly container: PrimitiveResource
    readonly ip?: PrimitiveResource
    readonly remote?: PrimitiveResource
    readonly child?: PrimitiveResource
  }[]
}

/** What the history says of one primitive instance. */
export interface PrimitiveState {
  /** The highest role it is known to have anywhere. */
  readonly role: Role
  /** Where it is active, in node order, with its role there. */
  readonly active: readonly { readonly node: NodeName; readonly role: Role }[]
  /** Where a probe or operation has told whether it runs. */
  readonly knownOn: readonly NodeName[]
  readonly failed: boolean
  readonly blocked: boolean
  readonly failureIgnored: boolean
  /** What the first failure asks for: the `on-fail` of the failed operation, resolved. */
  readonly onFail?: { readonly node: NodeName; readonly action: OnFail }
  /** An operation whose result is not known yet. */
  readonly pending?: { readonly node: NodeName; readonly operation: string }
  /** A live migration that was interrupted between its two halves. */
  readonly partialMigration?: { readonly source: NodeName; readonly target: NodeName }
  /** Where the history forbids it to run. Placement adds minus INFINITY for each. */
  readonly bans?: readonly HistoryBan[]
  /** The role that the history demands next, whatever is wanted (on-fail=stop, a remote connection waiting to reconnect). */
  readonly demandedRole?: { readonly role: Role; readonly reason: string }
  /** The name that its history has on the nodes where that differs from `id`: `ping` or `ping:0` for `ping:1`. Promotion scores use it. */
  readonly historyName?: string
  /** A lock recorded in the history (`shutdown-lock`), or due because its only node is shutting down cleanly. */
  readonly shutdownLock?: { readonly node: NodeName; readonly since: number }
  /** By node; INFINITY is 1000000. Expired failures are not counted but listed in `expiredOn`. */
  readonly failCounts: ReadonlyMap<NodeName, FailCount>
}

/** A failure that rules a node out, or every node where `node` is undefined. */
export interface HistoryBan {
  readonly node?: NodeName
  readonly because: 'failed-stop' | 'hard-error' | 'fatal-error' | 'on-fail-stop' | 'on-fail-ban' | 'failed-migration'
  /** `web_stop_0`, as far as a single operation is the cause. */
  readonly operation?: string
  /** The whole clone is banned, not only this instance (anonymous clones, except for a failed stop). */
  readonly wholeClone: boolean
}

export type OnFail =
  | 'ignore'
  | 'block'
  | 'demote'
  | 'recover'
  | 'standby'
  | 'fence'
  | 'stop'
  | 'restart-container'
  | 'reset-remote'

export interface FailCount {
  readonly count: Score
  readonly lastFailure?: number
  readonly expired: boolean
}

export interface FailedOperation {
  readonly resource: ResourceId
  readonly node: NodeName
  readonly operation: string
  readonly intervalMs: number
  readonly exitCode: number
  readonly status: string
  readonly exitReason: string
  readonly lastChange?: number
}

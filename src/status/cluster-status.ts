/**
 * What the CIB says at one moment: every rule evaluated, every default applied, every recorded operation read. This is
 * the scheduler's only input besides the constraints. Nothing here chooses anything.
 */
import type { NodeName, ResourceId } from '../base/index.ts'
import type { Agent, BundleDefinition, Configuration, OperationDefinition, Role, Rule, Score } from '../cib/index.ts'

export interface ClusterStatus {
  readonly configuration: Configuration
  /** The moment for which rules were evaluated, in seconds since the epoch. */
  readonly now: number
  /** Seconds since the epoch at which some rule, failure timeout or shutdown lock next changes what holds, if any does. */
  readonly recheckAt?: number
  /** The same with what changes then: a rule by its id, a failure-timeout, a lock, a pending node. */
  readonly nextChange?: { readonly at: number; readonly because: readonly string[] }
  readonly options: ClusterOptions
  readonly haveQuorum: boolean
  readonly nodes: readonly NodeStatus[]
  /** Top-level resources in the order of the CIB, then orphans found in the history. */
  readonly resources: readonly Resource[]
  readonly tickets: readonly TicketStatus[]
  /** Operations in the history that failed, as "Failed Resource Actions" lists them. */
  readonly failures: readonly FailedOperation[]
  /** Some fence device provides unfencing, so that resources require it by default. */
  readonly unfencingEnabled: boolean
  /** Some fence device is configured, or nodes have a watchdog to fence themselves. */
  readonly haveFenceDevice: boolean
  /**
   * Every primitive instance by its id, members of groups, clones and bundles included. For anonymous clones this is the
   * id with the number (`ping:1`); the name in the history is `state.historyName`.
   */
  readonly primitivesById: ReadonlyMap<ResourceId, PrimitiveResource>
  readonly nodesByName: ReadonlyMap<NodeName, NodeStatus>
  /**
   * The attributes of an operation as they hold for one resource: of the `op` element, its meta-attributes, and
   * `op_defaults` with their rules. With `intervalMs` 0 and name `monitor` this is the probe. Names as written in the CIB;
   * includes `timeout`, `on-fail`, `role`, `start-delay`, `interval-origin`, `enabled` where written.
   */
  readonly operationMeta: (
    resource: PrimitiveResource,
    operation: { readonly name: string; readonly intervalMs: number; readonly definition?: OperationDefinition },
  ) => ReadonlyMap<string, string>
  /** The parameters of an `op` element as they hold on a node. */
  readonly operationParameters: (
    definition: OperationDefinition,
    node: NodeName | undefined,
  ) => ReadonlyMap<string, string>
  /** When a rule next gives another answer by time alone, in seconds since the epoch. */
  readonly ruleChangesAt: (rule: Rule) => number | undefined
  /** Whether a rule (of a constraint, for one) holds on a node, at `now`. */
  readonly ruleHolds: (
    rule: Rule,
    on: {
      readonly node?: NodeStatus | undefined
      readonly resource?: Resource | undefined
      readonly role?: Role | undefined
      /** What the groups of a resource pattern matched, the whole match first. */
      readonly submatches?: readonly string[] | undefined
    },
  ) => boolean
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
  /** It is a replica of a bundle, and runs nothing but the bundled resource. */
  readonly isBundleNode: boolean
  /** It stands in the configuration's `nodes`. */
  readonly isConfigured: boolean
  /** A remote node whose connection is no longer configured. Nothing may be placed there. */
  readonly isOrphan: boolean
  readonly featureSet?: string
  readonly healthScore: Score
  readonly health: 'green' | 'yellow' | 'red'
  /** False: the node attribute `resource-discovery-enabled` says that nothing may be probed there (remote nodes only). */
  readonly discoveryEnabled: boolean
  /** Lost without warning, so that `priority-fencing-delay` applies to its fencing. */
  readonly lost: boolean
  /** A remote or guest node that must be fenced before its connection is made again. */
  readonly requiresReset: boolean
  /** The node's executor recorded that it was fenced (`node_fenced`); remote nodes only. */
  readonly fenced: boolean
  /** As recorded in `node_in_maintenance`, to be compared with `maintenance`; of remote and guest nodes whose history counts. */
  readonly recordedMaintenance: boolean
  /** When it was unfenced last (`#node-unfenced`), in seconds since the epoch; 0 where never. */
  readonly unfencedAt: number
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
  /** The node whose connection this resource is: `ocf:pacemaker:remote`, written or implied. */
  readonly connectionOf?: NodeName
  /** The resource in which this one runs: the container of a guest node's connection. */
  readonly container?: ResourceId
  /** Implied by a bundle or a guest node, so that it has no element of its own in the configuration. */
  readonly implicit: boolean
  /** `reconnect_interval` of a connection, in milliseconds. */
  readonly reconnectIntervalMs?: number
}

export interface GroupResource extends ResourceCommon {
  readonly kind: 'group'
  readonly members: readonly PrimitiveResource[]
  /** Where any member is active, in the order in which that was found. */
  readonly activeNodes: readonly NodeName[]
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
  readonly definition: BundleDefinition
  /** The implied clone of the bundled primitive, `<bundle>-clone`; its instances are the replicas' `child`. */
  readonly clone?: CloneResource
  readonly replicasPerHost: number
  readonly promotedMax: number
  readonly replicas: readonly {
    readonly number: number
    readonly container: PrimitiveResource
    readonly ip?: PrimitiveResource
    readonly remote?: PrimitiveResource
    readonly child?: PrimitiveResource
    readonly ipAddress?: string
    /** The guest node that the container is. */
    readonly node?: NodeName
  }[]
}

/** What the history says of one primitive instance. */
export interface PrimitiveState {
  /** The highest role it is known to have anywhere. */
  readonly role: Role
  /** Where it is active, with its role there, in the order in which the history told: the first is its present node. */
  readonly active: readonly { readonly node: NodeName; readonly role: Role }[]
  /** Where a probe or operation has told whether it runs. */
  readonly knownOn: ReadonlySet<NodeName>
  readonly failed: boolean
  readonly blocked: boolean
  readonly failureIgnored: boolean
  /** Where it was found active when it was known to be unmanaged already: it stays there. */
  readonly heldOn: readonly NodeName[]
  /** What the first failure asks for: the `on-fail` of the failed operation, resolved. */
  readonly onFail?: { readonly node: NodeName; readonly action: OnFail }
  /** An operation whose result is not known yet. */
  readonly pending?: { readonly node: NodeName; readonly operation: string; readonly intervalMs: number }
  /** Where a pending operation was sent: told of what is stopped, even where a later stop has made its answer pointless. */
  readonly askedOn?: NodeName
  /** A live migration that was interrupted between its two halves. */
  readonly partialMigration?: { readonly source: NodeName; readonly target: NodeName }
  /** Where the history forbids it to run. Placement adds minus INFINITY for each. */
  readonly bans: readonly HistoryBan[]
  /** The role that the history demands next, whatever is wanted (on-fail=stop, a remote connection waiting to reconnect). */
  readonly demandedRole?: { readonly role: Role; readonly reason: string }
  /** The name that its history has on the nodes where that differs from `id`: `ping` or `ping:0` for `ping:1`. Promotion scores use it. */
  readonly historyName?: string
  /** A lock recorded in the history (`shutdown-lock`), or due because its only node is shutting down cleanly. */
  readonly shutdownLock?: { readonly node: NodeName; readonly since: number }
  /** A node whose lock on it has expired: its history there shall be cleared. */
  readonly lockExpiredOn?: NodeName
  /** By node; INFINITY is 1000000. A container's `migration-threshold` is compared with its own and those of what runs inside. */
  readonly failCounts: ReadonlyMap<NodeName, FailCount>
  /** Whether the cluster may start and stop it: is-managed, maintenance of cluster, resource and node, `block`. */
  readonly managed: boolean
  /** Unmanaged because of maintenance rather than `is-managed`. */
  readonly maintenance: boolean
  /** It must be stopped before anything else is done with it. */
  readonly mustStop: boolean
  /** Live migration is out of the question after one that failed without trace. */
  readonly migratable: boolean
  /** Nodes on which a stop after a successful migration away from them is still due. */
  readonly danglingMigrations: readonly NodeName[]
  /** The agent that a node's history was made by, where it is another than its own; also of a history that only bears its name. */
  readonly otherAgents: ReadonlyMap<NodeName, Agent>
  /** Its operations by node, oldest first. */
  readonly history: ReadonlyMap<NodeName, readonly HistoryEntry[]>
  /** Where it is active, other histories that bear its name: an older one of the same instance, or one of another. */
  readonly namesakes: ReadonlyMap<NodeName, readonly (readonly HistoryEntry[])[]>
  /** Nodes where its fail count shall be cleared, because of expiry. */
  readonly clearFailCountOn: readonly { readonly node: NodeName; readonly reason: string }[]
  /** Failures of recurring operations that expired. */
  readonly expiredRecurring: readonly ExpiredRecurring[]
  /** Nodes where a failed operation asks for a demotion (`on-fail=demote`). */
  readonly demoteOn: readonly NodeName[]
  /** Nodes where it failed and shall be stopped, to start anew there or elsewhere. */
  readonly recoverOn: readonly NodeName[]
  /** Whether it is active on more nodes than it may be. */
  readonly multiplyActive: boolean
}

export interface ExpiredRecurring {
  readonly node: NodeName
  readonly entry: HistoryEntry
}

/** One `lrm_rsc_op`: the recorded result of an operation. */
export interface HistoryEntry {
  /** The id of the entry: `web_last_0`, `web_last_failure_0`, `web_monitor_10000`. */
  readonly id: string
  /** `web_start_0`. */
  readonly key: string
  readonly operation: string
  readonly intervalMs: number
  /** -1 while it is pending. */
  readonly callId: number
  readonly exitCode: number
  /** `op-status` as written: 0 done, -1 pending, 1 cancelled, 2 timeout, 3 not supported, 4 error, 5 … */
  readonly status: number
  /** The exit code that the transition expected; undefined where none is recorded. */
  readonly expectedExitCode?: number | undefined
  /** Seconds since the epoch. */
  readonly lastChange?: number | undefined
  readonly exitReason: string
  readonly migrateSource?: NodeName | undefined
  readonly migrateTarget?: NodeName | undefined
  /** Every attribute as written: digests, `op-force-restart`, `queue-time`, … */
  readonly attributes: Readonly<Record<string, string>>
}

/** A failure that rules a node out, or every node where `node` is undefined. */
export interface HistoryBan {
  readonly node?: NodeName
  readonly because: 'failed-stop' | 'hard-error' | 'fatal-error' | 'on-fail-stop' | 'on-fail-ban' | 'failed-migration'
  /** `web_stop_0`, as far as a single operation is the cause. */
  readonly operation?: string
  /**
   * The whole clone is banned, not only this instance (anonymous clones, except for a failed stop), with as many instances as it
   * had when the failure was read: one that another history brought later is not concerned.
   */
  readonly cloneInstances?: number
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
  /** What counts: 0 once expired. */
  readonly count: Score
  /** As recorded, expired or not. */
  readonly own: Score
  /** Seconds since the epoch. */
  readonly lastFailure?: number
  readonly expired: boolean
  /** When failure-timeout has passed, in seconds since the epoch. */
  readonly expiresAt?: number
}

export interface FailedOperation {
  readonly resource: ResourceId
  /** The resource's name in the configuration, the same for all instances of a clone. */
  readonly configuredResource: ResourceId
  readonly node: NodeName
  readonly operation: string
  readonly intervalMs: number
  readonly exitCode: number
  readonly status: string
  readonly exitReason: string
  readonly lastChange?: number
  /** `web_start_0`. */
  readonly key: string
  /** Where the entry itself says that it ran (`on_node`); old ones do not. */
  readonly recordedNode?: NodeName
}

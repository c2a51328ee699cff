/**
 * What assignment hands on: for every resource where it is to be, in which role, and why. `assignment/` fills all of this;
 * `actions/` reads it together with the status and never changes it. Order constraints play no part in placement: `actions/`
 * makes orders of them by itself, with `references`.
 */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { Role, Score } from '../../cib/index.ts'
import type { References } from '../constraints/references.ts'

export interface Assignment {
  /** Every primitive instance: members of groups, clones and bundles, orphans, connections of remote nodes. */
  readonly primitives: ReadonlyMap<ResourceId, PrimitiveAssignment>
  /** Every group, clone and bundle, groups inside of clones included. */
  readonly collectives: ReadonlyMap<ResourceId, CollectiveAssignment>
  /** Top-level resources in the order in which they are worked on: by priority, then as in the CIB. Actions are numbered in it. */
  readonly order: readonly ResourceId[]
  /** Colocations between resources as they were applied, after sets, tags and templates were resolved. */
  readonly colocations: readonly ExpandedColocation[]
  /** Ticket constraints, one for each resource that depends on a ticket. */
  readonly ticketConstraints: readonly ExpandedTicketConstraint[]
  /** Nodes that must be fenced because of a decision made here (a lost ticket with loss-policy fence), with reasons. */
  readonly fencing: ReadonlyMap<NodeName, readonly string[]>
  /** Nodes on which nothing can be placed, and why not. */
  readonly unavailable: ReadonlyMap<NodeName, NodeUnavailable>
  /** Remote and guest nodes as they will be once their connections are where they were assigned. */
  readonly remoteNodes: ReadonlyMap<
    NodeName,
    { readonly online: boolean; readonly shutdown: boolean; readonly unclean: boolean }
  >
  /** What the ids in constraints mean, for those constraints that play no part in placement. */
  readonly references: References
  /** The lines that `simulate --show-scores` prints, as data, in the order in which they came about. */
  readonly scores: readonly ScoreLine[]
  /** What is left of each node's capacity after everything was assigned; only with a placement strategy. */
  readonly remainingCapacity: ReadonlyMap<NodeName, ReadonlyMap<string, number>>
}

export interface PrimitiveAssignment {
  readonly id: ResourceId
  /** Where it shall be active; undefined: nowhere. */
  readonly node?: NodeName
  /** The role it shall have. `Stopped` exactly where `node` is undefined, unless it is unmanaged and stays as it is. */
  readonly nextRole: Role
  /** Why nextRole is lower than the role that was wanted: `target-role`, `no-quorum-policy`, `ticket t1`, … */
  readonly nextRoleReason?: string
  /** Managed after everything that takes management away: is-managed, maintenance, freeze by a lost ticket. */
  readonly managed: boolean
  /** Nothing may be done with it: a failed stop without fencing, on-fail=block, active where it must not be. */
  readonly blocked: boolean
  /**
   * The final score per node; undefined where the resource must not be at all (asymmetric cluster, exclusive discovery).
   * Minus INFINITY is -1000000.
   */
  readonly scoreOn: (node: NodeName) => Score | undefined
  /** Where the score comes from, in the order in which it was added up. */
  readonly contributionsOn: (node: NodeName) => readonly Contribution[]
  /** From the best to the worst, after everything was assigned; those that may not be at all are left out. */
  readonly nodesByPreference: () => readonly NodeName[]
  /** Whether a probe may be run on a node, by location constraints with resource-discovery. */
  readonly discoveryOn: (node: NodeName) => 'always' | 'never' | 'exclusive'
  /** True where some constraint says resource-discovery=exclusive: only nodes with `exclusive` may be probed. */
  readonly exclusiveDiscovery: boolean
  /** Only with promotable clones: the number by which instances are chosen for promotion, -1000000 … 1000000. */
  readonly promotionScore?: Score
  /** The node that a shutdown lock keeps it for. */
  readonly lockedTo?: NodeName
  /** Why it is nowhere, or not promoted. Empty where all is as wanted. */
  readonly whyNot: readonly PlacementReason[]
}

/** Where a resource shall be, and in which role; an interleaved instance without a partner is taken away again later. */
export type Destination = Pick<PrimitiveAssignment, 'node' | 'nextRole'>

export interface CollectiveAssignment {
  readonly id: ResourceId
  readonly kind: 'group' | 'clone' | 'bundle'
  /** Members of a group in their order; instances of a clone in the order in which they were assigned; of a bundle its replicas' containers. */
  readonly members: readonly ResourceId[]
  /** Where at least one member is going to be active. */
  readonly nodes: readonly NodeName[]
  /** Managed itself, whatever its members are. */
  readonly managed: boolean
  /** Clones only: how many instances may be promoted at once, after the scores were looked at. */
  readonly promotedCount?: number
  readonly scoreOn: (node: NodeName) => Score | undefined
  readonly contributionsOn: (node: NodeName) => readonly Contribution[]
  /** From the best to the worst, after everything was assigned; those that may not be at all are left out. */
  readonly nodesByPreference: () => readonly NodeName[]
}

export interface ExpandedColocation {
  /** The id of the constraint; `#` and more for what is implied (`#resource-with-container`). */
  readonly id: string
  readonly dependent: ResourceId
  readonly primary: ResourceId
  /** Undefined: in any role. */
  readonly dependentRole?: Role
  readonly primaryRole?: Role
  readonly score: Score
  /** `#uname` where none was written: the same node. */
  readonly nodeAttribute: string
  /** Whether the dependent's node scores influence the primary (`influence`, or the dependent's `critical` meta-attribute). */
  readonly influence: boolean
  /** False: implied by the kind of resource, such as a bundle's member with its container. */
  readonly fromConstraint: boolean
}

export interface ExpandedTicketConstraint {
  readonly id: string
  readonly resource: ResourceId
  readonly ticket: string
  readonly role?: Role
  readonly lossPolicy: 'stop' | 'demote' | 'fence' | 'freeze'
}

/** One part of a score. The sum of a node's contributions, with INFINITY arithmetic, is its score. */
export interface Contribution {
  readonly source: ScoreSource
  readonly score: Score
}

export type ScoreSource =
  | { readonly kind: 'location'; readonly constraint: string; readonly rule?: string; readonly attribute?: string }
  | { readonly kind: 'stickiness' }
  | {
      readonly kind: 'colocation'
      readonly constraint: string
      readonly with: ResourceId
      /** `primary`: it must go where the other is; `dependent`: the other wants to be where this one goes. */
      readonly as: 'dependent' | 'primary'
    }
  | { readonly kind: 'health'; readonly health: 'green' | 'yellow' | 'red' | 'score' }
  | { readonly kind: 'fail-count'; readonly count: Score; readonly threshold: Score }
  | {
      readonly kind: 'failure'
      readonly because:
        | 'failed-stop'
        | 'hard-error'
        | 'fatal-error'
        | 'on-fail-stop'
        | 'on-fail-ban'
        | 'failed-migration'
      readonly operation?: string
    }
  | { readonly kind: 'unmanaged' }
  | { readonly kind: 'multiple-active' }
  | { readonly kind: 'ticket'; readonly ticket: string }
  | { readonly kind: 'utilization' }
  | { readonly kind: 'exclusive-discovery' }
  /** Remote nodes run no connections and no fence devices; a container's contents run in it alone. */
  | { readonly kind: 'node-kind' }
  | { readonly kind: 'target-role'; readonly role: Role }
  | { readonly kind: 'instances'; readonly limit: 'clone-max' | 'clone-node-max' | 'replicas-per-host' }
  | { readonly kind: 'shutdown-lock'; readonly node: NodeName }
  /** A service that it waits for has too few members. */
  | { readonly kind: 'gate'; readonly service: string; readonly why: string }
  | { readonly kind: 'promotion' }
  /** What is bundled belongs to the replica that was made for it. */
  | { readonly kind: 'replica' }
  | { readonly kind: 'orphan' }

export type PlacementReason =
  | { readonly kind: 'node-unavailable'; readonly node: NodeName; readonly state: NodeUnavailable }
  | { readonly kind: 'banned'; readonly node: NodeName; readonly by: readonly Contribution[] }
  | { readonly kind: 'not-allowed'; readonly node: NodeName }
  | { readonly kind: 'target-role'; readonly role: Role }
  | { readonly kind: 'on-fail'; readonly action: string; readonly node: NodeName }
  | { readonly kind: 'no-quorum'; readonly policy: string }
  | { readonly kind: 'unmanaged' }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'orphan' }
  | { readonly kind: 'ticket'; readonly ticket: string; readonly policy: string }
  | { readonly kind: 'stop-all-resources' }
  | {
      readonly kind: 'clone-limit'
      readonly limit: 'clone-max' | 'clone-node-max' | 'promoted-max' | 'promoted-node-max'
    }
  | { readonly kind: 'capacity'; readonly node: NodeName }
  | { readonly kind: 'primary-stopped'; readonly primary: ResourceId; readonly constraint: string }
  | { readonly kind: 'promotion-score'; readonly node: NodeName; readonly score: Score }
  | { readonly kind: 'shutdown-lock'; readonly node: NodeName }

export type NodeUnavailable =
  | 'offline'
  | 'unclean'
  | 'pending'
  | 'standby'
  | 'shutting down'
  | 'in maintenance'
  | 'its container is not running'
  | 'its connection is not running'

/** What `simulate --show-scores` prints for one resource at one moment: one line for each node that it is allowed on. */
export type ScoreLine =
  | {
      readonly kind: 'scores'
      readonly by: 'primitive' | 'group' | 'clone' | 'bundle'
      readonly resource: ResourceId
      /** By node, in the order of the status. */
      readonly scores: Int32Array
    }
  | { readonly kind: 'promotion'; readonly resource: ResourceId; readonly node?: NodeName; readonly score: Score }

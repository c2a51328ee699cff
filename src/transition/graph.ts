/**
 * The transition graph: what to do and in which order. The scheduler makes it, the controller walks it, `simulate` plays
 * it, and it prints as Pacemaker's graph XML. Ids number the actions as they were planned, from 1, with gaps where an
 * action turned out not to be needed; the list has them in the order in which those that are ready go out.
 */
import type { NodeName, ResourceId } from '../base/index.ts'
import type { Agent } from '../cib/index.ts'

export type ActionId = number

interface ActionCommon {
  readonly id: ActionId
  /** The ids of the actions that must have succeeded before (their synapse's inputs). */
  readonly inputs: readonly ActionId[]
  /** `CRM_meta_*` entries and agent parameters, as the graph's `attributes` element has them. May be made when first read. */
  readonly attributes: Readonly<Record<string, string>>
  /** Higher ones are sent first among those that are ready. */
  readonly priority: number
}

/** An operation of a resource agent on a node: `rsc_op` in the graph. */
export interface ResourceAction extends ActionCommon {
  readonly kind: 'resource'
  /** The instance as the executor knows it (`web`, `ping:1`). */
  readonly resource: ResourceId
  /** The other name where the graph has `long-id`: the instance name when `resource` is without its number. */
  readonly longId?: ResourceId
  readonly operation: string
  readonly intervalMs: number
  /** The exit code that counts as success, where that is not 0: a probe may expect 7 (not running). */
  readonly expectedExitCode?: number
  /** Of the halves of a live migration: from where to where. */
  readonly migration?: { readonly source: string; readonly target: string }
  /** `web_start_0`. */
  readonly key: string
  readonly internalKey?: string
  readonly agent: Agent
  readonly node: NodeName
  readonly nodeId: string
  /** The cluster node that carries it out for a remote or guest node. */
  readonly routerNode?: NodeName
  /** Nodes that are down once it succeeded: what a remote connection led to. */
  readonly downed: readonly string[]
}

/** Something that the cluster's own daemons do: fencing, clearing fail counts, shutting a node down. */
export interface ClusterAction extends ActionCommon {
  readonly kind: 'cluster'
  /** `stonith` (fencing), `do_shutdown`, `clear_failcount`, `lrm_delete`, … */
  readonly operation: string
  readonly key: string
  readonly internalKey?: string
  readonly node?: NodeName
  readonly nodeId?: string
  readonly routerNode?: NodeName
  /** Nodes that are down once it succeeded (the graph's `downed`). */
  readonly downed: readonly string[]
  /** For actions that concern a resource, such as `clear_failcount`. */
  readonly resource?: ResourceId
  readonly longId?: ResourceId
  readonly agent?: Agent
}

/** A point in the order without anything to do: `web-group_running_0`. */
export interface PseudoAction extends ActionCommon {
  readonly kind: 'pseudo'
  readonly operation: string
  readonly key: string
  readonly internalKey?: string
  /** The resource whose point it is; none for points between resources. */
  readonly resource?: ResourceId
  /** For operations that fencing implies: where the operation would have been. Only a guest's fencing prints it. */
  readonly node?: NodeName
  readonly nodeId?: string
  readonly downed: readonly string[]
  /** Remote and guest nodes that are to be told that they are in maintenance, or not any more (`maintenance_nodes`). */
  readonly maintenance?: readonly { readonly id: string; readonly isInMaintenance: boolean }[]
}

export type GraphAction = ResourceAction | ClusterAction | PseudoAction

export interface TransitionGraph {
  readonly actions: readonly GraphAction[]
  /** What some action waits for although it is not going to happen, so that the one that waits does not either. */
  readonly absent?: readonly GraphAction[]
  /** The graph element's own attributes (cluster-delay, fencing-timeout, failed-stop-offset, batch-limit …). */
  readonly attributes: Readonly<Record<string, string>>
}

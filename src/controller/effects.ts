/**
 * What goes into the controller and what comes out. Effects are values: the daemon (or the simulator) performs them.
 *
 * Contract at the edge, on which the cluster's safety rests:
 * - `write`: one transaction whose comparison is `dc`'s create revision = `term`. Refused: `written` with `refused`. A time-out
 *   is repeated by the performer until it knows (the edits are idempotent) or this node is no longer DC.
 * - `execute`: the node refuses a term lower than the highest it has seen, and starts nothing that was planned before it was
 *   known what it has done by itself. Before it runs an operation that changes anything, it writes the operation's `pending`
 *   record in a transaction that compares `dc`'s create revision with the term, and that its own member record is there: so
 *   nothing runs that a later DC cannot see. The same `transitionKey` twice is one operation. Recurring monitors and probes
 *   need no pending record, but the term all the same.
 * - `fence`: recorded as `fencing/history/<id>` in a transaction with the same comparison before any device is asked.
 * - Effects are performed in order; before performing any, the daemon asks `isQuorate` once more.
 */
import type { NodeName, ResourceId } from '../base/index.ts'
import type { NodeStateRecord, ShutdownLockRecord } from '../cib/index.ts'
import type { ClusterAction, ResourceAction, TransitionGraph } from '../transition/index.ts'
import type { NodeLoad } from './node-load.ts'
import type { Change, ClusterView } from './view.ts'
import type { WalkReport } from './walk-report.ts'

/** Logical writes of the DC; `writesOfEdits` turns them into keys and values. */
export type Edit =
  | { readonly kind: 'put-node-state'; readonly record: NodeStateRecord }
  | { readonly kind: 'delete-node-state'; readonly node: NodeName }
  | { readonly kind: 'delete-history'; readonly node: NodeName; readonly resource?: ResourceId }
  | { readonly kind: 'delete-record'; readonly key: string }
  | { readonly kind: 'put-attribute'; readonly node: NodeName; readonly name: string; readonly value: string }
  | { readonly kind: 'delete-attribute'; readonly node: NodeName; readonly set: string; readonly name: string }
  | { readonly kind: 'delete-attributes'; readonly node: NodeName }
  | { readonly kind: 'delete-confirmation'; readonly node: NodeName }
  | { readonly kind: 'put-shutdown-lock'; readonly lock: ShutdownLockRecord }

/** A failed operation that counts. */
export interface Failure {
  readonly node: NodeName
  readonly resource: ResourceId
  readonly operation: string
  readonly intervalMs: number
  /** `infinity`: one failure bans the resource from the node (start-failure-is-fatal, failed stops). */
  readonly by: 'one' | 'infinity'
  /** Seconds since the epoch. */
  readonly at: number
}

/** `transition` in the store, for `status`, `--wait` and people. */
export interface TransitionRecord {
  readonly number: number
  readonly term: number
  readonly state: 'idle' | 'computing' | 'running' | 'blocked'
  /** The version of the configuration that the last finished computation has seen. */
  readonly computedVersion: number
  /** It has seen all changes of holds up to that revision of the store. */
  readonly computedHolds: number
  /** What is being done, in words: `web start on alpha`. */
  readonly pending: readonly string[]
  /** What must change before the cluster can go on, in words. */
  readonly blockedBy: readonly string[]
  /** The resources among them: they wait for an administrator, and nothing else waits for them. */
  readonly blockedResources: readonly ResourceId[]
}

/** A resource of which nothing is done before somebody has looked at its failure. */
export interface BlockedResource {
  readonly resource: ResourceId
  /** In words. */
  readonly why: string
}

export type FencingAction = 'off' | 'reboot' | 'on'

export type ControllerInput =
  /** The store's events of one revision or more; `changes` lead from the view before to this one. Empty at the first view. */
  | { readonly kind: 'store'; readonly view: ClusterView; readonly changes: readonly Change[] }
  /** From the quorum core, whenever it changes or is prolonged: this node may act until then, under this lease. */
  | {
      readonly kind: 'quorum'
      readonly until: number
      readonly lease?: string
      /** Who votes, by the list of nodes, the witness too. */
      readonly voters?: readonly NodeName[]
      /** The other of two voters that are nodes: without it this one goes on alone (`otherOfTwo` of the list). */
      readonly otherVoter?: NodeName
    }
  /** From the heartbeats: nodes that are silent here, and those of them whose silence a majority confirms. */
  | { readonly kind: 'silence'; readonly silent: readonly NodeName[]; readonly agreed: readonly NodeName[] }
  /** The witness where its vote is of no use now: it is not heard by heartbeats. */
  | { readonly kind: 'witness'; readonly useless?: NodeName }
  /** The transaction of `campaign` has ended, with whatever outcome: the view tells who won. */
  | { readonly kind: 'campaigned' }
  | {
      readonly kind: 'written'
      readonly id: number
      readonly outcome: 'applied' | 'refused'
      /** The store's revision after it. */
      readonly revision: number
    }
  | {
      readonly kind: 'computed'
      readonly compute: number
      readonly graph: TransitionGraph
      /** Seconds from now until a rule, failure timeout or lock changes what holds. */
      readonly recheckInMs?: number
      readonly blocked?: readonly BlockedResource[]
      /** Primitives, by their names in the configuration, whose results may let others start that wait for them. */
      readonly awaited?: readonly string[]
      /** Every shutdown lock that holds; undefined: not computed. */
      readonly shutdownLocks?: readonly ShutdownLockRecord[]
    }
  | { readonly kind: 'compute-failed'; readonly compute: number; readonly message: string }
  /** The executor did not take an action. `unknown`: it may have; the same effect is then sent again. */
  | {
      readonly kind: 'not-taken'
      readonly transitionKey: string
      readonly why: 'unknown' | 'refused' | 'old-term'
      readonly message: string
    }
  /**
   * Carried out, by the node's own word, for what leaves no record to tell it: `cancel`, `lrm_delete` and `delete` (the
   * executor's `cancel` and `forget`). `do_shutdown` needs none: its node goes.
   */
  | { readonly kind: 'acknowledged'; readonly transitionKey: string }
  /** The end of a `fence`, or of a fencing that somebody else asked for: then with an id of their own. */
  | {
      readonly kind: 'fenced'
      readonly id: string
      readonly target: NodeName
      readonly action: FencingAction
      /**
       * Of the target, when the fencing was asked for: as the effect had it, or as the asker's view showed it. It proves nothing
       * about an incarnation that came after, so that without it a fencing that is not this DC's own counts for nothing.
       */
      readonly incarnation?: number
      /** Seconds since the epoch. */
      readonly at: number
      readonly outcome: 'succeeded' | 'failed'
      readonly message: string
      /** It was taken back before anything was done to the node. */
      readonly withdrawn?: true
    }
  /** What a node has said of itself with an answer. */
  | { readonly kind: 'load'; readonly node: NodeName; readonly load: NodeLoad }
  /** This node wants to leave: it no longer campaigns. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'tick' }

export type ControllerEffect =
  /** Create `dc` with `{node}` under the lease if it is absent. Answer with `campaigned`. */
  | { readonly kind: 'campaign'; readonly lease: string }
  /**
   * Delete `dc` if its create revision is this term. A DC that was without quorum for a moment does not go on under the same
   * term: what it asked for before, and what may still be on its way, is refused from now on. Answer with `campaigned`.
   */
  | { readonly kind: 'resign'; readonly term: number }
  | { readonly kind: 'write'; readonly id: number; readonly term: number; readonly edits: readonly Edit[] }
  /** Turn them into fail counts (attributes room: `failureEdits`), write them like a `write` and answer with `written`. */
  | {
      readonly kind: 'record-failures'
      readonly id: number
      readonly term: number
      readonly failures: readonly Failure[]
    }
  /** Delete the fail counts of a resource on a node (`clearFailureEdits`) and these edits, like a `write`. */
  | {
      readonly kind: 'clear-failures'
      readonly id: number
      readonly term: number
      readonly node: NodeName
      readonly resource: ResourceId
      readonly edits: readonly Edit[]
    }
  /** Compose the CIB of the view that was fed last (`cibOfView(view, true)`) and compute its graph. */
  | { readonly kind: 'compute'; readonly compute: number; readonly term: number; readonly reason: string }
  | {
      readonly kind: 'execute'
      /** Where the command goes: the node itself, or the cluster node that holds its connection. */
      readonly node: NodeName
      readonly term: number
      /** The revision of the view that the transition was computed from. */
      readonly plannedFrom: number
      readonly transition: number
      readonly transitionKey: string
      readonly action: ResourceAction | ClusterAction
      /** Of the operation itself. */
      readonly timeoutMs: number
    }
  | {
      readonly kind: 'fence'
      readonly id: string
      readonly term: number
      readonly target: NodeName
      readonly action: FencingAction
      /** For the answer. */
      readonly incarnation?: number
      readonly timeoutMs: number
      /** `priority-fencing-delay`, for the fencer to add to its own delays. */
      readonly delayMs: number
      readonly reason: string
    }
  /** The `fence` of that id is not wanted any more. It is answered all the same: by what came of it where a device was told already. */
  | { readonly kind: 'withdraw-fencing'; readonly id: string; readonly node: NodeName }
  /** End the lease of a node that is lost, so that it cannot act any more. */
  | { readonly kind: 'revoke-lease'; readonly node: NodeName; readonly lease: string }
  /** Put `transition` under the same comparison; nobody waits for it, and a newer one replaces it. */
  | { readonly kind: 'publish'; readonly record: TransitionRecord }
  /** A transition is over: what it has done, for the journal of this node. Nothing is decided from it. */
  | { readonly kind: 'walked'; readonly report: WalkReport }
  /** For the log: a constant message and fields. */
  | { readonly kind: 'log'; readonly message: string; readonly fields: Readonly<Record<string, string | number>> }

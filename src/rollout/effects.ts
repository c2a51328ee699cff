/** What a rollout sees, and what it has done: all effects of one step are written in one transaction with the record. */
import type { NodeName } from '../base/index.ts'
import type { NodeVersion } from './record.ts'

export interface NodeSeen {
  /** A member that has joined, or a remote node that a member is connected to. */
  readonly online: boolean
  /** A host without a vote whose connection is a resource: it leaves before it boots. */
  readonly isRemote?: true
  /** In standby, drained or in maintenance by anybody but this rollout. */
  readonly standby: boolean
  readonly maintenance: boolean
  /** Nothing managed runs there. */
  readonly empty: boolean
  /** Another rollout that concerns it and has not ended. */
  readonly rollout?: string
  readonly bootId?: string
  readonly votes: number
  /** What is recorded of it: an abort goes back to what it was when the node began. */
  readonly version?: NodeVersion
}

export interface TaskSeen {
  readonly state: 'ready' | 'running' | 'done' | 'lost' | 'cancelled'
  /** The node has begun it. */
  readonly began: boolean
  readonly exitCode?: number
  readonly signal?: string
  readonly tail?: string
}

export interface RolloutInput {
  readonly nodes: ReadonlyMap<NodeName, NodeSeen>
  readonly tasks: ReadonlyMap<string, TaskSeen>
  /** How many nodes of each role are online, remote nodes included. */
  readonly roles: ReadonlyMap<string, number>
  /** How many members of each service are healthy. */
  readonly services: ReadonlyMap<string, number>
  /** Nodes of the rollout that were removed from the cluster. */
  readonly removed: ReadonlySet<NodeName>
  /** Where a hold of this rollout is in force. */
  readonly held: ReadonlySet<NodeName>
  /** The scheduler has nothing left to do with what holds are in force. */
  readonly settled: boolean
  /** Which node makes this step. */
  readonly dc?: NodeName
  readonly majority: number
  /** Votes of a witness that answers. */
  readonly otherVotes: number
  /** By the DC's host: 0 is Sunday; minutes after midnight. */
  readonly clock: { readonly day: number; readonly minutes: number }
}

export type RolloutEffect =
  | { readonly kind: 'put-hold'; readonly node: NodeName }
  | { readonly kind: 'delete-hold'; readonly node: NodeName }
  | {
      readonly kind: 'put-task'
      readonly id: string
      readonly node: NodeName
      readonly argv: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly timeoutMs: number
    }
  /** One that has begun is ended. */
  | { readonly kind: 'cancel-task'; readonly id: string }
  | { readonly kind: 'version'; readonly node: NodeName; readonly version: NodeVersion; readonly tail?: string }
  | { readonly kind: 'journal'; readonly line: number; readonly node?: NodeName; readonly text: string }

/**
 * An action: an operation of a resource, something that the cluster does itself, or a point in the order. Whether it is
 * needed (`optional`) and possible (`runnable`) is first drafted for each action by itself, and then for all together when orderings are applied.
 */
import type { NodeName, ResourceId } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import type { PlannedPrimitive, PlannedResource } from './planned-resource.ts'
import type { Relation } from './relation.ts'

/** What can be said of an action. A property that is lost does not come back while orderings are applied. */
export interface ActionState {
  /** It may be left out. */
  optional: boolean
  runnable: boolean
  /** Nothing is executed: an ordering point, or something that fencing implies. */
  pseudo: boolean
  /** Could be part of a live migration. */
  migratable: boolean
  /** Shown in the graph even if it is optional. */
  alwaysInGraph: boolean
  /** Why it is needed, or not possible. */
  reason: string | undefined
  /** What the reason says, as data, where explanations can follow it. */
  cause: ActionCause | undefined
}

/** Why an action is needed, cannot run, or is no part of a live migration. */
export type ActionCause =
  | {
      readonly kind: 'action'
      readonly loss: 'required' | 'unrunnable' | 'unmigrateable'
      readonly resource: ResourceId
      readonly task: string
    }
  | { readonly kind: 'colocation'; readonly resource: ResourceId }
  | { readonly kind: 'no-quorum' }
  | { readonly kind: 'quorum-freeze' }

/** What an action is, whatever becomes of it. */
export interface ActionFacts {
  /** The order in which actions came about; the graph is numbered by it. */
  readonly id: number
  readonly rsc: PlannedResource | undefined
  /** `web_start_0`; what the cluster itself does is named after its node (`do_shutdown-alpha`). */
  readonly key: string
  /** What is done: `start`, `monitor`, `running`, `stonith`, `cancel` … */
  readonly task: string
  /** Of a cancellation: the operation that is cancelled. */
  readonly cancels: string | undefined
  readonly intervalMs: number
  readonly node: NodeStatus | undefined
  /** A stop that cleans up after a live migration that went wrong. */
  readonly abortsMigration: boolean
  /** Runs on the DC, whatever the state of its node. */
  readonly onDc: boolean
  /** For "one or more" points: how many of its firsts must be runnable. */
  readonly minRunnable: number | undefined
  readonly priority: number
  readonly expectedRc: number | undefined
  /** Of the halves of a live migration. */
  readonly migration: { readonly source: NodeName; readonly target: NodeName } | undefined
  readonly meta: ReadonlyMap<string, string>
}

/** An action of a finished draft: what it is, and what it is related to. Its state is told by the phase that judged it. */
export interface PlannedAction extends ActionFacts {
  /** Relations in which it is the `then`, latest last. */
  readonly before: readonly PlannedRelation[]
  /** Relations in which it is the `first`. */
  readonly after: readonly PlannedRelation[]
}

export type PlannedRelation = Readonly<Relation<PlannedAction>>

/** What the searches below need to know of an action. */
export type Findable = Pick<ActionFacts, 'rsc' | 'key' | 'task' | 'node'>

/** Actions by the resource that they belong to, in the order in which they came about. */
export interface ActionIndex<Action extends Findable = Findable> {
  readonly ofResource: (rsc: PlannedResource) => readonly Action[]
  readonly withKey: (rsc: PlannedResource, key: string) => readonly Action[]
  /** The same as with the key of a task without an interval, which needs not be put together for that. */
  readonly withTask: (rsc: PlannedResource, task: string) => readonly Action[]
}

/** Pacemaker Explained, "Operation keys": resource, operation, interval in milliseconds. */
export const operationKey = (id: string, task: string, intervalMs = 0): string => `${id}_${task}_${intervalMs}`

export const notifyKey = (id: string, when: string, task: string): string => `${id}_${when}_notify_${task}_0`

export const sameNode = (a: NodeStatus | undefined, b: NodeStatus | undefined): boolean =>
  a !== undefined && b !== undefined && a.name === b.name

interface ActionRequest {
  readonly key?: string
  readonly task?: string
  readonly node?: NodeStatus | undefined
}

/** The first action of a resource that fits, latest first: by key or task, and on a node if one is given. */
export function findAction<Action extends Findable>(
  index: ActionIndex<Action>,
  rsc: PlannedResource,
  wanted: ActionRequest,
): Action | undefined {
  const from = wanted.key === undefined ? index.ofResource(rsc) : index.withKey(rsc, wanted.key)
  for (let i = from.length - 1; i >= 0; i--) {
    const action = from[i]
    if (!action || (wanted.task !== undefined && action.task !== wanted.task)) continue
    if (wanted.node === undefined || sameNode(action.node, wanted.node)) return action
  }
  return undefined
}

/** Actions of a task without an interval, latest first. With a node, one that has no node yet is taken to be meant for this one. */
export function actionsWithTask<Action extends Findable>(
  index: ActionIndex<Action>,
  rsc: PlannedResource,
  task: string,
  node?: NodeStatus,
): readonly Action[] {
  const all = index.withTask(rsc, task)
  if (all.length === 0) return all
  const found: Action[] = []
  for (let i = all.length - 1; i >= 0; i--) {
    const action = all[i]
    if (action && isMeantFor(node, action)) found.push(action)
  }
  return found
}

const isMeantFor = (node: NodeStatus | undefined, action: Findable): boolean =>
  !node || !action.node || sameNode(action.node, node)

/** The latest of some actions that is meant for a node in the same way. */
export function latestFor<Action extends Findable>(
  node: NodeStatus | undefined,
  all: readonly Action[],
): Action | undefined {
  return all.findLast((action) => isMeantFor(node, action))
}

/** Actions with a key that are surely meant for this node. */
export function actionsExactlyOn<Action extends Findable>(
  index: ActionIndex<Action>,
  rsc: PlannedResource,
  key: string,
  node: NodeStatus | undefined,
): readonly Action[] {
  return index
    .withKey(rsc, key)
    .filter((action) => sameNode(action.node, node))
    .reverse()
}

export function probesOf<Action extends Findable>(
  index: ActionIndex<Action>,
  rsc: PlannedPrimitive,
  node?: NodeStatus,
): readonly Action[] {
  return actionsWithTask(index, rsc, 'monitor', node)
}

export const isRecurring = ({ intervalMs }: Pick<ActionFacts, 'intervalMs'>): boolean => intervalMs > 0

/**
 * An action while the transition is being planned. Whether it is needed (`optional`) and possible (`runnable`) changes
 * until every relation between actions holds; after that it is written into the graph and never changed again.
 */
import type { ResourceId } from '../../base/index.ts'
import type { NodeStatus } from '../../status/index.ts'
import type { Relation } from './relation.ts'
import type { PrimitiveUnit, Unit } from './unit.ts'

export interface PlannedAction {
  /** The order in which actions came about; the graph is numbered by it. */
  readonly id: number
  readonly unit: Unit | undefined
  /** `web_start_0`; what the cluster itself does is named after its node (`do_shutdown-alpha`). */
  readonly key: string
  /** What is done: `start`, `monitor`, `running`, `stonith` … A monitor that is no longer wanted turns into `cancel`. */
  task: string
  /** Of a cancellation: the operation that is cancelled. */
  cancels: string | undefined
  readonly intervalMs: number
  node: NodeStatus | undefined
  /** What must be given before: quorum, fencing of every node that may still run the resource, nothing. */
  needs: 'nothing' | 'quorum' | 'fencing'
  optional: boolean
  runnable: boolean
  /** Nothing is executed: an ordering point, or something that fencing implies. */
  pseudo: boolean
  /** Could be part of a live migration. */
  migratable: boolean
  /** Shown in the graph even if it is optional. */
  alwaysInGraph: boolean
  /** The operation's parameters changed: it must be set up again. */
  reschedule: boolean
  impliedByFencing: boolean
  /** A stop that cleans up after a live migration that went wrong. */
  abortsMigration: boolean
  /** Runs on the DC, whatever the state of its node. */
  onDc: boolean
  /** For "one or more" points: how many of its firsts must be runnable. */
  minRunnable: number | undefined
  runnableBefore: number
  priority: number
  expectedRc: number | undefined
  reason: string | undefined
  /** What the reason says, as data, where explanations can follow it. */
  cause: ActionCause | undefined
  readonly meta: Map<string, string>
  /** Relations in which it is the `then`, latest first. */
  before: Relation[]
  /** Relations in which it is the `first`. */
  after: Relation[]
  inGraph: boolean
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

/** Pacemaker Explained, "Operation keys": resource, operation, interval in milliseconds. */
export const operationKey = (id: string, task: string, intervalMs = 0): string => `${id}_${task}_${intervalMs}`

export const notifyKey = (id: string, when: string, task: string): string => `${id}_${when}_notify_${task}_0`

export const sameNode = (a: NodeStatus | undefined, b: NodeStatus | undefined): boolean =>
  a !== undefined && b !== undefined && a.name === b.name

/** The first action of a unit that fits, latest first: by key or task, and on a node if one is given. */
export function findAction(
  unit: Unit,
  wanted: { readonly key?: string; readonly task?: string; readonly node?: NodeStatus | undefined },
): PlannedAction | undefined {
  const from = wanted.key === undefined ? unit.actions : (unit.actionsByKey.get(wanted.key) ?? [])
  for (let i = from.length - 1; i >= 0; i--) {
    const action = from[i]
    if (!action || (wanted.task !== undefined && action.task !== wanted.task)) continue
    if (wanted.node === undefined || sameNode(action.node, wanted.node)) return action
  }
  return undefined
}

/** Actions with a key, latest first. With a node, one that has no node yet is taken to be meant for this one. */
export function actionsWithKey(unit: Unit, key: string, node?: NodeStatus): readonly PlannedAction[] {
  const found: PlannedAction[] = []
  const all = unit.actionsByKey.get(key)
  if (!all) return found
  for (let i = all.length - 1; i >= 0; i--) {
    const action = all[i]
    if (!action) continue
    if (node && !action.node) action.node = node
    if (!node || sameNode(action.node, node)) found.push(action)
  }
  return found
}

/** Actions with a key that are surely meant for this node. */
export function actionsExactlyOn(unit: Unit, key: string, node: NodeStatus | undefined): readonly PlannedAction[] {
  return (unit.actionsByKey.get(key) ?? []).filter((action) => sameNode(action.node, node)).reverse()
}

export function probesOf(unit: PrimitiveUnit, node?: NodeStatus): readonly PlannedAction[] {
  return actionsWithKey(unit, operationKey(unit.id, 'monitor'), node)
}

/** A later and more telling reason replaces an earlier one only where that is asked for. */
export function giveReason(action: PlannedAction, reason: string, options = { overwrite: false }): void {
  if (action.reason !== undefined && !options.overwrite) return
  action.reason = reason
  action.cause = undefined
}

export const isRecurring = (action: PlannedAction): boolean => action.intervalMs > 0

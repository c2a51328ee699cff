/**
 * Fencing as an action: one for each node and kind (`off`, `on`, `reboot`). It may be planned early and stay optional, to
 * be needed only once something turns out to depend on it.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { type DraftAction, type Drafting, giveReason, isUnclean, obtain } from '../draft.ts'
import { type Rules, relate } from '../relation.ts'
import { canFence } from '../setting.ts'
import { isFenceDevice, type PrimitiveUnit } from '../unit.ts'
import { priorityDelayMs } from './priority-delay.ts'

interface Fencing {
  /** The cluster's fencing-action where none is given. */
  readonly action?: string
  readonly optional: boolean
  readonly reason?: string | undefined
}

export function fenceAction(draft: Drafting, node: NodeStatus, fencing: Fencing): DraftAction {
  const kind = fencing.action ?? draft.status.options.fencingAction
  const key = `stonith-${node.name}-${kind}`
  let action = draft.points.get(key)
  if (!action) {
    action = obtain(draft, { unit: undefined, task: 'stonith', key, node, optional: true })
    action.meta.set('on_node', node.name)
    action.meta.set('on_node_uuid', node.id)
    action.meta.set('stonith_action', kind)
    draft.points.set(key, action)
  }
  if (draft.status.options.priorityFencingDelayMs > 0 && node.lost)
    action.meta.set('priority_fencing_delay', String(priorityDelayMs(draft, node) / 1000))
  if (fencing.optional || !canFence(draft, node)) {
    if (fencing.reason !== undefined) giveReason(action, fencing.reason)
  } else {
    action.optional = false
    if (fencing.reason !== undefined) giveReason(action, fencing.reason)
  }
  return action
}

/** Once unfenced, a node stays so until it is fenced. */
export function isUnfenced(node: NodeStatus): boolean {
  return node.unfencedAt > 0
}

/**
 * A node is unfenced before what requires it is probed or started there, and before its fence devices are: many of them
 * cannot do anything on a node that is still cut off.
 */
export function orderAfterUnfencing(
  draft: Drafting,
  unit: PrimitiveUnit,
  {
    node,
    action,
    rules,
  }: { readonly node: NodeStatus | undefined; readonly action: DraftAction; readonly rules: Rules },
): void {
  if (!node || !draft.status.unfencingEnabled) return
  if (!isFenceDevice(unit) && unit.resource.meta.requires !== 'unfencing') return
  const unfence = fenceAction(draft, node, { action: 'on', optional: true })
  relate(unfence, action, rules)
  if (!isUnfenced(node)) requireUnfencing(draft, undefined, node, `required by ${unit.id} ${action.task}`)
}

/** Makes unfencing necessary; where `dependency` is given, only for what it has to do with. */
export function requireUnfencing(
  draft: Drafting,
  unit: PrimitiveUnit | undefined,
  node: NodeStatus | undefined,
  reason: string,
): void {
  if (!draft.status.unfencingEnabled) return
  if (unit && !isFenceDevice(unit)) return
  if (node?.online && !isUnclean(draft, node) && !node.shutdown) {
    fenceAction(draft, node, { action: 'on', optional: false, reason })
    return
  }
  if (unit) {
    for (const other of draft.nodeList) {
      if (other.online && !isUnclean(draft, other) && !other.shutdown) requireUnfencing(draft, unit, other, reason)
    }
  }
}

/**
 * Unfencing: a node that was cut off is let in again before what requires it is probed or started there. Once unfenced, a
 * node stays so until it is fenced, or until a fence device is another one.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { type Drafting, isUnclean } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { fenceAction } from '../draft/find-or-create-action.ts'
import { isFenceDevice, type PlannedPrimitive } from '../draft/planned-resource.ts'
import { type Rules, relate } from '../draft/relation.ts'

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
  rsc: PlannedPrimitive,
  {
    node,
    action,
    rules,
  }: { readonly node: NodeStatus | undefined; readonly action: DraftAction; readonly rules: Rules },
): void {
  if (!node || !draft.status.unfencingEnabled) return
  if (!isFenceDevice(rsc) && rsc.resource.meta.requires !== 'unfencing') return
  const unfence = fenceAction(draft, node, { action: 'on', optional: true })
  relate(unfence, action, rules)
  if (!isUnfenced(node)) requireUnfencing(draft, undefined, node, `required by ${rsc.id} ${action.task}`)
}

/** Makes unfencing necessary; where `dependency` is given, only for what it has to do with. */
export function requireUnfencing(
  draft: Drafting,
  rsc: PlannedPrimitive | undefined,
  node: NodeStatus | undefined,
  reason: string,
): void {
  if (!draft.status.unfencingEnabled) return
  if (rsc && !isFenceDevice(rsc)) return
  if (node?.online && !isUnclean(draft, node) && !node.shutdown) {
    fenceAction(draft, node, { action: 'on', optional: false, reason })
    return
  }
  if (rsc) {
    for (const other of draft.nodeList) {
      if (other.online && !isUnclean(draft, other) && !other.shutdown) requireUnfencing(draft, rsc, other, reason)
    }
  }
}

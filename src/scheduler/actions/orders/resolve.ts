/** Turns orders, which name resources and operations, into relations between the actions that there are. */
import { actionsWithTask } from '../draft/action.ts'
import type { Drafting } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { findOrCreateAction } from '../draft/find-or-create-action.ts'
import type { Order, Side } from '../draft/order.ts'
import { currentRole } from '../draft/planned-resource.ts'
import { relate, rule } from '../draft/relation.ts'
import { pointAction } from './points.ts'

export function resolveOrders(draft: Drafting, orders: readonly Order[]): void {
  for (const order of orders) {
    const followers = actionsOf(draft, order.follower)
    for (const first of firstsOf(draft, order)) {
      for (const follower of followers) relate(first, follower, rulesBetween(first, follower, order))
    }
  }
}

/** The stop that clears up after a failed migration must not restart what runs elsewhere. */
function rulesBetween(first: DraftAction, follower: DraftAction, { rules }: Order): number {
  return first.abortsMigration && first.rsc === follower.rsc ? rules & ~rule.firstImpliesThen : rules
}

/** The actions that one side of an order names. */
export function actionsOf(draft: Drafting, side: Side): readonly DraftAction[] {
  if (side.action) return [side.action]
  if (side.point) return [pointAction(draft, side.point)]
  if (!side.rsc || side.task === undefined) return []
  return actionsWithTask(draft, side.rsc, side.task)
}

/** An action that others wait for exists even if nobody planned it, unless there is nothing left to do for it. */
function firstsOf(draft: Drafting, { first, follower }: Order): readonly DraftAction[] {
  const found = actionsOf(draft, first)
  const { rsc, task } = first
  if (found.length > 0 || !rsc || task === undefined || rsc === follower.rsc) return found
  const role = currentRole(rsc)
  if (task === 'stop' && role === 'Stopped') return []
  if (task === 'demote' && role === 'Unpromoted') return []
  return [findOrCreateAction(draft, { rsc, task, optional: true })]
}

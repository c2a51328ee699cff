/**
 * Orders that cannot be kept: between a guest's container and what runs in the guest, unless the cluster itself made them;
 * and the wait for capacity, where two resources change places by live migration and would wait for each other.
 */
import type { PlannedAction } from '../action.ts'
import type { Plan } from '../draft.ts'
import { has, none, type Relation, rule } from '../relation.ts'
import type { Unit } from '../unit.ts'

/** `isInput` tells which relations will be in the graph. */
export function dropInvalidOrders(plan: Plan, isInput: (action: PlannedAction, relation: Relation) => boolean): void {
  for (const action of plan.actions.toReversed()) {
    for (const relation of action.before) {
      if (isForGuest(action, relation) || closesLoop(action, relation, isInput)) relation.rules = none
    }
  }
}

function isForGuest({ unit }: PlannedAction, { first, rules }: Relation): boolean {
  if (has(rules, rule.guestAllowed) || !first.unit || !unit) return false
  return isContainerOf(unit, first)
}

const isContainerOf = (unit: Unit, { node }: PlannedAction): boolean =>
  node?.kind === 'guest' && node.container === unit.id

function closesLoop(
  action: PlannedAction,
  { first, rules }: Relation,
  isInput: (action: PlannedAction, relation: Relation) => boolean,
): boolean {
  if (rules !== rule.onSameNodeOrTarget || action.task !== 'migrate_to' || !action.unit) return false
  const seen = new Set<PlannedAction>()
  const waiting = [first]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next === action) return true
    if (seen.has(next)) continue
    seen.add(next)
    for (const relation of next.before) if (isInput(next, relation)) waiting.push(relation.first)
  }
  return false
}

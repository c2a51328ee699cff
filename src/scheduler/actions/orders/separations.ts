/**
 * Resources that must not be on one node: where one replaces the other, the one leaves before the other comes. Only the
 * nodes where that happens are concerned.
 */
import type { Role } from '../../../cib/index.ts'
import { orderTasks, type Plan } from '../draft.ts'
import { rule } from '../relation.ts'
import type { Unit } from '../unit.ts'

const minusInfinity = -1_000_000

export function orderSeparations(plan: Plan): void {
  for (const { dependent, dependentRole, primary, primaryRole, score, fromConstraint } of plan.assignment.colocations) {
    const one = plan.tree.byId.get(dependent)
    const other = plan.tree.byId.get(primary)
    if (!fromConstraint || score > minusInfinity || !one || !other) continue
    orderReplacement(plan, { unit: one, role: dependentRole }, { unit: other, role: primaryRole })
    orderReplacement(plan, { unit: other, role: primaryRole }, { unit: one, role: dependentRole })
  }
}

interface Placed {
  readonly unit: Unit
  readonly role: Role | undefined
}

/** What makes the first lose its role comes before what gives the second its own. */
function orderReplacement(plan: Plan, leaving: Placed, coming: Placed): void {
  const losing =
    leaving.role === 'Promoted' ? ['demote'] : leaving.role === 'Unpromoted' ? ['stop', 'promote'] : ['stop']
  const gaining =
    coming.role === 'Promoted' ? ['promote'] : coming.role === 'Unpromoted' ? ['start', 'demote'] : ['start']
  for (const lose of losing) {
    for (const gain of gaining) {
      orderTasks(plan, { unit: leaving.unit, task: lose }, { unit: coming.unit, task: gain }, rule.neededOnSameNode)
    }
  }
}

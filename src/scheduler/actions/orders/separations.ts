/**
 * Resources that must not be on one node: where one replaces the other, the one leaves before the other comes. Only the
 * nodes where that happens are concerned.
 */
import type { Role } from '../../../cib/index.ts'
import type { OrderList } from '../draft/order-list.ts'
import type { PlannedResource } from '../draft/planned-resource.ts'
import { rule } from '../draft/relation.ts'
import type { Setting } from '../draft/setting.ts'

const minusInfinity = -1_000_000

export function orderSeparations({ assignment, tree }: Setting, orders: OrderList): void {
  for (const { dependent, dependentRole, primary, primaryRole, score, fromConstraint } of assignment.colocations) {
    const one = tree.byId.get(dependent)
    const other = tree.byId.get(primary)
    if (!fromConstraint || score > minusInfinity || !one || !other) continue
    orderReplacement(orders, { rsc: one, role: dependentRole }, { rsc: other, role: primaryRole })
    orderReplacement(orders, { rsc: other, role: primaryRole }, { rsc: one, role: dependentRole })
  }
}

interface Placed {
  readonly rsc: PlannedResource
  readonly role: Role | undefined
}

/** What makes the first lose its role comes before what gives the second its own. */
function orderReplacement(orders: OrderList, leaving: Placed, coming: Placed): void {
  const losing =
    leaving.role === 'Promoted' ? ['demote'] : leaving.role === 'Unpromoted' ? ['stop', 'promote'] : ['stop']
  const gaining =
    coming.role === 'Promoted' ? ['promote'] : coming.role === 'Unpromoted' ? ['start', 'demote'] : ['start']
  for (const lose of losing) {
    for (const gain of gaining) {
      orders.addTasks({ rsc: leaving.rsc, task: lose }, { rsc: coming.rsc, task: gain }, rule.neededOnSameNode)
    }
  }
}

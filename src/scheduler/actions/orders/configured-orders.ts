/**
 * Every order that follows from the configuration and from where resources shall be, before a single action is drafted:
 * what must be apart, order constraints, and what the kinds of resources are made of.
 */

import type { Order } from '../draft/order.ts'
import { OrderList } from '../draft/order-list.ts'
import { byPriority, type PlannedResource } from '../draft/planned-resource.ts'
import type { Setting } from '../draft/setting.ts'
import { orderBundle } from './bundle-orders.ts'
import { orderClone } from './clone-orders.ts'
import { orderGroup } from './group-orders.ts'
import { orderByConstraints } from './order-constraints.ts'
import { orderPrimitive } from './primitive-orders.ts'
import { orderSeparations } from './separations.ts'

export function configuredOrders(setting: Setting): readonly Order[] {
  const { tree } = setting
  const orders = new OrderList()
  orderSeparations(setting, orders)
  orderByConstraints(setting, orders)
  for (const rsc of byPriority(tree.top)) orderResource(setting, orders, rsc)
  return orders.orders
}

function orderResource(setting: Setting, orders: OrderList, rsc: PlannedResource): void {
  switch (rsc.kind) {
    case 'primitive':
      orderPrimitive(setting, orders, rsc)
      return
    case 'group':
      orderGroup(setting, orders, rsc)
      return
    case 'clone':
      orderClone(setting, orders, rsc)
      return
    case 'bundle':
      orderBundle(setting, orders, rsc)
  }
}

/** The order within a bundle: address, container, then what runs in it, as a clone of its own ("Bundles"). */

import type { OrderList } from '../draft/order-list.ts'
import type { PlannedBundle, PlannedClone, PlannedReplica } from '../draft/planned-resource.ts'
import { rule } from '../draft/relation.ts'
import type { Setting } from '../draft/setting.ts'
import { orderClone, orderRestartWithRoles } from './clone-orders.ts'
import { thenOf } from './group-orders.ts'
import { orderPrimitive } from './primitive-orders.ts'

const { thenShowsFirst, firstShowsThen, unrunnableFirstBlocks } = rule

export function orderBundle(setting: Setting, orders: OrderList, bundle: PlannedBundle): void {
  const { child } = bundle
  if (child) orderWithin(orders, bundle, { child, up: 'start', isUp: 'running', down: 'stop', isDown: 'stopped' })
  for (const replica of bundle.replicas) orderReplica(setting, orders, { bundle, replica })
  if (!child) return
  orderClone(setting, orders, child)
  if (!child.resource.promotable) return
  orderRestartWithRoles(orders, bundle)
  orderWithin(orders, bundle, { child, up: 'promote', isUp: 'promoted', down: 'demote', isDown: 'demoted' })
}

interface Within {
  readonly child: PlannedClone
  readonly up: string
  readonly isUp: string
  readonly down: string
  readonly isDown: string
}

/** The bundle begins before what is in it does, and is done after it. */
function orderWithin(orders: OrderList, bundle: PlannedBundle, { child, up, isUp, down, isDown }: Within): void {
  const then = thenOf(orders)
  then([bundle, up], [child, up], thenShowsFirst)
  then([child, isUp], [bundle, isUp], firstShowsThen)
  then([bundle, down], [child, down], thenShowsFirst)
  then([child, isDown], [bundle, isDown], firstShowsThen)
}

interface InBundle {
  readonly bundle: PlannedBundle
  readonly replica: PlannedReplica
}

function orderReplica(setting: Setting, orders: OrderList, { bundle, replica }: InBundle): void {
  const { container, ip, remote, child } = replica
  const then = thenOf(orders)
  orderPrimitive(setting, orders, container)
  then([bundle, 'start'], [container, 'start'], unrunnableFirstBlocks | thenShowsFirst)
  if (child) then([bundle, 'stop'], [child, 'stop'], thenShowsFirst)
  then([bundle, 'stop'], [container, 'stop'], thenShowsFirst)
  then([container, 'start'], [bundle, 'running'], firstShowsThen)
  then([container, 'stop'], [bundle, 'stopped'], firstShowsThen)
  if (ip) {
    orderPrimitive(setting, orders, ip)
    then([ip, 'start'], [container, 'start'], unrunnableFirstBlocks)
    then([container, 'stop'], [ip, 'stop'], rule.thenImpliesFirst | rule.ordered)
  }
  if (remote) orderPrimitive(setting, orders, remote)
}

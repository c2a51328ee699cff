/**
 * The order within a clone: it is started when its instances are, everything is demoted before anything stops, and
 * everything is started before anything is promoted ("Clones"). With `ordered`, instances follow one another.
 */

import type { OrderList } from '../draft/order-list.ts'
import type { PlannedBundle, PlannedClone, PlannedResource } from '../draft/planned-resource.ts'
import { rule } from '../draft/relation.ts'
import type { Setting } from '../draft/setting.ts'
import { orderGroup, thenOf } from './group-orders.ts'
import { orderPrimitive } from './primitive-orders.ts'

const { thenShowsFirst, firstShowsThen, unrunnableFirstBlocks, ordered } = rule

export function orderClone(setting: Setting, orders: OrderList, clone: PlannedClone): void {
  const then = thenOf(orders)
  const { promotable, ordered: isOrdered } = clone.resource
  then([clone, 'stopped'], [clone, 'start'], ordered)
  then([clone, 'start'], [clone, 'running'], unrunnableFirstBlocks)
  then([clone, 'stop'], [clone, 'stopped'], unrunnableFirstBlocks)
  if (promotable) {
    then([clone, 'demoted'], [clone, 'stop'], ordered)
    then([clone, 'running'], [clone, 'promote'], unrunnableFirstBlocks)
  }
  const instances = byNumber(clone)
  instances.forEach((instance, index) => {
    if (instance.kind === 'group') orderGroup(setting, orders, instance)
    else orderPrimitive(setting, orders, instance)
    then([clone, 'start'], [instance, 'start'], unrunnableFirstBlocks | thenShowsFirst)
    then([instance, 'start'], [clone, 'running'], firstShowsThen)
    then([clone, 'stop'], [instance, 'stop'], thenShowsFirst)
    then([instance, 'stop'], [clone, 'stopped'], firstShowsThen)
    if (!isOrdered) return
    for (const later of instances.slice(index + 1)) {
      then([instance, 'start'], [later, 'start'], ordered)
      then([later, 'stop'], [instance, 'stop'], ordered)
    }
  })
  if (promotable) orderPromotion(orders, clone)
}

/** They follow one another by their numbers, in a bundle too, whose instances are listed by who is promoted first. */
const byNumber = ({ instances }: PlannedClone): PlannedClone['instances'] =>
  instances.toSorted((a, b) => a.index - b.index)

/** What holds between the points of a promotable clone, and of a bundle around one. */
export function orderRestartWithRoles(orders: OrderList, rsc: PlannedClone | PlannedBundle): void {
  const then = thenOf(orders)
  then([rsc, 'stopped'], [rsc, 'start'], ordered)
  then([rsc, 'stopped'], [rsc, 'promote'], ordered)
  then([rsc, 'demoted'], [rsc, 'stop'], ordered)
  then([rsc, 'demoted'], [rsc, 'start'], ordered)
  then([rsc, 'demoted'], [rsc, 'promote'], ordered)
  then([rsc, 'running'], [rsc, 'promote'], ordered)
  then([rsc, 'demote'], [rsc, 'demoted'], ordered)
}

function orderPromotion(orders: OrderList, clone: PlannedClone): void {
  const then = thenOf(orders)
  orderRestartWithRoles(orders, clone)
  let previous: PlannedResource | undefined
  for (const instance of byNumber(clone)) {
    then([instance, 'demote'], [instance, 'promote'], ordered)
    then([clone, 'promote'], [instance, 'promote'], ordered)
    then([instance, 'promote'], [clone, 'promoted'], ordered)
    then([clone, 'demote'], [instance, 'demote'], thenShowsFirst)
    then([instance, 'demote'], [clone, 'demoted'], firstShowsThen)
    if (previous && clone.resource.ordered) {
      then([previous, 'promote'], [instance, 'promote'], ordered)
      then([instance, 'demote'], [previous, 'demote'], ordered)
    }
    previous = instance
  }
}

/** The order within a group: its members start one after the other and stop the other way round ("Groups"). */

import type { OrderList } from '../draft/order-list.ts'
import {
  isActive,
  type PlannedGroup,
  type PlannedPrimitive,
  type PlannedResource,
  topOf,
} from '../draft/planned-resource.ts'
import { none, type Rules, rule } from '../draft/relation.ts'
import type { Setting } from '../draft/setting.ts'
import { orderPrimitive } from './primitive-orders.ts'

/** Shown in the graph, as a point, once what it stands for is needed. */
const { thenShowsFirst, firstShowsThen, unrunnableFirstBlocks, firstImpliesThen, ordered } = rule

type Then = (
  first: readonly [PlannedResource, string],
  follower: readonly [PlannedResource, string],
  rules: Rules,
) => void

export const thenOf =
  (orders: OrderList): Then =>
  ([rsc, task], [followerResource, followerTask], rules) =>
    orders.addTasks({ rsc, task }, { rsc: followerResource, task: followerTask }, rules)

export function orderGroup(setting: Setting, orders: OrderList, group: PlannedGroup): void {
  const then = thenOf(orders)
  then([group, 'stop'], [group, 'stopped'], unrunnableFirstBlocks)
  then([group, 'stopped'], [group, 'start'], ordered)
  then([group, 'start'], [group, 'running'], unrunnableFirstBlocks)
  let before: Before = { previous: undefined, lastActive: undefined }
  for (const member of group.members) {
    orderPrimitive(setting, orders, member)
    orderWithGroup(then, group, { member, isFirst: before.previous === undefined })
    before = orderWithPrevious(then, group, { member, before })
  }
}

const isPromotable = (rsc: PlannedResource): boolean => {
  const top = topOf(rsc)
  return top.kind === 'clone' && top.resource.promotable
}

const isOrdered = (group: PlannedGroup): boolean => group.resource.meta.raw.get('ordered') !== 'false'

interface InGroup {
  readonly member: PlannedPrimitive
  readonly isFirst: boolean
}

function orderWithGroup(then: Then, group: PlannedGroup, { member, isFirst }: InGroup): void {
  // The first member is the last to stop, so that the group is stopped when it is.
  const isLastDown = isOrdered(group) && isFirst
  const down = thenShowsFirst | (isLastDown ? ordered : none)
  const isDown = firstShowsThen | (isLastDown ? firstImpliesThen : none)
  const isUp = unrunnableFirstBlocks | firstImpliesThen | firstShowsThen
  if (isPromotable(group)) {
    then([group, 'demote'], [member, 'demote'], down)
    then([member, 'demote'], [group, 'demoted'], isDown)
    then([member, 'promote'], [group, 'promoted'], isUp)
    then([group, 'promote'], [member, 'promote'], thenShowsFirst)
  }
  then([group, 'stop'], [member, 'stop'], down)
  then([member, 'stop'], [group, 'stopped'], isDown)
  // Before what makes up a start that nobody planned: what cannot start is not begun with its group.
  then([group, 'start'], [member, 'start'], thenShowsFirst)
  then([member, 'start'], [group, 'running'], isUp)
  if (isOrdered(group)) return
  const up = firstImpliesThen | unrunnableFirstBlocks | thenShowsFirst
  then([group, 'start'], [member, 'start'], up)
  if (isPromotable(group)) then([group, 'promote'], [member, 'promote'], up)
}

interface Before {
  readonly previous: PlannedPrimitive | undefined
  readonly lastActive: PlannedPrimitive | undefined
}

interface AfterPrevious {
  readonly member: PlannedPrimitive
  readonly before: Before
}

function orderWithPrevious(then: Then, group: PlannedGroup, { member, before }: AfterPrevious): Before {
  const { previous, lastActive } = before
  if (isOrdered(group) && previous) {
    then([previous, 'start'], [member, 'start'], firstImpliesThen | unrunnableFirstBlocks)
    then([member, 'stop'], [previous, 'stop'], ordered | rule.restart)
    // A member put in before one that is active: the later one must make room first.
    if (isActive(member) && !isActive(previous)) {
      then([member, 'stop'], [previous, 'start'], rule.thenImpliesFirst | unrunnableFirstBlocks)
    }
    if (isPromotable(group)) {
      then([previous, 'promote'], [member, 'promote'], firstImpliesThen | unrunnableFirstBlocks)
      then([member, 'demote'], [previous, 'demote'], ordered)
    }
  }
  if (!isActive(member)) return { previous: member, lastActive }
  // A group with a gap still stops from its end.
  if (isOrdered(group) && previous && !isActive(previous) && lastActive) {
    then([member, 'stop'], [lastActive, 'stop'], ordered)
  }
  return { previous: member, lastActive: member }
}

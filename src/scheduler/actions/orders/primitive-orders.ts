/**
 * The order that a single resource keeps with itself and with what it runs in: it stops before it starts again, is demoted
 * before it stops and started before it is promoted, and comes up in its container.
 */
import { roleRank } from '../../../cib/index.ts'
import { compareNames, type NodeStatus } from '../../../status/index.ts'
import type { Point } from '../draft/order.ts'
import type { OrderList } from '../draft/order-list.ts'
import { isFenceDevice, type PlannedPrimitive, topOf } from '../draft/planned-resource.ts'
import { rule } from '../draft/relation.ts'
import type { Setting } from '../draft/setting.ts'

const { ordered, firstImpliesThen, unrunnableFirstBlocks } = rule

export function orderPrimitive(setting: Setting, orders: OrderList, rsc: PlannedPrimitive): void {
  if (!isManaged(setting, rsc)) return
  const then = (first: string, follower: string, rules: number): void =>
    orders.addTasks({ rsc, task: first }, { rsc, task: follower }, rules)
  then('stop', 'start', ordered | firstImpliesThen | rule.restart)
  const top = topOf(rsc)
  if ((top.kind === 'clone' && top.resource.promotable) || roleRank(rsc.role) > roleRank('Unpromoted')) {
    then('demote', 'stop', rule.promotedThenImpliesFirst)
    then('start', 'promote', unrunnableFirstBlocks)
  }
  // A history that is probed again at once need not be deleted.
  then('delete', 'monitor', rule.onSameNode | rule.thenCancelsFirst)
  if (needsUnfencing(setting, rsc)) orderUnfencing(setting, orders, rsc)
  const { utilization } = rsc.resource
  if (utilization.size > 0 && setting.status.options.placementStrategy !== 'default') orderLoad(setting, orders, rsc)
  if (rsc.container) orderWithContainer(setting, orders, { rsc, container: rsc.container })
}

/** Without any fence device nothing is started; that does not make what is configured unmanaged. */
function isManaged({ status }: Setting, { assigned, resource }: PlannedPrimitive): boolean {
  return assigned.managed || (status.options.fencingEnabled && !status.haveFenceDevice && resource.state.managed)
}

const needsUnfencing = ({ status }: Setting, rsc: PlannedPrimitive): boolean =>
  !isFenceDevice(rsc) && status.unfencingEnabled && rsc.resource.meta.requires === 'unfencing'

/** Nodes where the instance may be at all. */
const allowedNodes = ({ nodeList }: Setting, rsc: PlannedPrimitive): readonly NodeStatus[] =>
  nodeList.filter(({ name }) => rsc.assigned.scoreOn(name) !== undefined)

/** Stops, then the node is unfenced, then starts; without making the unfencing itself necessary. */
function orderUnfencing(setting: Setting, orders: OrderList, rsc: PlannedPrimitive): void {
  for (const { name } of allowedNodes(setting, rsc)) {
    const point: Point = { kind: 'unfencing', node: name }
    orders.add({ rsc, task: 'stop' }, { point }, ordered | rule.onSameNode)
    orders.add({ point }, { rsc, task: 'start' }, rule.firstImpliesSameNodeThen | rule.onSameNode)
  }
}

/** What leaves a node frees its capacity before what comes there takes it. */
function orderLoad(setting: Setting, orders: OrderList, rsc: PlannedPrimitive): void {
  for (const { node } of rsc.resource.state.active) {
    orders.add({ rsc, task: 'stop' }, { point: { kind: 'load-stopped', node } }, rule.onSameNodeOrTarget)
  }
  const byName = allowedNodes(setting, rsc).toSorted((a, b) => compareNames(a.name, b.name))
  for (const { name } of byName) {
    for (const task of ['start', 'migrate_to']) {
      orders.add({ point: { kind: 'load-stopped', node: name } }, { rsc, task }, rule.onSameNodeOrTarget)
    }
  }
}

interface Contained {
  readonly rsc: PlannedPrimitive
  readonly container: PlannedPrimitive
}

function orderWithContainer(setting: Setting, orders: OrderList, { rsc, container }: Contained): void {
  const isConnection = rsc.resource.connectionOf !== undefined
  // A probe that finds the container running makes the recovery of its connection unnecessary.
  if (isConnection) orders.addTasks({ rsc: container, task: 'monitor' }, { rsc, task: 'stop' }, ordered)
  else if (holdsGuestNode(setting, container)) return
  const up = firstImpliesThen | unrunnableFirstBlocks
  orders.addTasks({ rsc: container, task: 'start' }, { rsc, task: 'start' }, up)
  orders.addTasks({ rsc, task: 'stop' }, { rsc: container, task: 'stop' }, rule.thenImpliesFirst | ordered)
}

const holdsGuestNode = ({ nodeList }: Setting, { resource, id }: PlannedPrimitive): boolean =>
  resource.connectionOf !== undefined || nodeList.some(({ container }) => container === id)

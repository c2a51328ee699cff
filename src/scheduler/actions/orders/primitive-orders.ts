/**
 * The order that a single resource keeps with itself and with what it runs in: it stops before it starts again, is demoted
 * before it stops and started before it is promoted, and comes up in its container.
 */
import { roleRank } from '../../../cib/index.ts'
import { compareNames, type NodeStatus } from '../../../status/index.ts'
import type { Point } from '../draft/order.ts'
import type { OrderList } from '../draft/order-list.ts'
import { rule } from '../draft/relation.ts'
import type { Setting } from '../draft/setting.ts'
import { isFenceDevice, type PrimitiveUnit, topOf } from '../draft/unit.ts'

const { ordered, firstImpliesThen, unrunnableFirstBlocks } = rule

export function orderPrimitive(setting: Setting, orders: OrderList, unit: PrimitiveUnit): void {
  if (!isManaged(setting, unit)) return
  const then = (first: string, follower: string, rules: number): void =>
    orders.addTasks({ unit, task: first }, { unit, task: follower }, rules)
  then('stop', 'start', ordered | firstImpliesThen | rule.restart)
  const top = topOf(unit)
  if ((top.kind === 'clone' && top.resource.promotable) || roleRank(unit.role) > roleRank('Unpromoted')) {
    then('demote', 'stop', rule.promotedThenImpliesFirst)
    then('start', 'promote', unrunnableFirstBlocks)
  }
  // A history that is probed again at once need not be deleted.
  then('delete', 'monitor', rule.onSameNode | rule.thenCancelsFirst)
  if (needsUnfencing(setting, unit)) orderUnfencing(setting, orders, unit)
  const { utilization } = unit.resource
  if (utilization.size > 0 && setting.status.options.placementStrategy !== 'default') orderLoad(setting, orders, unit)
  if (unit.container) orderWithContainer(setting, orders, { unit, container: unit.container })
}

/** Without any fence device nothing is started; that does not make what is configured unmanaged. */
function isManaged({ status }: Setting, { assigned, resource }: PrimitiveUnit): boolean {
  return assigned.managed || (status.options.fencingEnabled && !status.haveFenceDevice && resource.state.managed)
}

const needsUnfencing = ({ status }: Setting, unit: PrimitiveUnit): boolean =>
  !isFenceDevice(unit) && status.unfencingEnabled && unit.resource.meta.requires === 'unfencing'

/** Nodes where the instance may be at all. */
const allowedNodes = ({ nodeList }: Setting, unit: PrimitiveUnit): readonly NodeStatus[] =>
  nodeList.filter(({ name }) => unit.assigned.scoreOn(name) !== undefined)

/** Stops, then the node is unfenced, then starts; without making the unfencing itself necessary. */
function orderUnfencing(setting: Setting, orders: OrderList, unit: PrimitiveUnit): void {
  for (const { name } of allowedNodes(setting, unit)) {
    const point: Point = { kind: 'unfencing', node: name }
    orders.add({ unit, task: 'stop' }, { point }, ordered | rule.onSameNode)
    orders.add({ point }, { unit, task: 'start' }, rule.firstImpliesSameNodeThen | rule.onSameNode)
  }
}

/** What leaves a node frees its capacity before what comes there takes it. */
function orderLoad(setting: Setting, orders: OrderList, unit: PrimitiveUnit): void {
  for (const { node } of unit.resource.state.active) {
    orders.add({ unit, task: 'stop' }, { point: { kind: 'load-stopped', node } }, rule.onSameNodeOrTarget)
  }
  const byName = allowedNodes(setting, unit).toSorted((a, b) => compareNames(a.name, b.name))
  for (const { name } of byName) {
    for (const task of ['start', 'migrate_to']) {
      orders.add({ point: { kind: 'load-stopped', node: name } }, { unit, task }, rule.onSameNodeOrTarget)
    }
  }
}

interface Contained {
  readonly unit: PrimitiveUnit
  readonly container: PrimitiveUnit
}

function orderWithContainer(setting: Setting, orders: OrderList, { unit, container }: Contained): void {
  const isConnection = unit.resource.connectionOf !== undefined
  // A probe that finds the container running makes the recovery of its connection unnecessary.
  if (isConnection) orders.addTasks({ unit: container, task: 'monitor' }, { unit, task: 'stop' }, ordered)
  else if (holdsGuestNode(setting, container)) return
  const up = firstImpliesThen | unrunnableFirstBlocks
  orders.addTasks({ unit: container, task: 'start' }, { unit, task: 'start' }, up)
  orders.addTasks({ unit, task: 'stop' }, { unit: container, task: 'stop' }, rule.thenImpliesFirst | ordered)
}

const holdsGuestNode = ({ nodeList }: Setting, { resource, id }: PrimitiveUnit): boolean =>
  resource.connectionOf !== undefined || nodeList.some(({ container }) => container === id)

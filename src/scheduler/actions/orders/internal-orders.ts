/**
 * The order that follows from what a resource is: a primitive stops before it starts again, a group's members start one
 * after the other, a clone is started when its instances are, a bundle's container comes before what runs in it.
 */
import { compareNames, type NodeStatus } from '../../../status/index.ts'
import { operationKey } from '../action.ts'
import { order, orderTasks, type Plan, point } from '../draft.ts'
import { fenceAction } from '../fencing/fence-action.ts'
import { none, type Rules, rule } from '../relation.ts'
import {
  type BundleUnit,
  type CloneUnit,
  type GroupUnit,
  isFenceDevice,
  type PrimitiveUnit,
  roleRank,
  topOf,
  type Unit,
} from '../unit.ts'

/** Shown in the graph, as a point, once what it stands for is needed. */
const { thenShowsFirst, firstShowsThen, unrunnableFirstBlocks, firstImpliesThen, thenImpliesFirst, ordered } = rule

export function addInternalOrders(plan: Plan, unit: Unit): void {
  switch (unit.kind) {
    case 'primitive':
      orderPrimitive(plan, unit)
      break
    case 'group':
      orderGroup(plan, unit)
      break
    case 'clone':
      orderClone(plan, unit)
      break
    case 'bundle':
      orderBundle(plan, unit)
      break
  }
}

const orderer =
  (plan: Plan) =>
  (firstUnit: Unit, first: string, thenUnit: Unit, then: string, rules: Rules): void =>
    orderTasks(plan, { unit: firstUnit, task: first }, { unit: thenUnit, task: then }, rules)

function orderPrimitive(plan: Plan, unit: PrimitiveUnit): void {
  if (!unit.assigned.managed) return
  const then = orderer(plan)
  then(unit, 'stop', unit, 'start', ordered | firstImpliesThen | rule.restart)
  const top = topOf(unit)
  if ((top.kind === 'clone' && top.resource.promotable) || roleRank(unit.role) > 2) {
    then(unit, 'demote', unit, 'stop', rule.promotedThenImpliesFirst)
    then(unit, 'start', unit, 'promote', unrunnableFirstBlocks)
  }
  // A history that is probed again at once need not be deleted.
  then(unit, 'delete', unit, 'monitor', rule.onSameNode | rule.thenCancelsFirst)
  if (needsUnfencing(plan, unit)) orderUnfencing(plan, unit)
  if (unit.resource.utilization.size > 0 && plan.status.options.placementStrategy !== 'default') orderLoad(plan, unit)
  if (unit.container) orderWithContainer(plan, unit, unit.container)
}

const needsUnfencing = (plan: Plan, unit: PrimitiveUnit): boolean =>
  !isFenceDevice(unit) && plan.status.unfencingEnabled && unit.resource.meta.requires === 'unfencing'

/** Nodes where the instance may be at all. */
const allowedNodes = (plan: Plan, unit: PrimitiveUnit): readonly NodeStatus[] =>
  plan.nodeList.filter(({ name }) => unit.assigned.scoreOn(name) !== undefined)

/** Stops, then the node is unfenced, then starts; without making the unfencing itself necessary. */
function orderUnfencing(plan: Plan, unit: PrimitiveUnit): void {
  for (const node of allowedNodes(plan, unit)) {
    const unfence = fenceAction(plan, node, { action: 'on', optional: true })
    order(plan, { unit, key: operationKey(unit.id, 'stop') }, { action: unfence }, ordered | rule.onSameNode)
    order(
      plan,
      { action: unfence },
      { unit, key: operationKey(unit.id, 'start') },
      rule.firstImpliesSameNodeThen | rule.onSameNode,
    )
  }
}

/** What leaves a node frees its capacity before what comes there takes it. */
function orderLoad(plan: Plan, unit: PrimitiveUnit): void {
  for (const { node } of unit.resource.state.active) {
    order(
      plan,
      { unit, key: operationKey(unit.id, 'stop') },
      { action: loadStopped(plan, node) },
      rule.onSameNodeOrTarget,
    )
  }
  const byName = allowedNodes(plan, unit).toSorted((a, b) => compareNames(a.name, b.name))
  for (const { name } of byName) {
    for (const task of ['start', 'migrate_to']) {
      order(
        plan,
        { action: loadStopped(plan, name) },
        { unit, key: operationKey(unit.id, task) },
        rule.onSameNodeOrTarget,
      )
    }
  }
}

function loadStopped(plan: Plan, name: NodeStatus['name']): ReturnType<typeof point> {
  const action = point(plan, `load_stopped_${name}`)
  action.node ??= plan.nodes.get(name)
  action.optional = false
  return action
}

function orderWithContainer(plan: Plan, unit: PrimitiveUnit, container: PrimitiveUnit): void {
  const then = orderer(plan)
  const isConnection = unit.resource.connectionOf !== undefined
  // A probe that finds the container running makes the recovery of its connection unnecessary.
  if (isConnection) then(container, 'monitor', unit, 'stop', ordered)
  else if (holdsGuestNode(plan, container)) return
  then(container, 'start', unit, 'start', firstImpliesThen | unrunnableFirstBlocks)
  then(unit, 'stop', container, 'stop', thenImpliesFirst | ordered)
}

const holdsGuestNode = (plan: Plan, container: PrimitiveUnit): boolean =>
  container.resource.connectionOf !== undefined || plan.nodeList.some((node) => node.container === container.id)

interface MemberBefore {
  readonly previous: PrimitiveUnit | undefined
  readonly lastActive: PrimitiveUnit | undefined
}

function orderGroup(plan: Plan, group: GroupUnit): void {
  const then = orderer(plan)
  then(group, 'stop', group, 'stopped', unrunnableFirstBlocks)
  then(group, 'stopped', group, 'start', ordered)
  then(group, 'start', group, 'running', unrunnableFirstBlocks)
  let before: MemberBefore = { previous: undefined, lastActive: undefined }
  for (const member of group.members) {
    orderPrimitive(plan, member)
    orderMemberWithGroup(plan, group, member, before.previous === undefined)
    before = orderMemberWithPrevious(plan, group, member, before)
  }
}

const isPromotable = (unit: Unit): boolean => {
  const top = topOf(unit)
  return top.kind === 'clone' && top.resource.promotable
}

const isOrderedGroup = (group: GroupUnit): boolean => group.resource.meta.raw.get('ordered') !== 'false'

function orderMemberWithGroup(plan: Plan, group: GroupUnit, member: PrimitiveUnit, isFirst: boolean): void {
  const then = orderer(plan)
  const isOrdered = isOrderedGroup(group)
  // The first member is the last to stop, so that the group is stopped when it is.
  const down = thenShowsFirst | (isOrdered && isFirst ? ordered : none)
  const isDown = firstShowsThen | (isOrdered && isFirst ? firstImpliesThen : none)
  const isUp = unrunnableFirstBlocks | firstImpliesThen | firstShowsThen
  if (isPromotable(group)) {
    then(group, 'demote', member, 'demote', down)
    then(member, 'demote', group, 'demoted', isDown)
    then(member, 'promote', group, 'promoted', isUp)
    then(group, 'promote', member, 'promote', thenShowsFirst)
  }
  then(group, 'stop', member, 'stop', down)
  then(member, 'stop', group, 'stopped', isDown)
  then(member, 'start', group, 'running', isUp)
  if (isOrdered) {
    then(group, 'start', member, 'start', thenShowsFirst)
    return
  }
  then(group, 'start', member, 'start', ordered | unrunnableFirstBlocks | thenShowsFirst)
  if (isPromotable(group)) then(group, 'promote', member, 'promote', ordered | unrunnableFirstBlocks | thenShowsFirst)
}

function orderMemberWithPrevious(
  plan: Plan,
  group: GroupUnit,
  member: PrimitiveUnit,
  { previous, lastActive }: MemberBefore,
): MemberBefore {
  const then = orderer(plan)
  const isActive = (unit: PrimitiveUnit): boolean => unit.resource.state.active.length > 0
  const isOrdered = isOrderedGroup(group)
  if (isOrdered && previous) {
    then(previous, 'start', member, 'start', firstImpliesThen | unrunnableFirstBlocks)
    then(member, 'stop', previous, 'stop', ordered | rule.restart)
    // A member put in before one that is active: the later one must make room first.
    if (isActive(member) && !isActive(previous)) {
      then(member, 'stop', previous, 'start', thenImpliesFirst | unrunnableFirstBlocks)
    }
    if (isPromotable(group)) {
      then(previous, 'promote', member, 'promote', firstImpliesThen | unrunnableFirstBlocks)
      then(member, 'demote', previous, 'demote', ordered)
    }
  }
  if (!isActive(member)) return { previous: member, lastActive }
  // A group with a gap still stops from its end.
  if (isOrdered && previous && !isActive(previous) && lastActive) then(member, 'stop', lastActive, 'stop', ordered)
  return { previous: member, lastActive: member }
}

function orderClone(plan: Plan, clone: CloneUnit): void {
  const then = orderer(plan)
  const { promotable, ordered: isOrdered } = clone.resource
  then(clone, 'stopped', clone, 'start', ordered)
  then(clone, 'start', clone, 'running', unrunnableFirstBlocks)
  then(clone, 'stop', clone, 'stopped', unrunnableFirstBlocks)
  if (promotable) {
    then(clone, 'demoted', clone, 'stop', ordered)
    then(clone, 'running', clone, 'promote', unrunnableFirstBlocks)
  }
  clone.instances.forEach((instance, index) => {
    addInternalOrders(plan, instance)
    then(clone, 'start', instance, 'start', unrunnableFirstBlocks | thenShowsFirst)
    then(instance, 'start', clone, 'running', firstShowsThen)
    then(clone, 'stop', instance, 'stop', thenShowsFirst)
    then(instance, 'stop', clone, 'stopped', firstShowsThen)
    if (!isOrdered) return
    for (const later of clone.instances.slice(index + 1)) {
      then(instance, 'start', later, 'start', ordered)
      then(later, 'stop', instance, 'stop', ordered)
    }
  })
  if (promotable) orderPromotion(plan, clone)
}

/** Everything is demoted before anything stops or starts; everything is started before anything is promoted. */
function orderRestartWithRoles(plan: Plan, unit: CloneUnit | BundleUnit): void {
  const then = orderer(plan)
  then(unit, 'stopped', unit, 'start', ordered)
  then(unit, 'stopped', unit, 'promote', ordered)
  then(unit, 'demoted', unit, 'stop', ordered)
  then(unit, 'demoted', unit, 'start', ordered)
  then(unit, 'demoted', unit, 'promote', ordered)
  then(unit, 'running', unit, 'promote', ordered)
  then(unit, 'demote', unit, 'demoted', ordered)
}

function orderPromotion(plan: Plan, clone: CloneUnit): void {
  const then = orderer(plan)
  orderRestartWithRoles(plan, clone)
  let previous: Unit | undefined
  for (const instance of clone.instances) {
    then(instance, 'demote', instance, 'promote', ordered)
    then(clone, 'promote', instance, 'promote', ordered)
    then(instance, 'promote', clone, 'promoted', ordered)
    then(clone, 'demote', instance, 'demote', thenShowsFirst)
    then(instance, 'demote', clone, 'demoted', firstShowsThen)
    if (previous && clone.resource.ordered) {
      then(previous, 'promote', instance, 'promote', ordered)
      then(instance, 'demote', previous, 'demote', ordered)
    }
    previous = instance
  }
}

function orderBundle(plan: Plan, bundle: BundleUnit): void {
  const then = orderer(plan)
  const { child } = bundle
  if (child) {
    then(bundle, 'start', child, 'start', thenShowsFirst)
    then(child, 'running', bundle, 'running', firstShowsThen)
    then(bundle, 'stop', child, 'stop', thenShowsFirst)
    then(child, 'stopped', bundle, 'stopped', firstShowsThen)
  }
  for (const { container, ip, remote, child: member } of bundle.replicas) {
    orderPrimitive(plan, container)
    then(bundle, 'start', container, 'start', unrunnableFirstBlocks | thenShowsFirst)
    if (member) then(bundle, 'stop', member, 'stop', thenShowsFirst)
    then(bundle, 'stop', container, 'stop', thenShowsFirst)
    then(container, 'start', bundle, 'running', firstShowsThen)
    then(container, 'stop', bundle, 'stopped', firstShowsThen)
    if (ip) {
      orderPrimitive(plan, ip)
      then(ip, 'start', container, 'start', unrunnableFirstBlocks | firstImpliesThen)
      then(container, 'stop', ip, 'stop', thenImpliesFirst | ordered)
    }
    if (remote) orderPrimitive(plan, remote)
  }
  if (!child) return
  orderClone(plan, child)
  if (!child.resource.promotable) return
  orderRestartWithRoles(plan, bundle)
  then(bundle, 'promote', child, 'promote', thenShowsFirst)
  then(child, 'promoted', bundle, 'promoted', firstShowsThen)
  then(bundle, 'demote', child, 'demote', thenShowsFirst)
  then(child, 'demoted', bundle, 'demoted', firstShowsThen)
}

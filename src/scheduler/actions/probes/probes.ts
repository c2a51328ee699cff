/**
 * Probes: where nobody knows whether a resource is active, a monitor finds out before anything is started. Which nodes are
 * asked depends on `enable-startup-probes`, `resource-discovery` and what kind of node it is.
 */
import type { NodeName } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { findAction, operationKey, type PlannedAction } from '../action.ts'
import { isUnclean, obtain, order, orderTasks, type Plan, requireFencing } from '../draft.ts'
import { orderAfterUnfencing } from '../fencing/fence-action.ts'
import { connectionState } from '../orders/connection-orders.ts'
import { rule } from '../relation.ts'
import { instancesByNode } from '../settling/interleave.ts'
import {
  type BundleUnit,
  type CloneUnit,
  type GroupUnit,
  isActive,
  isFenceDevice,
  isInClone,
  type PrimitiveUnit,
  primitivesOf,
  topOf,
  type Unit,
} from '../unit.ts'

export function planProbes(plan: Plan): void {
  for (const node of plan.nodeList) {
    if (!node.online) {
      if (node.kind === 'remote' && isFailedConnection(plan, node)) {
        requireFencing(plan, node, 'the connection is unrecoverable')
      }
      continue
    }
    if (isUnclean(plan, node) || !node.discoveryEnabled) continue
    for (const unit of plan.tree.top) probe(plan, unit, node)
  }
}

function isFailedConnection(plan: Plan, node: NodeStatus): boolean {
  const connection = node.connection === undefined ? undefined : plan.tree.byId.get(node.connection)
  return connection?.kind === 'primitive' && connectionState(plan, connection, node) === 'failed'
}

function probe(plan: Plan, unit: Unit, node: NodeStatus): boolean {
  switch (unit.kind) {
    case 'primitive':
      return probePrimitive(plan, unit, node)
    case 'group':
      return unit.members.map((member) => probePrimitive(plan, member, node)).includes(true)
    case 'clone':
      return probeClone(plan, unit, node)
    case 'bundle':
      return probeBundle(plan, unit, node)
  }
}

function probePrimitive(plan: Plan, unit: PrimitiveUnit, node: NodeStatus): boolean {
  if (!isProbeNeeded(plan, unit, node) || waitsForGuest(plan, unit, node)) return false
  const { state } = unit.resource
  const action = obtain(plan, { unit, task: 'monitor', node, optional: false })
  action.optional = false
  orderAfterUnfencing(plan, unit, { node, action, rules: rule.ordered })
  if (!state.active.some((active) => active.node === node.name)) action.expectedRc = 7
  else if (unit.role === 'Promoted') action.expectedRc = 8
  const starting = isInClone(unit) ? topOf(unit) : unit
  // Where it cannot be asked, what is not known to run anywhere must not be started.
  const isInTheDark = !action.runnable && !primitivesOf(starting).some(isActive)
  const rules = isInTheDark ? rule.ordered | rule.unrunnableFirstBlocks : rule.ordered
  order(plan, { unit, action }, { unit: starting, key: operationKey(starting.id, 'start') }, rules)
  order(plan, { unit, action }, { unit: starting, key: operationKey(unit.id, 'reload-agent') }, rule.ordered)
  return true
}

function isProbeNeeded(plan: Plan, unit: PrimitiveUnit, node: NodeStatus): boolean {
  const { resource, assigned } = unit
  if (!plan.status.options.enableStartupProbes) return false
  if (node.kind !== 'member' && !canHost(plan, unit, node)) return false
  if (node.isBundleNode && unit.replica?.as !== 'child') return false
  // What runs in a container is probed by what is in the container.
  if (unit.container && resource.connectionOf === undefined && unit.replica?.as !== 'ip') return false
  if (resource.orphan || resource.state.knownOn.includes(node.name)) return false
  const discovery = assigned.discoveryOn(node.name)
  if (assigned.exclusiveDiscovery) {
    if (assigned.scoreOn(node.name) === undefined || discovery !== 'exclusive') return false
  }
  return discovery !== 'never'
}

function canHost(plan: Plan, unit: PrimitiveUnit, node: NodeStatus): boolean {
  if (isFenceDevice(unit) || unit.resource.connectionOf !== undefined) return false
  return !(node.kind === 'guest' && plan.nodeList.some(({ container }) => container === unit.id))
}

/**
 * Nothing is asked of a guest that is down, or about to go down or elsewhere: there, the resource is surely not active once
 * the guest was found down, or was stopped. Its start waits for that.
 */
function waitsForGuest(plan: Plan, unit: PrimitiveUnit, node: NodeStatus): boolean {
  const container = node.container === undefined ? undefined : plan.tree.byId.get(node.container)
  if (node.kind !== 'guest' || container?.kind !== 'primitive') return false
  const { assigned, role } = container
  const { active, failed, knownOn } = container.resource.state
  const top = topOf(unit)
  if (role === 'Stopped') {
    const isProbed = assigned.node !== undefined && !knownOn.includes(assigned.node)
    if (isProbed) orderTasks(plan, { unit: container, task: 'monitor' }, { unit: top, task: 'start' }, rule.ordered)
    return true
  }
  const stays = assigned.node !== undefined && active.some((on) => on.node === assigned.node)
  if (stays && assigned.nextRole !== 'Stopped' && !failed) return false
  orderTasks(plan, { unit: container, task: 'stop' }, { unit: top, task: 'start' }, rule.ordered)
  return true
}

function probeClone(plan: Plan, clone: CloneUnit, node: NodeStatus): boolean {
  if (clone.resource.unique) return clone.instances.map((instance) => probe(plan, instance, node)).includes(true)
  // Instances of an anonymous clone are alike, so one of them is asked for all.
  const asked = knownInstances(plan, clone).get(node.name) ?? plannedInstance(plan, clone, node) ?? clone.instances[0]
  return asked !== undefined && probe(plan, asked, node)
}

/** The first instance that a node's history tells of. */
function knownInstances(plan: Plan, clone: CloneUnit): ReadonlyMap<NodeName, PrimitiveUnit | GroupUnit> {
  const key = `${clone.id} known`
  const found = plan.instancesByNode.get(key)
  if (found) return found
  const byNode = new Map<NodeName, PrimitiveUnit | GroupUnit>()
  for (const instance of clone.instances) {
    for (const { resource } of primitivesOf(instance)) {
      for (const name of resource.state.knownOn) if (!byNode.has(name)) byNode.set(name, instance)
    }
  }
  plan.instancesByNode.set(key, byNode)
  return byNode
}

const plannedInstance = (plan: Plan, clone: CloneUnit, node: NodeStatus): PrimitiveUnit | GroupUnit | undefined =>
  instancesByNode(plan, clone, false).get(node.name)

function probeBundle(plan: Plan, bundle: BundleUnit, node: NodeStatus): boolean {
  let any = false
  for (const replica of bundle.replicas) {
    const { container, ip, remote, child, number } = replica
    if (ip && probePrimitive(plan, ip, node)) any = true
    const guest = bundle.resource.replicas.find((other) => other.number === number)?.node
    if (child && guest === node.name && probePrimitive(plan, child, node)) any = true
    if (probePrimitive(plan, container, node)) {
      any = true
      orderOtherReplicas(plan, bundle, container)
      if (bundle.child) {
        const start = operationKey(bundle.child.id, 'start')
        order(
          plan,
          { action: findAction(container, { task: 'monitor', node }) },
          { unit: bundle.child, key: start },
          rule.ordered,
        )
      }
    }
    if (remote && probePrimitive(plan, remote, node)) {
      any = true
      orderConnectionProbe(plan, { container, remote, node })
    }
  }
  return any
}

/** Where a host takes one replica only, none starts there before it is known that no other runs. */
function orderOtherReplicas(plan: Plan, bundle: BundleUnit, container: PrimitiveUnit): void {
  if (bundle.resource.replicasPerHost !== 1) return
  for (const other of bundle.replicas) {
    if (other.container === container) continue
    order(
      plan,
      { unit: container, key: operationKey(container.id, 'monitor') },
      { unit: other.container, key: operationKey(other.container.id, 'start') },
      rule.ordered | rule.onSameNode,
    )
  }
}

function orderConnectionProbe(
  plan: Plan,
  {
    container,
    remote,
    node,
  }: { readonly container: PrimitiveUnit; readonly remote: PrimitiveUnit; readonly node: NodeStatus },
): void {
  const action: PlannedAction | undefined = findAction(remote, { key: operationKey(remote.id, 'monitor'), node })
  if (!action) return
  order(plan, { unit: container, key: operationKey(container.id, 'start') }, { action }, rule.nestedProbe)
}

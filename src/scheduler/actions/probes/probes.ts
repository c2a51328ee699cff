/**
 * Probes: where nobody knows whether a resource is active, a monitor finds out before anything is started. Which nodes are
 * asked depends on `enable-startup-probes`, `resource-discovery` and what kind of node it is.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { findAction, operationKey } from '../draft/action.ts'
import { type Drafting, isUnclean, type Ordering, ordersOf } from '../draft/draft.ts'
import { findOrCreateAction, requireFencing } from '../draft/find-or-create-action.ts'
import type { Order } from '../draft/order.ts'
import {
  byPriority,
  isActive,
  isInClone,
  type PlannedBundle,
  type PlannedClone,
  type PlannedPrimitive,
  type PlannedResource,
  primitivesOf,
  topOf,
} from '../draft/planned-resource.ts'
import { rule } from '../draft/relation.ts'
import { primitiveNamed } from '../draft/setting.ts'
import { orderAfterUnfencing } from '../fencing/unfencing.ts'
import { connectionState } from '../orders/connection-state.ts'
import { type Asked, askedForAll, isProbeNeeded, type KnownInstances } from './probe-need.ts'

export const draftProbes = (draft: Drafting): readonly Order[] => ordersOf(draft, probeNodes)

function probeNodes(draft: Ordering): void {
  const known: KnownInstances = new Map()
  const resources = byPriority(draft.tree.top)
  for (const node of draft.nodeList) {
    if (!node.online) {
      if (node.kind === 'remote' && isFailedConnection(draft, node)) {
        requireFencing(draft, node, 'the connection is unrecoverable')
      }
      continue
    }
    if (isUnclean(draft, node) || !node.discoveryEnabled) continue
    for (const rsc of resources) probe(draft, rsc, { node, known })
  }
}

function isFailedConnection(draft: Drafting, node: NodeStatus): boolean {
  const connection = primitiveNamed(draft, node.connection)
  return connection !== undefined && connectionState(draft, connection, node) === 'failed'
}

function probe(draft: Ordering, rsc: PlannedResource, asked: Asked): boolean {
  const { node } = asked
  switch (rsc.kind) {
    case 'primitive':
      return probePrimitive(draft, rsc, node)
    case 'group':
      return rsc.members.map((member) => probePrimitive(draft, member, node)).includes(true)
    case 'clone':
      return probeClone(draft, rsc, asked)
    case 'bundle':
      return probeBundle(draft, rsc, node)
  }
}

function probePrimitive(draft: Ordering, rsc: PlannedPrimitive, node: NodeStatus): boolean {
  if (!isProbeNeeded(draft, rsc, node) || waitsForGuest(draft, rsc, node)) return false
  const { state } = rsc.resource
  const action = findOrCreateAction(draft, { rsc, task: 'monitor', node, optional: false })
  action.optional = false
  orderAfterUnfencing(draft, rsc, { node, action, rules: rule.ordered })
  if (!state.active.some((active) => active.node === node.name)) action.expectedRc = 7
  else if (rsc.role === 'Promoted') action.expectedRc = 8
  const starting = isInClone(rsc) ? topOf(rsc) : rsc
  // Where it cannot be asked, what is not known to run anywhere must not be started.
  const isInTheDark = !action.runnable && !primitivesOf(starting).some(isActive)
  const rules = isInTheDark ? rule.ordered | rule.unrunnableFirstBlocks : rule.ordered
  draft.orders.add({ rsc, action }, { rsc: starting, task: 'start' }, rules)
  draft.orders.add({ rsc, action }, { rsc: starting, task: 'reload-agent' }, rule.ordered)
  return true
}

/**
 * Nothing is asked of a guest that is down, or about to go down or elsewhere: there, the resource is surely not active once
 * the guest was found down, or was stopped. Its start waits for that.
 */
function waitsForGuest(draft: Ordering, rsc: PlannedPrimitive, node: NodeStatus): boolean {
  const container = primitiveNamed(draft, node.container)
  if (node.kind !== 'guest' || !container) return false
  const { assigned, role } = container
  const { active, failed, knownOn } = container.resource.state
  const top = topOf(rsc)
  if (role === 'Stopped') {
    const isProbed = assigned.node !== undefined && !knownOn.has(assigned.node)
    if (isProbed) draft.orders.addTasks({ rsc: container, task: 'monitor' }, { rsc: top, task: 'start' }, rule.ordered)
    return true
  }
  const stays = assigned.node !== undefined && active.some((on) => on.node === assigned.node)
  if (stays && assigned.nextRole !== 'Stopped' && !failed) return false
  draft.orders.addTasks({ rsc: container, task: 'stop' }, { rsc: top, task: 'start' }, rule.ordered)
  return true
}

function probeClone(draft: Ordering, clone: PlannedClone, asked: Asked): boolean {
  if (clone.restsOn.has(asked.node.name)) return false
  if (clone.resource.unique) return clone.instances.map((instance) => probe(draft, instance, asked)).includes(true)
  const instance = askedForAll(draft, clone, asked)
  return instance !== undefined && probe(draft, instance, asked)
}

function probeBundle(draft: Ordering, bundle: PlannedBundle, node: NodeStatus): boolean {
  let any = false
  for (const replica of bundle.replicas) {
    const { container, ip, remote, child, number } = replica
    if (ip && probePrimitive(draft, ip, node)) any = true
    const guest = bundle.resource.replicas.find((other) => other.number === number)?.node
    if (child && guest === node.name && probePrimitive(draft, child, node)) any = true
    if (probePrimitive(draft, container, node)) {
      any = true
      orderOtherReplicas(draft, bundle, container)
    }
    if (remote && probePrimitive(draft, remote, node)) {
      any = true
      orderConnectionProbe(draft, { container, remote, node })
    }
  }
  return any
}

/** Where a host takes one replica only, none starts there before it is known that no other runs. */
function orderOtherReplicas(draft: Ordering, bundle: PlannedBundle, container: PlannedPrimitive): void {
  if (bundle.resource.replicasPerHost !== 1) return
  for (const other of bundle.replicas) {
    if (other.container === container) continue
    draft.orders.add(
      { rsc: container, task: 'monitor' },
      { rsc: other.container, task: 'start' },
      rule.ordered | rule.onSameNode,
    )
  }
}

function orderConnectionProbe(
  draft: Ordering,
  {
    container,
    remote,
    node,
  }: { readonly container: PlannedPrimitive; readonly remote: PlannedPrimitive; readonly node: NodeStatus },
): void {
  const action = findAction(draft, remote, { key: operationKey(remote.id, 'monitor'), node })
  if (!action) return
  draft.orders.add({ rsc: container, task: 'start' }, { action }, rule.nestedProbe)
}

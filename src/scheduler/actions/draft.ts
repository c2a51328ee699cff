/**
 * The plan that this room's steps fill, one after the other, and that nobody outside sees: actions, and orderings between
 * resources that are looked up once all actions exist. An action exists once for each key and node.
 */
import { defined, type NodeName } from '../../base/index.ts'
import type { ClusterStatus, NodeStatus } from '../../status/index.ts'
import type { Assignment } from '../assignment.ts'
import { actionsWithKey, operationKey, type PlannedAction } from './action.ts'
import { migrationOrderings } from './migration/migration-orders.ts'
import { operationMeta, requirementOf } from './operation.ts'
import type { Ordering, Side } from './orders/order.ts'
import { none, type Rules } from './relation.ts'
import { type GroupUnit, type PrimitiveUnit, primitivesOf, roleRank, type Unit, type UnitTree } from './unit.ts'

export interface Plan {
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly tree: UnitTree
  /** Nodes as they will be once the connections to remote and guest nodes are where they shall be. */
  readonly nodeList: readonly NodeStatus[]
  readonly nodes: ReadonlyMap<NodeName, NodeStatus>
  readonly actions: PlannedAction[]
  readonly orderings: Ordering[]
  /** Ordering points that belong to no resource, and fencing actions, by key. */
  readonly points: Map<string, PlannedAction>
  readonly colocationsByPrimary: ReadonlyMap<string, Assignment['colocations']>
  /** Instances of clones by the node that they are or shall be on; emptied whenever one is withdrawn. */
  readonly instancesByNode: Map<string, ReadonlyMap<NodeName, PrimitiveUnit | GroupUnit>>
  readonly hasFenceDevice: boolean
  /** Secrets in the configuration were replaced by stars, so that their digests mean nothing. */
  readonly isSanitized: boolean
  /** Nodes that planning itself finds in need of fencing, with reasons; the status's own are not in here. */
  readonly fencing: Map<NodeName, string[]>
}

/** Orders whatever actions the two sides turn out to have. */
export function order(plan: Plan, first: Side, follower: Side, rules: Rules): void {
  const sideOf = (side: Side): Side => ({
    unit: side.unit ?? side.action?.unit,
    ...(side.key === undefined ? {} : { key: side.key }),
    action: side.action,
  })
  addOrdering(plan, { first: sideOf(first), follower: sideOf(follower), rules })
}

function addOrdering(plan: Plan, ordering: Ordering): void {
  plan.orderings.push(ordering)
  plan.orderings.push(...migrationOrderings(ordering))
}

/** Orders an operation of one resource before an operation of another, both without an interval. */
export function orderTasks(
  plan: Plan,
  first: { readonly unit: Unit; readonly task: string },
  follower: { readonly unit: Unit; readonly task: string },
  rules: Rules,
): void {
  if (rules === none && first.unit === follower.unit) return
  addOrdering(plan, {
    first: { unit: first.unit, key: operationKey(first.unit.id, first.task) },
    follower: { unit: follower.unit, key: operationKey(follower.unit.id, follower.task) },
    rules,
  })
}

interface Wanted {
  readonly unit: Unit | undefined
  readonly task: string
  readonly key?: string
  readonly intervalMs?: number
  readonly node?: NodeStatus | undefined
  readonly optional: boolean
}

/** The action with this key on this node: the one that exists, or a new one. One that is needed once stays needed. */
export function obtain(plan: Plan, wanted: Wanted): PlannedAction {
  const { unit, node, optional } = wanted
  const key = wanted.key ?? operationKey(unit?.id ?? '', wanted.task, wanted.intervalMs)
  const existing = unit && actionsWithKey(unit, key, node)[0]
  const action = existing ?? create(plan, { ...wanted, key })
  if (!optional) action.optional = false
  if (unit?.kind === 'primitive') {
    // What is not managed is left alone; recurring monitors go on all the same.
    if (action.node && !unit.assigned.managed && action.intervalMs === 0) action.optional = true
    reviewRunnable(plan, unit, action)
  }
  return action
}

function create(
  plan: Plan,
  { unit, key, task, node, optional, intervalMs = 0 }: Wanted & { key: string },
): PlannedAction {
  const action: PlannedAction = {
    id: plan.actions.length + 1,
    unit,
    key,
    task,
    cancels: undefined,
    intervalMs,
    node,
    needs: unit?.kind === 'primitive' ? requirementOf(unit, task) : 'nothing',
    optional,
    runnable: true,
    pseudo: false,
    migratable: false,
    alwaysInGraph: false,
    reschedule: false,
    impliedByFencing: false,
    abortsMigration: false,
    onDc: task === 'lrm_delete',
    minRunnable: undefined,
    runnableBefore: 0,
    priority: 0,
    expectedRc: undefined,
    reason: undefined,
    cause: undefined,
    meta: unit ? operationMeta(plan.status, unit, task, intervalMs) : new Map(),
    before: [],
    after: [],
    inGraph: false,
  }
  plan.actions.push(action)
  if (unit) {
    unit.actions.push(action)
    const same = unit.actionsByKey.get(key)
    if (same) same.push(action)
    else unit.actionsByKey.set(key, [action])
  }
  return action
}

/** Whether a resource's action can run where it is meant to, as far as node and quorum go. */
export function reviewRunnable(plan: Plan, unit: PrimitiveUnit, action: PlannedAction): void {
  if (action.pseudo) return
  const { node } = action
  if (!node) {
    action.runnable = false
    return
  }
  if (!action.onDc && !node.online && (node.kind !== 'guest' || node.requiresReset)) {
    action.runnable = false
    if (unit.assigned.managed && action.task === 'stop' && !node.unclean) {
      requireFencing(plan, node, 'resource actions are unrunnable')
    }
    return
  }
  if (!action.onDc && node.pending) {
    action.runnable = false
    return
  }
  if (action.needs === 'nothing') {
    action.reason = undefined
    action.cause = undefined
    action.runnable = !(node.kind === 'guest' && isGuestOfLostHost(plan, node) && !canFence(plan, node))
    return
  }
  reviewQuorum(plan, unit, action)
}

function reviewQuorum({ status }: Plan, unit: PrimitiveUnit, action: PlannedAction): void {
  const policy = status.haveQuorum ? 'ignore' : status.options.noQuorumPolicy
  // With `demote`, what can be demoted is, and everything else stops.
  if (policy === 'stop' || (policy === 'demote' && unit.role !== 'Promoted' && unit.role !== 'Unpromoted')) {
    action.runnable = false
    action.reason = 'no quorum'
    action.cause = { kind: 'no-quorum' }
  } else if (policy === 'freeze') {
    const { state } = unit.resource
    const isActive = state.active.length > 0
    if (!isActive || roleRank(unit.assigned.nextRole) > roleRank(unit.role)) {
      action.runnable = false
      action.reason = 'quorum freeze'
      action.cause = { kind: 'quorum-freeze' }
    }
  } else {
    action.runnable = true
  }
}

/** The host of a guest is lost: what runs in the guest can only be ended by fencing the host. */
function isGuestOfLostHost(plan: Plan, node: NodeStatus): boolean {
  return hostsOf(plan, node).some((host) => !host.online || host.unclean)
}

/** The nodes that a guest node's container is active on. */
export function hostsOf(plan: Plan, guest: NodeStatus): readonly NodeStatus[] {
  const container = guest.container === undefined ? undefined : plan.tree.byId.get(guest.container)
  if (container?.kind !== 'primitive') return []
  return container.resource.state.active.map(({ node }) => nodeNamed(plan, node))
}

/** A guest node is fenced by stopping its container, so that its host must be online or be fenced itself. */
export function canFence(plan: Plan, node: NodeStatus): boolean {
  if (node.kind === 'guest') return hostsOf(plan, node).every((host) => host.online || canFence(plan, host))
  const { options, haveQuorum } = plan.status
  if (!options.fencingEnabled || !plan.hasFenceDevice) return false
  return haveQuorum || options.noQuorumPolicy === 'ignore' || node.online
}

export function requireFencing(plan: Plan, node: NodeStatus, reason: string): void {
  const reasons = plan.fencing.get(node.name)
  if (reasons) reasons.push(reason)
  else plan.fencing.set(node.name, [reason])
}

export const isUnclean = (plan: Plan, node: NodeStatus): boolean => node.unclean || plan.fencing.has(node.name)

export const nodeNamed = (plan: Plan, name: NodeName): NodeStatus => defined(plan.nodes.get(name), `node ${name}`)

/** Where an instance shall be. */
export function targetOf(plan: Plan, unit: PrimitiveUnit): NodeStatus | undefined {
  return unit.assigned.node === undefined ? undefined : nodeNamed(plan, unit.assigned.node)
}

/** Where an instance is active now. */
export const activeNodes = (plan: Plan, unit: PrimitiveUnit): readonly NodeStatus[] =>
  unit.resource.state.active.map(({ node }) => nodeNamed(plan, node))

/** The node of a group's or clone's first active (or, if it shall move, first assigned) part. */
export function locationOf(plan: Plan, unit: Unit): NodeStatus | undefined {
  for (const part of primitivesOf(unit)) {
    const target = targetOf(plan, part)
    if (target) return target
  }
  return undefined
}

/** An ordering point without a resource: the same one whenever it is asked for. */
export function point(plan: Plan, key: string): PlannedAction {
  const existing = plan.points.get(key)
  if (existing) return existing
  const action = create(plan, { unit: undefined, key, task: key, optional: true })
  action.pseudo = true
  plan.points.set(key, action)
  return action
}

/** An ordering point of a group, clone or bundle. */
export function resourcePoint(
  plan: Plan,
  unit: Unit,
  task: string,
  state: { readonly optional: boolean; readonly runnable: boolean },
): PlannedAction {
  const action = obtain(plan, { unit, task, optional: state.optional })
  action.pseudo = true
  action.runnable = state.runnable
  return action
}

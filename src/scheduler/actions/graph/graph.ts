/**
 * The plan as a transition graph: the actions that are needed and can run, and of the relations those that still say
 * something about the order. What is not managed stays out of it, but for its monitors.
 */
import { type ResourceId, resourceId } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import type { GraphAction, TransitionGraph } from '../../../transition/index.ts'
import { isRecurring, notifyKey, operationKey, type PlannedAction, sameNode } from '../action.ts'
import { activeNodes, type Plan, targetOf } from '../draft.ts'
import { planNotifications } from '../notifications/notifications.ts'
import { has, none, type Relation, rule } from '../relation.ts'
import { stateFor } from '../settling/state.ts'
import { type CloneUnit, isInClone, isReplicated, type PrimitiveUnit, type Unit } from '../unit.ts'
import { actionAttributes } from './action-attributes.ts'
import { dropInvalidOrders } from './invalid-orders.ts'

export function toGraph(plan: Plan): TransitionGraph {
  dropInvalidOrders(plan, (action, relation) => isInput(plan, action, relation))
  const actions: GraphAction[] = []
  const shown = new Set<PlannedAction>()
  const show = (action: PlannedAction): void => {
    if (shown.has(action) || !isShown(action)) return
    shown.add(action)
    action.inGraph = true
    actions.push(graphAction(plan, action, inputsOf(plan, action)))
  }
  for (const unit of plan.tree.ordered) showUnit(plan, unit, show)
  // What belongs to no resource, and the points of bundles: latest first, like a resource's own.
  for (let i = plan.actions.length - 1; i >= 0; i--) {
    const action = plan.actions[i]
    if (action) show(action)
  }
  const awaited = new Set(actions.flatMap(({ inputs }) => inputs))
  const absent = plan.actions
    .filter((action) => awaited.has(action.id) && !shown.has(action))
    .map((action) => graphAction(plan, action, []))
  return { actions, absent, attributes: graphAttributes(plan) }
}

function showUnit(plan: Plan, unit: Unit, show: (action: PlannedAction) => void): void {
  switch (unit.kind) {
    case 'primitive':
      showOwn(unit, show)
      return
    case 'group':
      showOwn(unit, show)
      for (const member of unit.members) showOwn(member, show)
      return
    case 'clone':
      showClone(plan, unit, show)
      return
    case 'bundle':
      if (unit.child) showClone(plan, unit.child, show)
      for (const { ip, container, remote } of unit.replicas) {
        for (const part of [ip, container, remote]) if (part) showOwn(part, show)
      }
  }
}

function showClone(plan: Plan, clone: CloneUnit, show: (action: PlannedAction) => void): void {
  // A clone's points are needed, or not possible, as its instances turned out to be.
  for (const action of clone.actions) stateFor(action, undefined)
  planNotifications(plan, clone)
  for (const instance of clone.instances) showUnit(plan, instance, show)
  showOwn(clone, show)
}

function showOwn(unit: Unit, show: (action: PlannedAction) => void): void {
  for (let i = unit.actions.length - 1; i >= 0; i--) {
    const action = unit.actions[i]
    if (action) show(action)
  }
}

function isShown(action: PlannedAction): boolean {
  if (!action.runnable || (action.optional && !action.alwaysInGraph)) return false
  const { unit } = action
  const isLeftAlone = unit?.kind === 'primitive' && !unit.assigned.managed
  if (isLeftAlone && action.task !== 'monitor' && !isRecurring(action)) return false
  if (action.pseudo || action.task === 'stonith' || action.task === 'do_shutdown') return true
  const { node } = action
  if (!node) return false
  if (action.onDc) return true
  if (node.kind === 'guest' && !node.requiresReset) return true
  return node.online
}

function inputsOf(plan: Plan, action: PlannedAction): readonly number[] {
  const inputs = new Set<number>()
  for (const relation of merged(action.before)) {
    if (isInput(plan, action, relation)) inputs.add(relation.first.id)
  }
  return [...inputs].sort((a, b) => a - b)
}

/** Several relations with one action count as one with all their rules. */
function merged(relations: readonly Relation[]): Iterable<Relation> {
  const byFirst = new Map<PlannedAction, Relation>()
  for (const relation of relations) {
    const known = byFirst.get(relation.first)
    byFirst.set(relation.first, known ? { ...known, rules: known.rules | relation.rules } : relation)
  }
  return byFirst.values()
}

function isInput(plan: Plan, action: PlannedAction, { first, rules }: Relation): boolean {
  if (rules === none) return false
  const isStop = first.key.endsWith('_stop_0')
  if (!first.runnable) {
    // Something that can never happen is waited for only if it says that this cannot happen either.
    const meansIt = has(rules, ~(rule.ordered | rule.firstShowsThen | rule.thenShowsFirst))
    if (!meansIt || has(rules, rule.minRunnable | rule.unmigratableThenBlocks)) return false
  }
  if (has(rules, rule.unlessFirstMigrates) && first.migratable) return false
  if (rules === rule.ordered && first.migratable && isStop) return false
  if (rules === rule.onSameNodeOrTarget) {
    if (!frees(plan, first, action)) return false
  }
  if (rules === rule.neededOnSameNode) {
    if ((first.node && action.node && !sameNode(first.node, action.node)) || first.optional) return false
  }
  const { unit } = first
  if (unit?.kind === 'primitive' && unit !== action.unit && isStuck(unit) && isStop && inSomeClone(action.unit)) {
    return false
  }
  return !first.optional || first.alwaysInGraph || first.inGraph
}

const isStuck = (unit: PrimitiveUnit): boolean => unit.resource.state.failed && !unit.assigned.managed

const inSomeClone = (unit: Unit | undefined): boolean => unit !== undefined && (isReplicated(unit) || isInClone(unit))

/** Capacity matters on the node where something goes, which for a migration is its target. */
function frees(plan: Plan, first: PlannedAction, action: PlannedAction): boolean {
  const { unit } = action
  const goesTo = unit?.kind === 'primitive' && action.task === 'migrate_to' ? targetOf(plan, unit) : action.node
  return sameNode(first.node, goesTo) && !first.optional
}

function graphAttributes({ status }: Plan): Readonly<Record<string, string>> {
  const { raw, startFailureIsFatal, migrationLimit } = status.options
  return {
    'cluster-delay': raw.get('cluster-delay') ?? '60s',
    'fencing-timeout': raw.get('fencing-timeout') ?? raw.get('stonith-timeout') ?? '60s',
    'failed-stop-offset': 'INFINITY',
    'failed-start-offset': startFailureIsFatal ? 'INFINITY' : '1',
    'batch-limit': String(status.options.batchLimit),
    transition_id: '1',
    ...(migrationLimit >= 0 && raw.has('migration-limit') && { 'migration-limit': String(migrationLimit) }),
    ...(status.recheckAt !== undefined && { 'recheck-by': String(status.recheckAt) }),
  }
}

const clusterTasks = new Set(['do_shutdown', 'clear_failcount', 'lrm_delete'])

function graphAction(plan: Plan, action: PlannedAction, inputs: readonly number[]): GraphAction {
  const { unit, node } = action
  const primitive = unit?.kind === 'primitive' ? unit : undefined
  const own = Math.max(
    action.priority,
    primitive ? primitive.resource.meta.priority : (unit?.resource.meta.priority ?? 0),
  )
  const common = {
    id: action.id,
    inputs,
    operation: action.task,
    attributes: actionAttributes(plan, action),
    priority: own,
    downed: downedBy(plan, action),
    ...keysOf(action),
    ...(node && { node: node.name, nodeId: node.id }),
  }
  if (action.pseudo) return { kind: 'pseudo', ...common, ...(unit && { resource: unit.id }) }
  const router = node && action.task !== 'stonith' ? routerOf(plan, action, node) : undefined
  const routed = router ? { routerNode: router.name } : {}
  if (!primitive || clusterTasks.has(action.task)) {
    const named = primitive ? { ...executorName(primitive), agent: primitive.resource.agent } : {}
    return { kind: 'cluster', ...common, ...routed, ...named }
  }
  return {
    kind: 'resource',
    ...common,
    ...routed,
    ...executorName(primitive),
    intervalMs: action.intervalMs,
    agent: primitive.resource.agent,
    node: node?.name ?? primitive.assigned.node ?? plan.nodeList[0]?.name ?? neverNamed(),
    nodeId: node?.id ?? '',
  }
}

function neverNamed(): never {
  throw new Error('A real action of a resource has a node.')
}

/** An anonymous instance has its operations recorded under the name that the executor has known it by. */
function keysOf({ unit, key, task, cancels, intervalMs, meta }: PlannedAction): { key: string; internalKey?: string } {
  const name = unit?.kind === 'primitive' ? unit.resource.state.historyName : undefined
  if (!unit || name === undefined || name === unit.id) return { key }
  const known =
    task === 'notify'
      ? notifyKey(name, meta.get('notify_type') ?? '', meta.get('notify_operation') ?? '')
      : operationKey(name, cancels ?? task, intervalMs)
  return { key: known, internalKey: key }
}

function executorName(unit: PrimitiveUnit): { readonly resource: ResourceId; readonly longId?: ResourceId } {
  const { instance, configuredId, state, orphan } = unit.resource
  if (!instance || instance.unique) return { resource: unit.id }
  const { historyName } = state
  // There is no configured name to go by for an instance that is too many.
  if (orphan && historyName !== undefined) return { resource: resourceId(historyName), longId: unit.id }
  const longId = historyName === undefined || historyName === configuredId ? unit.id : resourceId(historyName)
  return { resource: configuredId, longId }
}

/** The node that holds, or will hold, the connection over which the action is carried out. */
function routerOf(plan: Plan, action: PlannedAction, node: NodeStatus): NodeStatus | undefined {
  if (node.kind === 'member' || node.connection === undefined) return undefined
  const connection = plan.tree.byId.get(node.connection)
  if (connection?.kind !== 'primitive') return undefined
  const began = activeNodes(plan, connection)[0]
  const ended = targetOf(plan, connection)
  if (!began || !ended || sameNode(began, ended)) return began ?? ended
  const task = action.task === 'notify' ? (action.meta.get('notify_operation') ?? '') : action.task
  const migrating = !connection.container && connection.resource.state.partialMigration !== undefined
  // What must be done before the connection moves goes through where it is now.
  const isBefore = task === 'cancel' || task === 'stop' || task === 'demote' || task.startsWith('migrate_')
  return isBefore && !migrating ? began : ended
}

function downedBy(plan: Plan, { task, node, meta, unit, before, pseudo }: PlannedAction): readonly string[] {
  if (task === 'do_shutdown' && node) return [node.id]
  if (task === 'stonith' && node) {
    if (meta.get('stonith_action') === 'on') return []
    const guests = plan.nodeList.filter(
      (guest) => guest.kind === 'guest' && guestHosts(plan, guest).some((host) => host.name === node.name),
    )
    return [node.id, ...guests.map(({ id }) => id)]
  }
  if (task !== 'stop' || pseudo || unit?.kind !== 'primitive' || unit.resource.connectionOf === undefined) return []
  const migrates = before.some(({ first }) => first.unit === unit && first.task === 'migrate_from' && !first.optional)
  return migrates ? [] : [unit.id]
}

function guestHosts(plan: Plan, guest: NodeStatus): readonly NodeStatus[] {
  const container = guest.container === undefined ? undefined : plan.tree.byId.get(guest.container)
  return container?.kind === 'primitive' ? activeNodes(plan, container) : []
}

/** One action as the graph holds it: who does what where, by which way it gets there, and which nodes it takes down. */
import { type ResourceId, resourceId } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import type { GraphAction } from '../../../transition/index.ts'
import { notifyKey, operationKey, type PlannedAction, sameNode } from '../draft/action.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { activeNodes, hostsOf, primitiveNamed, targetOf } from '../draft/setting.ts'
import { migrationUnderWay } from '../draft/under-way.ts'
import { actionAttributes } from './action-attributes.ts'
import type { Outcome } from './inputs.ts'

const clusterTasks = new Set(['do_shutdown', 'clear_failcount', 'lrm_delete'])

export function graphAction(outcome: Outcome, action: PlannedAction, inputs: readonly number[]): GraphAction {
  const { rsc, node } = action
  const primitive = rsc?.kind === 'primitive' ? rsc : undefined
  const own = Math.max(
    action.priority,
    primitive ? primitive.resource.meta.priority : (rsc?.resource.meta.priority ?? 0),
  )
  const common = {
    id: action.id,
    inputs,
    operation: action.task,
    priority: own,
    downed: downedBy(outcome, action),
    ...keysOf(action),
    ...(node && { node: node.name, nodeId: node.id }),
  }
  const attributes = lazily(() => actionAttributes(outcome, action))
  if (outcome.notifyActions.stateOf(action).pseudo) {
    const named = rsc && { resource: rsc.id }
    return {
      kind: 'pseudo',
      ...common,
      get attributes() {
        return attributes()
      },
      ...named,
    }
  }
  const router = node && action.task !== 'stonith' ? routerOf(outcome, action, node) : undefined
  const routed = router ? { routerNode: router.name } : {}
  if (!primitive || clusterTasks.has(action.task)) {
    const named = primitive ? { ...executorName(primitive), agent: primitive.resource.agent } : {}
    return {
      kind: 'cluster',
      ...common,
      get attributes() {
        return attributes()
      },
      ...routed,
      ...named,
    }
  }
  return {
    kind: 'resource',
    ...common,
    get attributes() {
      return attributes()
    },
    ...routed,
    ...executorName(primitive),
    intervalMs: action.intervalMs,
    ...(action.expectedRc !== undefined && { expectedExitCode: action.expectedRc }),
    ...(action.migration && { migration: action.migration }),
    agent: primitive.resource.agent,
    node: node?.name ?? primitive.assigned.node ?? outcome.applied.nodeList[0]?.name ?? neverNamed(),
    nodeId: node?.id ?? '',
  }
}

/**
 * Of the thousands of operations that a large cluster begins with, a simulation looks at the attributes of none. They are
 * properties of their own all the same, so that a graph that goes to another thread takes them along.
 */
function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

function neverNamed(): never {
  throw new Error('A real action of a resource has a node.')
}

/** An anonymous instance has its operations recorded under the name that the executor has known it by. */
function keysOf(action: PlannedAction): { key: string; internalKey?: string } {
  const { rsc, key, task, cancels, intervalMs } = action
  const name = rsc?.kind === 'primitive' ? rsc.resource.state.historyName : undefined
  if (!rsc || name === undefined || name === rsc.id) return { key }
  const known =
    task === 'notify'
      ? notifyKey(name, action.meta.get('notify_type') ?? '', action.meta.get('notify_operation') ?? '')
      : operationKey(name, cancels ?? task, intervalMs)
  return { key: known, internalKey: key }
}

function executorName(rsc: PlannedPrimitive): { readonly resource: ResourceId; readonly longId?: ResourceId } {
  const { instance, configuredId, state, orphan } = rsc.resource
  if (!instance || instance.unique) return { resource: rsc.id }
  const { historyName } = state
  // There is no configured name to go by for an instance that is too many.
  if (orphan && historyName !== undefined) return { resource: resourceId(historyName), longId: rsc.id }
  const longId = historyName === undefined || historyName === configuredId ? rsc.id : resourceId(historyName)
  return { resource: configuredId, longId }
}

/** The node that holds, or will hold, the connection over which the action is carried out. */
function routerOf({ applied }: Outcome, action: PlannedAction, node: NodeStatus): NodeStatus | undefined {
  const connection = node.kind === 'member' ? undefined : primitiveNamed(applied, node.connection)
  if (!connection) return undefined
  const began = activeNodes(applied, connection)[0]
  const ended = targetOf(applied, connection)
  if (!began || !ended || sameNode(began, ended)) return began ?? ended
  const task = action.task === 'notify' ? (action.meta.get('notify_operation') ?? '') : action.task
  const migrating = !connection.container && migrationUnderWay(applied, connection) !== undefined
  // What must be done before the connection moves goes through where it is now.
  const isBefore = task === 'cancel' || task === 'stop' || task === 'demote' || task.startsWith('migrate_')
  return isBefore && !migrating ? began : ended
}

function downedBy({ applied, notifyActions }: Outcome, action: PlannedAction): readonly string[] {
  const { task, node, rsc } = action
  if (task === 'do_shutdown' && node) return [node.id]
  if (task === 'stonith' && node) {
    if (action.meta.get('stonith_action') === 'on') return []
    const guests = applied.nodeList.filter(
      (guest) => guest.kind === 'guest' && hostsOf(applied, guest).some((host) => host.name === node.name),
    )
    return [node.id, ...guests.map(({ id }) => id)]
  }
  const isConnection = rsc?.kind === 'primitive' && rsc.resource.connectionOf !== undefined
  if (task !== 'stop' || notifyActions.stateOf(action).pseudo || !isConnection) return []
  const isMoved = ({ first }: { readonly first: PlannedAction }): boolean =>
    first.rsc === rsc && first.task === 'migrate_from' && !applied.stateOf(first).optional
  return applied.before(action).some(isMoved) ? [] : [rsc.id]
}

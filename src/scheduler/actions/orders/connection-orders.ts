/**
 * What runs on a remote or guest node needs the connection to it: the connection comes up before, goes down after, and if
 * it is lost for good the node is fenced ("Pacemaker Remote").
 */
import type { NodeStatus } from '../../../status/index.ts'
import { isRecurring, operationKey, type PlannedAction, sameNode } from '../action.ts'
import { activeNodes, isUnclean, order, type Plan, requireFencing } from '../draft.ts'
import { none, type Rules, rule } from '../relation.ts'
import type { PrimitiveUnit, Unit } from '../unit.ts'

export function orderAcrossConnections(plan: Plan): void {
  if (plan.status.nodes.every(({ kind }) => kind === 'member')) return
  // The list grows while fencing is found necessary, but not by anything that is of interest here.
  for (const action of plan.actions.slice().reverse()) {
    const { unit } = action
    if (unit?.kind !== 'primitive') continue
    if (unit.resource.connectionOf !== undefined && action.task === 'clear_failcount') {
      order(plan, { action }, { unit, key: operationKey(unit.id, 'start') }, rule.ordered)
      continue
    }
    orderOnRemoteNode(plan, unit, action)
  }
}

function orderOnRemoteNode(plan: Plan, unit: PrimitiveUnit, action: PlannedAction): void {
  const { node } = action
  if (!node || node.kind === 'member' || action.pseudo) return
  const connection = node.connection === undefined ? undefined : plan.tree.byId.get(node.connection)
  if (connection?.kind !== 'primitive') return
  if (action.task === 'start') {
    // If the connection cannot be made, the resource stays where it is.
    for (const stop of unit.actions) {
      if (stop.task !== 'stop' || sameNode(stop.node, node)) continue
      order(plan, { unit: connection, key: operationKey(connection.id, 'start') }, { action: stop }, rule.ordered)
    }
  }
  if (connection.container) orderOnGuest(plan, action, { node, connection, container: connection.container })
  else orderOnRemote(plan, action, { node, connection })
}

function afterStart(plan: Plan, unit: Unit, action: PlannedAction, extra: Rules): void {
  order(plan, { unit, key: operationKey(unit.id, 'start') }, { action }, rule.unrunnableFirstBlocks | extra)
}

function beforeStop(plan: Plan, action: PlannedAction, unit: Unit, extra: Rules): void {
  order(plan, { action }, { unit, key: operationKey(unit.id, 'stop') }, rule.unrunnableFirstBlocks | extra)
}

interface OnGuest {
  readonly node: NodeStatus
  readonly connection: PrimitiveUnit
  readonly container: PrimitiveUnit
}

function orderOnGuest(plan: Plan, action: PlannedAction, { node, connection, container }: OnGuest): void {
  const hasFailed = container.resource.state.failed
  if (hasFailed) requireFencing(plan, node, 'container failed')
  switch (action.task) {
    case 'start':
    case 'promote':
      afterStart(plan, container, action, rule.firstImpliesThen)
      afterStart(plan, connection, action, none)
      return
    case 'stop':
    case 'demote':
      // What stops with a failed container needs no connection.
      if (!hasFailed) beforeStop(plan, action, connection, none)
      return
    case 'cancel':
      // Goes through whatever connection there is now.
      return
    default:
      afterStart(plan, connection, action, isRecurring(action) ? rule.firstImpliesThen : none)
  }
}

interface OnRemote {
  readonly node: NodeStatus
  readonly connection: PrimitiveUnit
}

function orderOnRemote(plan: Plan, action: PlannedAction, { node, connection }: OnRemote): void {
  const state = connectionState(plan, connection, node)
  switch (action.task) {
    case 'start':
    case 'promote':
      afterStart(plan, connection, action, state === 'failed' ? rule.firstImpliesThen : none)
      return
    case 'stop':
      if (state === 'alive') beforeStop(plan, action, connection, rule.thenImpliesFirst)
      else if (state === 'failed') {
        requireFencing(plan, node, 'resources are active but connection is unrecoverable')
      } else if (connection.assigned.nextRole === 'Stopped') beforeStop(plan, action, connection, rule.thenImpliesFirst)
      else afterStart(plan, connection, action, none)
      return
    case 'demote':
      if (state === 'resting' || state === 'unknown') afterStart(plan, connection, action, none)
      return
    case 'cancel':
      return
    default:
      orderMonitor(plan, action, { node, connection, state })
  }
}

function orderMonitor(
  plan: Plan,
  action: PlannedAction,
  { node, connection, state }: OnRemote & { readonly state: ConnectionState },
): void {
  if (isRecurring(action)) {
    afterStart(plan, connection, action, rule.firstImpliesThen)
    return
  }
  if (action.task === 'monitor' && state === 'failed') {
    requireFencing(plan, node, 'resources are in unknown state and connection is unrecoverable')
  }
  // A connection that is going down for good: what is asked must be asked before.
  if (activeNodes(plan, connection).length > 0 && state === 'stopped') beforeStop(plan, action, connection, none)
  else afterStart(plan, connection, action, none)
}

type ConnectionState = 'alive' | 'resting' | 'unknown' | 'failed' | 'stopped'

export function connectionState(plan: Plan, connection: PrimitiveUnit, node: NodeStatus): ConnectionState {
  const { state, reconnectIntervalMs } = connection.resource
  const { nextRole, node: target } = connection.assigned
  const host = activeNodes(plan, connection)[0]
  if (nextRole === 'Stopped' || target === undefined) {
    if (host && isUnclean(plan, host)) return 'failed'
    if (!state.failed) return 'stopped'
    if (nextRole === 'Stopped' && reconnectIntervalMs && node.fenced && !isShuttingDown(plan, node)) return 'unknown'
    return 'failed'
  }
  if (!host) return 'resting'
  if (isUnclean(plan, host) || !host.online) return 'resting'
  if (state.active.length > 1 && state.partialMigration) return 'resting'
  return 'alive'
}

/** Asked to, that is; a node that merely loses its connection is not. */
const isShuttingDown = (plan: Plan, { name }: NodeStatus): boolean =>
  plan.status.nodesByName.get(name)?.shutdown === true

/**
 * What runs on a remote or guest node needs the connection to it: the connection comes up before, goes down after, and if
 * it is lost for good the node is fenced ("Pacemaker Remote").
 */
import type { NodeStatus } from '../../../status/index.ts'
import { isRecurring, sameNode } from '../action.ts'
import { type DraftAction, type Drafting, isUnclean } from '../draft.ts'
import { requireFencing } from '../obtain.ts'
import { none, type Rules, rule } from '../relation.ts'
import { activeNodes } from '../setting.ts'
import type { PrimitiveUnit, Unit } from '../unit.ts'

export function orderAcrossConnections(draft: Drafting): void {
  if (draft.status.nodes.every(({ kind }) => kind === 'member')) return
  // The list grows while fencing is found necessary, but not by anything that is of interest here.
  for (const action of draft.actions.slice().reverse()) {
    const { unit } = action
    if (unit?.kind !== 'primitive') continue
    if (unit.resource.connectionOf !== undefined && action.task === 'clear_failcount') {
      draft.orders.add({ action }, { unit, task: 'start' }, rule.ordered)
      continue
    }
    orderOnRemoteNode(draft, unit, action)
  }
}

function orderOnRemoteNode(draft: Drafting, unit: PrimitiveUnit, action: DraftAction): void {
  const { node } = action
  if (!node || node.kind === 'member' || action.pseudo) return
  const connection = node.connection === undefined ? undefined : draft.tree.byId.get(node.connection)
  if (connection?.kind !== 'primitive') return
  if (action.task === 'start') {
    // If the connection cannot be made, the resource stays where it is.
    for (const stop of draft.ofUnit(unit)) {
      if (stop.task !== 'stop' || sameNode(stop.node, node)) continue
      draft.orders.add({ unit: connection, task: 'start' }, { action: stop }, rule.ordered)
    }
  }
  if (connection.container) orderOnGuest(draft, action, { node, connection, container: connection.container })
  else orderOnRemote(draft, action, { node, connection })
}

function afterStart(draft: Drafting, unit: Unit, action: DraftAction, extra: Rules): void {
  draft.orders.add({ unit, task: 'start' }, { action }, rule.unrunnableFirstBlocks | extra)
}

function beforeStop(draft: Drafting, action: DraftAction, unit: Unit, extra: Rules): void {
  draft.orders.add({ action }, { unit, task: 'stop' }, rule.unrunnableFirstBlocks | extra)
}

interface OnGuest {
  readonly node: NodeStatus
  readonly connection: PrimitiveUnit
  readonly container: PrimitiveUnit
}

function orderOnGuest(draft: Drafting, action: DraftAction, { node, connection, container }: OnGuest): void {
  const hasFailed = container.resource.state.failed
  if (hasFailed) requireFencing(draft, node, 'container failed')
  switch (action.task) {
    case 'start':
    case 'promote':
      afterStart(draft, container, action, rule.firstImpliesThen)
      afterStart(draft, connection, action, none)
      return
    case 'stop':
    case 'demote':
    case 'migrate_to':
    case 'migrate_from':
      // What stops with a failed container needs no connection.
      if (!hasFailed) beforeStop(draft, action, connection, none)
      return
    case 'cancel':
      // Goes through whatever connection there is now.
      return
    default:
      afterStart(draft, connection, action, isRecurring(action) ? rule.firstImpliesThen : none)
  }
}

interface OnRemote {
  readonly node: NodeStatus
  readonly connection: PrimitiveUnit
}

function orderOnRemote(draft: Drafting, action: DraftAction, { node, connection }: OnRemote): void {
  const state = connectionState(draft, connection, node)
  switch (action.task) {
    case 'start':
    case 'promote':
      afterStart(draft, connection, action, state === 'failed' ? rule.firstImpliesThen : none)
      return
    case 'stop':
    case 'migrate_to':
    case 'migrate_from':
      if (state === 'alive') beforeStop(draft, action, connection, rule.thenImpliesFirst)
      else if (state === 'failed') {
        requireFencing(draft, node, 'resources are active but connection is unrecoverable')
      } else if (connection.assigned.nextRole === 'Stopped')
        beforeStop(draft, action, connection, rule.thenImpliesFirst)
      else afterStart(draft, connection, action, none)
      return
    case 'demote':
      if (state === 'resting' || state === 'unknown') afterStart(draft, connection, action, none)
      return
    case 'cancel':
      return
    default:
      orderMonitor(draft, action, { node, connection, state })
  }
}

function orderMonitor(
  draft: Drafting,
  action: DraftAction,
  { node, connection, state }: OnRemote & { readonly state: ConnectionState },
): void {
  if (isRecurring(action)) {
    afterStart(draft, connection, action, rule.firstImpliesThen)
    return
  }
  if (action.task === 'monitor' && state === 'failed') {
    requireFencing(draft, node, 'resources are in unknown state and connection is unrecoverable')
  }
  // A connection that is going down for good: what is asked must be asked before.
  if (activeNodes(draft, connection).length > 0 && state === 'stopped') beforeStop(draft, action, connection, none)
  else afterStart(draft, connection, action, none)
}

type ConnectionState = 'alive' | 'resting' | 'unknown' | 'failed' | 'stopped'

export function connectionState(draft: Drafting, connection: PrimitiveUnit, node: NodeStatus): ConnectionState {
  const { state, reconnectIntervalMs } = connection.resource
  const { nextRole, node: target } = connection.assigned
  const host = activeNodes(draft, connection)[0]
  if (nextRole === 'Stopped' || target === undefined) {
    if (host && isUnclean(draft, host)) return 'failed'
    if (!state.failed) return 'stopped'
    if (nextRole === 'Stopped' && reconnectIntervalMs && node.fenced && !isShuttingDown(draft, node)) return 'unknown'
    return 'failed'
  }
  if (!host) return 'resting'
  if (isUnclean(draft, host) || !host.online) return 'resting'
  if (state.active.length > 1 && state.partialMigration) return 'resting'
  return 'alive'
}

/** Asked to, that is; a node that merely loses its connection is not. */
const isShuttingDown = (draft: Drafting, { name }: NodeStatus): boolean =>
  draft.status.nodesByName.get(name)?.shutdown === true

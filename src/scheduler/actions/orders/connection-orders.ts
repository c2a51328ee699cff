/**
 * What runs on a remote or guest node needs the connection to it: the connection comes up before, goes down after, and if
 * it is lost for good the node is fenced ("Pacemaker Remote"). The two tables say what each kind of action needs; the first
 * row that fits counts.
 */
import type { NodeName } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { isRecurring } from '../draft/action.ts'
import type { Drafting } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import type { Order } from '../draft/order.ts'
import { OrderList } from '../draft/order-list.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { none, type Rules, rule } from '../draft/relation.ts'
import { activeNodes } from '../draft/setting.ts'
import { type ConnectionState, connectionState } from './connection-state.ts'

type Deed = 'start' | 'stop' | 'demote' | 'cancel' | 'recur' | 'probe' | 'other'

export type ConnectionOrdering =
  /** It waits until the connection, or the guest's container, is up; with what that means besides. */
  | { readonly kind: 'after-start'; readonly of: 'connection' | 'container'; readonly rules: Rules }
  /** The connection stays until it is done. */
  | { readonly kind: 'before-stop'; readonly rules: Rules }
  /** It cannot be known or brought about but by fencing the node. */
  | { readonly kind: 'fence'; readonly reason: string }

const afterConnection = (rules: Rules = none): ConnectionOrdering => ({ kind: 'after-start', of: 'connection', rules })
const afterContainer = (rules: Rules): ConnectionOrdering => ({ kind: 'after-start', of: 'container', rules })
const beforeStop = (rules: Rules = none): ConnectionOrdering => ({ kind: 'before-stop', rules })
const fence = (reason: string): ConnectionOrdering => ({ kind: 'fence', reason })

export interface OnRemote {
  readonly deed: Deed
  readonly state: ConnectionState
  /** The connection is up somewhere now. */
  readonly isUp: boolean
  /** It shall be down from now on. */
  readonly goesDown: boolean
}

interface Row<Facts> {
  readonly when: (facts: Facts) => boolean
  readonly orderings: readonly ConnectionOrdering[]
}

const { firstImpliesThen, thenImpliesFirst } = rule

const onRemote: readonly Row<OnRemote>[] = [
  { when: ({ deed, state }) => deed === 'start' && state === 'failed', orderings: [afterConnection(firstImpliesThen)] },
  { when: ({ deed }) => deed === 'start', orderings: [afterConnection()] },
  { when: ({ deed, state }) => deed === 'stop' && state === 'alive', orderings: [beforeStop(thenImpliesFirst)] },
  {
    when: ({ deed, state }) => deed === 'stop' && state === 'failed',
    orderings: [fence('resources are active but connection is unrecoverable')],
  },
  { when: ({ deed, goesDown }) => deed === 'stop' && goesDown, orderings: [beforeStop(thenImpliesFirst)] },
  { when: ({ deed }) => deed === 'stop', orderings: [afterConnection()] },
  {
    when: ({ deed, state }) => deed === 'demote' && (state === 'resting' || state === 'unknown'),
    orderings: [afterConnection()],
  },
  // What is cancelled goes through whatever connection there is.
  { when: ({ deed }) => deed === 'demote' || deed === 'cancel', orderings: [] },
  { when: ({ deed }) => deed === 'recur', orderings: [afterConnection(firstImpliesThen)] },
  {
    when: ({ deed, state }) => deed === 'probe' && state === 'failed',
    orderings: [fence('resources are in unknown state and connection is unrecoverable'), afterConnection()],
  },
  // A connection that is going down for good: what is asked must be asked before.
  { when: ({ state, isUp }) => state === 'stopped' && isUp, orderings: [beforeStop()] },
  { when: () => true, orderings: [afterConnection()] },
]

export interface OnGuest {
  readonly deed: Deed
  readonly hasContainerFailed: boolean
}

const inGuest = [afterContainer(firstImpliesThen), afterConnection()]

/**
 * A failed container is recovered anyway, which is no reason to fence its node as well: that is reset where the status found
 * it gone with the container. One that was up when its history was read stops what it runs first.
 */
const onGuest: readonly Row<OnGuest>[] = [
  { when: ({ deed }) => deed === 'start', orderings: inGuest },
  // What goes down with a failed container needs no connection.
  {
    when: ({ deed, hasContainerFailed }) => hasContainerFailed && (deed === 'stop' || deed === 'demote'),
    orderings: [],
  },
  { when: ({ deed }) => deed === 'stop' || deed === 'demote', orderings: [beforeStop()] },
  { when: ({ deed }) => deed === 'cancel', orderings: [] },
  { when: ({ deed }) => deed === 'recur', orderings: [afterConnection(firstImpliesThen)] },
  { when: () => true, orderings: [afterConnection()] },
]

const firstFitting = <Facts>(table: readonly Row<Facts>[], facts: Facts): readonly ConnectionOrdering[] =>
  table.find(({ when }) => when(facts))?.orderings ?? []

export const orderingsOnRemote = (facts: OnRemote): readonly ConnectionOrdering[] => firstFitting(onRemote, facts)
export const orderingsOnGuest = (facts: OnGuest): readonly ConnectionOrdering[] => firstFitting(onGuest, facts)

const deeds: Readonly<Record<string, Deed>> = {
  start: 'start',
  promote: 'start',
  stop: 'stop',
  migrate_to: 'stop',
  migrate_from: 'stop',
  demote: 'demote',
  cancel: 'cancel',
}

function deedOf(action: DraftAction): Deed {
  const named = deeds[action.task]
  if (named !== undefined) return named
  if (isRecurring(action)) return 'recur'
  return action.task === 'monitor' ? 'probe' : 'other'
}

/** What needs connections, and the nodes whose connections are lost for good. */
export interface AcrossConnections {
  readonly orders: readonly Order[]
  readonly fencing: readonly { readonly node: NodeStatus; readonly reason: string }[]
}

export function ordersAcrossConnections(draft: Drafting): AcrossConnections {
  const orders = new OrderList()
  const fencing: { node: NodeStatus; reason: string }[] = []
  if (draft.status.nodes.every(({ kind }) => kind === 'member')) return { orders: [], fencing }
  for (const action of draft.actions.toReversed()) {
    const { rsc } = action
    if (rsc?.kind !== 'primitive') continue
    if (rsc.resource.connectionOf !== undefined && action.task === 'clear_failcount') {
      orders.add({ action }, { rsc, task: 'start' }, rule.ordered)
      continue
    }
    const across = crossing(draft, action)
    if (!across) continue
    const { node, connection, orderings } = across
    if (action.task === 'start') orderAfterFailedMove(draft, orders, { rsc, node: node.name, connection })
    for (const ordering of orderings) {
      if (ordering.kind === 'fence') fencing.push({ node, reason: ordering.reason })
      else addOrdering(orders, action, { connection, ordering })
    }
  }
  return { orders: orders.orders, fencing }
}

interface Crossing {
  readonly node: NodeStatus
  readonly connection: PlannedPrimitive
  readonly orderings: readonly ConnectionOrdering[]
}

/** Undefined for what is done on a member of the cluster, or not done at all. */
function crossing(draft: Drafting, action: DraftAction): Crossing | undefined {
  const { node } = action
  if (!node || node.kind === 'member' || action.pseudo || node.connection === undefined) return undefined
  const connection = draft.tree.byId.get(node.connection)
  if (connection?.kind !== 'primitive') return undefined
  const deed = deedOf(action)
  if (connection.container) {
    const hasContainerFailed = connection.container.resource.state.failed
    return { node, connection, orderings: orderingsOnGuest({ deed, hasContainerFailed }) }
  }
  const state = connectionState(draft, connection, node)
  const isUp = activeNodes(draft, connection).length > 0
  const goesDown = connection.assigned.nextRole === 'Stopped'
  return { node, connection, orderings: orderingsOnRemote({ deed, state, isUp, goesDown }) }
}

interface Start {
  readonly rsc: PlannedPrimitive
  readonly node: NodeName
  readonly connection: PlannedPrimitive
}

/** If the connection cannot be made, the resource stays where it is. */
function orderAfterFailedMove(draft: Drafting, orders: OrderList, { rsc, node, connection }: Start): void {
  for (const stop of draft.ofResource(rsc)) {
    if (stop.task !== 'stop' || stop.node?.name === node) continue
    orders.add({ rsc: connection, task: 'start' }, { action: stop }, rule.ordered)
  }
}

interface AcrossConnection {
  readonly connection: PlannedPrimitive
  readonly ordering: Exclude<ConnectionOrdering, { readonly kind: 'fence' }>
}

function addOrdering(orders: OrderList, action: DraftAction, { connection, ordering }: AcrossConnection): void {
  if (ordering.kind === 'before-stop') {
    orders.add({ action }, { rsc: connection, task: 'stop' }, rule.ordered | ordering.rules)
    return
  }
  const rsc = ordering.of === 'container' ? connection.container : connection
  orders.add({ rsc, task: 'start' }, { action }, rule.unrunnableFirstBlocks | ordering.rules)
}

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
import { none, type Rules, rule } from '../draft/relation.ts'
import { activeNodes } from '../draft/setting.ts'
import type { PrimitiveUnit } from '../draft/unit.ts'
import { type ConnectionState, connectionState } from './connection-state.ts'

type Deed = 'start' | 'stop' | 'demote' | 'cancel' | 'recur' | 'probe' | 'other'

export type Tie =
  /** It waits until the connection, or the guest's container, is up; with what that means besides. */
  | { readonly kind: 'after-start'; readonly of: 'connection' | 'container'; readonly rules: Rules }
  /** The connection stays until it is done. */
  | { readonly kind: 'before-stop'; readonly rules: Rules }
  /** It cannot be known or brought about but by fencing the node. */
  | { readonly kind: 'fence'; readonly reason: string }

const afterConnection = (rules: Rules = none): Tie => ({ kind: 'after-start', of: 'connection', rules })
const afterContainer = (rules: Rules): Tie => ({ kind: 'after-start', of: 'container', rules })
const beforeStop = (rules: Rules = none): Tie => ({ kind: 'before-stop', rules })
const fence = (reason: string): Tie => ({ kind: 'fence', reason })

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
  readonly ties: readonly Tie[]
}

const { firstImpliesThen, thenImpliesFirst } = rule

const onRemote: readonly Row<OnRemote>[] = [
  { when: ({ deed, state }) => deed === 'start' && state === 'failed', ties: [afterConnection(firstImpliesThen)] },
  { when: ({ deed }) => deed === 'start', ties: [afterConnection()] },
  { when: ({ deed, state }) => deed === 'stop' && state === 'alive', ties: [beforeStop(thenImpliesFirst)] },
  {
    when: ({ deed, state }) => deed === 'stop' && state === 'failed',
    ties: [fence('resources are active but connection is unrecoverable')],
  },
  { when: ({ deed, goesDown }) => deed === 'stop' && goesDown, ties: [beforeStop(thenImpliesFirst)] },
  { when: ({ deed }) => deed === 'stop', ties: [afterConnection()] },
  {
    when: ({ deed, state }) => deed === 'demote' && (state === 'resting' || state === 'unknown'),
    ties: [afterConnection()],
  },
  // What is cancelled goes through whatever connection there is.
  { when: ({ deed }) => deed === 'demote' || deed === 'cancel', ties: [] },
  { when: ({ deed }) => deed === 'recur', ties: [afterConnection(firstImpliesThen)] },
  {
    when: ({ deed, state }) => deed === 'probe' && state === 'failed',
    ties: [fence('resources are in unknown state and connection is unrecoverable'), afterConnection()],
  },
  // A connection that is going down for good: what is asked must be asked before.
  { when: ({ state, isUp }) => state === 'stopped' && isUp, ties: [beforeStop()] },
  { when: () => true, ties: [afterConnection()] },
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
  { when: ({ deed }) => deed === 'start', ties: inGuest },
  // What goes down with a failed container needs no connection.
  {
    when: ({ deed, hasContainerFailed }) => hasContainerFailed && (deed === 'stop' || deed === 'demote'),
    ties: [],
  },
  { when: ({ deed }) => deed === 'stop' || deed === 'demote', ties: [beforeStop()] },
  { when: ({ deed }) => deed === 'cancel', ties: [] },
  { when: ({ deed }) => deed === 'recur', ties: [afterConnection(firstImpliesThen)] },
  { when: () => true, ties: [afterConnection()] },
]

const tiesIn = <Facts>(table: readonly Row<Facts>[], facts: Facts): readonly Tie[] =>
  table.find(({ when }) => when(facts))?.ties ?? []

export const tiesOnRemote = (facts: OnRemote): readonly Tie[] => tiesIn(onRemote, facts)
export const tiesOnGuest = (facts: OnGuest): readonly Tie[] => tiesIn(onGuest, facts)

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
    const { unit } = action
    if (unit?.kind !== 'primitive') continue
    if (unit.resource.connectionOf !== undefined && action.task === 'clear_failcount') {
      orders.add({ action }, { unit, task: 'start' }, rule.ordered)
      continue
    }
    const across = crossing(draft, action)
    if (!across) continue
    const { node, connection, ties } = across
    if (action.task === 'start') orderAfterFailedMove(draft, orders, { unit, node: node.name, connection })
    for (const tie of ties) {
      if (tie.kind === 'fence') fencing.push({ node, reason: tie.reason })
      else addTie(orders, action, { connection, tie })
    }
  }
  return { orders: orders.orders, fencing }
}

interface Crossing {
  readonly node: NodeStatus
  readonly connection: PrimitiveUnit
  readonly ties: readonly Tie[]
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
    return { node, connection, ties: tiesOnGuest({ deed, hasContainerFailed }) }
  }
  const state = connectionState(draft, connection, node)
  const isUp = activeNodes(draft, connection).length > 0
  const goesDown = connection.assigned.nextRole === 'Stopped'
  return { node, connection, ties: tiesOnRemote({ deed, state, isUp, goesDown }) }
}

interface Start {
  readonly unit: PrimitiveUnit
  readonly node: NodeName
  readonly connection: PrimitiveUnit
}

/** If the connection cannot be made, the resource stays where it is. */
function orderAfterFailedMove(draft: Drafting, orders: OrderList, { unit, node, connection }: Start): void {
  for (const stop of draft.ofUnit(unit)) {
    if (stop.task !== 'stop' || stop.node?.name === node) continue
    orders.add({ unit: connection, task: 'start' }, { action: stop }, rule.ordered)
  }
}

interface Tied {
  readonly connection: PrimitiveUnit
  readonly tie: Exclude<Tie, { readonly kind: 'fence' }>
}

function addTie(orders: OrderList, action: DraftAction, { connection, tie }: Tied): void {
  if (tie.kind === 'before-stop') {
    orders.add({ action }, { unit: connection, task: 'stop' }, rule.ordered | tie.rules)
    return
  }
  const unit = tie.of === 'container' ? connection.container : connection
  orders.add({ unit, task: 'start' }, { action }, rule.unrunnableFirstBlocks | tie.rules)
}

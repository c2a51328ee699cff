/**
 * The draft of a transition: every action that may take place, each judged by itself, and what relates them. The parts of
 * planning write into one `Drafting`, which nobody sees but them; what comes out is a `Draft`, which does not change any more.
 * An action exists once for each key and node.
 */
import { defined, type NodeName } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import type { ActionIndex, ActionState, PlannedAction } from './action.ts'
import type { FencingNotification, NotificationBoundaries } from './boundary.ts'
import type { DraftAction } from './draft-action.ts'
import type { Order } from './order.ts'
import { OrderList } from './order-list.ts'
import type { PlannedClone, PlannedPrimitive, PlannedResource } from './planned-resource.ts'
import { SameName } from './same-name.ts'
import type { Setting } from './setting.ts'

export interface Draft extends Setting, ActionIndex<PlannedAction> {
  readonly actions: readonly PlannedAction[]
  /** How many relations there are; the number of each is below. */
  readonly relations: number
  /** The state of an action by itself. */
  readonly draftedState: (action: PlannedAction) => Readonly<ActionState>
  /** Nodes that planning itself found in need of fencing, with reasons; the status's own are not in here. */
  readonly fencing: ReadonlyMap<NodeName, readonly string[]>
  /** Active on several nodes, of which the one where it belongs keeps it. */
  readonly keptWhereExpected: ReadonlySet<PlannedPrimitive>
  /** Half-way through a live migration that will not be continued. */
  readonly givenUpMigrations: ReadonlySet<PlannedPrimitive>
  /** The points around which the instances of notified clones are told what happens, in the order of the telling. */
  readonly boundaries: ReadonlyMap<PlannedClone, NotificationBoundaries>
  readonly afterFencing: readonly FencingNotification[]
}

export interface Drafting extends Setting, ActionIndex<DraftAction> {
  readonly actions: DraftAction[]
  /** Ordering points that belong to no resource, and fencing actions, by key. */
  readonly points: Map<string, DraftAction>
  readonly fencing: Map<NodeName, string[]>
  readonly keptWhereExpected: Set<PlannedPrimitive>
  readonly givenUpMigrations: Set<PlannedPrimitive>
  readonly boundaries: Map<PlannedClone, NotificationBoundaries<DraftAction>>
  readonly afterFencing: FencingNotification<DraftAction>[]
  /** By the name that its key has among those of its resource. */
  readonly add: (action: DraftAction, name: string) => void
  /** Of the actions of a resource with this name, the latest that is meant for a node. */
  readonly latestFor: (rsc: PlannedResource, name: string, node: NodeStatus | undefined) => DraftAction | undefined
}

/** A step of the draft from which orders between actions follow. */
export interface Ordering extends Drafting {
  readonly orders: OrderList
}

/** The orders that follow from one step; those of the configuration are known before. */
export function ordersOf(draft: Drafting, step: (draft: Ordering) => void): readonly Order[] {
  const orders = new OrderList()
  step({ ...draft, orders })
  return orders.orders
}

export function startDraft(setting: Setting): Drafting {
  const actions: DraftAction[] = []
  const byResource: DraftAction[][] = []
  const byName: Map<string, SameName<DraftAction>>[] = []
  return {
    ...setting,
    actions,
    points: new Map(),
    fencing: new Map([...setting.assignment.fencing].map(([node, reasons]) => [node, [...reasons]])),
    keptWhereExpected: new Set(),
    givenUpMigrations: new Set(),
    boundaries: new Map(),
    afterFencing: [],
    ofResource: ({ index }) => byResource[index] ?? none,
    withKey: (rsc, key) => byName[rsc.index]?.get(nameIn(rsc, key))?.all ?? none,
    withTask: ({ index }, task) => byName[index]?.get(task)?.all ?? none,
    latestFor: ({ index }, name, node) => byName[index]?.get(name)?.latestFor(node),
    add: (action, name) => {
      actions.push(action)
      if (!action.rsc) return
      const { index } = action.rsc
      const ofResource = byResource[index]
      if (ofResource) ofResource.push(action)
      else byResource[index] = [action]
      byName[index] ??= new Map()
      const same = byName[index].get(name)
      if (same) same.add(action)
      else byName[index].set(name, new SameName(action))
    },
  }
}

const none: readonly DraftAction[] = []

/**
 * Of the keys of one resource, those without an interval differ by the task only: it is there already when an action is looked for,
 * where a key would be a new text each time.
 */
export const nameIn = ({ id }: PlannedResource, key: string): string =>
  key.startsWith(`${id}_`) && key.endsWith('_0') ? key.slice(id.length + 1, -2) : key

/** Hands over what was drafted, to be changed no more. */
export function finishDraft(drafting: Drafting): Draft {
  let relations = 0
  for (const { after } of drafting.actions) {
    for (const relation of after) {
      relation.number = relations
      relations++
    }
  }
  const { actions } = drafting
  const draftedState: Draft['draftedState'] = ({ id }) => defined(actions[id - 1], `action ${id}`)
  return { ...drafting, relations, draftedState }
}

export const isUnclean = (draft: Pick<Draft, 'fencing'>, node: NodeStatus): boolean =>
  node.unclean || draft.fencing.has(node.name)

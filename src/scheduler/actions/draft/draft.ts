/**
 * The draft of a transition: every action that may take place, each judged by itself, and what relates them. The parts of
 * planning write into one `Drafting`, which nobody sees but them; what comes out is a `Draft`, which does not change any more.
 * An action exists once for each key and node.
 */
import { defined, type NodeName } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import type { ActionIndex, ActionState, PlannedAction } from './action.ts'
import type { FencingNews, NotificationBoundaries } from './boundary.ts'
import type { DraftAction } from './draft-action.ts'
import type { Order } from './order.ts'
import { OrderList } from './order-list.ts'
import { SameName } from './same-name.ts'
import type { Setting } from './setting.ts'
import type { CloneUnit, PrimitiveUnit, Unit } from './unit.ts'

export interface Draft extends Setting, ActionIndex<PlannedAction> {
  readonly actions: readonly PlannedAction[]
  /** How many relations there are; the number of each is below. */
  readonly relations: number
  /** The state of an action by itself. */
  readonly draftedState: (action: PlannedAction) => Readonly<ActionState>
  /** Nodes that planning itself found in need of fencing, with reasons; the status's own are not in here. */
  readonly fencing: ReadonlyMap<NodeName, readonly string[]>
  /** Active on several nodes, of which the one where it belongs keeps it. */
  readonly keptWhereExpected: ReadonlySet<PrimitiveUnit>
  /** Half-way through a live migration that will not be continued. */
  readonly givenUpMigrations: ReadonlySet<PrimitiveUnit>
  /** The points around which the instances of notified clones are told what happens, in the order of the telling. */
  readonly boundaries: ReadonlyMap<CloneUnit, NotificationBoundaries>
  readonly afterFencing: readonly FencingNews[]
}

export interface Drafting extends Setting, ActionIndex<DraftAction> {
  readonly actions: DraftAction[]
  /** Ordering points that belong to no resource, and fencing actions, by key. */
  readonly points: Map<string, DraftAction>
  readonly fencing: Map<NodeName, string[]>
  readonly keptWhereExpected: Set<PrimitiveUnit>
  readonly givenUpMigrations: Set<PrimitiveUnit>
  readonly boundaries: Map<CloneUnit, NotificationBoundaries<DraftAction>>
  readonly afterFencing: FencingNews<DraftAction>[]
  /** By the name that its key has among those of its unit. */
  readonly add: (action: DraftAction, name: string) => void
  /** Of the actions of a unit with this name, the latest that is meant for a node. */
  readonly latestFor: (unit: Unit, name: string, node: NodeStatus | undefined) => DraftAction | undefined
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
  const byUnit: DraftAction[][] = []
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
    ofUnit: ({ index }) => byUnit[index] ?? none,
    withKey: (unit, key) => byName[unit.index]?.get(nameIn(unit, key))?.all ?? none,
    withTask: ({ index }, task) => byName[index]?.get(task)?.all ?? none,
    latestFor: ({ index }, name, node) => byName[index]?.get(name)?.latestFor(node),
    add: (action, name) => {
      actions.push(action)
      if (!action.unit) return
      const { index } = action.unit
      const ofUnit = byUnit[index]
      if (ofUnit) ofUnit.push(action)
      else byUnit[index] = [action]
      byName[index] ??= new Map()
      const same = byName[index].get(name)
      if (same) same.add(action)
      else byName[index].set(name, new SameName(action))
    },
  }
}

const none: readonly DraftAction[] = []

/**
 * Of the keys of one unit, those without an interval differ by the task only: it is there already when an action is looked for,
 * where a key would be a new text each time.
 */
export const nameIn = ({ id }: Unit, key: string): string =>
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

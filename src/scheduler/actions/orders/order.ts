/**
 * An order between two sides, each named by a resource and an operation, or by a point: the actions themselves are looked
 * up once all of them are drafted.
 */
import type { NodeName } from '../../../base/index.ts'
import type { DraftAction } from '../draft.ts'
import { migrationOrders } from '../migration/migration-orders.ts'
import { none, type Rules } from '../relation.ts'
import type { Unit } from '../unit.ts'

/** What no resource does, but the cluster. */
export type Point =
  /** Reached once enough of what comes before it is possible. */
  | { readonly kind: 'enough'; readonly name: string; readonly minRunnable: number }
  /** Everything that leaves a node has left it, and freed its capacity. */
  | { readonly kind: 'load-stopped'; readonly node: NodeName }
  | { readonly kind: 'unfencing'; readonly node: NodeName }

/** One side: an action, a point, or whatever a unit does under the name of an operation without an interval. */
export interface Side {
  readonly unit?: Unit | undefined
  readonly task?: string
  readonly action?: DraftAction | undefined
  readonly point?: Point
}

export interface Order {
  readonly first: Side
  readonly follower: Side
  readonly rules: Rules
}

export interface Step {
  readonly unit: Unit
  readonly task: string
}

/** Collects orders, each with what it means for live migrations. */
export class OrderList {
  readonly #orders: Order[] = []

  get orders(): readonly Order[] {
    return this.#orders
  }

  add(first: Side, follower: Side, rules: Rules): void {
    const order = { first: withUnit(first), follower: withUnit(follower), rules }
    this.#orders.push(order)
    for (const half of migrationOrders(order)) this.#orders.push(half)
  }

  /** An operation of one resource before an operation of another, both without an interval. */
  addTasks(first: Step, follower: Step, rules: Rules): void {
    if (rules === none && first.unit === follower.unit) return
    this.add(first, follower, rules)
  }
}

const withUnit = (side: Side): Side =>
  side.unit === undefined && side.action?.unit !== undefined ? { ...side, unit: side.action.unit } : side

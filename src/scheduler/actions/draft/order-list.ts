/** Collects orders, each with what it means for live migrations. */
import { migrationOrders } from './migration-orders.ts'
import type { Order, Side, Step } from './order.ts'
import { none, type Rules } from './relation.ts'

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

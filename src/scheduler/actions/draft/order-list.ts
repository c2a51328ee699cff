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
    const order = { first: withResource(first), follower: withResource(follower), rules }
    this.#orders.push(order)
    for (const half of migrationOrders(order)) this.#orders.push(half)
  }

  /** An operation of one resource before an operation of another, both without an interval. */
  addTasks(first: Step, follower: Step, rules: Rules): void {
    if (rules === none && first.rsc === follower.rsc) return
    this.add(first, follower, rules)
  }
}

const withResource = (side: Side): Side =>
  side.rsc === undefined && side.action?.rsc !== undefined ? { ...side, rsc: side.action.rsc } : side

/** What is left of the nodes' capacity (Pacemaker Explained, "Utilization and Placement Strategy"). */
import type { NodeTable } from '../scores/node-table.ts'

/** Negative where node `a` has more free capacity in more attributes than node `b`. */
export function compareCapacity({ capacity }: NodeTable, a: number, b: number): number {
  const first = capacity[a]
  const second = capacity[b]
  if (first === undefined || second === undefined) return 0
  let result = 0
  for (const [name, value] of first) result -= Math.sign(value - (second.get(name) ?? 0))
  for (const [name, value] of second) if (!first.has(name)) result -= Math.sign(0 - value)
  return result
}

export function fits({ capacity }: NodeTable, node: number, needed: ReadonlyMap<string, number>): boolean {
  for (const [name, value] of needed) if ((capacity[node]?.get(name) ?? 0) < value) return false
  return true
}

/** Takes what a resource needs from a node's capacity, or gives it back with a negative factor. */
export function consume(
  { capacity }: NodeTable,
  node: number,
  needed: ReadonlyMap<string, number>,
  factor: 1 | -1,
): void {
  const left = capacity[node]
  if (left === undefined) return
  for (const [name, value] of needed) {
    // What a node does not have cannot be taken, but counts as taken once it is given back.
    const free = left.get(name) ?? (factor === 1 ? value : 0)
    left.set(name, free - factor * value)
  }
}

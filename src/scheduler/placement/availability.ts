/** Whether a node can take a resource: it is up and not held back, its score allows it, and a guest's container will run. */
import { containerOf } from './node-attribute.ts'
import { assignedNode, nowhere, type Placing } from './placing.ts'
import { absent, type ScoreTable, scoreAt } from './score-table.ts'

export function isUsable({ nodes }: Placing, node: number): boolean {
  return nodes.usable[node] === 1
}

/** Usable, and the table does not speak against it. */
export function isAvailable(placing: Placing, table: ScoreTable, node: number): boolean {
  return isUsable(placing, node) && scoreAt(table, node) >= 0
}

export function anyAvailable(placing: Placing, table: ScoreTable): boolean {
  for (let node = 0; node < table.length; node++) if (isAvailable(placing, table, node)) return true
  return false
}

export function isAllowed(table: ScoreTable, node: number): boolean {
  return scoreAt(table, node) !== absent
}

export function isGuest({ tree }: Placing, node: number): boolean {
  return tree.nodes[node]?.kind === 'guest'
}

export function guestWillRun(placing: Placing, node: number): boolean {
  const container = containerOf(placing, node)
  return container === undefined || assignedNode(placing, container) !== nowhere
}

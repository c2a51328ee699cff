/** Whether a node can take a resource: it is up and not held back, its score allows it, and a guest's container will run. */

import { absent, type ScoreTable, scoreAt } from '../scores/score-table.ts'
import { type AssignmentDraft, assignedNode, nowhere } from './assignment-draft.ts'
import { containerOf } from './node-attribute.ts'

export function isUsable({ nodes }: AssignmentDraft, node: number): boolean {
  return nodes.usable[node] === 1
}

/** Usable, and the table does not speak against it. */
export function isAvailable(draft: AssignmentDraft, table: ScoreTable, node: number): boolean {
  return isUsable(draft, node) && scoreAt(table, node) >= 0
}

export function anyAvailable(draft: AssignmentDraft, table: ScoreTable): boolean {
  for (let node = 0; node < table.length; node++) if (isAvailable(draft, table, node)) return true
  return false
}

export function isAllowed(table: ScoreTable, node: number): boolean {
  return scoreAt(table, node) !== absent
}

export function isGuest({ tree }: AssignmentDraft, node: number): boolean {
  return tree.nodes[node]?.kind === 'guest'
}

export function guestWillRun(draft: AssignmentDraft, node: number): boolean {
  const container = containerOf(draft, node)
  return container === undefined || assignedNode(draft, container) !== nowhere
}

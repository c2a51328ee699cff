/**
 * The order in which nodes are preferred: by score, with `balanced` and `utilization` placement then by free capacity,
 * then the one with fewer resources, then the one where the resource is, then by name. `minimal` placement looks at
 * scores and names only, so that few nodes are used.
 */
import { compareText } from '../../base/index.ts'
import { INFINITY_SCORE } from '../../cib/index.ts'
import { absent, type ScoreTable, scoreAt } from '../scores/score-table.ts'
import type { AssignmentDraft } from './assignment-draft.ts'
import { compareCapacity } from './free-capacity.ts'

/** The nodes that a table knows, best first. */
export function nodesByPreference(draft: AssignmentDraft, table: ScoreTable, active: number): readonly number[] {
  const known: number[] = []
  for (let node = 0; node < table.length; node++) if (scoreAt(table, node) !== absent) known.push(node)
  return known.sort(nodeOrder(draft, table, active))
}

/** The best node that a table knows; undefined where it knows none. */
export function bestNode(draft: AssignmentDraft, table: ScoreTable, active: number): number | undefined {
  const compare = nodeOrder(draft, table, active)
  let best: number | undefined
  for (let node = 0; node < table.length; node++) {
    if (scoreAt(table, node) === absent) continue
    if (best === undefined || compare(node, best) < 0) best = node
  }
  return best
}

/** `active`: the node where the resource is. */
export const nodeOrder =
  (draft: AssignmentDraft, table: ScoreTable, active: number) =>
  (a: number, b: number): number => {
    const { nodes } = draft
    const difference = effectiveScore(draft, table, b) - effectiveScore(draft, table, a)
    if (difference !== 0) return difference
    const { placementStrategy } = draft.status.options
    if (placementStrategy !== 'minimal') {
      if (placementStrategy === 'balanced') {
        const byCapacity = compareCapacity(nodes, a, b)
        if (byCapacity !== 0) return byCapacity
      }
      const load = (nodes.load[a] ?? 0) - (nodes.load[b] ?? 0)
      if (load !== 0) return load
      if (a === active) return -1
      if (b === active) return 1
    }
    return compareText(nodes.names[a] ?? '', nodes.names[b] ?? '')
  }

function effectiveScore({ nodes }: AssignmentDraft, table: ScoreTable, node: number): number {
  return nodes.usable[node] === 1 ? scoreAt(table, node) : -INFINITY_SCORE
}

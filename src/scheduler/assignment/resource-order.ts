/**
 * The order in which resources are assigned. By default it is that of their priorities. When capacity counts, those come
 * first among equals that have the most to lose: the higher score where they are, then the higher score anywhere.
 */

import { INFINITY_SCORE } from '../../cib/index.ts'
import type { Entry } from '../resources/tree.ts'
import { absent, type ScoreTable, scoreAt } from '../scores/score-table.ts'
import { type AssignmentDraft, nowhere } from './assignment-draft.ts'
import { collectColocatedScores } from './colocated-node-scores.ts'
import { currentNode } from './current-nodes.ts'
import { nodesByPreference } from './node-order.ts'

export function orderForAssignment(draft: AssignmentDraft): readonly Entry[] {
  const { top } = draft.tree
  if (draft.status.options.placementStrategy === 'default') return top
  const nodes = nodesByPreference(draft, draft.nodes.baseScore, nowhere)
  const scores = new Map<Entry, ScoreTable>()
  for (const entry of top)
    scores.set(
      entry,
      collectColocatedScores(draft, undefined, {
        source: entry,
        target: entry,
        factor: 1,
        onlyPositive: false,
        optional: false,
        follow: 'primaries',
      }),
    )
  return top.toSorted(resourceOrder(draft, scores, nodes))
}

const resourceOrder =
  (draft: AssignmentDraft, scores: ReadonlyMap<Entry, ScoreTable>, nodes: readonly number[]) =>
  (a: Entry, b: Entry): number => {
    const byPriority = b.resource.meta.priority - a.resource.meta.priority
    if (byPriority !== 0) return byPriority
    const at = (entry: Entry, node: number): number => {
      const score = node === nowhere ? absent : scoreAt(scores.get(entry) ?? draft.nodes.baseScore, node)
      return score === absent ? -INFINITY_SCORE : score
    }
    const byCurrent = at(b, currentNode(draft, b)) - at(a, currentNode(draft, a))
    if (byCurrent !== 0) return byCurrent
    for (const node of nodes) {
      const byNode = at(b, node) - at(a, node)
      if (byNode !== 0) return byNode
    }
    return 0
  }

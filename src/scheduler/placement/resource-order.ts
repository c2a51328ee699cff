/**
 * The order in which resources are assigned. By default it is that of their priorities. When capacity counts, those come
 * first among equals that have the most to lose: the higher score where they are, then the higher score anywhere.
 */

import { INFINITY_SCORE } from '../../cib/index.ts'
import type { Entry } from '../tree.ts'
import { currentNode } from './current-nodes.ts'
import { nodesByPreference } from './node-order.ts'
import { nowhere, type Placing } from './placing.ts'
import { absent, type ScoreTable, scoreAt } from './score-table.ts'
import { collectWishes } from './wishes.ts'

export function orderForAssignment(placing: Placing): readonly Entry[] {
  const { top } = placing.tree
  if (placing.status.options.placementStrategy === 'default') return top
  const nodes = nodesByPreference(placing, placing.nodes.baseScore, nowhere)
  const wishes = new Map<Entry, ScoreTable>()
  for (const entry of top)
    wishes.set(
      entry,
      collectWishes(placing, undefined, {
        source: entry,
        target: entry,
        factor: 1,
        onlyPositive: false,
        optional: false,
        follow: 'primaries',
      }),
    )
  return top.toSorted((a, b) => compare(placing, wishes, nodes, a, b))
}

function compare(
  placing: Placing,
  wishes: ReadonlyMap<Entry, ScoreTable>,
  nodes: readonly number[],
  a: Entry,
  b: Entry,
): number {
  const byPriority = b.resource.meta.priority - a.resource.meta.priority
  if (byPriority !== 0) return byPriority
  const at = (entry: Entry, node: number): number => {
    const score = node === nowhere ? absent : scoreAt(wishes.get(entry) ?? placing.nodes.baseScore, node)
    return score === absent ? -INFINITY_SCORE : score
  }
  const byCurrent = at(b, currentNode(placing, b)) - at(a, currentNode(placing, a))
  if (byCurrent !== 0) return byCurrent
  for (const node of nodes) {
    const byNode = at(b, node) - at(a, node)
    if (byNode !== 0) return byNode
  }
  return 0
}

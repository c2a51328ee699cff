/** The scores as `crm_simulate --show-scores` prints them, sorted. */
import type { NodeName } from '../base/index.ts'
import { formatScore, type Score } from '../cib/index.ts'
import type { ScoreLine } from './assigned/assignment.ts'
import { absent } from './scores/score-table.ts'

export function printScores(lines: readonly ScoreLine[], nodes: readonly { readonly name: NodeName }[]): string {
  const printed = lines.flatMap((line) => printScoreLine(line, nodes))
  return `${printed.sort().join('\n')}\n`
}

export const printScoreLine = (line: ScoreLine, nodes: readonly { readonly name: NodeName }[]): readonly string[] =>
  line.kind === 'promotion' ? [promotionLine(line)] : scoreLines(line, nodes)

function promotionLine({ resource, node, score }: Extract<ScoreLine, { readonly kind: 'promotion' }>): string {
  return `${resource} promotion score ${node === undefined ? '(inactive)' : `on ${node}`}: ${formatScore(score)}`
}

function scoreLines(
  line: Extract<ScoreLine, { readonly kind: 'scores' }>,
  nodes: readonly { readonly name: NodeName }[],
): readonly string[] {
  return scoresByNode(line, nodes).map(
    ({ node, score }) => `pcmk__${line.by}_assign: ${line.resource} allocation score on ${node}: ${formatScore(score)}`,
  )
}

/** Without the nodes that it has no score for. */
export function scoresByNode(
  { scores }: Extract<ScoreLine, { readonly kind: 'scores' }>,
  nodes: readonly { readonly name: NodeName }[],
): readonly { readonly node: NodeName; readonly score: Score }[] {
  return nodes.flatMap(({ name }, index) => {
    const score = scores[index] ?? absent
    return score === absent ? [] : [{ node: name, score }]
  })
}

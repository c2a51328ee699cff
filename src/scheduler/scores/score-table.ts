/**
 * Scores per node as dense arrays: one slot for each node of the cluster, `absent` where a resource is not allowed at all
 * (which differs from minus INFINITY only in what is shown and in how an asymmetric cluster adds up).
 */
import { INFINITY_SCORE, type Score } from '../../cib/index.ts'

export type ScoreTable = Int32Array

export const absent = -2_147_483_648
/** Marks a node that colocated scores made unattractive, while they are summed up. */
export const unusable = -100 * INFINITY_SCORE

/** The same arithmetic as `addScores`, for two numbers and hot loops. */
export function add(a: number, b: number): Score {
  if (a <= -INFINITY_SCORE || b <= -INFINITY_SCORE) return -INFINITY_SCORE
  if (a >= INFINITY_SCORE || b >= INFINITY_SCORE) return INFINITY_SCORE
  return Math.max(-INFINITY_SCORE, Math.min(INFINITY_SCORE, a + b))
}

export function scoreAt(table: ScoreTable, node: number): number {
  return table[node] ?? absent
}

export function emptyTable(nodes: number): ScoreTable {
  return new Int32Array(nodes).fill(absent)
}

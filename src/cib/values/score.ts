/**
 * Scores (Pacemaker Explained, "Scores"): integers from -1000000 to 1000000, whose ends mean minus and plus infinity.
 * Infinity plus anything is infinity, minus infinity plus anything, even plus infinity, is minus infinity.
 */
import type { Score } from './words.ts'

export const INFINITY_SCORE: Score = 1_000_000

export function clampScore(value: number): Score {
  return Math.max(-INFINITY_SCORE, Math.min(INFINITY_SCORE, value))
}

/**
 * The score that a text names, or undefined where it names none. A fraction is cut off, as old CIBs have `1.0`. `red`,
 * `yellow` and `green` are options, not scores.
 */
export function parseScore(text: string): Score | undefined {
  const trimmed = text.trim()
  const infinity = /^([+-]?)INFINITY$/i.exec(trimmed)
  if (infinity) return infinity[1] === '-' ? -INFINITY_SCORE : INFINITY_SCORE
  return /^[+-]?\d+(\.\d*)?$/.test(trimmed) ? clampScore(Math.trunc(Number(trimmed)) || 0) : undefined
}

/** As the CIB writes it: `INFINITY`, `-INFINITY` or a number. */
export function formatScore(score: Score): string {
  if (score >= INFINITY_SCORE) return 'INFINITY'
  if (score <= -INFINITY_SCORE) return '-INFINITY'
  return String(score)
}

/** INFINITY + 5 = INFINITY; INFINITY + -INFINITY = -INFINITY; sums of finite scores stop at the infinities. */
export function addScores(...scores: readonly Score[]): Score {
  let sum = 0
  for (const score of scores) {
    if (sum <= -INFINITY_SCORE || score <= -INFINITY_SCORE) sum = -INFINITY_SCORE
    else if (sum >= INFINITY_SCORE || score >= INFINITY_SCORE) sum = INFINITY_SCORE
    else sum = clampScore(sum + score)
  }
  return sum
}

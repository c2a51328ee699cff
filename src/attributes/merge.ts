/**
 * Which value of a node attribute holds, and what a written value means (Pacemaker Explained, "Node attributes"). Permanent
 * attributes stand in the configuration, transient ones in the status until the node leaves; where both have a name, the
 * transient one holds, as the scheduler reads them.
 */
import { addScores, formatScore, parseScore } from '../cib/index.ts'

export function mergedAttributes(
  permanent: ReadonlyMap<string, string>,
  transient: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map([...permanent, ...transient])
}

/**
 * `value++` and `value+=5` add to what is there; anything else, `name++` included, is the value itself. What is there
 * counts as 0 where it is no number, and no sum leaves the infinities: `INFINITY` stays.
 */
export function expandValue(before: string | undefined, written: string): string {
  const match = /^value(?:(\+\+)|\+=(-?\d+|[+-]?INFINITY))$/.exec(written)
  if (match === null) return written
  const current = parseScore(before ?? '0') ?? 0
  const added = match[1] === undefined ? (parseScore(match[2] ?? '0') ?? 0) : 1
  return formatScore(addScores(current, added))
}

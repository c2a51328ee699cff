/**
 * Where scores come from: every phase that changes a score writes down what it added, and from which source, so that
 * explanations repeat the decision instead of guessing at it. Where nobody will ask, nothing is written.
 */
import type { Score } from '../../cib/index.ts'
import type { Contribution, ScoreSource } from '../assigned/assignment.ts'
import { absent, type ScoreTable, scoreAt } from './score-table.ts'

interface Step {
  readonly source: ScoreSource
  /** -1: on every node. */
  readonly node: number
  readonly score: Score
}

export interface Trail {
  readonly recording: boolean
  readonly note: (entry: number, source: ScoreSource, node: number, score: Score) => void
  /** Notes what differs between two tables. */
  readonly noteChange: (entry: number, source: ScoreSource, before: ScoreTable, after: ScoreTable) => void
  /** What an attempt has written for an entry is taken back by calling the answer, together with its scores. */
  readonly mark: (entry: number) => () => void
  readonly contributions: (entry: number, node: number) => readonly Contribution[]
}

export const everywhere = -1

const nothing = (): undefined => undefined

export function createTrail(recording: boolean, parent?: Trail): Trail {
  const steps = new Map<number, Step[]>()
  const note: Trail['note'] = (entry, source, node, score) => {
    if (!recording) return
    const known = steps.get(entry)
    if (known === undefined) steps.set(entry, [{ source, node, score }])
    else known.push({ source, node, score })
  }
  return {
    recording,
    note,
    noteChange: (entry, source, before, after) => {
      if (!recording) return
      for (let node = 0; node < after.length; node++) {
        const was = scoreAt(before, node)
        const is = scoreAt(after, node)
        if (was !== is) note(entry, source, node, difference(was, is))
      }
    },
    mark: (entry) => {
      if (!recording) return nothing
      const length = steps.get(entry)?.length ?? 0
      return () => {
        steps.get(entry)?.splice(length)
      }
    },
    contributions: (entry, node) => [
      ...(parent?.contributions(entry, node) ?? []),
      ...(steps.get(entry) ?? [])
        .filter((step) => step.node === node || step.node === everywhere)
        .map(({ source, score }) => ({ source, score })),
    ],
  }
}

/** What was added, as far as infinity lets it be told. */
function difference(was: number, is: number): Score {
  if (was === absent) return is
  return Math.abs(is) >= 1_000_000 ? is : is - was
}

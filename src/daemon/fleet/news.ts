/** What is written down of a cluster of the fleet after it was asked. Pure. */
import { type Told, wordOf } from './told.ts'

export interface FleetNews {
  readonly name: string
  readonly told: Told
  /** Milliseconds since the epoch: since when it is in this state. */
  readonly since: number
  /** When it said last how it is; while it does, as of the last change. */
  readonly reachedAt: number | undefined
}

/** One answer that is missing is no news. */
const missesToTell = 2

/** Undefined: nothing has changed. */
export function afterAnswer(
  before: FleetNews | undefined,
  answer: {
    readonly name: string
    readonly told: Told
    /** In a row, this one included. */
    readonly misses: number
    readonly reachedAt: number | undefined
    readonly now: number
  },
): FleetNews | undefined {
  const { name, told, misses, reachedAt, now } = answer
  const wasReached = before === undefined || before.told.kind === 'news'
  if (told.kind !== 'news' && wasReached && misses < missesToTell) return undefined
  if (before !== undefined && JSON.stringify(before.told) === JSON.stringify(told)) return undefined
  const isSame = before !== undefined && wordOf(before.told) === wordOf(told)
  return { name, told, since: isSame ? before.since : now, reachedAt }
}

/**
 * Which holds the DC frees: those whose time has run, and those whose rollout or job is over. What a process renews ends by the DC's own clock, counted from when it first saw
 * that renewal: never too early, and no later than its time after the process or a DC has died. What an operator has given a time ends by the calendar, so that another
 * DC does not begin to count again.
 *
 * Contract: the driver feeds `looked` after every change of the store and when `wake` has come, and `stopped` once this node leads no more. A hold that is to be freed is named again
 * with every look until its record is gone; the driver compares the record's revision and the DC's term.
 */
import type { MonotonicMs, Step } from '../base/index.ts'
import type { HoldRecord } from './hold-record.ts'

export interface HoldSeen {
  readonly hold: HoldRecord
  readonly revision: number
}

export type HoldInput =
  | {
      readonly kind: 'looked'
      readonly holds: readonly HoldSeen[]
      /** Of the rollouts and jobs, which are not over. */
      readonly running: (kind: 'rollout' | 'job', name: string) => boolean
      /** Milliseconds since the epoch. */
      readonly calendarMs: number
    }
  | { readonly kind: 'stopped' }

export type HoldEffect =
  | { readonly kind: 'free'; readonly id: string; readonly revision: number; readonly why: string }
  /** Look again no later than that. */
  | { readonly kind: 'wake'; readonly afterMs: number }

export interface HoldKeeperState {
  /** When each revision was seen first, by the DC's own clock. */
  readonly since: ReadonlyMap<string, { readonly revision: number; readonly at: MonotonicMs }>
}

export const noHoldsSeen: HoldKeeperState = { since: new Map() }

/** What could not be freed is tried again. */
const retryMs = 500

export function holdStep(
  state: HoldKeeperState,
  input: HoldInput,
  now: MonotonicMs,
): Step<HoldKeeperState, HoldEffect> {
  if (input.kind === 'stopped') return { state: noHoldsSeen, effects: [] }
  const since = new Map(
    input.holds.map(({ hold: { id }, revision }) => {
      const before = state.since.get(id)
      return [id, before?.revision === revision ? before : { revision, at: now }] as const
    }),
  )
  const judged = input.holds.map((seen) => {
    const heldMs = now - (since.get(seen.hold.id)?.at ?? now)
    return { seen, verdict: judge(seen.hold, heldMs, input) }
  })
  const freed = judged.flatMap(({ seen: { hold, revision }, verdict: { why } }): readonly HoldEffect[] =>
    why === undefined ? [] : [{ kind: 'free', id: hold.id, revision, why }],
  )
  const nextMs = Math.min(...judged.map(({ verdict }) => (verdict.why === undefined ? verdict.leftMs : retryMs)))
  const wake: readonly HoldEffect[] = Number.isFinite(nextMs) ? [{ kind: 'wake', afterMs: Math.max(nextMs, 1) }] : []
  return { state: { since }, effects: [...freed, ...wake] }
}

interface Verdict {
  readonly why?: string
  readonly leftMs: number
}

function judge(hold: HoldRecord, heldMs: number, input: Extract<HoldInput, { kind: 'looked' }>): Verdict {
  const { owner, ttlMs, holder, since } = hold
  if ((owner.kind === 'rollout' || owner.kind === 'job') && !input.running(owner.kind, owner.name))
    return { why: `the ${owner.kind} ${owner.name} is over`, leftMs: 0 }
  if (ttlMs === undefined) return { leftMs: Number.POSITIVE_INFINITY }
  const leftHere = ttlMs - heldMs
  if (holder !== undefined)
    return leftHere <= 0 ? { why: 'its command has ended or is not heard', leftMs: 0 } : { leftMs: leftHere }
  const began = Date.parse(since)
  const leftByCalendar = Number.isNaN(began) ? leftHere : began + ttlMs - input.calendarMs
  const leftMs = Math.min(leftHere, leftByCalendar)
  return leftMs <= 0 ? { why: 'its time has run', leftMs: 0 } : { leftMs }
}

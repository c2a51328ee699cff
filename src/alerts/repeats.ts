/** The same again: within the alert's `repeat-interval` it is not sent again, but counted, and told once when the interval is over. */
import { type MonotonicMs, monotonicMs } from '../base/index.ts'
import type { QueuedCall } from './calls.ts'

export interface LastCalled {
  readonly until: MonotonicMs
  /** What was left out since: how often, and the last of it. */
  readonly omitted: number
  readonly last?: QueuedCall
}

/** Of so many different events the last time is remembered; a further one is sent as if it were new. */
const longestMemory = 1000

export function noteRepeat(
  told: ReadonlyMap<string, LastCalled>,
  call: QueuedCall,
  now: MonotonicMs,
): { readonly told: ReadonlyMap<string, LastCalled>; readonly isRepeat: boolean } {
  const { sameness, repeatMs } = call
  if (sameness === undefined || repeatMs <= 0) return { told, isRepeat: false }
  const before = told.get(sameness)
  if (before !== undefined && (now < before.until || before.omitted > 0)) {
    const omitted = before.omitted + 1
    return { told: new Map(told).set(sameness, { ...before, omitted, last: call }), isRepeat: true }
  }
  if (before === undefined && told.size >= longestMemory) return { told, isRepeat: false }
  const until = monotonicMs(now + repeatMs)
  return { told: new Map(told).set(sameness, { until, omitted: 0 }), isRepeat: false }
}

export function dueRepeats(
  told: ReadonlyMap<string, LastCalled>,
  now: MonotonicMs,
): { readonly told: ReadonlyMap<string, LastCalled>; readonly calls: readonly QueuedCall[] } {
  const left = new Map(told)
  const calls: QueuedCall[] = []
  for (const [sameness, { until, omitted, last }] of told) {
    if (now < until) continue
    left.delete(sameness)
    if (last === undefined) continue
    left.set(sameness, { until: monotonicMs(now + last.repeatMs), omitted: 0 })
    calls.push({ ...last, times: omitted })
  }
  return { told: left, calls }
}

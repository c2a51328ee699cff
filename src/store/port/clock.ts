/** The monotonic clock that leases and retries are timed with; tests pass one that they move by hand. */
import { type MonotonicMs, monotonicMs } from '../../base/index.ts'

export interface Clock {
  readonly now: () => MonotonicMs
  /** Calls back once after that many milliseconds; the result cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void
}

/** `performance.now` counts CLOCK_MONOTONIC: nobody sets it back, and a stopped process finds its leases aged. */
export const machineClock: Clock = {
  now: () => monotonicMs(performance.now()),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.max(0, Math.ceil(ms)))
    return () => clearTimeout(timer)
  },
}

/** Resolves after that many milliseconds of the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}

/**
 * How long the others wait for a lost node that cannot be fenced (fencing disabled).
 *
 * A lost node acts on its own: when its lease is not confirmed any more it stops what it runs. It can have had its last
 * confirmation just before the lease was ended, so that from the moment at which the others see the lease end, it counts
 * itself as quorate for at most one time to live, less its margin; then it has the stop time. Clocks run at slightly
 * different speeds: the margin is added once more for that. A node that hangs instead of stopping is not covered, which is
 * what fencing is for.
 *
 * With a time to live of 5 s, a margin of 0.5 s and a stop time of 10 s: 15.5 s after its lease ended.
 */
export interface LossTimings {
  readonly leaseTtlMs: number
  readonly leaseMarginMs: number
  /** What a node is given to stop all its resources. */
  readonly stopTimeMs: number
}

export function lossWait(timings: LossTimings): number {
  return timings.leaseTtlMs + timings.leaseMarginMs + timings.stopTimeMs
}

/**
 * How long the others wait for a lost node whose watchdog resets it. Its last feeding comes before it counts itself as without
 * quorum; `selfResetMs` after that it has been reset (`fencing-watchdog-timeout`).
 */
export function watchdogWait(timings: Omit<LossTimings, 'stopTimeMs'>, selfResetMs: number): number {
  return timings.leaseTtlMs + timings.leaseMarginMs + selfResetMs
}

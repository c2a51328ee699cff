/**
 * Waiting for a node that its own watchdog resets: until its lease is gone, and from then for as long as its watchdog may take.
 * A target that is back after another boot was reset, whatever is left of the wait. One that is back otherwise may have
 * fed its watchdog again: nothing is proven then.
 *
 * Why the wait is enough: a node feeds its watchdog only while it is quorate under a lease under which the store shows its
 * member record (`quorum/watchdog.ts`). Contract at the edge: the result is recorded in a transaction that compares that this
 * record is absent, so that the target registers, and feeds, either before it, which refuses the result, or after it, as a
 * machine that was reset.
 */
import { type MonotonicMs, monotonicMs } from '../base/index.ts'

export interface SelfFencingWait {
  /** After the end of the lease. */
  readonly waitMs: number
  readonly giveUpAt: MonotonicMs
  /** Since the target's lease was seen to be gone: when it is reset, and how often its member record had changed. */
  readonly gone?: { readonly resetAt: MonotonicMs; readonly changes: number }
}

export interface SelfFencingLook {
  /** What the store shows of the target since the life that is to end. */
  readonly target: 'gone' | 'here' | 'came-back' | 'rebooted'
  /** How often that record was seen to come, change or go, since any time. */
  readonly changes: number
  /** This node is still the DC that asked. */
  readonly rules: boolean
}

export type SelfFencingVerdict =
  | { readonly kind: 'waiting'; readonly wait: SelfFencingWait }
  | { readonly kind: 'reset' }
  | { readonly kind: 'unproven'; readonly why: string }

const cameBack = 'it came back before its reset was certain'

/** Looked at again and again; how often does not matter, since what came and went in between has been counted. */
export function lookAtTarget(
  wait: SelfFencingWait,
  { target, changes, rules }: SelfFencingLook,
  now: MonotonicMs,
): SelfFencingVerdict {
  const { waitMs, giveUpAt, gone } = wait
  if (!rules) return { kind: 'unproven', why: 'the term is over' }
  if (target === 'rebooted') return { kind: 'reset' }
  if (target === 'came-back') return { kind: 'unproven', why: cameBack }
  if (gone === undefined) {
    if (target === 'gone')
      return { kind: 'waiting', wait: { ...wait, gone: { resetAt: monotonicMs(now + waitMs), changes } } }
    return now < giveUpAt ? { kind: 'waiting', wait } : { kind: 'unproven', why: 'it still holds its lease' }
  }
  if (target === 'here' || changes !== gone.changes) return { kind: 'unproven', why: cameBack }
  return now < gone.resetAt ? { kind: 'waiting', wait } : { kind: 'reset' }
}

/**
 * When this node feeds its watchdog, the timer that resets the machine unless it is fed (Pacemaker Explained,
 * `stonith-watchdog-timeout`; sbd without a disk). It feeds only while all of this holds, by its own monotonic clock:
 * - it is quorate, with the margin that the lease has;
 * - the main thread has said, not long ago, that this node is registered under this very lease: so the others have seen it
 *   come before its first feeding, and a main thread that hangs ends the feeding.
 * One of two nodes that keeps what it runs without a majority feeds it all the same, where nobody counts on its watchdog.
 *
 * Contract at the edge: the device is open before `armed` and is fed with its opening. `feed` writes at once, without
 * waiting for anything. `disarm` is asked for only when nothing of the cluster's runs here, or nobody counts on the watchdog.
 *
 * Worked numbers: with a device of 5 s it is fed each second; without a word of the main thread for 2.5 s it is not fed any
 * more, and the machine is reset at most 5 s after that. A lease that is not confirmed until 20.0 s: the last feeding is
 * before 20.0 s, the reset before 25.0 s.
 */
import { assertNever, type MonotonicMs, monotonicMs, type Step } from '../base/index.ts'

export type WatchdogInput =
  | { readonly kind: 'armed'; readonly timeoutMs: number }
  /** The word of the main thread, given at `at`: this node may live. */
  | { readonly kind: 'permit'; readonly permit: WatchdogPermit }
  | { readonly kind: 'quorum'; readonly lease: string | undefined; readonly until: MonotonicMs }
  | { readonly kind: 'disarm' }
  | { readonly kind: 'tick' }

export type WatchdogEffect =
  | { readonly kind: 'feed' }
  | { readonly kind: 'disarm' }
  /** Told once: from now on the machine has its time left. */
  | { readonly kind: 'starving'; readonly why: string }

export interface WatchdogPermit {
  /** Under which this node is registered, and quorate; undefined: one of two may live without. */
  readonly lease?: string
  readonly at: MonotonicMs
}

export interface WatchdogState {
  /** Undefined: not armed. */
  readonly timeoutMs?: number
  readonly permit?: WatchdogPermit
  readonly lease?: string
  readonly until: MonotonicMs
  readonly feedAt: MonotonicMs
  readonly starving: boolean
}

const feedingsPerTimeout = 5

/** How often the main thread must give its word. */
export const permitIntervalMs = (timeoutMs: number): number => timeoutMs / 4

/** After this time its word is too old. */
const permitLastsMs = (timeoutMs: number): number => timeoutMs / 2

export function initialWatchdog(): WatchdogState {
  const before = monotonicMs(Number.NEGATIVE_INFINITY)
  return { until: before, feedAt: before, starving: false }
}

export function nextWatchdogAt({ timeoutMs, feedAt }: WatchdogState): MonotonicMs | undefined {
  return timeoutMs === undefined ? undefined : feedAt
}

export function watchdogStep(
  state: WatchdogState,
  input: WatchdogInput,
  now: MonotonicMs,
): Step<WatchdogState, WatchdogEffect> {
  if (input.kind === 'disarm')
    return { state: initialWatchdog(), effects: state.timeoutMs === undefined ? [] : [{ kind: 'disarm' }] }
  const taken = takeInput(state, input, now)
  const { timeoutMs } = taken
  if (timeoutMs === undefined || now < taken.feedAt) return { state: taken, effects: [] }
  const feedAt = monotonicMs(now + timeoutMs / feedingsPerTimeout)
  const why = whyNot(taken, timeoutMs, now)
  if (why === undefined) return { state: { ...taken, feedAt, starving: false }, effects: [{ kind: 'feed' }] }
  return { state: { ...taken, feedAt, starving: true }, effects: taken.starving ? [] : [{ kind: 'starving', why }] }
}

function takeInput(
  state: WatchdogState,
  input: Exclude<WatchdogInput, { kind: 'disarm' }>,
  now: MonotonicMs,
): WatchdogState {
  switch (input.kind) {
    case 'armed':
      return {
        ...state,
        timeoutMs: input.timeoutMs,
        feedAt: monotonicMs(now + input.timeoutMs / feedingsPerTimeout),
        starving: false,
      }
    case 'permit':
      return { ...state, permit: input.permit }
    case 'quorum': {
      const { lease: _before, ...rest } = state
      return { ...rest, until: input.until, ...(input.lease === undefined ? {} : { lease: input.lease }) }
    }
    case 'tick':
      return state
    default:
      return assertNever(input)
  }
}

function whyNot({ permit, lease, until }: WatchdogState, timeoutMs: number, now: MonotonicMs): string | undefined {
  if (permit === undefined) return 'this node is not registered'
  if (now - permit.at > permitLastsMs(timeoutMs)) return 'the main thread hangs, or this node is to end'
  if (permit.lease === undefined) return undefined
  if (lease === undefined || now >= until) return 'this node has lost quorum'
  return permit.lease === lease ? undefined : 'this node is not registered'
}

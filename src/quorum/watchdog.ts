/**
 * When this node feeds its watchdog, the timer that resets the machine unless it is fed (Pacemaker Explained,
 * `stonith-watchdog-timeout`; sbd without a disk). It feeds only while all of this holds, by its own monotonic clock:
 * - it is quorate, with the margin that the lease has;
 * - the main thread has said, not long ago, that this node is registered under this very lease: so the others have seen it
 *   come before its first feeding, and a main thread that hangs ends the feeding.
 * One of two nodes that keeps what it runs without a majority feeds it all the same, where nobody counts on its watchdog.
 *
 * A node that reads disks of SBD's (`disks.ts`) is fenced through them, and nobody counts on its watchdog alone. It needs no quorum: beside the
 * word of the main thread it feeds while enough of its disks were read in time and held no message, or, where they cannot be read, while
 * the store said in time that nobody fences this node. Whoever fences it tells the store before it writes to the disks.
 *
 * Contract at the edge: the device is open before `armed` and is fed with its opening. `feed` writes at once, without
 * waiting for anything. `disarm` is asked for only when nothing of the cluster's runs here, or nobody counts on the watchdog.
 *
 * Worked numbers: with a device of 5 s it is fed each second; without a word of the main thread for 2.5 s it is not fed any
 * more, and the machine is reset at most 5 s after that. A lease that is not confirmed until 20.0 s: the last feeding is
 * before 20.0 s, the reset before 25.0 s.
 */
import { assertNever, type MonotonicMs, monotonicMs, type Step } from '../base/index.ts'
import { disksToRead } from './disks.ts'

export type WatchdogInput =
  | { readonly kind: 'armed'; readonly timeoutMs: number; readonly disks?: DiskRule }
  /** The word of the main thread, given at `at`: this node may live. */
  | { readonly kind: 'permit'; readonly permit: WatchdogPermit }
  | { readonly kind: 'quorum'; readonly lease: string | undefined; readonly until: MonotonicMs }
  /** A disk was read and holds no message that ends this node: good until then. */
  | { readonly kind: 'disk-read'; readonly disk: string; readonly until: MonotonicMs }
  /** Asked at that time, the store knew of nobody who fences this node. */
  | { readonly kind: 'store-read'; readonly at: MonotonicMs }
  | { readonly kind: 'disarm' }
  | { readonly kind: 'tick' }

export type WatchdogEffect =
  | { readonly kind: 'feed' }
  | { readonly kind: 'disarm' }
  /** The disks are late: whether somebody fences this node. Answered with `store-read`, or not at all. */
  | { readonly kind: 'ask-store' }
  /** Told once: from now on the machine has its time left. */
  | { readonly kind: 'starving'; readonly why: string }

export interface WatchdogPermit {
  /** Under which this node is registered, and quorate; undefined: one of two may live without. */
  readonly lease?: string
  /** Nobody fences this node without telling the store first. Only for one that reads disks. */
  readonly storeKnows?: boolean
  readonly at: MonotonicMs
}

export interface DiskRule {
  /** Of the configured ones, readable or not. */
  readonly count: number
  /** For how long an answer of the store is good. */
  readonly patienceMs: number
}

export interface WatchdogState {
  /** Undefined: not armed. */
  readonly timeoutMs?: number
  readonly permit?: WatchdogPermit
  readonly lease?: string
  readonly until: MonotonicMs
  readonly feedAt: MonotonicMs
  readonly starving: boolean
  /** Undefined: no disk is read. */
  readonly disks?: DiskEvidence
}

interface DiskEvidence extends DiskRule {
  readonly read: ReadonlyMap<string, MonotonicMs>
  readonly storeUntil: MonotonicMs
}

const feedingsPerTimeout = 5

/** How often the main thread must give its word. */
export const permitIntervalMs = (timeoutMs: number): number => timeoutMs / 4

/** After this time its word is too old. */
const permitLastsMs = (timeoutMs: number): number => timeoutMs / 2

const never = monotonicMs(Number.NEGATIVE_INFINITY)

export function initialWatchdog(): WatchdogState {
  return { until: never, feedAt: never, starving: false }
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
  const ask: readonly WatchdogEffect[] = asksStore(taken, timeoutMs, now) ? [{ kind: 'ask-store' }] : []
  if (why === undefined) return { state: { ...taken, feedAt, starving: false }, effects: [{ kind: 'feed' }, ...ask] }
  const reported: readonly WatchdogEffect[] = taken.starving ? [] : [{ kind: 'starving', why }]
  return { state: { ...taken, feedAt, starving: true }, effects: [...reported, ...ask] }
}

function takeInput(
  state: WatchdogState,
  input: Exclude<WatchdogInput, { kind: 'disarm' }>,
  now: MonotonicMs,
): WatchdogState {
  switch (input.kind) {
    case 'armed': {
      const { disks: _before, ...rest } = state
      const { timeoutMs, disks } = input
      const feedAt = monotonicMs(now + timeoutMs / feedingsPerTimeout)
      return { ...rest, timeoutMs, feedAt, starving: false, ...(disks === undefined ? {} : { disks: unread(disks) }) }
    }
    case 'disk-read': {
      const { disks } = state
      if (disks === undefined) return state
      return { ...state, disks: { ...disks, read: new Map([...disks.read, [input.disk, input.until]]) } }
    }
    case 'store-read': {
      const { disks } = state
      if (disks === undefined) return state
      return { ...state, disks: { ...disks, storeUntil: monotonicMs(input.at + disks.patienceMs) } }
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

const unread = (rule: DiskRule): DiskEvidence => ({ ...rule, read: new Map(), storeUntil: never })

function whyNot(state: WatchdogState, timeoutMs: number, now: MonotonicMs): string | undefined {
  const { permit, lease, until, disks } = state
  if (permit === undefined) return 'this node is not registered'
  if (now - permit.at > permitLastsMs(timeoutMs)) return 'the main thread hangs, or this node must stop'
  if (disks !== undefined) return whyNotByDisks(disks, permit, now)
  if (permit.lease === undefined) return undefined
  if (lease === undefined || now >= until) return 'this node has lost quorum'
  return permit.lease === lease ? undefined : 'this node is not registered'
}

function whyNotByDisks(disks: DiskEvidence, permit: WatchdogPermit, now: MonotonicMs): string | undefined {
  if (now < disksUntil(disks)) return undefined
  if (permit.storeKnows !== true)
    return 'its disks cannot be read, and it may be fenced through them without a record in the store'
  if (now < disks.storeUntil) return undefined
  return 'its disks cannot be read, and the store does not confirm that it is not being fenced'
}

/** Until when enough of the disks keep it alive. */
function disksUntil({ count, read }: DiskEvidence): MonotonicMs {
  const latestFirst = [...read.values()].sort((a, b) => b - a)
  return latestFirst[disksToRead(count) - 1] ?? never
}

/** In time for two answers before the disks keep it alive no more. */
function asksStore({ disks, permit }: WatchdogState, timeoutMs: number, now: MonotonicMs): boolean {
  if (disks === undefined || permit?.storeKnows !== true) return false
  return disksUntil(disks) - now < Math.max(disks.patienceMs / 2, (2 * timeoutMs) / feedingsPerTimeout)
}

/**
 * Whether this node may act: it holds a lease that the store's majority confirmed, and by its own monotonic clock that
 * confirmation still holds. The time counts from the moment *before* a grant or keep-alive was asked for, for the lease
 * cannot run out earlier than that; a margin is taken off the end, so that this node stops acting before others begin.
 *
 * Contract at the edge: one `request-lease` or `keep-alive` is under way at a time; the answer carries `askedAt`, read
 * before the call was made; an error or time-out is answered with `no-answer`. Whoever is about to act asks
 * `isQuorate(state, now)` with a fresh time and relies on no earlier answer: a paused process wakes without being told.
 */
import { assertNever, type MonotonicMs, monotonicMs, type Step } from '../base/index.ts'

export interface QuorumTimings {
  readonly leaseTtlMs: number
  readonly leaseMarginMs: number
  /** What is left of a lease at least when it is renewed, margin not counted; where it is long enough for that. */
  readonly reserveMs?: number
}

export type QuorumInput =
  | { readonly kind: 'granted'; readonly lease: string; readonly ttlMs: number; readonly askedAt: MonotonicMs }
  | { readonly kind: 'confirmed'; readonly lease: string; readonly ttlMs: number; readonly askedAt: MonotonicMs }
  /** The store says that the lease is gone: it ran out or was revoked. */
  | { readonly kind: 'lost'; readonly lease: string }
  | { readonly kind: 'no-answer' }
  /** This node was paused: only a confirmation that is asked for from now on counts. */
  | { readonly kind: 'doubt' }
  /** The node leaves: the lease is given back and no other is asked for. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'tick' }

export type QuorumEffect =
  | { readonly kind: 'request-lease'; readonly ttlMs: number }
  | { readonly kind: 'keep-alive'; readonly lease: string }
  /** With the lease under which this node now acts. */
  | { readonly kind: 'quorum-gained'; readonly lease: string }
  | { readonly kind: 'quorum-lost'; readonly why: 'not confirmed in time' | 'lease lost' | 'paused' | 'left' }

export interface QuorumState {
  readonly timings: QuorumTimings
  readonly lease?: string
  /** Until when the last confirmation holds, margin taken off. */
  readonly until: MonotonicMs
  /** Confirmations asked for before this do not count. */
  readonly doubtedAt: MonotonicMs
  readonly asking: boolean
  readonly askAt: MonotonicMs
  /** What was last told. */
  readonly reported: boolean
  readonly left: boolean
}

type QuorumStep = Step<QuorumState, QuorumEffect>

/** After an answer did not come or was no: not at once again, and often enough to be back before others act. */
const retryMs = 200

/** For an election of the store's leader and a slow answer after it. */
const electionReserveMs = 2000

/** Where a link may fail: first its silence is waited for, then the store's members find each other on another. */
export const linkReserveMs = 3000

export function initialQuorum(timings: QuorumTimings, now: MonotonicMs): QuorumState {
  const before = monotonicMs(Number.NEGATIVE_INFINITY)
  return { timings, until: before, doubtedAt: before, asking: false, askAt: now, reported: false, left: false }
}

export function isQuorate(state: QuorumState, now: MonotonicMs): boolean {
  return state.lease !== undefined && now < state.until && !state.left
}

/** Until when this node may act if nothing else is heard; in the past where it may not. */
export function quorateUntil(state: QuorumState): MonotonicMs {
  return state.lease === undefined || state.left ? monotonicMs(Number.NEGATIVE_INFINITY) : state.until
}

export function nextQuorumAt(state: QuorumState): MonotonicMs {
  const ask = state.asking || state.left ? Number.POSITIVE_INFINITY : state.askAt
  return monotonicMs(Math.min(ask, state.reported ? state.until : Number.POSITIVE_INFINITY))
}

export function quorumStep(state: QuorumState, input: QuorumInput, now: MonotonicMs): QuorumStep {
  const taken = takeInput(state, input, now)
  const reported = tell(taken, input, now)
  return ask(reported, now)
}

function takeInput(state: QuorumState, input: QuorumInput, now: MonotonicMs): QuorumState {
  switch (input.kind) {
    case 'granted':
      return confirm({ ...state, lease: input.lease }, input, now)
    case 'confirmed':
      // The answer to a keep-alive of a lease that was replaced meanwhile says nothing.
      if (input.lease !== state.lease) return { ...state, asking: false }
      return confirm(state, input, now)
    case 'lost': {
      if (input.lease !== state.lease) return { ...state, asking: false }
      const { lease: _gone, ...rest } = state
      return { ...rest, asking: false, askAt: now }
    }
    case 'no-answer':
      return { ...state, asking: false, askAt: monotonicMs(now + retryMs) }
    case 'doubt':
      return { ...state, doubtedAt: now, until: monotonicMs(Math.min(state.until, now)), askAt: now }
    case 'leave':
      return { ...state, left: true }
    case 'tick':
      return state
    default:
      return assertNever(input)
  }
}

function confirm(
  state: QuorumState,
  answer: { readonly ttlMs: number; readonly askedAt: MonotonicMs },
  now: MonotonicMs,
): QuorumState {
  const { leaseMarginMs } = state.timings
  const next = {
    ...state,
    asking: false,
    askAt: monotonicMs(Math.max(now, answer.askedAt + renewAfterMs(state.timings))),
  }
  if (answer.askedAt < state.doubtedAt) return { ...next, askAt: now }
  return { ...next, until: monotonicMs(Math.max(state.until, answer.askedAt + answer.ttlMs - leaseMarginMs)) }
}

/** Seldom, since every renewal wakes all voters; not after more than half of a lease, and a short one after a third. */
function renewAfterMs({ leaseTtlMs, leaseMarginMs, reserveMs = electionReserveMs }: QuorumTimings): number {
  return Math.min(leaseTtlMs / 2, Math.max(leaseTtlMs / 3, leaseTtlMs - leaseMarginMs - reserveMs))
}

function tell(state: QuorumState, input: QuorumInput, now: MonotonicMs): QuorumStep {
  const quorate = isQuorate(state, now)
  // A lease that was replaced at once is told as well: what was registered under the old one is gone.
  const replaced = input.kind === 'granted' && state.reported
  if (quorate === state.reported && !replaced) return { state, effects: [] }
  const reported = { ...state, reported: quorate }
  if (quorate && state.lease !== undefined)
    return { state: reported, effects: [{ kind: 'quorum-gained', lease: state.lease }] }
  return { state: reported, effects: [{ kind: 'quorum-lost', why: whyLost(state, input) }] }
}

function whyLost(state: QuorumState, input: QuorumInput): 'not confirmed in time' | 'lease lost' | 'paused' | 'left' {
  if (state.left) return 'left'
  if (input.kind === 'doubt') return 'paused'
  return state.lease === undefined ? 'lease lost' : 'not confirmed in time'
}

/** A lease that has surely run out is still kept alive until the store says that it is gone: it may have been prolonged. */
function ask(step: QuorumStep, now: MonotonicMs): QuorumStep {
  const { state, effects } = step
  if (state.left || state.asking || now < state.askAt) return step
  const effect: QuorumEffect =
    state.lease === undefined
      ? { kind: 'request-lease', ttlMs: state.timings.leaseTtlMs }
      : { kind: 'keep-alive', lease: state.lease }
  return { state: { ...state, asking: true }, effects: [...effects, effect] }
}

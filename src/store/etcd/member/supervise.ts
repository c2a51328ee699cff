/**
 * Keeps one etcd member running: when it is adopted, started, given time, replaced or left alone. Pure; etcd-member.ts looks
 * at the machine and performs the effects. The member outlives the daemon, so the first thing is always to look for it.
 */
import { assertNever, type MonotonicMs, monotonicMs, type Step } from '../../../base/index.ts'
import type { Refusal } from './refusal.ts'

export type Phase =
  | { readonly kind: 'looking' }
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'running'
      readonly pid: number
      readonly since: MonotonicMs
      /** It has a leader. */
      readonly answers: boolean
      /** When it last said anything, or was started. */
      readonly heardAt: MonotonicMs
    }
  | { readonly kind: 'waiting'; readonly until: MonotonicMs }
  | { readonly kind: 'replacing' }
  /** Nothing more is tried until somebody asks. */
  | { readonly kind: 'given-up' }
  | { readonly kind: 'stopping'; readonly pid: number }
  | { readonly kind: 'stopped' }

/** A member that has no leader answers, and does nothing for its clients. */
export type Found = 'answers' | 'no-leader' | 'silent'

export interface SupervisorState {
  readonly phase: Phase
  /** What stands in the way at the moment. */
  readonly refusal: Refusal | undefined
  /** Starts in a row that did not last. */
  readonly failures: number
  readonly freeingSpace: boolean
  readonly freeSpaceAgainAt: MonotonicMs
  readonly hasOthers: boolean
}

export type SupervisorInput =
  | { readonly kind: 'found'; readonly pid: number }
  | { readonly kind: 'nothing-found' }
  /** This node is new to the cluster, or its replacement was begun and not ended. */
  | { readonly kind: 'must-join' }
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'exited'; readonly refusal: Refusal }
  | { readonly kind: 'probed'; readonly found: Found; readonly storeFull: boolean }
  | { readonly kind: 'replaced'; readonly succeeded: boolean }
  | { readonly kind: 'space-freed' }
  | { readonly kind: 'stop-asked' }
  | { readonly kind: 'start-asked' }
  | { readonly kind: 'tick' }

export type SupervisorEffect =
  | { readonly kind: 'look' }
  | { readonly kind: 'start' }
  | { readonly kind: 'terminate'; readonly pid: number }
  /** Set the data aside, join as a learner through the other members, be promoted. */
  | { readonly kind: 'replace' }
  | { readonly kind: 'free-space' }
  | { readonly kind: 'report'; readonly refusal: Refusal }

type Result = Step<SupervisorState, SupervisorEffect>

const steadyAfterMs = 10_000
const firstRetryMs = 100
const lastRetryMs = 10_000
/** A full disk or a taken port does not change by itself within milliseconds. */
const patientRetryMs = 2000
const freeSpaceEveryMs = 60_000
/** Longer than a member with a few megabytes takes to start on a slow disk. */
const silenceMs = 15_000

export function initialSupervisor(options: { readonly hasOthers: boolean }): Result {
  const state: SupervisorState = {
    phase: { kind: 'looking' },
    refusal: undefined,
    failures: 0,
    freeingSpace: false,
    freeSpaceAgainAt: monotonicMs(0),
    hasOthers: options.hasOthers,
  }
  return { state, effects: [{ kind: 'look' }] }
}

export function supervise(state: SupervisorState, input: SupervisorInput, now: MonotonicMs): Result {
  switch (input.kind) {
    case 'found':
    case 'started':
      return runs(state, input.pid, now)
    case 'nothing-found':
      return state.phase.kind === 'looking' ? start(state) : unchanged(state)
    case 'must-join':
      return state.phase.kind === 'looking'
        ? { state: { ...state, phase: { kind: 'replacing' } }, effects: [{ kind: 'replace' }] }
        : unchanged(state)
    case 'exited':
      return exited(state, input.refusal, now)
    case 'probed':
      return probed(state, input, now)
    case 'replaced':
      return replaced(state, input.succeeded, now)
    case 'space-freed':
      return unchanged({ ...state, freeingSpace: false })
    case 'stop-asked':
      return stop(state)
    case 'start-asked':
      return startsOver(state)
    case 'tick':
      return state.phase.kind === 'waiting' && now >= state.phase.until ? lookAgain(state) : unchanged(state)
    default:
      return assertNever(input)
  }
}

function runs(state: SupervisorState, pid: number, now: MonotonicMs): Result {
  switch (state.phase.kind) {
    case 'stopping':
    case 'stopped':
      return { state: { ...state, phase: { kind: 'stopping', pid } }, effects: [{ kind: 'terminate', pid }] }
    case 'replacing':
      return unchanged(state)
    default:
      return unchanged({ ...state, phase: { kind: 'running', pid, since: now, answers: false, heardAt: now } })
  }
}

function exited(state: SupervisorState, refusal: Refusal, now: MonotonicMs): Result {
  switch (state.phase.kind) {
    case 'stopping':
    case 'stopped':
      return unchanged({ ...state, phase: { kind: 'stopped' } })
    case 'replacing':
    case 'given-up':
      return unchanged(state)
    case 'looking':
    case 'starting':
    case 'running':
    case 'waiting':
      break
    default:
      return assertNever(state.phase)
  }
  const lasted = state.phase.kind === 'running' && now - state.phase.since >= steadyAfterMs
  const failures = lasted ? 1 : state.failures + 1
  return remedy({ ...state, failures, refusal }, refusal, now)
}

function remedy(state: SupervisorState, refusal: Refusal, now: MonotonicMs): Result {
  const report: SupervisorEffect = { kind: 'report', refusal }
  switch (refusal.kind) {
    case 'damaged':
    case 'data-missing':
      // Its vote and its log are lost: under its old identity it could break the majority's promises. A cluster of one
      // has nobody to copy from, and its damaged files are all there is.
      return state.hasOthers
        ? { state: { ...state, phase: { kind: 'replacing' } }, effects: [report, { kind: 'replace' }] }
        : { state: { ...state, phase: { kind: 'given-up' } }, effects: [report] }
    case 'removed':
      return { state: { ...state, phase: { kind: 'given-up' } }, effects: [report] }
    case 'disk-full':
    case 'disk-read-only':
    case 'port-taken':
    case 'certificate':
    case 'not-installed':
      return { state: wait(state, now, patientRetryMs), effects: [report] }
    case 'store-full':
    case 'silent':
    case 'died':
      return { state: wait(state, now, firstRetryMs), effects: [report] }
    default:
      return assertNever(refusal)
  }
}

function wait(state: SupervisorState, now: MonotonicMs, firstMs: number): SupervisorState {
  const delayMs = Math.min(lastRetryMs, firstMs * 2 ** Math.max(0, state.failures - 1))
  return { ...state, phase: { kind: 'waiting', until: monotonicMs(now + delayMs) } }
}

function probed(
  state: SupervisorState,
  { found, storeFull }: { readonly found: Found; readonly storeFull: boolean },
  now: MonotonicMs,
): Result {
  const { phase } = state
  if (phase.kind !== 'running') return unchanged(state)
  const steady = now - phase.since >= steadyAfterMs
  const heardAt = found === 'silent' ? phase.heardAt : now
  const isSilent = now - heardAt >= silenceMs
  const refusal = refusalAfterProbe(state.refusal, { found, storeFull, ...(isSilent ? { silent: phase.pid } : {}) })
  const next: SupervisorState = {
    ...state,
    phase: { ...phase, answers: found === 'answers', heardAt },
    failures: steady ? 0 : state.failures,
    refusal,
  }
  if (refusal?.kind === 'silent' && state.refusal?.kind !== 'silent')
    return { state: next, effects: [{ kind: 'report', refusal }] }
  if (!storeFull || state.freeingSpace || now < state.freeSpaceAgainAt) return unchanged(next)
  return {
    state: { ...next, freeingSpace: true, freeSpaceAgainAt: monotonicMs(now + freeSpaceEveryMs) },
    effects: [{ kind: 'report', refusal: { kind: 'store-full' } }, { kind: 'free-space' }],
  }
}

/** `silent`: the process that has not been heard for long. */
function refusalAfterProbe(
  refusal: Refusal | undefined,
  { found, storeFull, silent }: { readonly found: Found; readonly storeFull: boolean; readonly silent?: number },
): Refusal | undefined {
  if (storeFull) return { kind: 'store-full' }
  if (silent !== undefined) return { kind: 'silent', pid: silent }
  return found === 'answers' || refusal?.kind === 'silent' ? undefined : refusal
}

function replaced(state: SupervisorState, succeeded: boolean, now: MonotonicMs): Result {
  if (state.phase.kind !== 'replacing') return unchanged(state)
  if (succeeded) return lookAgain({ ...state, refusal: undefined, failures: 0 })
  // Without a majority of the others there is nobody to join: try again, more and more calmly.
  return unchanged(wait({ ...state, failures: state.failures + 1 }, now, patientRetryMs))
}

function stop(state: SupervisorState): Result {
  switch (state.phase.kind) {
    case 'running':
    case 'stopping':
      return {
        state: { ...state, phase: { kind: 'stopping', pid: state.phase.pid } },
        effects: [{ kind: 'terminate', pid: state.phase.pid }],
      }
    // What is on its way is terminated when it arrives.
    case 'looking':
    case 'starting':
    case 'replacing':
    case 'waiting':
    case 'given-up':
    case 'stopped':
      return unchanged({ ...state, phase: { kind: 'stopped' } })
    default:
      return assertNever(state.phase)
  }
}

function startsOver(state: SupervisorState): Result {
  switch (state.phase.kind) {
    case 'waiting':
    case 'given-up':
    case 'stopped':
      return lookAgain({ ...state, failures: 0, refusal: undefined })
    case 'looking':
    case 'starting':
    case 'running':
    case 'replacing':
    case 'stopping':
      return unchanged(state)
    default:
      return assertNever(state.phase)
  }
}

function lookAgain(state: SupervisorState): Result {
  return { state: { ...state, phase: { kind: 'looking' } }, effects: [{ kind: 'look' }] }
}

function start(state: SupervisorState): Result {
  return { state: { ...state, phase: { kind: 'starting' } }, effects: [{ kind: 'start' }] }
}

function unchanged(state: SupervisorState): Result {
  return { state, effects: [] }
}

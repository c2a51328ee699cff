/**
 * How this node comes into the cluster and leaves it: absent → joining → member → leaving → left.
 *
 * It registers under `members/<self>` with its lease, as `joining`; once the DC has written its node-state for this very
 * incarnation it is a `member`. A clean leave asks, with the transient attribute `shutdown`, that its resources be stopped
 * (Pacemaker Explained, "Node attributes"); the DC answers with `do_shutdown` when they are, and the node gives its lease
 * back. Without quorum nobody can answer, and whoever is counted as down already is not answered: the node then stops its
 * resources by itself and leaves.
 *
 * Contract at the edge: results of operations that could not be written are written before `register` is performed, in
 * front of it; leases of an earlier incarnation are revoked before it, so that nobody waits for them to run out.
 * `view` must be fed whenever the store shows this node's member record or node-state changed, and first when this node knows what
 * its earlier life ran: once it is registered the DC deletes that history.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName, type Step } from '../base/index.ts'

export type PresencePhase = 'absent' | 'joining' | 'member' | 'leaving' | 'left'

/** What the store shows about this node. */
export interface OwnMember {
  /** The record under `members/<self>`, if there is one. */
  readonly record?: {
    readonly incarnation: number
    readonly lease?: string
    readonly state: 'joining' | 'member' | 'leaving'
  }
  /** The record lacks something that this node says of itself now, or says something that holds no longer. */
  readonly outdated: boolean
  /** The DC has integrated this incarnation: its node-state says `join=member` and names it. */
  readonly acknowledged: boolean
  /** The DC counts this incarnation as fenced or cleanly down, not as on its way out: for good. */
  readonly declaredDown: boolean
  /** The transient attribute `shutdown` is there. */
  readonly asksToLeave: boolean
}

export type PresenceInput =
  /** This node holds a lease and is quorate under it; undefined: not any more. */
  | { readonly kind: 'lease'; readonly lease?: string }
  | { readonly kind: 'view'; readonly own: OwnMember }
  /** `cluster stop`, or the signal to stop. `escalateMs`: after this time it goes with what still runs, where others fence it then. */
  | { readonly kind: 'leave'; readonly escalateMs?: number }
  /** The DC's `do_shutdown`: nothing runs here any more. */
  | { readonly kind: 'shutdown-allowed' }
  /** The local stop plan has ended. */
  | { readonly kind: 'stopped-locally' }
  | { readonly kind: 'written'; readonly ok: boolean }
  | { readonly kind: 'tick' }

export type PresenceEffect =
  /** Put `members/<self>` under the lease, in this state. Answer with `written`. */
  | { readonly kind: 'register'; readonly as: 'joining' | 'member' | 'leaving'; readonly lease: string }
  /** Set the transient attribute `shutdown`, to the seconds since the epoch. */
  | { readonly kind: 'request-shutdown' }
  /** Nobody will tell us to: stop what runs here, in order, then feed `stopped-locally`. */
  | { readonly kind: 'stop-locally' }
  /** Delete `members/<self>`, revoke the lease, end the daemon. `escalated`: what it runs goes on, so that it must be fenced. */
  | { readonly kind: 'depart'; readonly lease?: string; readonly escalated?: true }
  /** The cluster counts this very incarnation as down while it lives: what it runs may run elsewhere as well. */
  | { readonly kind: 'declared-down' }

export interface PresenceState {
  readonly self: NodeName
  readonly incarnation: number
  readonly phase: PresencePhase
  readonly lease?: string
  /** Undefined until the store was read: nothing is written before. */
  readonly own?: OwnMember
  readonly writing: boolean
  /** What was written last, well or not, and from when on it may be written again: its effect takes a moment to be seen. */
  readonly attempt: string
  readonly retryAt: MonotonicMs
  readonly shutdownRequested: boolean
  readonly stoppingLocally: boolean
  /** Since when it wants to leave without quorum. */
  readonly leaveAloneAt?: MonotonicMs
  /** When it goes whatever still runs (cluster option `shutdown-escalation`). */
  readonly escalateAt?: MonotonicMs
  readonly reportedDown: boolean
}

/** A loss of quorum that is over within this time does not make a leaving node stop its resources by itself. */
const leaveAlonePatienceMs = 2000
const retryMs = 300

export function initialPresence(self: NodeName, incarnation: number): PresenceState {
  return {
    self,
    incarnation,
    phase: 'absent',
    writing: false,
    attempt: '',
    retryAt: monotonicMs(0),
    shutdownRequested: false,
    stoppingLocally: false,
    reportedDown: false,
  }
}

/** When a tick is needed besides the inputs: to write again what had no effect, or to leave without the others. */
export function nextPresenceAt(state: PresenceState, now: MonotonicMs): MonotonicMs | undefined {
  const soonest = nextAttemptAt(state, now)
  if (state.phase !== 'leaving' || state.escalateAt === undefined) return soonest
  return soonest === undefined ? state.escalateAt : monotonicMs(Math.min(soonest, state.escalateAt))
}

function nextAttemptAt(state: PresenceState, now: MonotonicMs): MonotonicMs | undefined {
  const alone = state.phase === 'leaving' && state.lease === undefined && !state.stoppingLocally
  if (alone && state.leaveAloneAt !== undefined) return monotonicMs(state.leaveAloneAt + leaveAlonePatienceMs)
  return state.phase !== 'left' && !state.writing && state.retryAt > now ? state.retryAt : undefined
}

export function presenceStep(
  state: PresenceState,
  input: PresenceInput,
  now: MonotonicMs,
): Step<PresenceState, PresenceEffect> {
  const taken = takeInput(state, input, now)
  return taken.phase === 'left' ? leftStep(state, taken) : act(taken, now)
}

function takeInput(state: PresenceState, input: PresenceInput, now: MonotonicMs): PresenceState {
  switch (input.kind) {
    case 'lease': {
      const { lease: _before, ...rest } = state
      // Whoever is lost has asked for nothing: it asks again when it is back.
      return input.lease === undefined ? { ...rest, shutdownRequested: false } : { ...rest, lease: input.lease }
    }
    case 'view':
      return { ...state, own: input.own }
    case 'leave':
      return leaving(state, input.escalateMs, now)
    case 'shutdown-allowed':
    case 'stopped-locally':
      return state.phase === 'leaving' ? { ...state, phase: 'left' } : state
    case 'written': {
      const asked = state.shutdownRequested && (input.ok || state.attempt !== shutdown)
      return { ...state, writing: false, retryAt: monotonicMs(now + retryMs), shutdownRequested: asked }
    }
    case 'tick':
      return state
    default:
      return assertNever(input)
  }
}

function leaving(state: PresenceState, escalateMs: number | undefined, now: MonotonicMs): PresenceState {
  if (state.phase === 'left') return state
  const escalation =
    escalateMs === undefined || state.escalateAt !== undefined ? {} : { escalateAt: monotonicMs(now + escalateMs) }
  return { ...state, ...escalation, phase: 'leaving' }
}

function leftStep(before: PresenceState, state: PresenceState): Step<PresenceState, PresenceEffect> {
  if (before.phase === 'left') return { state, effects: [] }
  return { state, effects: [{ kind: 'depart', ...(state.lease === undefined ? {} : { lease: state.lease }) }] }
}

const unknown: OwnMember = { outdated: false, acknowledged: false, declaredDown: false, asksToLeave: false }

/** Compares what the store shows with what it should show, whatever the input was. */
function act(state: PresenceState, now: MonotonicMs): Step<PresenceState, PresenceEffect> {
  const { record, acknowledged, outdated, declaredDown } = state.own ?? unknown
  const registered = record?.incarnation === state.incarnation && record.lease === state.lease
  const effects: PresenceEffect[] = []
  let next = state
  if (state.phase !== 'leaving') next = { ...next, phase: phaseOf(registered, acknowledged) }
  if (declaredDown && registered && !state.reportedDown && state.phase !== 'leaving') {
    next = { ...next, reportedDown: true }
    effects.push({ kind: 'declared-down' })
  }
  if (!declaredDown) next = { ...next, reportedDown: false }
  if (next.phase === 'leaving') return leave(next, { registered, effects }, now)
  const wanted = registered && acknowledged ? 'member' : 'joining'
  if (state.lease === undefined || (registered && record.state === wanted && !outdated)) return { state: next, effects }
  return write(next, { effect: { kind: 'register', as: wanted, lease: state.lease }, effects }, now)
}

const shutdown = 'shutdown'

function write(
  state: PresenceState,
  {
    effect,
    effects,
  }: {
    readonly effect: Extract<PresenceEffect, { kind: 'register' | 'request-shutdown' }>
    readonly effects: readonly PresenceEffect[]
  },
  now: MonotonicMs,
): Step<PresenceState, PresenceEffect> {
  const attempt = effect.kind === 'register' ? `${effect.as} ${effect.lease}` : shutdown
  if (state.own === undefined || state.writing || (attempt === state.attempt && now < state.retryAt))
    return { state, effects }
  return { state: { ...state, writing: true, attempt }, effects: [...effects, effect] }
}

function phaseOf(registered: boolean, acknowledged: boolean): PresencePhase {
  if (!registered) return 'absent'
  return acknowledged ? 'member' : 'joining'
}

function leave(
  state: PresenceState,
  { registered, effects }: { readonly registered: boolean; readonly effects: PresenceEffect[] },
  now: MonotonicMs,
): Step<PresenceState, PresenceEffect> {
  if (state.escalateAt !== undefined && now >= state.escalateAt) return escalate(state, effects)
  if (state.own?.declaredDown) return stopLocally(state, effects)
  if (state.lease === undefined) return leaveAlone(state, effects, now)
  const { leaveAloneAt: _since, ...rest } = state
  // What runs on a node that the DC does not know yet is not known either: it joins first, is probed, and leaves then.
  const { record, acknowledged } = state.own ?? unknown
  const leaving = registered && record?.state === 'leaving'
  if (!leaving && !acknowledged)
    return registered
      ? { state: rest, effects }
      : write(rest, { effect: { kind: 'register', as: 'joining', lease: state.lease }, effects }, now)
  if (!leaving) return write(rest, { effect: { kind: 'register', as: 'leaving', lease: state.lease }, effects }, now)
  // A DC that integrates this node after it has asked deletes what it asked with: then it asks again.
  const isSeenSoon = state.writing || now < state.retryAt
  if (state.shutdownRequested && (state.own?.asksToLeave || isSeenSoon)) return { state: rest, effects }
  const asked = write(rest, { effect: { kind: 'request-shutdown' }, effects }, now)
  return { state: { ...asked.state, shutdownRequested: asked.effects.length > effects.length }, effects: asked.effects }
}

function escalate(state: PresenceState, effects: readonly PresenceEffect[]): Step<PresenceState, PresenceEffect> {
  const lease = state.lease === undefined ? {} : { lease: state.lease }
  return { state: { ...state, phase: 'left' }, effects: [...effects, { kind: 'depart', ...lease, escalated: true }] }
}

function leaveAlone(
  state: PresenceState,
  effects: PresenceEffect[],
  now: MonotonicMs,
): Step<PresenceState, PresenceEffect> {
  if (state.stoppingLocally) return { state, effects }
  if (state.leaveAloneAt === undefined) return { state: { ...state, leaveAloneAt: now }, effects }
  if (now - state.leaveAloneAt < leaveAlonePatienceMs) return { state, effects }
  return stopLocally(state, effects)
}

function stopLocally(state: PresenceState, effects: readonly PresenceEffect[]): Step<PresenceState, PresenceEffect> {
  if (state.stoppingLocally) return { state, effects }
  return { state: { ...state, stoppingLocally: true }, effects: [...effects, { kind: 'stop-locally' }] }
}

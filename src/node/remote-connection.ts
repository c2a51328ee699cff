/**
 * The connection to one remote node, as the member that runs it keeps it. A member that starts it claims it in the store first; the revision of that claim is
 * the token that the remote node obeys, the highest it was shown. Each link is shown the token and recorded before it counts as up. A link that breaks gets a moment to come back,
 * as a daemon that is restarted does; one that does not has failed, and what follows the scheduler decides.
 *
 * Contract: the driver answers a `dial` within its own patience, as `failed` or `dialled`, and calls a link by the number of its attempt; what comes of an earlier attempt
 * changes nothing. It feeds `time` when `nextConnectionAt` has come.
 */
import { assertNever, type MonotonicMs, monotonicMs, type Step } from '../base/index.ts'
import {
  type ConnectionEffect,
  type ConnectionInput,
  type ConnectionPhase,
  type ConnectionWish,
  connectionTimes,
  type RemoteConnectionState,
  type Trial,
} from './remote-connection-state.ts'

type Turned = Step<RemoteConnectionState, ConnectionEffect>

/** What it is judged by, beside what came. */
export interface ConnectionView extends ConnectionWish {
  readonly now: MonotonicMs
}

export function connectionStep(state: RemoteConnectionState, input: ConnectionInput, view: ConnectionView): Turned {
  switch (input.kind) {
    case 'start':
      return claim(state, { for: 'start', until: later(view.now, input.timeoutMs) })
    case 'take-up':
      return view.isRecordedUp
        ? claim(state, { for: 'earlier-life', until: later(view.now, connectionTimes.stepMs) })
        : ends(state, 'failed', 'It was not connected before')
    case 'claimed':
      return claimed(state, input.token)
    case 'not-claimed':
      return state.phase.kind === 'claims' ? ends(state, 'failed', input.why) : { state, effects: [] }
    case 'dialled':
    case 'owned':
    case 'recorded':
      return ofAttempt(state, input, view)
    case 'failed':
      return input.attempt === state.attempt ? failed(state, input, view) : { state, effects: [] }
    case 'taken':
      return input.attempt === state.attempt ? taken(state, input.by) : { state, effects: [] }
    case 'hand-over':
      return { state: { ...state, isHandedOver: true }, effects: [] }
    case 'close':
      return close(state, view)
    case 'released':
      return state.phase.kind === 'releases' ? recordDown(state, view) : { state, effects: [] }
    case 'recorded-down':
      return state.phase.kind === 'records-down' ? ends(state, 'closed', 'it was stopped') : { state, effects: [] }
    case 'abandon':
      return { ...ends(state, 'closed', 'its daemon ended'), effects: hangsUp(state) }
    case 'time':
      return atTime(state, view)
    default:
      return assertNever(input)
  }
}

/** When it is due again; undefined: something is waited for. */
export function nextConnectionAt({ phase }: RemoteConnectionState): MonotonicMs | undefined {
  switch (phase.kind) {
    case 'claims':
      return phase.trial.until
    case 'asks':
    case 'records':
    case 'pauses':
    case 'releases':
      return phase.until
    case 'idle':
    case 'dials':
    case 'up':
    case 'records-down':
    case 'over':
      return undefined
    default:
      return assertNever(phase)
  }
}

/** Undefined while it lives; else why not. */
export function connectionTrouble({ phase }: RemoteConnectionState): string | undefined {
  if (phase.kind === 'up') return undefined
  return phase.kind === 'over' ? phase.why : 'it is not there'
}

/** It is being made: whoever asks whether it is there waits. */
export const isTried = ({ phase }: RemoteConnectionState): boolean => trialOf(phase) !== undefined

/** It was up before, and may be again. */
export function isMended({ phase }: RemoteConnectionState): boolean {
  const trial = trialOf(phase)
  return trial !== undefined && trial.for !== 'start'
}

const trialOf = (phase: ConnectionPhase): Trial | undefined => ('trial' in phase ? phase.trial : undefined)

const later = (now: MonotonicMs, ms: number): MonotonicMs => monotonicMs(now + ms)

// ------------------------------------------------------------------ making it

/** What this daemon's earlier life held is taken up only where nobody has claimed it since. */
const claim = (state: RemoteConnectionState, trial: Trial): Turned => ({
  state: { ...state, phase: { kind: 'claims', trial } },
  effects: [{ kind: 'claim', onlyIfOwn: trial.for === 'earlier-life' }],
})

/** One that comes too late is nobody's: who is recorded later has a higher token. */
function claimed(state: RemoteConnectionState, token: number): Turned {
  const { phase } = state
  return phase.kind === 'claims' ? dial({ ...state, token }, phase.trial) : { state, effects: [] }
}

function dial(state: RemoteConnectionState, trial: Trial): Turned {
  const attempt = state.attempt + 1
  return { state: { ...state, attempt, phase: { kind: 'dials', trial } }, effects: [{ kind: 'dial', attempt }] }
}

type OfAttempt = Extract<ConnectionInput, { readonly kind: 'dialled' | 'owned' | 'recorded' }>

function ofAttempt(state: RemoteConnectionState, input: OfAttempt, { now }: ConnectionView): Turned {
  const { phase, attempt, token } = state
  const isNow = input.attempt === attempt
  const until = later(now, connectionTimes.stepMs)
  switch (input.kind) {
    case 'dialled':
      if (!isNow || phase.kind !== 'dials') return { state, effects: [{ kind: 'hang-up', attempt: input.attempt }] }
      return {
        state: { ...state, phase: { kind: 'asks', trial: phase.trial, until } },
        effects: [{ kind: 'own', attempt, token }],
      }
    case 'owned':
      if (!isNow || phase.kind !== 'asks') break
      if (!input.accepted) return refused(state, 'The remote node obeys a node that was recorded later')
      return {
        state: { ...state, phase: { kind: 'records', trial: phase.trial, until } },
        effects: [{ kind: 'record-up', attempt, token, life: input.life }],
      }
    case 'recorded':
      if (!isNow || phase.kind !== 'records') break
      if (!input.applied) return refused(state, 'Another node has claimed the connection')
      return { state: { ...state, phase: { kind: 'up', since: now } }, effects: [{ kind: 'connected' }] }
    default:
      return assertNever(input)
  }
  return { state, effects: [] }
}

function failed(
  state: RemoteConnectionState,
  { why, hostAnswered }: { readonly why: string; readonly hostAnswered: boolean },
  view: ConnectionView,
): Turned {
  const { phase } = state
  const { now, isWanted } = view
  if (phase.kind === 'up') return broken(state, { why, hostAnswered, upMs: now - phase.since }, now)
  if (phase.kind === 'releases') return recordDown(state, view)
  const trial = trialOf(phase)
  // Of an attempt that has failed already more may come.
  if (trial === undefined || phase.kind === 'pauses' || phase.kind === 'claims') return { state, effects: [] }
  const effects = hangsUp(state)
  switch (trial.for) {
    case 'start':
      // The stop that the cluster wants waits for this start: a host that is off would have it wait for all of the start's time.
      if (!isWanted)
        return { ...ends(state, 'failed', 'The connection is to stop, so it is not tried any longer'), effects }
      if (now + connectionTimes.retryMs >= trial.until) return { ...ends(state, 'failed', why), effects }
      break
    case 'earlier-life': {
      const again = dial(state, { for: 'mending', until: later(now, graceOf(hostAnswered)) })
      return { state: again.state, effects: [...effects, ...again.effects] }
    }
    case 'mending':
      if (now >= trial.until) return lost(state, why)
      break
    default:
      return assertNever(trial.for)
  }
  const until = later(now, connectionTimes.retryMs)
  return { state: { ...state, phase: { kind: 'pauses', trial, until } }, effects }
}

/** Nothing that another attempt would change. */
function refused(state: RemoteConnectionState, why: string): Turned {
  const { phase } = state
  if (trialOf(phase)?.for === 'mending') return lost(state, why)
  return { ...ends(state, 'failed', why), effects: hangsUp(state) }
}

// ------------------------------------------------------------------ losing it

const graceOf = (hostAnswered: boolean): number =>
  hostAnswered ? connectionTimes.graceMs : connectionTimes.silentGraceMs

/**
 * One that held a while is made again at once. One that ends as soon as it has begun would otherwise be made ten times a second, and each time write the
 * store: a remote node that answers wrongly does that.
 */
function broken(
  state: RemoteConnectionState,
  end: { readonly why: string; readonly hostAnswered: boolean; readonly upMs: number },
  now: MonotonicMs,
): Turned {
  const { steadyMs, firstPauseMs, longestPauseMs } = connectionTimes
  const brief = end.upMs < steadyMs ? state.brief + 1 : 0
  // The first brief one may be bad luck.
  const pauseMs = brief < 2 ? 0 : Math.min(firstPauseMs * 2 ** (brief - 2), longestPauseMs)
  const next = { ...state, brief }
  const trial: Trial = { for: 'mending', until: later(now, pauseMs + graceOf(end.hostAnswered)) }
  const broke = { kind: 'broke', why: end.why } as const
  if (pauseMs > 0)
    return { state: { ...next, phase: { kind: 'pauses', trial, until: later(now, pauseMs) } }, effects: [broke] }
  const again = dial(next, trial)
  return { state: again.state, effects: [broke, ...again.effects] }
}

const lost = (state: RemoteConnectionState, why: string): Turned => ({
  ...ends(state, 'lost', why),
  effects: [...hangsUp(state), { kind: 'lost', why }],
})

/** By a member that was recorded later. */
function taken(state: RemoteConnectionState, by: string): Turned {
  if (!hasLink(state.phase)) return { state, effects: [] }
  const why = `${by} has taken the connection`
  return {
    ...ends(state, 'taken', why),
    effects: [...hangsUp(state), { kind: 'taken', by, isLoss: !state.isHandedOver }],
  }
}

// ------------------------------------------------------------------ ending it

/** In order: the remote node is told, and is down then, as the cluster sees it. */
function close(state: RemoteConnectionState, view: ConnectionView): Turned {
  const { phase, attempt } = state
  if (phase.kind === 'releases' || phase.kind === 'records-down') return { state, effects: [] }
  if (phase.kind !== 'up') return recordDown(state, view)
  return {
    state: { ...state, phase: { kind: 'releases', until: later(view.now, connectionTimes.releaseMs) } },
    effects: [{ kind: 'release', attempt }],
  }
}

/** Of a node that the configuration names no more everything is forgotten. Otherwise not what it ran: what was not stopped still runs there. */
function recordDown(state: RemoteConnectionState, { isConfigured }: ConnectionView): Turned {
  const { token } = state
  if (token === 0) return { ...ends(state, 'closed', 'it was stopped'), effects: hangsUp(state) }
  return {
    state: { ...state, token: 0, phase: { kind: 'records-down' } },
    effects: [...hangsUp(state), { kind: 'record-down', token, forgets: !isConfigured }],
  }
}

const hasLink = ({ kind }: ConnectionPhase): boolean =>
  kind === 'asks' || kind === 'records' || kind === 'up' || kind === 'releases'

const hangsUp = ({ phase, attempt }: RemoteConnectionState): readonly ConnectionEffect[] =>
  hasLink(phase) || phase.kind === 'dials' ? [{ kind: 'hang-up', attempt }] : []

const ends = (state: RemoteConnectionState, how: 'failed' | 'lost' | 'taken' | 'closed', why: string): Turned => ({
  state: { ...state, phase: { kind: 'over', how, why } },
  effects: [],
})

function atTime(state: RemoteConnectionState, view: ConnectionView): Turned {
  const { phase } = state
  const at = nextConnectionAt(state)
  if (at === undefined || view.now < at) return { state, effects: [] }
  switch (phase.kind) {
    case 'claims':
      return ends(state, 'failed', 'The store did not answer')
    case 'asks':
      return failed(state, { why: 'The remote node does not say whom it obeys', hostAnswered: true }, view)
    case 'records':
      return failed(state, { why: 'The store did not answer', hostAnswered: true }, view)
    case 'pauses':
      return dial(state, phase.trial)
    case 'releases':
      return recordDown(state, view)
    case 'idle':
    case 'dials':
    case 'up':
    case 'records-down':
    case 'over':
      return { state, effects: [] }
    default:
      return assertNever(phase)
  }
}

/** The two fencers (`fencing/fencing.ts`) step by step: what they ask for goes out, or to the watchdogs; what came of it goes in. */
import { assertNever, type MonotonicMs } from '../base/index.ts'
import {
  type Announcement,
  type DeviceAnswer,
  type FencingEffect,
  type FencingInput,
  isTermOver,
  stepFencing,
  watchdogDeviceId,
} from '../fencing/index.ts'
import { beginDiskFencing, type DisksFencingTurn } from './disk-fencing.ts'
import type { FencerName, NodeFencingInput } from './fencing-state.ts'
import { after, type FencingTurn, only, tell, withFencing } from './fencing-turn.ts'
import { log, type NodeState } from './state.ts'
import { beginWatchdogFencing, type WatchdogTurn } from './watchdog-fencing.ts'

export interface FencerInput {
  readonly by: FencerName
  readonly input: FencingInput
}

/** What is answered at once waits until the effects of the step are through. */
export function step(state: NodeState, { by, input }: FencerInput, now: MonotonicMs): FencingTurn {
  const { state: fencer, effects } = stepFencing(state.fencing[by], input, now)
  const answers: DeviceAnswered[] = []
  let turn = only(withFencing(state, { [by]: fencer }))
  for (const effect of effects)
    turn = after(turn, (next) => {
      if (effect.kind !== 'run-device') return obey(next, by, effect)
      const run = runDevice(next, by, { effect, now })
      answers.push(...run.answers)
      return run.turn
    })
  return answers.reduce(
    (done, { call, answer }) =>
      after(done, (next) => step(next, { by, input: { kind: 'device-answered', call, answer } }, now)),
    turn,
  )
}

function obey(state: NodeState, by: FencerName, effect: Exclude<FencingEffect, { kind: 'run-device' }>): FencingTurn {
  switch (effect.kind) {
    case 'record':
      return record(state, by, effect)
    case 'announce': {
      const { kind: _, ...result } = effect
      return announced(state, by, result)
    }
    default:
      return assertNever(effect)
  }
}

interface DeviceAnswered {
  readonly call: number
  readonly answer: DeviceAnswer
}

function runDevice(
  state: NodeState,
  by: FencerName,
  { effect, now }: { readonly effect: Extract<FencingEffect, { kind: 'run-device' }>; readonly now: MonotonicMs },
): { readonly turn: FencingTurn; readonly answers: readonly DeviceAnswered[] } {
  if (by === 'dc' && isTermOver(state.view.dc, effect)) {
    const answer = { succeeded: false, timedOut: false, output: '', message: 'The term has ended.' }
    return { turn: only(state), answers: [{ call: effect.call, answer }] }
  }
  // Whoever leads waits, wherever other devices are run.
  if (by === 'dc' && effect.device === watchdogDeviceId) {
    const { watchdogs, effects, answers } = beginWatchdogFencing(state, effect, now)
    return { turn: only(withFencing(state, { watchdogs }), ...effects), answers }
  }
  const sent = beginDiskFencing(state, { by, asked: effect }, state.fencing.setup?.devices ?? [])
  if (sent === undefined) return { turn: only(state, tell({ ...effect, by })), answers: [] }
  const { throughDisks, effects, answers } = sent
  return { turn: only(withFencing(state, { throughDisks }), ...effects), answers }
}

export function afterDisks(
  state: NodeState,
  { throughDisks, effects, answers }: DisksFencingTurn,
  now: MonotonicMs,
): FencingTurn {
  return answers.reduce(
    (done, { call, answer }) =>
      after(done, (then) => step(then, { by: 'dc', input: { kind: 'device-answered', call, answer } }, now)),
    only(withFencing(state, { throughDisks }), ...effects),
  )
}

export function afterWatchdogs(
  state: NodeState,
  { watchdogs, effects, answers, rebooted }: WatchdogTurn,
  now: MonotonicMs,
): FencingTurn {
  if (watchdogs === state.fencing.watchdogs && answers.length === 0) return only(state, ...effects)
  const next = withFencing(state, { watchdogs, rebooted: new Set([...state.fencing.rebooted, ...rebooted]) })
  return answers.reduce(
    (done, { call, answer }) =>
      after(done, (then) => step(then, { by: 'dc', input: { kind: 'device-answered', call, answer } }, now)),
    only(next, ...effects),
  )
}

/** A reset by a watchdog counts only while the target is away, unless it is back after another boot. */
function record(state: NodeState, by: FencerName, effect: Extract<FencingEffect, { kind: 'record' }>): FencingTurn {
  const { kind: _, ...asked } = effect
  const { id, device, outcome } = asked.progress
  if (by === 'alone' || device !== watchdogDeviceId || outcome !== 'succeeded')
    return only(state, tell({ kind: 'record', by, ifAway: false, ...asked }))
  const { rebooted, resets } = state.fencing
  const next = withFencing(state, {
    rebooted: new Set([...rebooted].filter((other) => other !== id)),
    resets: new Map(resets).set(id, { record: asked, refused: false }),
  })
  return only(next, tell({ kind: 'record', by, ifAway: !rebooted.has(id), ...asked }))
}

export function recorded(
  state: NodeState,
  { by, id, outcome, written }: Extract<NodeFencingInput, { kind: 'recorded' }>,
  now: MonotonicMs,
): FencingTurn {
  const reset = by === 'dc' ? state.fencing.resets.get(id) : undefined
  if (reset === undefined || outcome === 'pending')
    return step(state, { by, input: { kind: 'recorded', id, outcome, written } }, now)
  const resets = new Map(state.fencing.resets)
  resets.delete(id)
  const next = withFencing(state, { resets })
  // The failure is in the history before it is told.
  if (reset.refused)
    return step(next, { by, input: { kind: 'recorded', id, outcome: 'succeeded', written: false } }, now)
  if (written) return step(next, { by, input: { kind: 'recorded', id, outcome, written } }, now)
  const { progress, term } = reset.record
  const message = `${progress.target} came back before its reset was certain`
  const refused = withFencing(state, { resets: resets.set(id, { ...reset, refused: true }) })
  const failure = { ...progress, outcome: 'failed', message } as const
  return only(refused, tell({ kind: 'record', by, ifAway: false, progress: failure, term }))
}

export function announced(state: NodeState, by: FencerName, result: Announcement): FencingTurn {
  const { id, target, outcome, message } = result
  const succeeded = outcome === 'succeeded'
  if (by === 'alone') {
    const { peer, ...fencing } = state.fencing
    const reported = log('warn', 'fencing without a majority has ended', { ...result })
    if (peer?.id !== id) return only(state, reported)
    return {
      ...only({ ...state, fencing }, reported),
      reported: [{ kind: 'fenced', id: peer.attempt, succeeded, message }],
    }
  }
  const reported = log('warn', 'fencing has ended', { target, outcome, message })
  const asked = state.fencing.asked.get(id)
  if (asked === undefined) return only(state, reported)
  const others = new Map(state.fencing.asked)
  others.delete(id)
  const { wantedOff } = state.fencing
  const isNot = asked.byAdministrator && !succeeded && result.isOff !== true
  const next = withFencing(state, {
    asked: others,
    ...(isNot ? { wantedOff: new Set([...wantedOff].filter((node) => node !== target)) } : {}),
  })
  return only(next, reported, tell({ kind: 'announce', result, asked }))
}

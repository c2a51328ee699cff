/**
 * Fencing by the target's own watchdog, as the DC does it: a node that is here is asked to end itself, through the store; then the DC waits
 * (`fencing/self-fencing.ts`). The time limit holds until the lease is gone; the wait after that is known.
 */
import { type MonotonicMs, monotonicMs, type NodeName } from '../base/index.ts'
import { clusterOptionValue } from '../cib/index.ts'
import { type ClusterView, lastIncarnation, sinceIncarnation, watchdogMsOf } from '../controller/index.ts'
import { type DeviceAnswer, type FencingEffect, lookAtTarget, selfResetMs } from '../fencing/index.ts'
import { watchdogWait } from '../quorum/index.ts'
import type { NodeFencingEffect, WatchdogFencing } from './fencing-state.ts'
import { isQuorate, log, type NodeEffect, type NodeState } from './state.ts'

/** For each node whose watchdog can be counted on: how long after the end of its lease it counts as reset. */
export function watchdogWaits(view: ClusterView, timings: NodeState['timings']): ReadonlyMap<NodeName, number> {
  const option = clusterOptionValue(view.configuration?.typed, 'fencing-watchdog-timeout')
  const waits = [...view.nodeStates].flatMap(([node, state]): readonly [NodeName, number][] => {
    const deviceMs = watchdogMsOf(state)
    const resetMs = deviceMs === undefined ? undefined : selfResetMs(option, deviceMs)
    return resetMs === undefined ? [] : [[node, watchdogWait(timings, resetMs)]]
  })
  return new Map(waits)
}

export interface WatchdogTurn {
  readonly watchdogs: readonly WatchdogFencing[]
  readonly effects: readonly NodeEffect[]
  readonly answers: readonly { readonly call: number; readonly answer: DeviceAnswer }[]
  /** The demand whose target is back after another boot. */
  readonly rebooted: readonly string[]
}

type Asked = Extract<FencingEffect, { kind: 'run-device' }>

const nothing = { effects: [], answers: [], rebooted: [] } as const

export function beginWatchdogFencing(
  state: NodeState,
  { call, id, target, term, timeoutMs }: Asked,
  now: MonotonicMs,
): WatchdogTurn {
  const { watchdogs, watchdogWaits: waits } = state.fencing
  const waitMs = waits.get(target)
  if (waitMs === undefined)
    return { ...nothing, watchdogs, answers: [failed(call, `${target} does not feed a reliable watchdog`)] }
  const life = lastIncarnation(state.view, target)
  const fencing: WatchdogFencing = { call, id, target, term, life, waitMs, timeoutMs }
  if (sinceIncarnation(state.view, target, life) !== 'here') return waiting(watchdogs, fencing, now)
  const ask: NodeFencingEffect = { kind: 'ask-to-end', call, target, incarnation: life.incarnation, term }
  return { ...nothing, watchdogs: [...watchdogs, fencing], effects: [{ kind: 'fencing', effect: ask }] }
}

export function askedToEnd(
  state: NodeState,
  { call, refused }: { readonly call: number; readonly refused?: string },
  now: MonotonicMs,
): WatchdogTurn {
  const { watchdogs } = state.fencing
  const fencing = watchdogs.find((one) => one.call === call && one.wait === undefined)
  if (fencing === undefined) return { ...nothing, watchdogs }
  const others = watchdogs.filter((one) => one !== fencing)
  return refused === undefined
    ? waiting(others, fencing, now)
    : { ...nothing, watchdogs: others, answers: [failed(call, refused)] }
}

function waiting(others: readonly WatchdogFencing[], fencing: WatchdogFencing, now: MonotonicMs): WatchdogTurn {
  const { target, waitMs, timeoutMs } = fencing
  const wait = { waitMs, giveUpAt: monotonicMs(now + timeoutMs) }
  const logged = log('warn', 'a node is given the time to be reset by its watchdog', { target, waitMs })
  return { ...nothing, watchdogs: [...others, { ...fencing, wait }], effects: [logged] }
}

/** After every change that may matter, and when one has waited for long enough. */
export function lookAtWatchdogs(state: NodeState, now: MonotonicMs): WatchdogTurn {
  const { view, fencing } = state
  if (fencing.watchdogs.length === 0) return { ...nothing, watchdogs: fencing.watchdogs }
  const left: WatchdogFencing[] = []
  const answers: WatchdogTurn['answers'][number][] = []
  const rebooted: string[] = []
  for (const one of fencing.watchdogs) {
    if (one.wait === undefined) {
      left.push(one)
      continue
    }
    const since = sinceIncarnation(view, one.target, one.life)
    const rules = isQuorate(state, now) && view.dc?.term === one.term
    const seen = { target: since, changes: fencing.memberChanges.get(one.target) ?? 0, rules }
    const verdict = lookAtTarget(one.wait, seen, now)
    if (verdict.kind === 'waiting') left.push({ ...one, wait: verdict.wait })
    else if (verdict.kind === 'unproven') answers.push(failed(one.call, verdict.why))
    else {
      if (since === 'rebooted') rebooted.push(one.id)
      answers.push({ call: one.call, answer: { succeeded: true, timedOut: false, output: '', message: '' } })
    }
  }
  return { watchdogs: left, effects: [], answers, rebooted }
}

export const nextWatchdogLooks = (watchdogs: readonly WatchdogFencing[]): readonly MonotonicMs[] =>
  watchdogs.flatMap(({ wait }) => (wait === undefined ? [] : [wait.gone?.resetAt ?? wait.giveUpAt]))

const failed = (call: number, message: string): WatchdogTurn['answers'][number] => ({
  call,
  answer: { succeeded: false, timedOut: false, output: '', message },
})

/**
 * What a node stops by its own decision, with no DC to ask: what no-quorum-policy says when it has lost quorum (Pacemaker Explained, "Cluster
 * Options"), and everything when it leaves without the others, or when the cluster counts it as down although it lives. Which stops these
 * are is the scheduler's answer for a cluster without quorum, from the last known state and from what the node knows of itself.
 *
 * A loss of quorum that is over within a moment stops nothing. One of two that is about to make sure that it may go on keeps what it runs.
 */
import { type MonotonicMs, monotonicMs, type ResourceId } from '../base/index.ts'
import { localStopStages, noQuorumReaction } from '../controller/index.ts'
import { leftRunning } from '../executor/index.ts'
import { keepsResources } from '../quorum/index.ts'
import {
  isQuorate,
  log,
  type NodeEffect,
  type NodeInput,
  type NodeState,
  type NodeTurn,
  type OwnPlan,
  type OwnStops,
  type OwnStopsAttempt,
  turn,
  type WhyOwnStops,
} from './state.ts'

export const initialOwnStops: OwnStops = { attempts: [], lastId: 0, leftRunning: [] }

/** A node that only stood still for a moment has its lease confirmed within this time. The lease's margin covers it. */
const momentMs = 50
const retryMs = 500
const tellAgainMs = 5 * 60_000
/** This node's own copy of the store is read within this time, where it has one. */
const readWithinMs = 8000

/** Quorum is lost, or this daemon has begun without. */
export function stopsWithoutQuorum(state: NodeState, afterMs: number, now: MonotonicMs): NodeTurn {
  const until = monotonicMs(now + Math.max(momentMs, afterMs))
  const { lastId } = state.ownStops
  const attempt: OwnStopsAttempt = { id: lastId + 1, why: 'no-quorum', phase: { kind: 'waits', until } }
  const others = state.ownStops.attempts.filter((one) => !isWaiting(one))
  return turn(withOwnStops(state, { attempts: [...others, attempt], lastId: lastId + 1 }))
}

/** Quorum is back: what the DC says counts again. Of what is being planned the answer finds that. */
export function endOwnStops(state: NodeState): NodeState {
  const attempts = state.ownStops.attempts.filter((one) => !isWaiting(one))
  return withOwnStops(state, { attempts, leftRunning: [] })
}

/** Whatever no-quorum-policy says: the node leaves, or is counted as down. */
export function stopEverything(state: NodeState, why: 'leaves' | 'declared-down', now: MonotonicMs): NodeTurn {
  const id = state.ownStops.lastId + 1
  const until = monotonicMs(now + (state.met ? readWithinMs : 0))
  const attempt: OwnStopsAttempt = { id, why, phase: { kind: 'reads', until } }
  const attempts = [...state.ownStops.attempts, attempt]
  return turn(withOwnStops(state, { attempts, lastId: id }))
}

export function nextOwnStopAt({ ownStops }: NodeState): MonotonicMs | undefined {
  const times = ownStops.attempts.flatMap(({ phase }) => ('until' in phase ? [phase.until] : []))
  return times.length === 0 ? undefined : monotonicMs(Math.min(...times))
}

/** What is due of it, whatever has happened. */
export function advanceOwnStops(state: NodeState, now: MonotonicMs): OwnStopsTurn {
  let next = state
  const effects: NodeEffect[] = []
  const over: WhyOwnStops[] = []
  for (const attempt of state.ownStops.attempts) {
    const { id, why, phase } = attempt
    if (phase.kind === 'waits' && now >= phase.until) {
      if (why === 'no-quorum' && !mayAct(next, now)) next = without(next, id)
      else {
        next = withAttempt(next, { ...attempt, phase: { kind: 'planning' } })
        effects.push({ kind: 'plan-own-stops', id, stopEverything: why !== 'no-quorum' })
      }
    } else if (phase.kind === 'reads' && next.began) {
      next = withAttempt(next, { ...attempt, phase: { kind: 'planning' } })
      effects.push({ kind: 'plan-own-stops', id, stopEverything: true })
    } else if (phase.kind === 'reads' && now >= phase.until) {
      next = without(next, id)
      effects.push(
        log('warn', 'this node could not read the store yet: resources left running by an earlier daemon keep running'),
      )
      over.push(why)
    }
  }
  return { state: next, effects, over }
}

/** `over`: of these nothing more is to be stopped. */
export interface OwnStopsTurn extends NodeTurn {
  readonly over: readonly WhyOwnStops[]
}

export function planned(
  state: NodeState,
  { id, plan }: { readonly id: number; readonly plan: OwnPlan },
  now: MonotonicMs,
): NodeTurn {
  const attempt = state.ownStops.attempts.find((one) => one.id === id)
  if (attempt === undefined) return turn(state)
  if (attempt.why === 'no-quorum') {
    // Quorum may have come back while the plan was made: what the DC says holds again.
    if (!mayAct(state, now)) return turn(without(state, id))
    if (noQuorumReaction(plan.noQuorumPolicy) === 'fence-self')
      return turn(without(state, id), { kind: 'end-self', how: 'reset', why: 'no-quorum-policy=fence' })
  }
  const stages = localStopStages(plan.graph, state.self)
  const operations = stages.flat().map(({ key }) => key)
  const reported = stages.length === 0 ? [] : [log('warn', 'this node stops resources without the DC', { operations })]
  const stopping: OwnStopsAttempt = { ...attempt, phase: { kind: 'stopping', unmanaged: plan.unmanaged } }
  return turn(withAttempt(state, stopping), ...reported, { kind: 'stop-own', id, stages })
}

/** It is tried often, and the same trouble is told seldom. */
export function tryAgain(
  state: NodeState,
  { kind, id, message }: Extract<NodeInput, { kind: 'own-stops-not-planned' | 'own-stops-not-done' }>,
  now: MonotonicMs,
): NodeTurn {
  const attempt = state.ownStops.attempts.find((one) => one.id === id)
  if (attempt === undefined) return turn(state)
  const until = monotonicMs(now + retryMs)
  const again: OwnStopsAttempt = { ...attempt, phase: { kind: 'waits', until } }
  const next = withAttempt(state, again)
  const trouble = state.view.configuration === undefined ? '' : message
  const { reported } = state.ownStops
  if (trouble === reported?.trouble && now - reported.at < tellAgainMs) return turn(next)
  const what = kind === 'own-stops-not-planned' ? 'computed' : 'performed'
  const sentence =
    trouble === ''
      ? log('info', 'this node has no configuration yet and therefore nothing to stop')
      : log('error', `the actions without quorum could not be ${what}: retrying`, { error: message })
  return turn(withOwnStops(next, { reported: { trouble, at: now } }), sentence)
}

export function ended(
  state: NodeState,
  {
    id,
    failed,
    mayRun,
  }: { readonly id: number; readonly failed: readonly ResourceId[]; readonly mayRun: readonly ResourceId[] },
): OwnStopsTurn {
  const attempt = state.ownStops.attempts.find((one) => one.id === id)
  if (attempt?.phase.kind !== 'stopping') return { ...turn(state), over: [] }
  const left = leftRunning(mayRun, attempt.phase.unmanaged)
  const reported =
    failed.length === 0 ? [] : [log('error', 'some resources could not be stopped', { resources: failed })]
  return { ...turn(withOwnStops(without(state, id), { leftRunning: left }), ...reported), over: [attempt.why] }
}

/** Without quorum, and nothing is under way that will decide what becomes of this node. */
const mayAct = (state: NodeState, now: MonotonicMs): boolean => !isQuorate(state, now) && !keepsResources(state.twoNode)

const isWaiting = ({ phase, why }: OwnStopsAttempt): boolean => why === 'no-quorum' && phase.kind === 'waits'

const withOwnStops = (state: NodeState, changed: Partial<OwnStops>): NodeState => ({
  ...state,
  ownStops: { ...state.ownStops, ...changed },
})

const without = (state: NodeState, id: number): NodeState =>
  withOwnStops(state, { attempts: state.ownStops.attempts.filter((one) => one.id !== id) })

const withAttempt = (state: NodeState, attempt: OwnStopsAttempt): NodeState =>
  withOwnStops(state, { attempts: state.ownStops.attempts.map((one) => (one.id === attempt.id ? attempt : one)) })

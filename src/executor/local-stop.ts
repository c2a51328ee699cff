/** Stopping by this node's own decision, stage by stage: later stages hold what earlier ones depend on. */
import type { MonotonicMs } from '../base/index.ts'
import { advance } from './advance.ts'
import { dropCurrent, enqueue, withoutRecurring } from './line.ts'
import type { Operation, ReportedResult } from './operation.ts'
import {
  type ExecutorEffect,
  type ExecutorState,
  type ExecutorStep,
  type LocalStop,
  lineOf,
  withLine,
} from './state.ts'

/**
 * What waits for the resources that stop is dropped, and what runs is interrupted unless it stops or demotes itself: the time
 * in which the others may take over is running, and a start that takes its full time would use it up.
 */
export function stopLocally(
  state: ExecutorState,
  stages: readonly (readonly Operation[])[],
  now: MonotonicMs,
): ExecutorStep {
  const effects: ExecutorEffect[] = []
  const stopping = new Set(stages.flat().map(({ resource }) => resource))
  const lines = new Map(state.lines)
  const unrecorded = new Set(state.ownDecisions.unrecorded)
  for (const [resource, line] of state.lines) {
    if (!stopping.has(resource)) continue
    // A stop of an earlier decision that was still in line has no result that would be recorded.
    for (const { callId } of line.waiting) unrecorded.delete(callId)
    const quiet = { ...withoutRecurring(line), waiting: [] }
    const { current } = line
    lines.set(resource, current === undefined || current.phase === 'running' ? quiet : dropCurrent(quiet))
    if (current?.phase === 'running' && !['stop', 'demote'].includes(current.operation.operation))
      effects.push({ kind: 'kill', callId: current.callId, resource })
  }
  const ownDecisions = { ...state.ownDecisions, unrecorded }
  const begun = continueWith({ ...state, lines, ownDecisions }, { stages, running: new Set(), failed: [] }, now)
  return { state: begun.state, effects: [...effects, ...begun.effects] }
}

export function continueLocalStop(state: ExecutorState, result: ReportedResult, now: MonotonicMs): ExecutorStep {
  if (!state.localStop?.running.has(result.callId)) return { state, effects: [] }
  return continueWith(state, localStopAfter(state.localStop, result), now)
}

/** Begins the next stage once nothing of the last one runs any more. */
function continueWith(state: ExecutorState, stop: LocalStop, now: MonotonicMs): ExecutorStep {
  if (stop.running.size > 0) return { state: { ...state, localStop: stop }, effects: [] }
  const [stage, ...later] = stop.stages
  if (stage === undefined) {
    const { localStop: _, ...rest } = state
    return { state: rest, effects: [{ kind: 'stopped-locally', failed: stop.failed }] }
  }
  let queued: ExecutorState = state
  const running = new Set<number>()
  for (const operation of stage) {
    const callId = queued.nextCallId
    running.add(callId)
    const line = enqueue(lineOf(queued, operation.resource), { callId, operation, queuedAt: now })
    queued = withLine({ ...queued, nextCallId: callId + 1 }, operation.resource, line)
  }
  if (running.size === 0) return continueWith(state, { ...stop, stages: later }, now)
  const localStop = { stages: later, running, failed: stop.failed }
  const ownDecisions = {
    ...state.ownDecisions,
    unrecorded: new Set([...state.ownDecisions.unrecorded, ...running]),
  }
  return advance({ ...queued, localStop, ownDecisions }, [...new Set(stage.map(({ resource }) => resource))], now)
}

/** Whatever is planned from this revision on knows of it. */
export function recorded(
  state: ExecutorState,
  { callId, revision }: { readonly callId: number; readonly revision: number },
): ExecutorState {
  const { unrecorded, shownAt } = state.ownDecisions
  if (!unrecorded.has(callId)) return state
  const left = new Set(unrecorded)
  left.delete(callId)
  return { ...state, ownDecisions: { unrecorded: left, shownAt: Math.max(shownAt, revision) } }
}

/** A failed stop is told but does not hold up the rest: whoever decided to stop has no time for retries. */
function localStopAfter(stop: LocalStop, result: ReportedResult): LocalStop {
  const running = new Set(stop.running)
  running.delete(result.callId)
  const worked = result.status === 'done' && result.exitCode === result.key.expectedExitCode
  return { ...stop, running, failed: worked ? stop.failed : [...stop.failed, result.resource] }
}

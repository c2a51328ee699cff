/** What becomes of an operation that has begun: announced or not, run, and told of. */
import type { MonotonicMs } from '../base/index.ts'
import { ocfExitCodes } from '../resource-agents/index.ts'
import { advance } from './advance.ts'
import { addRecurring, type Current, dropCurrent, finishCurrent, type Line, reschedule } from './line.ts'
import { continueLocalStop } from './local-stop.ts'
import { type ReportedResult, recurringName, reportedResult, showsPending } from './operation.ts'
import {
  type ExecutorEffect,
  type ExecutorInput,
  type ExecutorState,
  type ExecutorStep,
  lineOf,
  withLine,
} from './state.ts'

export function announced(
  state: ExecutorState,
  input: Extract<ExecutorInput, { kind: 'announced' }>,
  now: MonotonicMs,
): ExecutorStep {
  const line = lineOf(state, input.resource)
  const { current } = line
  // Dropped meanwhile: the record of whatever took its place follows.
  if (current?.callId !== input.callId || current.phase === 'running') return { state, effects: [] }
  if (current.phase === 'withdrawn' && input.written) return withdrawn(state, current, now)
  if (!input.written) return advance(withLine(state, input.resource, dropCurrent(line)), [input.resource], now)
  const running = withLine(state, input.resource, { ...line, current: { ...current, phase: 'running' } })
  return { state: running, effects: [{ kind: 'run', callId: input.callId, operation: current.operation }] }
}

/** It was announced but never ran: nothing may look pending for ever. */
function withdrawn(state: ExecutorState, current: Current, now: MonotonicMs): ExecutorStep {
  const { callId, operation } = current
  const result = reportedResult(callId, operation, {
    status: 'cancelled',
    exitCode: ocfExitCodes.unknown,
    exitReason: `${operation.operation} was not started: this node lost its connection`,
    execTimeMs: 0,
    queueTimeMs: current.queueTimeMs,
  })
  const dropped = dropCurrent(lineOf(state, operation.resource))
  const next = advance(withLine(state, operation.resource, dropped), [operation.resource], now)
  const shown: readonly ExecutorEffect[] = showsPending(operation) ? [{ kind: 'record', result }] : []
  return { state: next.state, effects: [...shown, ...next.effects] }
}

export function finished(
  state: ExecutorState,
  input: Extract<ExecutorInput, { kind: 'finished' }>,
  now: MonotonicMs,
): ExecutorStep {
  const line = lineOf(state, input.resource)
  const { current } = line
  if (current?.callId !== input.callId) return { state, effects: [] }
  const result = reportedResult(input.callId, current.operation, { ...input.outcome, queueTimeMs: current.queueTimeMs })
  const over = finishCurrent(line)
  const after =
    current.operation.intervalMs > 0
      ? finishedRecurring(over, { current, result }, now)
      : { line: over, effects: finishedOnce(result) }
  const next = advance(withLine(state, input.resource, after.line), [input.resource], now)
  const stopped = continueLocalStop(next.state, result, now)
  return { state: stopped.state, effects: [...after.effects, ...next.effects, ...stopped.effects] }
}

/** What was interrupted may have been done all the same: its pending record stands until that of the stop which follows. */
function finishedOnce(result: ReportedResult): readonly ExecutorEffect[] {
  return result.status === 'cancelled' ? [] : [{ kind: 'record', result }]
}

/** Of a recurring operation only another result than the last is news, and nothing once it was cancelled. */
function finishedRecurring(
  line: Line,
  { current, result }: { readonly current: Current; readonly result: ReportedResult },
  now: MonotonicMs,
): { readonly line: Line; readonly effects: readonly ExecutorEffect[] } {
  const recurring = line.recurring.get(recurringName(current.operation))
  if (recurring?.callId !== current.callId) return { line, effects: [] }
  const { status, exitCode } = result
  const isNews = recurring.reported?.status !== status || recurring.reported.exitCode !== exitCode
  const next = reschedule({ ...recurring, reported: { status, exitCode } }, now)
  return { line: addRecurring(line, next), effects: isNews ? [{ kind: 'record', result }] : [] }
}

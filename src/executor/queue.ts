/**
 * The operations of this node: which may begin, in which order, and what is told of them (Pacemaker's executor and the
 * part of its controller that talks to it).
 *
 * Contract at the edge:
 * - `announce`: write the pending record (where `showsPending`) in a transaction that compares the DC's term, then feed back
 *   `announced`. Nothing that changes a resource runs before that, so that a later DC knows of it, and nothing starts when the
 *   store has no majority. Later records of the resource are written after it has been answered.
 * - `record`: results are written in the order of their effects and repeated until they are written.
 * - `run` ends with exactly one `finished`, also after `kill`.
 * - What this node does by itself (`stop-locally`) needs no store.
 */
import { assertNever, type MonotonicMs, monotonicMs, type ResourceId, type Step } from '../base/index.ts'
import type { AgentOutcome } from '../resource-agents/index.ts'
import { ocfExitCodes } from '../resource-agents/index.ts'
import {
  addRecurring,
  begin,
  type Current,
  cancelRecurring,
  dropCurrent,
  emptyLine,
  enqueue,
  finishCurrent,
  hurry,
  knowsKey,
  type Line,
  nextToRun,
  reschedule,
  withoutRecurring,
} from './line.ts'
import { type LocalStop, localStopAfter } from './local-stop.ts'
import {
  changesResource,
  keyText,
  needsQuorum,
  type Operation,
  type ReportedResult,
  recurringName,
  reportedResult,
  showsPending,
} from './operation.ts'

export interface ExecutorState {
  /** The highest term seen. */
  readonly term: number
  readonly quorate: boolean
  readonly closing: boolean
  /** Results of one node are ordered by it, so that it grows over restarts of the daemon as well. */
  readonly nextCallId: number
  readonly lines: ReadonlyMap<ResourceId, Line>
  readonly localStop?: LocalStop
}

export type ExecutorInput =
  | { readonly kind: 'execute'; readonly operation: Operation }
  | {
      readonly kind: 'cancel'
      readonly term: number
      readonly resource: ResourceId
      readonly operation: string
      readonly intervalMs: number
    }
  /** The DC deletes the history of a resource here (`lrm_delete`): it is no longer monitored. */
  | { readonly kind: 'forget'; readonly term: number; readonly resource: ResourceId }
  | { readonly kind: 'announced'; readonly callId: number; readonly resource: ResourceId; readonly written: boolean }
  | {
      readonly kind: 'finished'
      readonly callId: number
      readonly resource: ResourceId
      readonly outcome: Omit<AgentOutcome, 'output'>
    }
  | { readonly kind: 'left-agent'; readonly resource: ResourceId }
  | { readonly kind: 'left-agent-gone'; readonly resource: ResourceId }
  /** Something has happened to the resource: its recurring operations look at it now. */
  | { readonly kind: 'noticed'; readonly resource: ResourceId }
  | { readonly kind: 'quorum'; readonly quorate: boolean }
  /** Nobody stands behind what was asked for any more: what has not begun does not begin. */
  | { readonly kind: 'withdraw' }
  /** Stops (or demotes) by this node's own decision: a stage begins when the one before has ended, well or not. */
  | { readonly kind: 'stop-locally'; readonly stages: readonly (readonly Operation[])[] }
  /** The daemon ends: no new operations, no more monitoring; what runs goes on without us. */
  | { readonly kind: 'close' }
  | { readonly kind: 'tick' }

export type ExecutorEffect =
  | {
      readonly kind: 'refuse'
      readonly why: 'old-term' | 'no-quorum' | 'closing'
      readonly highestTerm: number
      readonly message: string
    }
  | {
      readonly kind: 'announce'
      readonly callId: number
      readonly result: ReportedResult
      readonly term: number
    }
  | { readonly kind: 'run'; readonly callId: number; readonly operation: Operation }
  | { readonly kind: 'kill'; readonly callId: number; readonly resource: ResourceId }
  | { readonly kind: 'record'; readonly result: ReportedResult }
  /** The record of a recurring operation that was cancelled is deleted. */
  | {
      readonly kind: 'forget-operation'
      readonly resource: ResourceId
      readonly operation: string
      readonly intervalMs: number
    }
  | { readonly kind: 'forget-resource'; readonly resource: ResourceId }
  | { readonly kind: 'stopped-locally'; readonly failed: readonly ResourceId[] }

type ExecutorStep = Step<ExecutorState, ExecutorEffect>

export function initialExecutor(firstCallId = 1): ExecutorState {
  return { term: 0, quorate: true, closing: false, nextCallId: firstCallId, lines: new Map() }
}

export function stepExecutor(state: ExecutorState, input: ExecutorInput, now: MonotonicMs): ExecutorStep {
  switch (input.kind) {
    case 'execute':
      return execute(state, input.operation, now)
    case 'cancel':
      return cancel(state, input)
    case 'forget':
      return forget(state, input)
    case 'announced':
      return announced(state, input, now)
    case 'finished':
      return finished(state, input, now)
    case 'left-agent':
      return {
        state: withLine(state, input.resource, { ...lineOf(state, input.resource), leftAgent: true }),
        effects: [],
      }
    case 'left-agent-gone': {
      const line = { ...lineOf(state, input.resource), leftAgent: false }
      return advance(withLine(state, input.resource, line), [input.resource], now)
    }
    case 'noticed': {
      const line = hurry(lineOf(state, input.resource), now)
      return advance(withLine(state, input.resource, line), [input.resource], now)
    }
    case 'quorum':
      return { state: setQuorum(state, input.quorate), effects: [] }
    case 'withdraw':
      return { state: withdraw(state), effects: [] }
    case 'stop-locally':
      return stopLocally(state, input.stages, now)
    case 'close':
      return { state: close(state), effects: [] }
    case 'tick':
      return advance(state, [...state.lines.keys()], now)
    default:
      return assertNever(input)
  }
}

/** When a recurring operation is next due; a `tick` then begins it. */
export function nextDueAt(state: ExecutorState): MonotonicMs | undefined {
  let first: MonotonicMs | undefined
  for (const line of state.lines.values()) {
    if (line.leftAgent || line.current) continue
    for (const { nextAt } of line.recurring.values()) if (first === undefined || nextAt < first) first = nextAt
  }
  return first
}

function execute(state: ExecutorState, operation: Operation, now: MonotonicMs): ExecutorStep {
  const refusal = refusalOf(state, operation)
  if (refusal) return { state, effects: [refusal] }
  const raised = raiseTerm(state, operation.term)
  const line = lineOf(raised, operation.resource)
  if (knowsKey(line, keyText(operation))) return { state: raised, effects: [] }
  const callId = raised.nextCallId
  const next =
    operation.intervalMs > 0
      ? addRecurring(line, { callId, operation, nextAt: monotonicMs(now + operation.startDelayMs) })
      : enqueue(line, { callId, operation, queuedAt: now })
  const queued = withLine({ ...raised, nextCallId: callId + 1 }, operation.resource, next)
  return advance(queued, [operation.resource], now)
}

function refusalOf(state: ExecutorState, operation: Operation): ExecutorEffect | undefined {
  const refuse = (why: 'old-term' | 'no-quorum' | 'closing', message: string): ExecutorEffect => ({
    kind: 'refuse',
    why,
    highestTerm: state.term,
    message,
  })
  if (operation.term !== undefined && operation.term < state.term)
    return refuse('old-term', `The term ${operation.term} is over: this node has seen ${state.term}.`)
  if (state.closing) return refuse('closing', 'The daemon of this node is ending.')
  if (!state.quorate && needsQuorum(operation))
    return refuse('no-quorum', `This node has no quorum: ${operation.operation} is not begun.`)
  return undefined
}

function cancel(state: ExecutorState, input: Extract<ExecutorInput, { kind: 'cancel' }>): ExecutorStep {
  const { term, resource, operation, intervalMs } = input
  if (term < state.term) return { state, effects: [oldTerm(state, term)] }
  const line = cancelRecurring(lineOf(state, resource), recurringName({ operation, intervalMs }))
  return {
    state: withLine(raiseTerm(state, term), resource, line),
    effects: [{ kind: 'forget-operation', resource, operation, intervalMs }],
  }
}

function forget(state: ExecutorState, input: Extract<ExecutorInput, { kind: 'forget' }>): ExecutorStep {
  const { term, resource } = input
  if (term < state.term) return { state, effects: [oldTerm(state, term)] }
  const line = { ...withoutRecurring(lineOf(state, resource)), done: [] }
  return {
    state: withLine(raiseTerm(state, term), resource, line),
    effects: [{ kind: 'forget-resource', resource }],
  }
}

function announced(
  state: ExecutorState,
  input: Extract<ExecutorInput, { kind: 'announced' }>,
  now: MonotonicMs,
): ExecutorStep {
  const line = lineOf(state, input.resource)
  const { current } = line
  // Dropped meanwhile: the record of whatever took its place follows.
  if (current?.callId !== input.callId || current.phase === 'running') return { state, effects: [] }
  if (current.phase === 'withdrawn' && input.written) return withdrawn(state, line, current, now)
  if (!input.written) return advance(withLine(state, input.resource, dropCurrent(line)), [input.resource], now)
  const running = withLine(state, input.resource, { ...line, current: { ...current, phase: 'running' } })
  return { state: running, effects: [{ kind: 'run', callId: input.callId, operation: current.operation }] }
}

/** It was announced but never ran: nothing may look pending for ever. */
function withdrawn(state: ExecutorState, line: Line, current: Current, now: MonotonicMs): ExecutorStep {
  const { callId, operation } = current
  const result = reportedResult(callId, operation, {
    status: 'cancelled',
    exitCode: ocfExitCodes.unknown,
    exitReason: `${operation.operation} was not begun: this node was cut off`,
    execTimeMs: 0,
    queueTimeMs: current.queueTimeMs,
  })
  const next = advance(withLine(state, operation.resource, dropCurrent(line)), [operation.resource], now)
  const shown: readonly ExecutorEffect[] = showsPending(operation) ? [{ kind: 'record', result }] : []
  return { state: next.state, effects: [...shown, ...next.effects] }
}

function finished(
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
      ? finishedRecurring(over, current, result, now)
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
  current: Current,
  result: ReportedResult,
  now: MonotonicMs,
): { readonly line: Line; readonly effects: readonly ExecutorEffect[] } {
  const recurring = line.recurring.get(recurringName(current.operation))
  if (recurring?.callId !== current.callId) return { line, effects: [] }
  const { status, exitCode } = result
  const isNews = recurring.reported?.status !== status || recurring.reported.exitCode !== exitCode
  const next = reschedule({ ...recurring, reported: { status, exitCode } }, now)
  return { line: addRecurring(line, next), effects: isNews ? [{ kind: 'record', result }] : [] }
}

/** Begins whatever can begin on these lines. */
function advance(state: ExecutorState, resources: readonly ResourceId[], now: MonotonicMs): ExecutorStep {
  const effects: ExecutorEffect[] = []
  let next = state
  for (const resource of resources) {
    const line = lineOf(next, resource)
    const waiting = nextToRun(line, now)
    if (!waiting) continue
    const { callId, operation } = waiting
    const { term } = operation
    const announces = term !== undefined && changesResource(operation)
    const begun = begin(line, waiting, announces ? 'announcing' : 'running', now)
    next = withLine(next, resource, begun)
    effects.push(
      announces
        ? { kind: 'announce', callId, term, result: pendingResult(callId, operation) }
        : { kind: 'run', callId, operation },
    )
  }
  return { state: next, effects }
}

function pendingResult(callId: number, operation: Operation): ReportedResult {
  return reportedResult(callId, operation, {
    status: 'pending',
    exitCode: ocfExitCodes.unknown,
    execTimeMs: 0,
    queueTimeMs: 0,
  })
}

/** Without quorum what would start something is dropped, as long as it has not begun. */
function setQuorum(state: ExecutorState, quorate: boolean): ExecutorState {
  if (quorate) return { ...state, quorate }
  const lines = mapLines(state.lines, (line) => {
    const waiting = line.waiting.filter(({ operation }) => !needsQuorum(operation))
    const { current } = line
    if (current?.phase !== 'announcing' || !needsQuorum(current.operation)) return { ...line, waiting }
    return { ...line, waiting, current: { ...current, phase: 'withdrawn' as const } }
  })
  return { ...state, quorate, lines }
}

/** Recurring operations go on: they change nothing. */
function withdraw(state: ExecutorState): ExecutorState {
  const lines = mapLines(state.lines, (line) => {
    const { current } = line
    if (current?.phase !== 'announcing') return { ...line, waiting: [] }
    return { ...line, waiting: [], current: { ...current, phase: 'withdrawn' as const } }
  })
  return { ...state, lines }
}

/**
 * What waits for the resources that stop is dropped, and what runs is interrupted unless it stops or demotes itself: the time
 * in which the others may take over is running, and a start that takes its full time would use it up.
 */
function stopLocally(state: ExecutorState, stages: readonly (readonly Operation[])[], now: MonotonicMs): ExecutorStep {
  const effects: ExecutorEffect[] = []
  const stopping = new Set(stages.flat().map(({ resource }) => resource))
  const lines = new Map(state.lines)
  for (const [resource, line] of state.lines) {
    if (!stopping.has(resource)) continue
    const quiet = { ...withoutRecurring(line), waiting: [] }
    const { current } = line
    lines.set(resource, current === undefined || current.phase === 'running' ? quiet : dropCurrent(quiet))
    if (current?.phase === 'running' && !['stop', 'demote'].includes(current.operation.operation))
      effects.push({ kind: 'kill', callId: current.callId, resource })
  }
  const begun = continueWith({ ...state, lines }, { stages, running: new Set(), failed: [] }, now)
  return { state: begun.state, effects: [...effects, ...begun.effects] }
}

function continueLocalStop(state: ExecutorState, result: ReportedResult, now: MonotonicMs): ExecutorStep {
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
  return advance({ ...queued, localStop }, [...new Set(stage.map(({ resource }) => resource))], now)
}

function close(state: ExecutorState): ExecutorState {
  const lines = mapLines(state.lines, (line) => {
    const quiet = { ...withoutRecurring(line), waiting: [] }
    return line.current === undefined || line.current.phase === 'running' ? quiet : finishCurrent(quiet)
  })
  return { ...state, closing: true, lines }
}

function oldTerm(state: ExecutorState, term: number): ExecutorEffect {
  const message = `The term ${term} is over: this node has seen ${state.term}.`
  return { kind: 'refuse', why: 'old-term', highestTerm: state.term, message }
}

function raiseTerm(state: ExecutorState, term: number | undefined): ExecutorState {
  return term === undefined || term <= state.term ? state : { ...state, term }
}

function lineOf(state: ExecutorState, resource: ResourceId): Line {
  return state.lines.get(resource) ?? emptyLine
}

function withLine(state: ExecutorState, resource: ResourceId, line: Line): ExecutorState {
  return { ...state, lines: new Map(state.lines).set(resource, line) }
}

function mapLines(lines: ReadonlyMap<ResourceId, Line>, change: (line: Line) => Line): ReadonlyMap<ResourceId, Line> {
  return new Map([...lines].map(([resource, line]) => [resource, change(line)]))
}

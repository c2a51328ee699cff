/**
 * The operations of this node: which may begin, in which order, and what is told of them (Pacemaker's executor and the
 * part of its controller that talks to it).
 *
 * Contract at the edge:
 * - `announce`: write the pending record (where `showsPending`) in a transaction that compares the DC's term, then feed back
 *   `announced`. Nothing that changes a resource runs before that, so that a later DC knows of it, and nothing starts when the
 *   store has no majority. Later records of the resource are written after it has been answered.
 * - `record`: results are written in the order of their effects and repeated until they are written; `recorded` is then fed back.
 * - `run` ends with exactly one `finished`, also after `kill`.
 * - What this node does by itself (`stop-locally`) needs no store.
 */
import { assertNever, type MonotonicMs, monotonicMs } from '../base/index.ts'
import { advance, announcement } from './advance.ts'
import { joinedStart } from './join.ts'
import { addRecurring, cancelRecurring, enqueue, hurry, knowsKey, withoutRecurring } from './line.ts'
import { recorded, stopLocally } from './local-stop.ts'
import { keyText, needsQuorum, type Operation, recurringName } from './operation.ts'
import { announced, finished } from './progress.ts'
import {
  type ExecutorEffect,
  type ExecutorInput,
  type ExecutorState,
  type ExecutorStep,
  lineOf,
  type RefusedFor,
  withLine,
} from './state.ts'
import { close, setQuorum, withdraw } from './withdraw.ts'

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
    case 'recorded':
      return { state: recorded(state, input), effects: [] }
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
  const joined = joinedStart(line, operation)
  if (joined?.current && operation.term !== undefined)
    return {
      state: withLine(raised, operation.resource, joined),
      effects: [announcement(joined.current, operation.term)],
    }
  const callId = raised.nextCallId
  const next =
    operation.intervalMs > 0
      ? addRecurring(line, { callId, operation, nextAt: monotonicMs(now + operation.startDelayMs) })
      : enqueue(line, { callId, operation, queuedAt: now })
  const queued = withLine({ ...raised, nextCallId: callId + 1 }, operation.resource, next)
  return advance(queued, [operation.resource], now)
}

function refusalOf(state: ExecutorState, operation: Operation): ExecutorEffect | undefined {
  const refuse = (why: RefusedFor, message: string): ExecutorEffect => ({
    kind: 'refuse',
    why,
    highestTerm: state.term,
    message,
  })
  if (operation.term !== undefined && operation.term < state.term)
    return refuse('old-term', `The term ${operation.term} has ended: this node has seen term ${state.term}.`)
  if (state.closing) return refuse('closing', 'The daemon of this node is ending.')
  if (!state.quorate && needsQuorum(operation))
    return refuse('no-quorum', `This node has no quorum: ${operation.operation} is not started.`)
  if (needsQuorum(operation) && !knowsOwnDecisions(state, operation))
    return refuse(
      'outdated',
      `This node has stopped resources without the DC, and ${operation.operation} was scheduled before that was known.`,
    )
  return undefined
}

function knowsOwnDecisions({ localStop, ownDecisions }: ExecutorState, { plannedFrom = 0 }: Operation): boolean {
  const { unrecorded, shownAt } = ownDecisions
  return localStop === undefined && unrecorded.size === 0 && plannedFrom >= shownAt
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

function oldTerm(state: ExecutorState, term: number): ExecutorEffect {
  const message = `The term ${term} has ended: this node has seen term ${state.term}.`
  return { kind: 'refuse', why: 'old-term', highestTerm: state.term, message }
}

function raiseTerm(state: ExecutorState, term: number | undefined): ExecutorState {
  return term === undefined || term <= state.term ? state : { ...state, term }
}

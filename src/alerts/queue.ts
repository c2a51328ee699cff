/**
 * In which order the programs run: calls of one lane one after the other, lanes side by side. A program that hangs holds up its own lane
 * and, where all recipients of an alert hang, that alert; nothing else.
 *
 * Contract at the edge: `run` ends with exactly one `ended`. What is `dropped` was never run and is over.
 */
import { assertNever, type Step } from '../base/index.ts'
import type { AlertCall } from './calls.ts'

/** How many programs of one alert run at the same time. */
const besideEachOther = 8
/** How many calls of one lane wait; of more, the oldest is dropped: what is new is worth more. */
const longestLane = 200

export interface QueuedCall extends AlertCall {
  readonly id: number
}

interface Lane {
  readonly alert: string
  readonly running?: number
  readonly waiting: readonly QueuedCall[]
}

export interface AlertQueue {
  readonly lanes: ReadonlyMap<string, Lane>
}

export const emptyQueue: AlertQueue = { lanes: new Map() }

export type QueueInput =
  | { readonly kind: 'calls'; readonly calls: readonly QueuedCall[] }
  | { readonly kind: 'ended'; readonly id: number }
  /** Nobody wants these any more, as far as they still wait. */
  | { readonly kind: 'withdraw'; readonly ids: ReadonlySet<number> }
  /** The alerts that there are: what waits for others is not wanted any more. */
  | { readonly kind: 'configured'; readonly alerts: ReadonlySet<string> }

export type QueueEffect =
  | { readonly kind: 'run'; readonly call: QueuedCall }
  | { readonly kind: 'dropped'; readonly call: QueuedCall; readonly why: 'full' | 'unwanted' }

export function stepQueue(state: AlertQueue, input: QueueInput): Step<AlertQueue, QueueEffect> {
  switch (input.kind) {
    case 'calls':
      return started(input.calls.reduce(enqueue, { state, effects: [] }))
    case 'ended':
      return started({ state: over(state, input.id), effects: [] })
    case 'withdraw':
      return without(state, ({ id }) => input.ids.has(id))
    case 'configured':
      return without(state, ({ alert }) => !input.alerts.has(alert))
    default:
      return assertNever(input)
  }
}

type QueueStep = Step<AlertQueue, QueueEffect>

function enqueue({ state, effects }: QueueStep, call: QueuedCall): QueueStep {
  const lane = state.lanes.get(call.lane) ?? { alert: call.alert, waiting: [] }
  const waiting = [...lane.waiting, call]
  const dropped = waiting.slice(0, Math.max(0, waiting.length - longestLane))
  return {
    state: withLane(state, call.lane, { ...lane, waiting: waiting.slice(dropped.length) }),
    effects: [...effects, ...dropped.map((oldest) => ({ kind: 'dropped', call: oldest, why: 'full' }) as const)],
  }
}

function over(state: AlertQueue, id: number): AlertQueue {
  for (const [name, lane] of state.lanes) {
    if (lane.running !== id) continue
    const { running: _ended, ...rest } = lane
    return withLane(state, name, rest)
  }
  return state
}

function without(state: AlertQueue, isUnwanted: (call: QueuedCall) => boolean): QueueStep {
  return [...state.lanes].reduce<QueueStep>(
    (step, [name, lane]) => {
      const unwanted = lane.waiting.filter(isUnwanted)
      if (unwanted.length === 0) return step
      return {
        state: withLane(step.state, name, { ...lane, waiting: lane.waiting.filter((call) => !isUnwanted(call)) }),
        effects: [...step.effects, ...unwanted.map((call) => ({ kind: 'dropped', call, why: 'unwanted' }) as const)],
      }
    },
    { state, effects: [] },
  )
}

/** Those lanes first whose next call is the oldest. */
function started({ state, effects }: QueueStep): QueueStep {
  const running = new Map<string, number>()
  for (const { alert, running: id } of state.lanes.values())
    if (id !== undefined) running.set(alert, (running.get(alert) ?? 0) + 1)
  const ready = [...state.lanes]
    .filter(([, lane]) => lane.running === undefined)
    .flatMap(([name, lane]) => lane.waiting.slice(0, 1).map((call) => ({ name, lane, call })))
    .sort((a, b) => a.call.id - b.call.id)
  const begun: QueueEffect[] = []
  let next = state
  for (const { name, lane, call } of ready) {
    const beside = running.get(lane.alert) ?? 0
    if (beside >= besideEachOther) continue
    running.set(lane.alert, beside + 1)
    next = withLane(next, name, { ...lane, running: call.id, waiting: lane.waiting.slice(1) })
    begun.push({ kind: 'run', call })
  }
  return { state: next, effects: [...effects, ...begun] }
}

/** A lane in which nothing runs or waits is none. */
function withLane(state: AlertQueue, name: string, lane: Lane): AlertQueue {
  const lanes = new Map(state.lanes)
  if (lane.running === undefined && lane.waiting.length === 0) lanes.delete(name)
  else lanes.set(name, lane)
  return { lanes }
}

/**
 * In which order the programs run: calls of one lane one after the other, lanes side by side. A program that hangs holds up its own lane
 * and, where all recipients of an alert hang, that alert; nothing else. A call that could not be delivered now is tried again later, before
 * the others of its lane.
 *
 * Contract at the edge: `run` ends with exactly one `ended`. What is `dropped` was not run by this effect and is over, as is what was `abandoned`.
 */
import { assertNever, type MonotonicMs, monotonicMs, type Step } from '../base/index.ts'
import type { QueuedCall } from './calls.ts'
import { dueRepeats, type LastCalled, noteRepeat } from './repeats.ts'

/** How many programs of one alert run at the same time. */
const besideEachOther = 8
/** How many calls of one lane wait; of more, the oldest is dropped, of an attribute if there is one: what is new is worth more. */
const longestLane = 200
/** After the first attempt; twice as long after each further one. */
const firstPauseMs = 5_000
const longestPauseMs = 300_000

interface Held {
  readonly call: QueuedCall
  readonly since: MonotonicMs
  readonly attempts: number
}

interface Lane {
  readonly alert: string
  readonly running?: Held
  readonly waiting: readonly Held[]
  /** How many attempts in a row were in vain. */
  readonly vain: number
  /** The next attempt is not made before. */
  readonly notBefore?: MonotonicMs
  readonly told: ReadonlyMap<string, LastCalled>
}

export interface AlertQueue {
  readonly lanes: ReadonlyMap<string, Lane>
}

export const emptyQueue: AlertQueue = { lanes: new Map() }

export type QueueInput =
  | { readonly kind: 'calls'; readonly calls: readonly QueuedCall[] }
  /** `isLater`: the program asks to be called again for it later. */
  | { readonly kind: 'ended'; readonly id: number; readonly isLater?: boolean }
  /** Nobody wants these any more, as far as they still wait. */
  | { readonly kind: 'withdraw'; readonly ids: ReadonlySet<number> }
  /** Which lanes there are now: what waits for others is not wanted any more, and what waits for another attempt gets it. */
  | { readonly kind: 'configured'; readonly lanes: ReadonlySet<string> }
  | { readonly kind: 'tick' }

export type QueueEffect =
  /** `attempts`: those before this one. */
  | { readonly kind: 'run'; readonly call: QueuedCall; readonly attempts: number }
  | { readonly kind: 'dropped'; readonly call: QueuedCall; readonly why: 'full' | 'unwanted' | 'repeated' }
  | { readonly kind: 'postponed'; readonly call: QueuedCall }
  | { readonly kind: 'abandoned'; readonly call: QueuedCall; readonly attempts: number }

type QueueStep = Step<AlertQueue, QueueEffect>

export function stepQueue(state: AlertQueue, input: QueueInput, now: MonotonicMs): QueueStep {
  switch (input.kind) {
    case 'calls':
      return started(
        input.calls.reduce((step, call) => arrived(step, call, now), nothingDone(state)),
        now,
      )
    case 'ended':
      return started(over(state, input, now), now)
    case 'withdraw':
      return without(state, (_, { id }) => input.ids.has(id))
    case 'configured':
      return started(configured(state, input.lanes), now)
    case 'tick':
      return started(summed(state, now), now)
    default:
      return assertNever(input)
  }
}

/** When something is due without anything happening. */
export function queueNextAt({ lanes }: AlertQueue): MonotonicMs | undefined {
  const moments = [...lanes.values()].flatMap(({ running, waiting, notBefore, told }) => [
    ...(running === undefined && waiting.length > 0 && notBefore !== undefined ? [notBefore] : []),
    ...[...told.values()].map(({ until }) => until),
  ])
  return moments.length === 0 ? undefined : monotonicMs(Math.min(...moments))
}

const nothingDone = (state: AlertQueue): QueueStep => ({ state, effects: [] })

const laneOf = ({ lanes }: AlertQueue, { lane, alert }: QueuedCall): Lane =>
  lanes.get(lane) ?? { alert, waiting: [], vain: 0, told: new Map() }

function arrived(step: QueueStep, call: QueuedCall, now: MonotonicMs): QueueStep {
  const lane = laneOf(step.state, call)
  const { told, isRepeat } = noteRepeat(lane.told, call, now)
  const state = withLane(step.state, call.lane, { ...lane, told })
  if (isRepeat) return { state, effects: [...step.effects, { kind: 'dropped', call, why: 'repeated' }] }
  return enqueued({ state, effects: step.effects }, call, now)
}

function enqueued({ state, effects }: QueueStep, call: QueuedCall, now: MonotonicMs): QueueStep {
  const lane = laneOf(state, call)
  const waiting = [...lane.waiting, { call, since: now, attempts: 0 }]
  const dropped = waiting.length > longestLane ? leastOf(waiting) : []
  return {
    state: withLane(state, call.lane, { ...lane, waiting: waiting.filter((held) => !dropped.includes(held)) }),
    effects: [...effects, ...dropped.map((oldest) => ({ kind: 'dropped', call: oldest.call, why: 'full' }) as const)],
  }
}

/** Whoever runs a remote node makes as many events of its attributes as he likes: they must not push out that it was fenced. */
function leastOf(waiting: readonly Held[]): readonly Held[] {
  const ofAttribute = waiting.find(({ call }) => call.event.kind === 'attribute')
  return ofAttribute === undefined ? waiting.slice(0, 1) : [ofAttribute]
}

function over(
  state: AlertQueue,
  { id, isLater = false }: Extract<QueueInput, { kind: 'ended' }>,
  now: MonotonicMs,
): QueueStep {
  for (const [name, lane] of state.lanes) {
    const { running, notBefore: _passed, ...rest } = lane
    if (running?.call.id !== id) continue
    if (!isLater) return nothingDone(withLane(state, name, { ...rest, vain: 0 }))
    const { call, since } = running
    const attempts = running.attempts + 1
    const pause = Math.min(firstPauseMs * 2 ** lane.vain, longestPauseMs)
    const next = { ...rest, vain: lane.vain + 1 }
    // What is behind it has waited as long as the recipient was away, and is given one attempt at least.
    if (now - since + pause > call.retryMs)
      return { state: withLane(state, name, next), effects: [{ kind: 'abandoned', call, attempts }] }
    const waiting = [{ call, since, attempts }, ...lane.waiting]
    return {
      state: withLane(state, name, { ...next, waiting, notBefore: monotonicMs(now + pause) }),
      effects: [{ kind: 'postponed', call }],
    }
  }
  return nothingDone(state)
}

function configured(state: AlertQueue, wanted: ReadonlySet<string>): QueueStep {
  const step = without(state, (lane) => !wanted.has(lane))
  const lanes = [...step.state.lanes].reduce((left, [name, { notBefore: _now, ...lane }]) => {
    const told = wanted.has(name) ? lane.told : new Map<string, LastCalled>()
    return withLane(left, name, { ...lane, told, vain: 0 })
  }, step.state)
  return { state: lanes, effects: step.effects }
}

function without(state: AlertQueue, isUnwanted: (lane: string, call: QueuedCall) => boolean): QueueStep {
  return [...state.lanes].reduce<QueueStep>((step, [name, lane]) => {
    const unwanted = lane.waiting.filter(({ call }) => isUnwanted(name, call))
    if (unwanted.length === 0) return step
    const waiting = lane.waiting.filter((held) => !unwanted.includes(held))
    return {
      state: withLane(step.state, name, { ...lane, waiting }),
      effects: [...step.effects, ...unwanted.map(({ call }) => ({ kind: 'dropped', call, why: 'unwanted' }) as const)],
    }
  }, nothingDone(state))
}

/** What was left out because the same had just been sent is sent once, with how often it happened. */
function summed(state: AlertQueue, now: MonotonicMs): QueueStep {
  return [...state.lanes].reduce<QueueStep>((step, [name, lane]) => {
    const { told, calls } = dueRepeats(lane.told, now)
    const left = { state: withLane(step.state, name, { ...lane, told }), effects: step.effects }
    return calls.reduce((all, call) => enqueued(all, call, now), left)
  }, nothingDone(state))
}

/** Those lanes first whose next call is the oldest. */
function started({ state, effects }: QueueStep, now: MonotonicMs): QueueStep {
  const running = new Map<string, number>()
  for (const { alert, running: one } of state.lanes.values())
    if (one !== undefined) running.set(alert, (running.get(alert) ?? 0) + 1)
  const ready = [...state.lanes]
    .filter(([, lane]) => lane.running === undefined && (lane.notBefore ?? 0) <= now)
    .flatMap(([name, lane]) => lane.waiting.slice(0, 1).map((held) => ({ name, lane, held })))
    .sort((a, b) => a.held.call.id - b.held.call.id)
  const begun: QueueEffect[] = []
  let next = state
  for (const { name, lane, held } of ready) {
    const beside = running.get(lane.alert) ?? 0
    if (beside >= besideEachOther) continue
    running.set(lane.alert, beside + 1)
    const { notBefore: _reached, ...rest } = lane
    next = withLane(next, name, { ...rest, running: held, waiting: lane.waiting.slice(1) })
    begun.push({ kind: 'run', call: held.call, attempts: held.attempts })
  }
  return { state: next, effects: [...effects, ...begun] }
}

/** A lane in which nothing runs or waits, and of which nothing is to be remembered, is none. */
function withLane(state: AlertQueue, name: string, lane: Lane): AlertQueue {
  const lanes = new Map(state.lanes)
  if (lane.running === undefined && lane.waiting.length === 0 && lane.told.size === 0) lanes.delete(name)
  else lanes.set(name, lane)
  return { lanes }
}

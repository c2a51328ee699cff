/**
 * When a change of a transient attribute is written (attrd's `delay`): with a delay, the change waits for it, and each
 * further change of the attribute starts the wait anew, so that several nodes which lose a network at about the same moment
 * are compared with each other and not with their own past. `flush` writes everything that waits at once.
 *
 * Contract at the edge: the values written last are lost with the daemon; what waited is not written then, and the agent that
 * set it sets it again with its next monitor.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName, type Step } from '../base/index.ts'
import { expandValue } from './merge.ts'

export interface AttributeRequest {
  readonly node: NodeName
  readonly set: string
  readonly name: string
  /** undefined deletes the attribute. `value++` and `value+=n` add to what is there. */
  readonly value?: string
  /** Kept for the attribute once it is given, as attrd does; undefined leaves it as it was. */
  readonly delayMs?: number
}

export type DampeningInput =
  | { readonly kind: 'set'; readonly request: AttributeRequest; readonly current?: string }
  | { readonly kind: 'flush' }
  | { readonly kind: 'tick' }

export interface DampeningEffect {
  readonly kind: 'write-attribute'
  readonly node: NodeName
  readonly set: string
  readonly name: string
  readonly value?: string
}

interface Waiting {
  readonly at: MonotonicMs
  readonly effect: DampeningEffect
}

export interface DampeningState {
  readonly delays: ReadonlyMap<string, number>
  readonly waiting: ReadonlyMap<string, Waiting>
}

export const initialDampening: DampeningState = { delays: new Map(), waiting: new Map() }

export function dampeningStep(
  state: DampeningState,
  input: DampeningInput,
  now: MonotonicMs,
): Step<DampeningState, DampeningEffect> {
  switch (input.kind) {
    case 'set':
      return release(take(state, input.request, input.current, now), (at) => at <= now)
    case 'flush':
      return release(state, () => true)
    case 'tick':
      return release(state, (at) => at <= now)
    default:
      return assertNever(input)
  }
}

export function nextDampeningAt(state: DampeningState): MonotonicMs | undefined {
  const times = [...state.waiting.values()].map(({ at }) => at)
  return times.length === 0 ? undefined : monotonicMs(Math.min(...times))
}

function take(
  state: DampeningState,
  request: AttributeRequest,
  current: string | undefined,
  now: MonotonicMs,
): DampeningState {
  const { node, set, name } = request
  const key = JSON.stringify([node, set, name])
  const delayMs = request.delayMs ?? state.delays.get(key) ?? 0
  const waiting = new Map(state.waiting)
  const before = waiting.get(key)
  const standing = before === undefined ? current : before.effect.value
  const value = request.value === undefined ? undefined : expandValue(standing, request.value)
  const delays = delayMs === (state.delays.get(key) ?? 0) ? state.delays : new Map(state.delays).set(key, delayMs)
  // Back to what is written already: there is nothing to wait for any more.
  if (value === current) waiting.delete(key)
  else if (before === undefined || before.effect.value !== value) {
    const effect: DampeningEffect = {
      kind: 'write-attribute',
      node,
      set,
      name,
      ...(value === undefined ? {} : { value }),
    }
    waiting.set(key, { at: monotonicMs(now + delayMs), effect })
  }
  return { delays, waiting }
}

function release(state: DampeningState, due: (at: MonotonicMs) => boolean): Step<DampeningState, DampeningEffect> {
  const ready = [...state.waiting].filter(([, { at }]) => due(at))
  if (ready.length === 0) return { state, effects: [] }
  const waiting = new Map(state.waiting)
  for (const [key] of ready) waiting.delete(key)
  return { state: { ...state, waiting }, effects: ready.map(([, { effect }]) => effect) }
}

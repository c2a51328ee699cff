/**
 * When the values that wait are written (attrd's dampening): the DC writes all of a name together, on whichever nodes they are, once
 * none of them has changed for the attribute's delay. So nodes that lose a network at about the same moment are compared with
 * each other and not with their own past.
 *
 * Contract at the edge: `write-attributes` is one transaction that compares the DC's term and that what waits is what this core
 * has seen. Refused or not answered, it is asked for again. A new DC lets everything wait anew.
 */
import { assertNever, type MonotonicMs, monotonicMs, type Step } from '../base/index.ts'
import type { KnownAttributes } from './known.ts'
import { traitsOf } from './set-attribute.ts'

export type DampeningInput =
  /** What is known now, after every change of it. */
  | { readonly kind: 'known'; readonly known: KnownAttributes }
  /** This node is not the DC (any more). */
  | { readonly kind: 'not-dc' }
  | { readonly kind: 'tick' }

export interface DampeningEffect {
  readonly kind: 'write-attributes'
  /** All values that wait under this name. */
  readonly name: string
}

interface Waiting {
  readonly at: MonotonicMs
  /** What waits, as text, to see whether it has changed. */
  readonly values: string
}

export interface DampeningState {
  readonly waiting: ReadonlyMap<string, Waiting>
}

export const initialDampening: DampeningState = { waiting: new Map() }

const retryMs = 1000

export function dampeningStep(
  state: DampeningState,
  input: DampeningInput,
  now: MonotonicMs,
): Step<DampeningState, DampeningEffect> {
  switch (input.kind) {
    case 'known':
      return { state: observe(state, input.known, now), effects: [] }
    case 'not-dc':
      return { state: initialDampening, effects: [] }
    case 'tick':
      return writeDue(state, now)
    default:
      return assertNever(input)
  }
}

export function nextDampeningAt(state: DampeningState): MonotonicMs | undefined {
  const times = [...state.waiting.values()].map(({ at }) => at)
  return times.length === 0 ? undefined : monotonicMs(Math.min(...times))
}

function observe(state: DampeningState, known: KnownAttributes, now: MonotonicMs): DampeningState {
  const waiting = new Map<string, Waiting>()
  for (const [name, values] of valuesByName(known)) {
    const before = state.waiting.get(name)
    const at = monotonicMs(now + traitsOf(known, name).delayMs)
    waiting.set(name, before?.values === values ? before : { at, values })
  }
  return { waiting }
}

function valuesByName(known: KnownAttributes): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const { node, set, name, value } of known.withheld)
    if (!traitsOf(known, name).isPrivate)
      values.set(name, `${values.get(name) ?? ''}${JSON.stringify([node, set, value ?? null])}`)
  return values
}

function writeDue(state: DampeningState, now: MonotonicMs): Step<DampeningState, DampeningEffect> {
  const due = [...state.waiting].filter(([, { at }]) => at <= now)
  const waiting = new Map(state.waiting)
  for (const [name, { values }] of due) waiting.set(name, { values, at: monotonicMs(now + retryMs) })
  return { state: { waiting }, effects: due.map(([name]) => ({ kind: 'write-attributes', name })) }
}

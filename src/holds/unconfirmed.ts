/**
 * Changes of the configuration that are meant only if somebody confirms them in time: whoever cuts himself off cannot, and the DC takes the change back. Which are due is
 * decided here. The time runs by the calendar of the node where the change was made, so that another DC goes on counting, and no longer than that by the DC's own clock,
 * should the calendars differ.
 *
 * Contract: the driver feeds `looked` after every change of the store and when `wake` has come, and `stopped` once this node leads no more. A change that is due is named
 * again with every look until its record is gone or has `failed`.
 */
import type { MonotonicMs, Step } from '../base/index.ts'

export interface UnconfirmedChange {
  /** Of the configuration that the change made. */
  readonly version: number
  /** ISO 8601. */
  readonly since: string
  readonly withinMs: number
  readonly user: string
  readonly node: string
  /** Why it cannot be taken back. An administrator has to look; it is not tried again. */
  readonly failed?: string
}

export const shortestConfirmationMs = 5000
export const longestConfirmationMs = 24 * 60 * 60_000
export const mostUnconfirmed = 20
/** Of one user with roles: whoever may change one resource leaves room for others. */
export const mostUnconfirmedOfUser = 5

/** Undefined for what no version up to this one writes. */
export function parseUnconfirmed(value: unknown): UnconfirmedChange | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { version, since, withinMs, user, node, failed } = value as Readonly<Record<string, unknown>>
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return undefined
  if (typeof withinMs !== 'number' || !(withinMs > 0)) return undefined
  if (typeof since !== 'string' || Number.isNaN(Date.parse(since))) return undefined
  if (typeof user !== 'string' || typeof node !== 'string') return undefined
  return { version, since, withinMs, user, node, ...(typeof failed === 'string' && { failed }) }
}

/** Milliseconds since the epoch. */
export const confirmUntilMs = ({ since, withinMs }: UnconfirmedChange): number => Date.parse(since) + withinMs

export interface UnconfirmedSeen {
  readonly change: UnconfirmedChange
  readonly revision: number
}

export type UnconfirmedInput =
  | {
      readonly kind: 'looked'
      readonly changes: readonly UnconfirmedSeen[]
      /** Milliseconds since the epoch. */
      readonly calendarMs: number
    }
  | { readonly kind: 'stopped' }

export type UnconfirmedEffect =
  | { readonly kind: 'take-back'; readonly change: UnconfirmedChange; readonly revision: number }
  | { readonly kind: 'wake'; readonly afterMs: number }

export interface UnconfirmedState {
  /** By version: when this DC saw it first. */
  readonly since: ReadonlyMap<number, MonotonicMs>
}

export const noneUnconfirmed: UnconfirmedState = { since: new Map() }

/** What could not be taken back yet is tried again. */
const retryMs = 500

export function unconfirmedStep(
  state: UnconfirmedState,
  input: UnconfirmedInput,
  now: MonotonicMs,
): Step<UnconfirmedState, UnconfirmedEffect> {
  if (input.kind === 'stopped') return { state: noneUnconfirmed, effects: [] }
  const waiting = input.changes.filter(({ change }) => change.failed === undefined)
  const since = new Map(waiting.map(({ change: { version } }) => [version, state.since.get(version) ?? now] as const))
  const left = waiting.map((seen) => {
    const byOwnClock = seen.change.withinMs - (now - (since.get(seen.change.version) ?? now))
    return { ...seen, ms: Math.min(byOwnClock, confirmUntilMs(seen.change) - input.calendarMs) }
  })
  // The last change first: an earlier one may be what it builds on.
  const due = left.filter(({ ms }) => ms <= 0).sort((a, b) => b.change.version - a.change.version)
  const nextMs = Math.min(...left.map(({ ms }) => (ms <= 0 ? retryMs : ms)))
  return {
    state: { since },
    effects: [
      ...due.slice(0, 1).map(({ change, revision }): UnconfirmedEffect => ({ kind: 'take-back', change, revision })),
      ...(Number.isFinite(nextMs) ? [{ kind: 'wake', afterMs: nextMs } as const] : []),
    ],
  }
}

/**
 * How a machine is, as node attributes `#health-…` by which Pacemaker's node-health strategies move resources away (Pacemaker Explained, "Tracking Node
 * Health"). A colour becomes worse when two readings in a row say so, so that one wrong reading moves nothing; it becomes better when it has been better
 * for the recovery time without a break. What cannot be read changes nothing: a controller that restarts is no reason to trust a hot machine.
 *
 * Contract at the edge: a colour is written together with its reason, and written again until the node's attributes have it.
 */
import type { MonotonicMs, Step } from '../base/index.ts'

export type Colour = 'green' | 'yellow' | 'red'

export const aspects = ['temperature', 'fans', 'power', 'memory', 'disks', 'filesystems', 'links'] as const
export type Aspect = (typeof aspects)[number]

export const healthAttribute = (aspect: Aspect): string => `#health-hardware-${aspect}`
/** Why it is not green; not an attribute of health, since Pacemaker counts all of those. */
export const troubleAttribute = (aspect: Aspect): string => `hardware-trouble-${aspect}`

export interface Condition {
  readonly colour: Colour
  /** Empty for green. */
  readonly reasons: readonly string[]
}

/** Aspects that could not be read are not there. */
export type HealthReading = Readonly<Partial<Record<Aspect, Condition>>>

interface Known {
  readonly shown: Condition
  /** Of the reading before this one. */
  readonly last: Condition | undefined
  /** Since when the readings have been better, and the worst of them. */
  readonly better?: { readonly since: MonotonicMs; readonly worst: Condition }
}

export type HealthState = ReadonlyMap<Aspect, Known>

export interface HealthInput {
  readonly reading: HealthReading
  readonly recoveryMs: number
}

export interface HealthEffect {
  readonly kind: 'show'
  readonly aspect: Aspect
  readonly condition: Condition
}

const ranks: Readonly<Record<Colour, number>> = { green: 0, yellow: 1, red: 2 }
const green: Condition = { colour: 'green', reasons: [] }

/** What an earlier life of the daemon has recorded holds until readings say otherwise. */
export function recordedHealth(attributes: ReadonlyMap<string, string>): HealthState {
  return new Map(
    aspects.flatMap((aspect): readonly (readonly [Aspect, Known])[] => {
      const colour = attributes.get(healthAttribute(aspect))
      if (colour !== 'green' && colour !== 'yellow' && colour !== 'red') return []
      const trouble = attributes.get(troubleAttribute(aspect))
      return [[aspect, { shown: { colour, reasons: trouble === undefined ? [] : [trouble] }, last: undefined }]]
    }),
  )
}

export function healthStep(
  state: HealthState,
  { reading, recoveryMs }: HealthInput,
  now: MonotonicMs,
): Step<HealthState, HealthEffect> {
  const next = new Map(state)
  const effects: HealthEffect[] = []
  for (const aspect of aspects) {
    const before = state.get(aspect)
    const read = reading[aspect]
    const after = read === undefined ? unread(before) : advance(before, read, { now, recoveryMs })
    if (after === undefined) continue
    next.set(aspect, after)
    if (after.shown.colour !== before?.shown.colour) effects.push({ kind: 'show', aspect, condition: after.shown })
  }
  return { state: next, effects }
}

/** The time of recovery begins again. */
const unread = (before: Known | undefined): Known | undefined => before && { shown: before.shown, last: before.last }

function advance(
  before: Known | undefined,
  read: Condition,
  { now, recoveryMs }: { readonly now: MonotonicMs; readonly recoveryMs: number },
): Known {
  const shown = before?.shown ?? green
  if (ranks[read.colour] > ranks[shown.colour]) {
    const confirmed = before?.last === undefined ? green : lesser(before.last, read)
    return { shown: ranks[confirmed.colour] > ranks[shown.colour] ? confirmed : shown, last: read }
  }
  if (read.colour === shown.colour) return { shown, last: read }
  const better = { since: before?.better?.since ?? now, worst: greater(before?.better?.worst ?? read, read) }
  return now - better.since >= recoveryMs ? { shown: better.worst, last: read } : { shown, last: read, better }
}

const lesser = (a: Condition, b: Condition): Condition => (ranks[a.colour] < ranks[b.colour] ? a : b)
const greater = (a: Condition, b: Condition): Condition => (ranks[a.colour] > ranks[b.colour] ? a : b)

/** The worst colour of several findings, with the reasons of that colour and worse. */
export function conditionOf(findings: readonly { readonly colour: Colour; readonly reason: string }[]): Condition {
  const worst = findings.reduce<Colour>((a, { colour }) => (ranks[colour] > ranks[a] ? colour : a), 'green')
  if (worst === 'green') return green
  return { colour: worst, reasons: findings.filter(({ colour }) => colour === worst).map(({ reason }) => reason) }
}

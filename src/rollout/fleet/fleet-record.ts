/**
 * A rollout over clusters of the fleet, as the store of the cluster that coordinates it has it: `fleet-rollouts/<id>`. Each cluster performs a rollout of its own,
 * a part, which stays open there until all are done: so that all can be put back.
 */
import type { NodeName } from '../../base/index.ts'

export const fleetRolloutStates = [
  'running',
  'paused',
  'halted',
  'unconfirmed',
  /** All are done: each cluster is told to keep it. */
  'confirming',
  'aborting',
  'complete',
  'aborted',
] as const
export type FleetRolloutState = (typeof fleetRolloutStates)[number]

export const partPhases = [
  'waiting',
  /** The cluster was asked to start it; whether it has, is not known yet. */
  'starting',
  /** The cluster has refused to start it. */
  'refused',
  'running',
  /** Done, and open: it can be put back. */
  'done',
  'confirmed',
  'back',
  /** The cluster was removed from the fleet. */
  'left-out',
] as const
export type PartPhase = (typeof partPhases)[number]

export interface FleetPart {
  readonly cluster: string
  readonly wave: number
  readonly phase: PartPhase
  /** Milliseconds since the epoch. */
  readonly since: number
  /** How often the cluster was asked to start it. Each has a key of its own there. */
  readonly attempt: number
  /** Of the rollout in that cluster. */
  readonly id?: string
  /** What that cluster said of it last. */
  readonly seen?: PartSeen
  /** What the cluster has not heard yet. */
  readonly wanted?: 'resume' | 'abort'
  /** It does not answer now. */
  readonly away?: string
  readonly why?: string
}

export interface PartSeen {
  readonly state: string
  readonly why?: string
  readonly done: number
  readonly nodes: number
}

export interface FleetRolloutRecord {
  readonly id: string
  readonly name: string
  readonly version: string
  /** By which the clusters know that a part is of this rollout. */
  readonly key: string
  /** What each cluster starts: the values of a rollout file, as JSON. */
  readonly file: string
  readonly parts: readonly FleetPart[]
  readonly state: FleetRolloutState
  readonly why?: string
  readonly confirmWithinMs?: number
  readonly confirmBy?: number
  readonly user: string
  readonly from: NodeName
  readonly since: number
  readonly ended?: number
  /** The last ones; `lines` is how many there were. */
  readonly journal: readonly FleetLine[]
  readonly lines: number
}

export interface FleetLine {
  /** ISO 8601. */
  readonly at: string
  readonly cluster?: string
  readonly text: string
}

export const linesKept = 300

/** Those of a newer version are left alone. */
export function isFleetRolloutRecord(value: unknown): value is FleetRolloutRecord {
  if (typeof value !== 'object' || value === null) return false
  const { id, state, parts, journal } = value as Readonly<Record<string, unknown>>
  return (
    typeof id === 'string' &&
    fleetRolloutStates.some((one) => one === state) &&
    Array.isArray(parts) &&
    parts.every((part: { readonly phase?: unknown }) => partPhases.some((one) => one === part.phase)) &&
    Array.isArray(journal)
  )
}

export const hasFleetEnded = ({ state }: Pick<FleetRolloutRecord, 'state'>): boolean =>
  state === 'complete' || state === 'aborted'

/** A later start after a refusal, or after it was put back, is another rollout there. */
export const partKey = ({ key }: Pick<FleetRolloutRecord, 'key'>, { attempt }: Pick<FleetPart, 'attempt'>): string =>
  `${key}/${attempt}`

export function newFleetRecord(
  given: Pick<FleetRolloutRecord, 'id' | 'name' | 'version' | 'key' | 'file' | 'user' | 'from' | 'confirmWithinMs'> & {
    readonly waves: readonly (readonly string[])[]
  },
  now: number,
): FleetRolloutRecord {
  const { waves, ...more } = given
  return {
    ...more,
    parts: waves.flatMap((clusters, wave) =>
      clusters.map((cluster): FleetPart => ({ cluster, wave, phase: 'waiting', since: now, attempt: 0 })),
    ),
    state: 'running',
    since: now,
    journal: [{ at: new Date(now).toISOString(), text: `started by ${given.user} on ${given.from}` }],
    lines: 1,
  }
}

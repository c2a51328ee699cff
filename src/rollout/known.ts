/** What a node tells of rollouts, and keeps in a file for when its daemon or the whole cluster is down. */
import type { NodeName } from '../base/index.ts'
import type { FleetRolloutRecord } from './fleet/fleet-record.ts'
import type { NodeVersion, RolloutRecord } from './record.ts'

export interface JournalLine {
  /** ISO 8601, by the clock of the DC of then. */
  readonly at: string
  readonly node?: NodeName
  readonly text: string
}

/** What a node runs, and how it came to that. */
export interface NodeVersionRecord extends NodeVersion {
  readonly node: NodeName
  /** Empty where nothing is recorded of the node. */
  readonly since: string
  /** The newest last. `rollout` is which one, or who reported it. */
  readonly log: readonly (NodeVersion & { readonly at: string; readonly rollout: string; readonly tail?: string })[]
}

/** Which version all nodes are to run, and which it was before. */
export interface DesiredVersion {
  readonly version: string
  /** ISO 8601. */
  readonly since: string
  readonly user: string
  readonly node: NodeName
  /** The newest last. */
  readonly before: readonly Pick<DesiredVersion, 'version' | 'since' | 'user' | 'node'>[]
}

export interface RolloutsKnown {
  /** When, and to whom. */
  readonly at: string
  readonly node: NodeName
  /** The newest first. */
  readonly rollouts: readonly (RolloutRecord & {
    /** Why nodes wait, by name. */
    readonly waiting?: Readonly<Record<string, string>>
    readonly journal?: readonly JournalLine[]
  })[]
  /** Over clusters of the fleet, the newest first. Not of older builds. */
  readonly fleet?: readonly (FleetRolloutRecord & {
    /** Why clusters wait, by name. */
    readonly waiting?: Readonly<Record<string, string>>
  })[]
  readonly versions: readonly NodeVersionRecord[]
  /** Which version all nodes are to run. Not of older builds. */
  readonly desired?: DesiredVersion
}

/** What a node runs for sure: `configuring` or `failed` is neither the one nor the other. */
export const versionRun = ({ version, state }: NodeVersion): string | undefined =>
  state === 'configured' || state === 'validated' || state === 'validating' ? version : undefined

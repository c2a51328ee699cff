/** What a rollout file says, after it was checked: `read-rollout.ts` makes it, plan and core work by it. Durations are in milliseconds. */
import type { Expression } from './expression.ts'

export type Selector =
  | { readonly kind: 'all' }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  /** They have the node attribute `<role>-role`. */
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'where'; readonly text: string; readonly expression: Expression }

export interface Limit {
  readonly selector: Selector
  /** As people see it: `role db`. */
  readonly label: string
  /** 0 is a freeze: no node of these begins. */
  readonly maxUnavailable: number
}

/** So many nodes of the role must be online before a node begins. */
/** Online nodes of a role, or healthy members of a service. */
export type Requirement =
  | { readonly role: string; readonly service?: never; readonly min: number }
  | { readonly service: string; readonly role?: never; readonly min: number }

export const holdKinds = ['drain', 'standby', 'maintenance', 'none'] as const
export type HoldKind = (typeof holdKinds)[number]

export const stages = ['before', 'actions', 'after', 'validate'] as const
export type Stage = (typeof stages)[number]

export const meanings = ['ok', 'failed'] as const
export type Meaning = (typeof meanings)[number]

/** Where `ansible-playbook` runs: on the node itself, or on the DC, from where it reaches the node. */
export const playbookPlaces = ['node', 'dc'] as const
export type PlaybookPlace = (typeof playbookPlaces)[number]

export interface RolloutCommand {
  readonly stage: Stage
  readonly name: string
  /** What `argv` plays, where it does. */
  readonly playbook?: { readonly path: string; readonly place: PlaybookPlace }
  readonly argv: readonly string[]
  /** Takes it back, also where the command failed in the middle. */
  readonly undo?: readonly string[]
  /** `undo` is a playbook too, which runs where the other one does. */
  readonly undoPlaybook?: string
  readonly timeoutMs: number
  readonly retries: number
  readonly retryDelayMs: number
  /** 0 is ok and everything else has failed, unless it stands here. One that stands here as failed is not tried again. */
  readonly exitCodes: Readonly<Record<string, Meaning>>
  readonly env: Readonly<Record<string, string>>
  /** The node boots while it runs: then its result is unknown, and that the node is back is enough. */
  readonly reboots: boolean
  /** The node leaves the cluster while it runs, and comes back. */
  readonly stopsCluster: boolean
}

export const failurePolicies = ['halt', 'node-back', 'wave-back'] as const
export type FailurePolicy = (typeof failurePolicies)[number]

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** Nodes begin only in it; one that has begun is finished. */
export interface Window {
  /** Minutes after midnight. An end before the beginning is on the next day. */
  readonly from: number
  readonly to: number
  /** 0 is Sunday: the days on which it begins. */
  readonly days: readonly number[]
}

export interface RolloutDefinition {
  readonly name: string
  readonly version: string
  readonly nodes: readonly Selector[]
  /** Clusters of the fleet on which it is done, wave after wave; then `nodes` are those of each of them. */
  readonly clusters?: readonly (readonly string[])[]
  readonly maxUnavailable: number
  readonly limits: readonly Limit[]
  /** Roles, one after another; nodes without any of them come last. */
  readonly order: readonly string[]
  /** Not in the records of older builds. */
  readonly requires?: readonly Requirement[]
  readonly hold: HoldKind
  readonly holdTimeoutMs: number
  readonly releaseTimeoutMs: number
  readonly commands: readonly RolloutCommand[]
  readonly onFailure: FailurePolicy
  readonly window?: Window
  readonly confirmWithinMs?: number
}

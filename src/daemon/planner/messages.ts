/**
 * What the planner thread is told and answers. It keeps a view of its own, folded from the same observations as the main
 * thread's, so that a large CIB is never copied between the two.
 */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { ShutdownLockRecord } from '../../cib/index.ts'
import type { BlockedResource, Observation, OwnKnowledge } from '../../controller/index.ts'
import type { Catalogue, NodeAddress, OwnChecks } from '../../services/index.ts'
import type { TransitionGraph } from '../../transition/index.ts'
import type { ConfigRecord } from '../configuration/config-history.ts'
import type { Kept } from './saved-inputs.ts'

/** The configuration travels as text: reading it is this thread's work. */
export type PlannerObservation =
  | Exclude<Observation, { readonly configuration?: unknown }>
  | {
      readonly kind: 'put'
      readonly key: string
      readonly value: unknown
      readonly createRevision: number
      readonly lease?: string
      readonly configText?: Pick<ConfigRecord, 'version' | 'xml' | 'epochs'>
    }

export interface Question {
  /** Seconds since the epoch, for rules and expiry. */
  readonly now: number
  readonly haveQuorum: boolean
  /** Without quorum: as if no-quorum-policy were `stop`. */
  readonly stopEverything?: boolean
  /** As if this node had been lost: for a survivor that cannot record it. */
  readonly lost?: NodeName
  /** The folder in which what the transition is computed from is kept: the DC's. */
  readonly keepIn?: string
  /** A node that decides for itself asks, and what it knows of itself counts. */
  readonly own?: OwnKnowledge
}

export type ToPlanner =
  | { readonly kind: 'observe'; readonly observations: readonly PlannerObservation[]; readonly revision: number }
  | ({ readonly kind: 'schedule'; readonly id: number } & Question)
  | ({ readonly kind: 'services'; readonly id: number } & ServiceQuestion)

/** Which services there are, and which of their checks are this node's. */
export interface ServiceQuestion {
  readonly self: NodeName
  readonly now: number
  readonly haveQuorum: boolean
  /** Of the members, by name. */
  readonly addresses: Readonly<Record<string, string>>
}

export interface ServiceAnswer {
  readonly catalogue: Catalogue
  readonly checks: OwnChecks
  /** Of members, remote and guest nodes, where they are known. */
  readonly nodes: readonly NodeAddress[]
  /** Resources that are active on this node, by every id that names them: active or promoted. */
  readonly here: ReadonlyMap<string, 'active' | 'promoted'>
}

export interface Planned {
  readonly graph: TransitionGraph
  readonly computedVersion: number
  readonly recheckInMs?: number
  readonly blocked: readonly BlockedResource[]
  /** Primitives whose results may open a gate that is closed. */
  readonly awaited: readonly string[]
  readonly noQuorumPolicy: string
  /** Where a node asks for itself: what runs there and is not managed, by the names in the configuration. */
  readonly unmanaged: readonly ResourceId[]
  /** Every one that holds. */
  readonly shutdownLocks: readonly ShutdownLockRecord[]
}

export type FromPlanner =
  | { readonly kind: 'scheduled'; readonly id: number; readonly planned: Planned }
  | { readonly kind: 'services'; readonly id: number; readonly answer: ServiceAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string; readonly stack: string }
  /** What a transition was computed from is in a file, or could not be kept. */
  | { readonly kind: 'kept'; readonly kept: Kept }

/** Why a resource is where it is, as a value: what programs read and what is printed for people. */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { Role, Score } from '../../cib/index.ts'
import type { FailedOperation, Remark } from '../../status/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import type { Contribution, NodeUnavailable, PlacementReason } from '../assigned/assignment.ts'
import type { Cause } from './causes.ts'

export interface ResourceExplanation {
  readonly resource: ResourceId
  readonly instances: readonly InstanceExplanation[]
  readonly text: string
}

export interface InstanceExplanation {
  readonly id: ResourceId
  readonly now: readonly { readonly node: NodeName; readonly role: Role }[]
  readonly pending?: { readonly node: NodeName; readonly operation: string }
  /** What its last failure left behind has yet to be recovered. */
  readonly failed: boolean
  readonly next: { readonly node?: NodeName; readonly role: Role; readonly reason?: string }
  /** What the transition does with it. */
  readonly changes: readonly TransitionChange[]
  /** What stands against its being active, or against the role that was wanted, and what would take it away. */
  readonly causes: readonly Cause[]
  /** The same as the decision noted it. */
  readonly whyNot: readonly PlacementReason[]
  /** The colocations that tie it to where others are, as far as they must be kept. */
  readonly chain: readonly ColocationLink[]
  readonly promotionScore?: Score
  /** The chosen node first, then the best ones. */
  readonly nodes: readonly NodeExplanation[]
  readonly failures: readonly FailedOperation[]
  readonly failCounts: readonly FailCountFacts[]
  readonly remarks: readonly Remark[]
}

export interface ColocationLink {
  readonly dependent: ResourceId
  readonly primary: ResourceId
  readonly constraint: string
  readonly score: Score
  readonly fromConstraint: boolean
  /** Where the primary, or a part of it, is going to be. */
  readonly nodes: readonly NodeName[]
}

export interface FailCountFacts {
  readonly node: NodeName
  readonly count: Score
  readonly threshold: Score
  /** Seconds since the epoch. */
  readonly lastFailure?: number
  readonly expiresAt?: number
}

export interface NodeExplanation {
  readonly node: NodeName
  readonly unavailable?: NodeUnavailable
  /** Undefined: it is not allowed there at all. */
  readonly score?: Score
  /** `text`: the same in words. */
  readonly contributions: readonly (Contribution & { readonly text: string })[]
}

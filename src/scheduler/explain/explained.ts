/** What an explanation is read from: the state, the decision and what it will change. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import type { Assignment } from '../assigned/assignment.ts'

export interface Explained {
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly changes: readonly TransitionChange[]
  /** The node whose loss is what is asked about: that it is unclean is no news then. */
  readonly lost?: NodeName
}

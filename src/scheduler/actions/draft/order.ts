/**
 * An order between two sides, each named by a resource and an operation, or by a point: the actions themselves are looked
 * up once all of them are drafted.
 */
import type { NodeName } from '../../../base/index.ts'
import type { DraftAction } from './draft-action.ts'
import type { PlannedResource } from './planned-resource.ts'
import type { Rules } from './relation.ts'

/** What no resource does, but the cluster. */
export type Point =
  /** Reached once enough of what comes before it is possible. */
  | { readonly kind: 'enough'; readonly name: string; readonly minRunnable: number }
  /** Everything that leaves a node has left it, and freed its capacity. */
  | { readonly kind: 'load-stopped'; readonly node: NodeName }
  | { readonly kind: 'unfencing'; readonly node: NodeName }

/** One side: an action, a point, or whatever a resource does under the name of an operation without an interval. */
export interface Side {
  readonly rsc?: PlannedResource | undefined
  readonly task?: string
  readonly action?: DraftAction | undefined
  readonly point?: Point
}

export interface Order {
  readonly first: Side
  readonly follower: Side
  readonly rules: Rules
}

export interface Step {
  readonly rsc: PlannedResource
  readonly task: string
}

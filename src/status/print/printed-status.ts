/** The status as it is to be told. */
import type { ClusterStatus, PrimitiveResource } from '../cluster-status.ts'

export interface PrintedStatus extends ClusterStatus {
  /** False once a transition is over: what was pending before it counts as what it was taken for. */
  readonly tellsPending: boolean
  /** False: of groups and clones only the active members. */
  readonly tellsInactive: boolean
  /** Each instance of a clone has its line. */
  readonly tellsInstances?: boolean
  /** Where a primitive is stands elsewhere. */
  readonly hidesNodes?: boolean
  /** Of clones, only what is on this node. */
  readonly onlyOn?: readonly string[]
  /** Of groups, clones and bundles, only these. */
  readonly isTold?: (resource: PrimitiveResource) => boolean
  /** What the configuration says of a resource, by its id there. Left out, descriptions are not told. */
  readonly descriptions?: ReadonlyMap<string, string>
}

/** ` (the first web server)`, at the end of the line of a resource. */
export function describedAs({ descriptions }: PrintedStatus, id: string): string {
  const text = descriptions?.get(id)
  return text === undefined ? '' : ` (${text})`
}

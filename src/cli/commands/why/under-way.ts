/**
 * What the cluster is doing while something else is planned for a resource. A transition that was overtaken by events ends what is
 * under way before the next one is made, so that a slow start elsewhere may be all that a resource waits for.
 */
import type { ClusterState } from '../../../rpc/index.ts'
import type { ResourceExplanation } from '../../../scheduler/index.ts'

/** The actions under way, as `status` names them; none where nothing is planned for the resource, or it is under way itself. */
export function underWay(
  { instances }: Pick<ResourceExplanation, 'instances'>,
  { transition }: Pick<ClusterState, 'transition'>,
): readonly string[] {
  const isPlanned = instances.some(({ changes, pending }) => changes.length > 0 && pending === undefined)
  return isPlanned && transition.state === 'running' ? transition.pending : []
}

export function describeUnderWay(actions: readonly string[]): string {
  if (actions.length === 0) return ''
  return `In progress in the cluster: ${actions.join(', ')}. Other planned actions may have to wait.\n`
}

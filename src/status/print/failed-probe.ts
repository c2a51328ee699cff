/**
 * A probe that found no agent, or one that cannot run there, says why a resource is not on a node: `Stopped (Not installed)`.
 * It is looked for under the resource's configured name: instances with numbers in the history, and members of cloned groups,
 * are not shown with it, nor is an old entry that does not say where it ran. With a node beside it (a bundle's member is shown with the host of
 * its container) only what was found on that one is told.
 */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { ClusterStatus, FailedOperation, PrimitiveResource } from '../cluster-status.ts'
import { describeExitCode } from './exit-codes.ts'

export function failedProbe(
  status: ClusterStatus,
  resource: PrimitiveResource,
  node: NodeName | undefined,
): readonly string[] {
  if (resource.state.role !== 'Stopped' || resource.instance?.unique === true) return []
  const failure = failedProbeOf(status, resource.configuredId, node)
  return failure === undefined ? [] : [`(${describeExitCode(failure.exitCode)})`]
}

export function failedProbeOf(
  { failures }: ClusterStatus,
  name: ResourceId,
  node: NodeName | undefined,
): FailedOperation | undefined {
  const key = `${name}_monitor_0`
  return failures.find(
    (failure) =>
      failure.key === key &&
      (failure.exitCode === 2 || failure.exitCode === 5) &&
      failure.recordedNode !== undefined &&
      (node === undefined || failure.recordedNode === node),
  )
}

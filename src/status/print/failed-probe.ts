/** A probe that failed on a node says why a resource cannot be there: `Stopped (Not installed)`. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterStatus, FailedOperation, PrimitiveResource } from '../cluster-status.ts'
import { describeExitCode } from './exit-codes.ts'

export function failedProbe(status: ClusterStatus, resource: PrimitiveResource): readonly string[] {
  if (resource.state.role !== 'Stopped') return []
  const failure = failedProbeOf(status, [resource], undefined)
  return failure === undefined ? [] : [`(${describeExitCode(failure.exitCode)})`]
}

export function failedProbeOf(
  { failures }: ClusterStatus,
  resources: readonly PrimitiveResource[],
  node: NodeName | undefined,
): FailedOperation | undefined {
  const names = new Set(
    resources.flatMap(({ id, instance, configuredId }) => (instance?.unique === false ? configuredId : id)),
  )
  return failures.find(
    (failure) =>
      failure.operation === 'monitor' &&
      failure.intervalMs === 0 &&
      (node === undefined || failure.node === node) &&
      (names.has(failure.resource) || names.has(failure.configuredResource)),
  )
}

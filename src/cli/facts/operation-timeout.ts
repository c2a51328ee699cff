/** How long the cluster waits for an operation of a resource. */
import { parseDurationMs } from '../../base/index.ts'
import type { ClusterStatus, PrimitiveResource } from '../../status/index.ts'

const defaultTimeoutMs = 20_000

export interface OperationTimeout {
  readonly timeoutMs: number
  /** By the operation or the defaults of operations; 20 seconds where neither says it. */
  readonly isWritten: boolean
}

/** By the first definition with this name, with operation defaults and rules. */
export function operationTimeout(
  status: Pick<ClusterStatus, 'operationMeta'>,
  resource: PrimitiveResource,
  name: string,
): OperationTimeout {
  const definition = resource.operations.find((operation) => operation.name === name)
  const intervalMs = definition?.intervalMs ?? 0
  const written = status.operationMeta(resource, { name, intervalMs, ...(definition && { definition }) }).get('timeout')
  return { timeoutMs: parseDurationMs(written ?? '') ?? defaultTimeoutMs, isWritten: written !== undefined }
}

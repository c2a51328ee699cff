/**
 * What the configuration says of an operation: its definition with operation defaults, and what it requires before it may
 * run (Pacemaker Explained, "Resource operations").
 */
import { parseDurationMs } from '../../../base/index.ts'
import { isTrue, type OperationDefinition } from '../../../cib/index.ts'
import type { ClusterStatus, PrimitiveResource } from '../../../status/index.ts'
import { type PlannedPrimitive, type PlannedResource, primitivesOf } from './planned-resource.ts'

export const isEnabled = (operation: OperationDefinition): boolean =>
  operation.attributes.enabled === undefined || isTrue(operation.attributes.enabled)

/** The first definition with this name and interval that is not disabled. */
export function findOperation(
  resource: PrimitiveResource,
  name: string,
  intervalMs: number,
): OperationDefinition | undefined {
  return resource.operations.find(
    (operation) => operation.name === name && operation.intervalMs === intervalMs && isEnabled(operation),
  )
}

/** Only starts and promotions wait for quorum or fencing. */
export function requirementOf({ resource }: PlannedPrimitive, task: string): 'nothing' | 'quorum' | 'fencing' {
  if (task !== 'start' && task !== 'promote') return 'nothing'
  const { requires } = resource.meta
  return requires === 'unfencing' ? 'fencing' : requires
}

/** The meta-attributes that travel with the action, by their published names. */
export function operationMeta(
  status: ClusterStatus,
  rsc: PlannedResource,
  task: string,
  intervalMs: number,
): Map<string, string> {
  if (rsc.kind !== 'primitive') return defaultsFor(status, rsc, task)
  const definition = findOperation(rsc.resource, task, intervalMs)
  return new Map(status.operationMeta(rsc.resource, { name: task, intervalMs, ...(definition && { definition }) }))
}

/** A point in the order has no operation, but the defaults of operations hold for it. */
function defaultsFor(status: ClusterStatus, rsc: PlannedResource, task: string): Map<string, string> {
  const [first] = primitivesOf(rsc)
  if (!first) return new Map()
  return new Map(status.operationMeta({ ...first.resource, operations: [] }, { name: task, intervalMs: 0 }))
}

/** 20 seconds where none is written. */
export function timeoutMs(meta: ReadonlyMap<string, string>): number {
  return parseDurationMs(meta.get('timeout') ?? '') ?? 20_000
}

/** What a view tells last of each resource on each node. */
import type { OperationRecord } from '../cib/index.ts'
import type { ClusterView } from './view.ts'

/** Of each resource on each node, the last that is known but for its recurring operations. */
export function lastOperations(view: Pick<ClusterView, 'operations'>): readonly OperationRecord[] {
  const last = new Map<string, OperationRecord>()
  const callId = ({ attributes }: OperationRecord): number => Number(attributes['call-id'] ?? 0)
  for (const record of view.operations.values()) {
    if (Number(record.attributes.interval ?? 0) > 0) continue
    const place = `${record.node} ${record.resource}`
    const other = last.get(place)
    if (other === undefined || callId(other) < callId(record)) last.set(place, record)
  }
  return [...last.values()]
}

/** Anything but that it is stopped there. */
export function mayRun({ attributes }: OperationRecord): boolean {
  const { operation, 'rc-code': code } = attributes
  return !(operation === 'stop' && code === '0') && !(operation === 'monitor' && code === '7')
}

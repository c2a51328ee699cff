/** What the source of a live migration changes in the history of its target. */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { OperationRecord } from '../../cib/index.ts'
import { type KeyWrite, keys } from '../../controller/index.ts'

/**
 * With the record of a `migrate_to` that begins: an earlier arrival on its target is over. Both halves are told apart by nothing else, and with
 * what has been done there since, the old one would say that the resource came, and went.
 */
export function earlierArrivals(records: readonly OperationRecord[]): readonly KeyWrite[] {
  return records.flatMap(({ resource, attributes }): readonly KeyWrite[] => {
    const { operation, migrate_target: target } = attributes
    if (operation !== 'migrate_to' || target === undefined) return []
    return [{ kind: 'delete', key: keys.arrival(target as NodeName, resource) }]
  })
}

/** With the first result on a source that has sent it away and does not say so any more: what is known on the target may be older than the move. */
export function lateArrival(resource: ResourceId, target: NodeName | undefined): readonly KeyWrite[] {
  return target === undefined ? [] : [{ kind: 'delete-prefix', prefix: keys.historyOfResource(target, resource) }]
}

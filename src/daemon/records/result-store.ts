/** Writes what the executor of this node has to say about its operations. */

import { failureEdits } from '../../attributes/index.ts'
import { type NodeName, OutsideError } from '../../base/index.ts'
import type { OperationRecord, TransientAttributeRecord } from '../../cib/index.ts'
import { writesOfEdits } from '../../controller/index.ts'
import type { ResultStore } from '../../executor/index.ts'
import type { Comparison, Revision, Store, Write } from '../../store/index.ts'
import { storeWrite } from './guarded-writes.ts'
import { toBytes } from './json-value.ts'
import { keys } from './keys.ts'
import { earlierArrivals, lateArrival } from './migration-writes.ts'

export interface ResultStorePorts {
  readonly store: Store
  /** Whose results they are. */
  readonly node: NodeName
  readonly attributes: () => readonly TransientAttributeRecord[]
  /** What must hold for anything to begin: a node whose lease was ended begins nothing, even before it learns of it. */
  readonly mayBegin: readonly Comparison[]
  /** What must hold for results to be written; throws where it does not. */
  readonly mayTell?: readonly Comparison[]
}

/** Somebody else speaks for the node now. */
export class NotTheOwnerError extends OutsideError {
  override readonly name = 'NotTheOwnerError'
}

export function resultStore({ store, node, attributes, mayBegin, mayTell = [] }: ResultStorePorts): ResultStore {
  const tell = async (writes: readonly Write[]): Promise<Revision> => {
    const { applied, revision } = await store.transaction({ compare: mayTell, writes })
    if (!applied) throw new NotTheOwnerError(`This node no longer holds the connection to ${node}.`)
    return revision
  }
  const puts = (records: readonly OperationRecord[]): readonly Write[] =>
    records.map((record) => ({
      kind: 'put',
      key: keys.history(node, record.resource, record.recordId),
      value: toBytes(record),
    }))
  return {
    announce: async (records, term) => {
      const { applied } = await store.transaction({
        compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, ...mayBegin],
        writes: [...puts(records), ...earlierArrivals(records).map(storeWrite)],
      })
      return applied ? 'written' : 'refused'
    },
    record: async (records, failure, arrival) => {
      const counted = failure === undefined ? [] : failureEdits(attributes(), [{ ...failure, node, by: 'one' }])
      const counts = writesOfEdits(counted).map(storeWrite)
      const arrived = records
        .slice(0, 1)
        .flatMap(({ resource }) => lateArrival(resource, arrival))
        .map(storeWrite)
      return await tell([...puts(records), ...counts, ...lockEnds(node, records), ...arrived])
    },
    forget: async (resource, recordId) => {
      const write: Write =
        recordId === undefined
          ? { kind: 'delete-prefix', prefix: keys.historyOfResource(node, resource) }
          : { kind: 'delete', key: keys.history(node, resource, recordId) }
      await tell([write])
    },
  }
}

/** What waited for this node has waited for this: the record of its start ends its shutdown lock. */
function lockEnds(node: NodeName, records: readonly OperationRecord[]): readonly Write[] {
  const started = records.filter(({ attributes }) => attributes.operation === 'start' && attributes['rc-code'] === '0')
  const resources = new Set(started.map(({ resource }) => resource))
  return [...resources].map((resource) => ({ kind: 'delete', key: keys.shutdownLock(node, resource) }))
}

/** Above the call ids of everything that this node has recorded, so that newer results always count as newer. */
export function nextCallId(records: Iterable<OperationRecord>, node: NodeName): number {
  let highest = 0
  for (const record of records)
    if (record.node === node) highest = Math.max(highest, Number(record.attributes['call-id'] ?? 0) || 0)
  return highest + 1
}

/**
 * Live migrations of which nothing would be left: where the history of a node is deleted, because it was fenced, counts as down or has a new incarnation,
 * only its record of `migrate_to` says that a resource may have arrived elsewhere. The target was told nothing yet and believes that it does
 * not run there. So what is known of it there is deleted as well, and it is probed.
 */
import type { OperationRecord } from '../cib/index.ts'
import type { Edit } from './effects.ts'
import { lastOperations, mayRun } from './last-operations.ts'
import type { ClusterView } from './view.ts'

export function withLostArrivals(view: ClusterView, edits: readonly Edit[]): readonly Edit[] {
  const forgotten = new Set(
    edits.flatMap((edit) => (edit.kind === 'delete-history' && edit.resource === undefined ? [edit.node] : [])),
  )
  if (forgotten.size === 0) return edits
  const last = lastOperations(view)
  const arrivals = [...view.operations.values()].flatMap((sent): readonly Edit[] => {
    if (!forgotten.has(sent.node) || sent.attributes.operation !== 'migrate_to' || !mayHaveLeft(view, last, sent))
      return []
    const there = last.find(
      (other) => other.resource === sent.resource && other.node === sent.attributes.migrate_target,
    )
    if (there === undefined || there.node === sent.node || isThere(there)) return []
    return [{ kind: 'delete-history', node: there.node, resource: sent.resource }]
  })
  return [...edits, ...arrivals]
}

/**
 * The last that is known of it on the source, or only a stop followed: where the target may not start it any more, as something that it needs is
 * stopped meanwhile, the source is stopped and nothing is asked of the target.
 */
function mayHaveLeft(view: ClusterView, last: readonly OperationRecord[], sent: OperationRecord): boolean {
  const { node, resource, attributes } = sent
  const latest = last.find((other) => other.node === node && other.resource === resource)
  if (latest === undefined || latest === sent) return latest === sent
  const hasArrived = [...view.operations.values()].some(
    (other) =>
      other.node === attributes.migrate_target && other.resource === resource && isArrival(other) && !isPending(other),
  )
  return latest.attributes.operation === 'stop' && !hasArrived
}

/** An arrival that has no result says nothing by itself: only what the source has told made it one. */
const isThere = (there: OperationRecord): boolean => mayRun(there) && !(isArrival(there) && isPending(there))

const isArrival = ({ attributes }: OperationRecord): boolean => attributes.operation === 'migrate_from'

const isPending = ({ attributes }: OperationRecord): boolean => attributes['op-status'] === '-1'

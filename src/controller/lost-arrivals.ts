/**
 * Live migrations of which nothing would be left: where the history of a node is deleted, because it was fenced, counts as down or has a new life,
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
  const arrivals = last.flatMap(({ node, resource, attributes }): readonly Edit[] => {
    if (!forgotten.has(node) || attributes.operation !== 'migrate_to') return []
    const there = last.find((other) => other.resource === resource && other.node === attributes.migrate_target)
    if (there === undefined || there.node === node || isThere(there)) return []
    return [{ kind: 'delete-history', node: there.node, resource }]
  })
  return [...edits, ...arrivals]
}

/** An arrival that has no result says nothing by itself: only what the source has told made it one. */
const isThere = (there: OperationRecord): boolean =>
  mayRun(there) && !(there.attributes.operation === 'migrate_from' && there.attributes['op-status'] === '-1')

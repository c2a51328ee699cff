/** Where a managed resource is active on exactly one node, it would rather stay; not where it is no longer allowed. */
import type { PrimitiveEntry } from '../resources/tree.ts'
import { absent, scoreAt } from './score-table.ts'
import { addTo, isManaged, type TableWork, tableOf } from './table-work.ts'

export function applyStickiness(work: TableWork, entry: PrimitiveEntry): void {
  const { state, meta } = entry.resource
  const [active, another] = state.active
  if (!isManaged(work, entry) || meta.stickiness < 1 || active === undefined || another !== undefined) return
  const node = work.tree.nodeIndex.get(active.node)
  if (node === undefined) return
  if (!work.status.options.symmetricCluster && scoreAt(tableOf(work, entry), node) === absent) return
  addTo(work, entry, node, { score: meta.stickiness, source: { kind: 'stickiness' } })
}

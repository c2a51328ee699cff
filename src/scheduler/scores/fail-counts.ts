/** migration-threshold failures on a node ban the resource from it, an anonymous clone as a whole. */
import type { NodeName } from '../../base/index.ts'
import { INFINITY_SCORE, type Score } from '../../cib/index.ts'
import { containerOf, isUnique, type PrimitiveEntry, type ResourceTree, topBelowBundle } from '../resources/tree.ts'
import { add } from './score-table.ts'
import { addBelow, type TableWork } from './table-work.ts'

export function applyFailCounts(work: TableWork): void {
  const contents = contentsByContainer(work.tree)
  for (const entry of work.tree.all)
    if (entry.kind === 'primitive') banWhereItFailed(work, entry, contents.get(entry.index) ?? [])
}

function banWhereItFailed(work: TableWork, entry: PrimitiveEntry, contents: readonly PrimitiveEntry[]): void {
  const { state, meta } = entry.resource
  if (meta.migrationThreshold === 0 || state.failureIgnored) return
  for (const [name, count] of countedFailures(entry, contents)) {
    const node = work.tree.nodeIndex.get(name)
    if (node === undefined || count <= 0 || count < meta.migrationThreshold) continue
    const target = isUnique(entry) ? entry : topBelowBundle(entry)
    const source = { kind: 'fail-count', count, threshold: meta.migrationThreshold } as const
    addBelow(work, target, node, { score: -INFINITY_SCORE, source })
  }
}

/** Failures of what runs inside of a container count as its own; a bundle's replicas look after themselves. */
function countedFailures(entry: PrimitiveEntry, contents: readonly PrimitiveEntry[]): ReadonlyMap<NodeName, Score> {
  const inside = entry.parent?.kind === 'bundle' ? [] : contents
  const counts = new Map<NodeName, Score>()
  for (const { resource } of [entry, ...inside])
    for (const [node, { count }] of resource.state.failCounts) counts.set(node, add(counts.get(node) ?? 0, count))
  // What is about to be cleared keeps the resource from nothing.
  for (const { node } of entry.resource.state.clearFailCountOn) counts.delete(node)
  return counts
}

/** What runs inside of each container, by the container's entry index. */
function contentsByContainer(tree: ResourceTree): ReadonlyMap<number, readonly PrimitiveEntry[]> {
  const contents = new Map<number, PrimitiveEntry[]>()
  for (const entry of tree.all) {
    const container = entry.kind === 'primitive' ? containerOf(tree, entry) : undefined
    if (container === undefined || container === entry || entry.kind !== 'primitive') continue
    const known = contents.get(container.index)
    if (known === undefined) contents.set(container.index, [entry])
    else known.push(entry)
  }
  return contents
}

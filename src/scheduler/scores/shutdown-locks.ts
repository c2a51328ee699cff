/** What ran on a node that was shut down waits for it (`shutdown-lock`). */
import type { NodeName } from '../../base/index.ts'
import { INFINITY_SCORE } from '../../cib/index.ts'
import { addBelow, type TableWork } from './table-work.ts'

/** Answers with the node of each entry that is locked, by entry index. */
export function applyShutdownLocks(work: TableWork): ReadonlyMap<number, NodeName> {
  const locks = new Map<number, NodeName>()
  if (!work.status.options.shutdownLock) return locks
  for (const entry of work.tree.all) {
    const lock = entry.kind === 'primitive' ? entry.resource.state.shutdownLock : undefined
    if (lock === undefined) continue
    locks.set(entry.index, lock.node)
    for (let node = 0; node < work.nodes.count; node++)
      if (work.nodes.names[node] !== lock.node)
        addBelow(work, entry, node, { score: -INFINITY_SCORE, source: { kind: 'shutdown-lock', node: lock.node } })
  }
  return locks
}

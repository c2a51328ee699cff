/**
 * Once one constraint says that a resource may be discovered on some nodes exclusively, it may be on no others. Of members that is
 * asked only where the whole is exclusive.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import { type Entry, topBelowBundle } from '../resources/tree.ts'
import type { LocationWork } from './locations.ts'
import { absent } from './score-table.ts'
import { tableOf } from './table-work.ts'

export function applyExclusiveDiscovery(work: LocationWork, entry: Entry): void {
  if (!work.exclusive.has(entry.index) && !work.exclusive.has(topBelowBundle(entry).index)) return
  for (const member of entry.members) applyExclusiveDiscovery(work, member)
  const table = tableOf(work, entry)
  const modes = work.discovery.get(entry.index)
  for (let node = 0; node < work.nodes.count; node++) {
    if (table[node] === absent || modes?.[node] === 2) continue
    table[node] = -INFINITY_SCORE
    work.trail.note(entry.index, { kind: 'exclusive-discovery' }, node, -INFINITY_SCORE)
  }
}

/** How many instances each node has got so far, and whether the clone or bundle as a whole is allowed on a node. */
import { defined } from '../../base/index.ts'
import type { CollectiveEntry, Entry } from '../tree.ts'
import { isAllowed, isUsable } from './availability.ts'
import { countsOf, type Placing, tableOf } from './placing.ts'

export function collectiveOf(instance: Entry): CollectiveEntry {
  return defined(instance.parent, 'the clone or bundle of an instance')
}

export function parentCounts(placing: Placing, instance: Entry): Int32Array {
  return countsOf(placing, collectiveOf(instance))
}

export function isUnderParent(placing: Placing, instance: Entry, node: number): boolean {
  return isAllowed(tableOf(placing, collectiveOf(instance)), node)
}

/** Starts counting anew; returns how many nodes could have an instance. */
export function resetCounts(placing: Placing, collective: CollectiveEntry): number {
  countsOf(placing, collective).fill(0)
  const table = tableOf(placing, collective)
  let usable = 0
  for (let node = 0; node < table.length; node++) if (isAllowed(table, node) && isUsable(placing, node)) usable++
  return usable
}

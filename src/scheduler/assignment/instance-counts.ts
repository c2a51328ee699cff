/** How many instances each node has got so far, and whether the clone or bundle as a whole is allowed on a node. */
import { defined } from '../../base/index.ts'
import type { CollectiveEntry, Entry } from '../resources/tree.ts'
import { type AssignmentDraft, countsOf, tableOf } from './assignment-draft.ts'
import { isAllowed, isUsable } from './availability.ts'

export function collectiveOf(instance: Entry): CollectiveEntry {
  return defined(instance.parent, 'the clone or bundle of an instance')
}

export function parentCounts(draft: AssignmentDraft, instance: Entry): Int32Array {
  return countsOf(draft, collectiveOf(instance))
}

export function isUnderParent(draft: AssignmentDraft, instance: Entry, node: number): boolean {
  return isAllowed(tableOf(draft, collectiveOf(instance)), node)
}

/** Starts counting anew; returns how many nodes could have an instance. */
export function resetCounts(draft: AssignmentDraft, collective: CollectiveEntry): number {
  countsOf(draft, collective).fill(0)
  const table = tableOf(draft, collective)
  let usable = 0
  for (let node = 0; node < table.length; node++) if (isAllowed(table, node) && isUsable(draft, node)) usable++
  return usable
}

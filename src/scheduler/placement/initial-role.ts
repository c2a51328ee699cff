/**
 * The role that is asked for before anything is placed: `target-role`, unless the history demands another. Undefined means
 * that assignment decides; a wish to be promoted is such a case, because instances compete for it.
 */
import type { Role } from '../../cib/index.ts'
import { type Entry, type PrimitiveEntry, topBelowBundle } from '../tree.ts'

export function initialRole(entry: PrimitiveEntry): Role | undefined {
  return entry.resource.state.demandedRole?.role ?? wantedRole(entry)
}

/** The role that `target-role` limits an entry to. */
export function wantedRole(entry: Entry): Role | undefined {
  switch (entry.resource.meta.targetRole) {
    case 'Stopped':
      return 'Stopped'
    case 'Unpromoted': {
      const outer = topBelowBundle(entry)
      return outer.kind === 'clone' && outer.resource.promotable ? 'Unpromoted' : undefined
    }
    default:
      return undefined
  }
}

/**
 * The role that is asked for before anything is placed: the lower of `target-role` and what the history demands. Undefined means
 * that assignment decides; a configured promotion is such a case, because instances compete for it.
 */
import type { Role } from '../../cib/index.ts'
import { type Entry, type PrimitiveEntry, type ResourceTree, topBelowBundle } from '../resources/tree.ts'

export function initialRole(tree: ResourceTree, entry: PrimitiveEntry): Role | undefined {
  const wanted = leavesWithNode(tree, entry) ? 'Stopped' : wantedRole(entry)
  const demanded = entry.resource.state.demandedRole?.role
  return wanted === 'Stopped' ? wanted : (demanded ?? wanted)
}

/** The connection of a remote or guest node that asked to be shut down is taken down, so that its resources move first. */
function leavesWithNode({ nodes, nodeIndex }: ResourceTree, { resource }: PrimitiveEntry): boolean {
  const index = resource.connectionOf === undefined ? undefined : nodeIndex.get(resource.connectionOf)
  const node = index === undefined ? undefined : nodes[index]
  return node !== undefined && node.kind !== 'member' && node.shutdown
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

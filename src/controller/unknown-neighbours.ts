/**
 * What a plan takes away from a node only because it is not known yet what is active: a resource with a neighbour that the same plan starts although
 * probes of it have not ended. The neighbour may turn out to be active, and then nothing has to move or to be restarted for its sake. Until
 * that is known, the resource is not stopped.
 *
 * Instances of clones on other nodes are left out: they come with every node that joins.
 */
import type { Configuration } from '../cib/index.ts'
import type { GraphAction, ResourceAction, TransitionGraph } from '../transition/index.ts'
import { neighboursIn } from './neighbours.ts'

/** `probes`: those that are under way or could go out. */
export function takesAwayTooSoon(
  configuration: Configuration | undefined,
  { graph, probes }: { readonly graph: TransitionGraph; readonly probes: readonly ResourceAction[] },
): (action: GraphAction) => boolean {
  if (probes.length === 0) return () => false
  const brought = new Set(
    graph.actions.filter(({ operation }) => brings.has(operation)).map(({ resource }) => resource),
  )
  const unknown = probes.filter(({ resource }) => brought.has(resource))
  if (unknown.length === 0) return () => false
  const { areTogether, isBefore, isClone } = neighboursIn(configuration)
  return (action) => {
    if (action.kind !== 'resource' || !takesAway.has(action.operation)) return false
    return unknown.some(({ resource, node }) =>
      node === action.node
        ? areTogether(action.resource, resource) || isBefore(resource, action.resource)
        : !isClone(resource) && isBefore(resource, action.resource),
    )
  }
}

const takesAway: ReadonlySet<string> = new Set(['stop', 'demote', 'migrate_to'])
const brings: ReadonlySet<string> = new Set(['start', 'promote'])

/** Where a resource is taken to be, when it may be on several nodes: what moves, restarts or recovers does so from there. */
import type { NodeStatus } from '../../../status/index.ts'
import { type Draft, isUnclean } from './draft.ts'
import type { PlannedPrimitive } from './planned-resource.ts'
import { activeNodes, type Setting } from './setting.ts'
import { migrationUnderWay } from './under-way.ts'

/** The node that it is on; the source, while a live migration is under way. Of several, one that can still act. */
export function currentNode(
  draft: Setting & Pick<Draft, 'fencing' | 'givenUpMigrations'>,
  rsc: PlannedPrimitive,
): NodeStatus | undefined {
  const nodes = activeNodes(draft, rsc)
  const source = migrationUnderWay(draft, rsc)?.source
  const clean = (node: NodeStatus): boolean => node.online && !isUnclean(draft, node)
  if (source !== undefined) return nodes.find(({ name }) => name === source) ?? nodes[0]
  const { requires } = rsc.resource.meta
  if (requires === 'nothing' || requires === 'quorum') return nodes.find(clean) ?? nodes[0]
  return nodes[0]
}

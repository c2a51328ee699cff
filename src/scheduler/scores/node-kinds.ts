/**
 * Connections and fence devices are not run by remote nodes, nor is the container of a guest node (a bundle's may be).
 * What was put into a container that is a node runs on that node alone.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import { nodeOfContainer } from '../constraints/colocations.ts'
import { containerOf, type PrimitiveEntry, primitivesOf } from '../resources/tree.ts'
import { absent } from './score-table.ts'
import { isManaged, type TableWork, tableOf } from './table-work.ts'

export function applyNodeKinds(work: TableWork, entry: PrimitiveEntry): void {
  const { resource } = entry
  const container = containerOf(work.tree, entry)
  if (container !== undefined && isManaged(work, entry)) {
    const own = nodeOfContainer(entry, container, work.tree)
    if (own !== undefined) restrict(work, entry, (node) => node === own)
    else if (resource.connectionOf !== undefined && !work.tree.replicaOf.has(entry.index))
      for (const inner of primitivesOf(container)) restrict(work, inner, (node) => isMember(work, node))
  }
  if (isManaged(work, entry) && (resource.connectionOf !== undefined || resource.agent.class === 'stonith'))
    restrict(work, entry, (node) => isMember(work, node))
}

/** A node is reached through a connection, or it is an ordinary member. */
const isMember = ({ tree }: TableWork, node: number): boolean => !tree.connectionOfNode.has(node)

function restrict(work: TableWork, entry: PrimitiveEntry, allows: (node: number) => boolean): void {
  const table = tableOf(work, entry)
  for (let node = 0; node < work.nodes.count; node++) {
    if (table[node] === absent || allows(node)) continue
    table[node] = -INFINITY_SCORE
    work.trail.note(entry.index, { kind: 'node-kind' }, node, -INFINITY_SCORE)
  }
}

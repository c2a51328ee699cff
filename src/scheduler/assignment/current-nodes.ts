/**
 * Where resources are now, as node indexes: the node that counts as "the current one" decides on stickiness of instances,
 * on ties between nodes and on where an unmanaged resource stays.
 */
import type { NodeName } from '../../base/index.ts'
import type { Entry, GroupEntry, PrimitiveEntry } from '../resources/tree.ts'
import { type AssignmentDraft, nowhere } from './assignment-draft.ts'

/** All nodes where an entry is active, in the order in which they were found. */
export function activeNodes(draft: AssignmentDraft, entry: Entry): readonly number[] {
  const found: number[] = []
  collect(draft, entry, found)
  return found
}

function collect(draft: AssignmentDraft, entry: Entry, found: number[]): void {
  if (entry.kind === 'clone' || entry.kind === 'bundle') {
    for (const member of entry.members) collect(draft, member, found)
    return
  }
  for (const node of namesOf(entry)) {
    const index = draft.tree.nodeIndex.get(node)
    if (index !== undefined && !found.includes(index)) found.push(index)
  }
}

const namesOf = (entry: GroupEntry | PrimitiveEntry): readonly NodeName[] =>
  entry.kind === 'group' ? entry.resource.activeNodes : entry.resource.state.active.map(({ node }) => node)

export function isActive(entry: Entry): boolean {
  return entry.kind === 'primitive' ? entry.resource.state.active.length > 0 : entry.members.some(isActive)
}

/**
 * The node that an entry counts as being on. Among several: the source of an interrupted live migration, else the first
 * that is online and clean (the first at all for what requires fencing, since recovery waits for that anyway).
 */
export function currentNode(draft: AssignmentDraft, entry: Entry): number {
  if (entry.kind === 'primitive') return currentNodeOfPrimitive(draft, entry)
  let best = nowhere
  for (const node of activeNodes(draft, entry))
    if (best === nowhere || (isHealthy(draft, node) && !isHealthy(draft, best))) best = node
  return best
}

function currentNodeOfPrimitive(draft: AssignmentDraft, { resource }: PrimitiveEntry): number {
  const { active, partialMigration } = resource.state
  const first = active[0]
  if (first === undefined) return nowhere
  const index = (name: string): number => draft.tree.nodeIndex.get(name) ?? nowhere
  if (active.length === 1) return index(first.node)
  if (partialMigration !== undefined && active.some(({ node }) => node === partialMigration.source))
    return index(partialMigration.source)
  const needsFencing =
    draft.status.options.fencingEnabled &&
    (resource.meta.requires === 'fencing' || resource.meta.requires === 'unfencing')
  if (needsFencing) return index(first.node)
  const healthy = active.find(({ node }) => isHealthy(draft, index(node)))
  return index((healthy ?? first).node)
}

const isHealthy = ({ nodes }: AssignmentDraft, node: number): boolean =>
  nodes.online[node] === 1 && nodes.unclean[node] === 0

/** Failed now, in itself or, for a collective, in any member. */
export function isFailed(entry: Entry): boolean {
  return entry.kind === 'primitive' ? entry.resource.state.failed : entry.members.some(isFailed)
}

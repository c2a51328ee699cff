/**
 * The node attribute by which a colocation compares places: the node's name where none is written. What runs in a
 * container may ask for the attributes of the container's host (`container-attribute-target=host`); what is colocated
 * with a bundle always means the host, since only the bundle's member runs on a bundle's node.
 */
import type { Entry } from '../resources/tree.ts'
import { topBelowBundle } from '../resources/tree.ts'
import { type AssignmentDraft, nowhere } from './assignment-draft.ts'
import { currentNode } from './current-nodes.ts'

export const nodeNameAttribute = '#uname'

export type HostIs = 'current' | 'assigned'

/** Lower case, because values compare without regard to case; undefined where the node has no such attribute. */
export function colocationValue(
  draft: AssignmentDraft,
  node: number,
  attribute: string,
  entry: Entry,
): string | undefined {
  const onHost = draft.tree.replicaOfNode.has(node) && isBundledMember(entry) ? true : dependsOnHost(entry)
  return nodeAttribute(draft, { node, attribute, onHost, hostIs: 'assigned' })?.toLowerCase()
}

/** In a container, the attributes of the container's host are meant. */
export const dependsOnHost = ({ resource }: Entry): boolean =>
  resource.meta.raw.get('container-attribute-target')?.toLowerCase() === 'host'

/** What runs on a bundle's nodes, or the clone of it; not the container, its address or its connection. */
function isBundledMember(entry: Entry): boolean {
  const outer = topBelowBundle(entry)
  return outer.kind === 'clone' && outer.parent?.kind === 'bundle'
}

export function nodeAttribute(
  draft: AssignmentDraft,
  asked: { readonly node: number; readonly attribute: string; readonly onHost: boolean; readonly hostIs: HostIs },
): string | undefined {
  const node = asked.onHost ? hostOf(draft, asked.node, asked.hostIs) : asked.node
  const status = draft.tree.nodes[node]
  if (status === undefined) return undefined
  return asked.attribute === nodeNameAttribute ? status.name : status.attributes.get(asked.attribute)
}

/** The node on which a guest node's container is or will be; any other node is its own host. */
function hostOf(draft: AssignmentDraft, node: number, hostIs: HostIs): number {
  const container = containerOf(draft, node)
  if (container === undefined) return node
  return hostIs === 'assigned' ? (draft.placement.node[container.index] ?? nowhere) : currentNode(draft, container)
}

/** The container that a guest node is; undefined for other nodes. */
export function containerOf({ tree }: AssignmentDraft, node: number): Entry | undefined {
  const name = tree.nodes[node]?.container
  return name === undefined ? undefined : tree.byId.get(name)
}

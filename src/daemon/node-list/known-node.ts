/** Whether somebody is a node of the list; small, because the pulse thread asks it too. */
import type { NodeCaller } from '../../rpc/index.ts'
import type { ClusterNodeEntry } from './cluster-file.ts'

export type KnownNode = Pick<ClusterNodeEntry, 'name' | 'keys'>

export function isKnown(nodes: readonly KnownNode[], caller: Pick<NodeCaller, 'name' | 'key'>): boolean {
  const entry = nodes.find(({ name }) => name === caller.name)
  return entry !== undefined && (entry.keys === undefined || entry.keys.includes(caller.key))
}

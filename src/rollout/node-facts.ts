/** What a rollout knows of nodes before it begins, by the status of the cluster. */
import type { ClusterStatus } from '../status/index.ts'
import type { NodeFacts } from './resolve-nodes.ts'

export function nodeFactsOf({ nodes, primitivesById }: ClusterStatus): readonly NodeFacts[] {
  const reconnecting = new Set<string>()
  for (const { connectionOf, reconnectIntervalMs } of primitivesById.values())
    if (connectionOf !== undefined && reconnectIntervalMs !== undefined) reconnecting.add(connectionOf)
  return nodes.map(({ name, attributes, kind, isBundleNode }) => ({
    name,
    attributes,
    ...(kind !== 'member' && { isRemote: true as const }),
    ...(kind === 'guest' && { isGuest: true as const }),
    ...(reconnecting.has(name) && { reconnects: true as const }),
    ...(isBundleNode && { isReplica: true as const }),
  }))
}

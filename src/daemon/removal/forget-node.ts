/** Everything that the store knows of a node that is none any more. What the configuration says of it is another matter. */
import type { NodeName } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import type { Store, Write } from '../../store/index.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { storedHolds } from '../records/hold-records.ts'
import { hostSettingsPrefix, keys, nodeVersionKey, remoteOwnerKey } from '../records/keys.ts'
import type { SharedState } from '../shared-state/shared-state.ts'

/** `cluster node clear`: of a node that is in no list, so that nobody writes of it again. Whether it is off the administrator knows. */
export async function clearNode(node: SharedState, file: ClusterFile, cleared: NodeName): Promise<void> {
  if (!node.quorate) throw refuse('no-quorum', 'This node has no quorum and cannot delete records.')
  const { configuration, members } = node.view
  if (file.nodes.some(({ name }) => name === cleared) || members.has(cleared))
    throw refuse('still-a-node', `${cleared} is still a node of the cluster. Use 'cluster node remove ${cleared}'.`)
  if (configuration !== undefined && connectedNodeNames(configuration.typed).includes(cleared))
    throw refuse(
      'still-connected',
      `${cleared} is still a node of the cluster by its connection: use cluster node remove-remote ${cleared}, or remove-guest.`,
    )
  await forgetRecords(node.store, cleared)
}

export async function forgetRecords(store: Store, node: NodeName): Promise<void> {
  const writes = [...recordsToForget(node), ...(await holdsToForget(store, node))]
  await store.transaction({ compare: [], writes })
}

/** What is held on it: a node that is added by that name later would be drained from the start. */
export async function holdsToForget(store: Store, node: NodeName): Promise<readonly Write[]> {
  const held = (await storedHolds(store)).filter(({ hold }) => hold?.node === node)
  return held.map(({ entry: { key } }): Write => ({ kind: 'delete', key }))
}

export const recordsToForget = (node: NodeName): readonly Exclude<Write, { readonly kind: 'put' }>[] => [
  { kind: 'delete', key: keys.nodeState(node) },
  { kind: 'delete', key: keys.fencingConfirmed(node) },
  { kind: 'delete', key: keys.restart(node) },
  { kind: 'delete', key: remoteOwnerKey(node) },
  // One that is added again under this name may be another machine.
  { kind: 'delete', key: nodeVersionKey(node) },
  { kind: 'delete-prefix', prefix: hostSettingsPrefix(node) },
  { kind: 'delete-prefix', prefix: keys.historyOfNode(node) },
  { kind: 'delete-prefix', prefix: keys.attributesOfNode(node) },
  { kind: 'delete-prefix', prefix: keys.withheldOfNode(node) },
]

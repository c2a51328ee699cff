/** Where a node is reached. */
import type { ClusterState } from '../../rpc/index.ts'
import type { ClusterStatus, NodeStatus } from '../../status/index.ts'
import { linksOf } from './member-links.ts'

/** Of each link of a member; of a remote node the one to which the cluster connects. Empty where only a CIB file is known. */
export function addressesOf(
  node: NodeStatus,
  { status, state }: { readonly status: ClusterStatus; readonly state: ClusterState | undefined },
): readonly string[] {
  const member = state?.members.find((one) => one.node === node.name)
  if (member) return linksOf(member).map(({ address }) => address)
  const parameters = node.connection && status.primitivesById.get(node.connection)?.parametersOn(node.name)
  const address = parameters?.get('server') ?? parameters?.get('addr')
  return address === undefined ? [] : [address]
}

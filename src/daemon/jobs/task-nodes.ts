/** Which nodes run tasks, and which of them are there: members, and the remote and guest nodes that a member is connected to. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { TaskLife } from '../../jobs/index.ts'
import type { NodeLife } from '../../plays/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'

/** Of the state of a remote node: what its tasks do not outlive (remote/task-host.ts). */
export const bootAttribute = 'boot-id'

export function remoteNodesOf({ configuration }: Pick<ClusterView, 'configuration'>): readonly NodeName[] {
  return configuration === undefined ? [] : connectedNodeNames(configuration.typed)
}

/** A life of a node that is there, as its tasks name it. A remote node whose connection moves is there meanwhile: its tasks wait for the member that holds it next. */
export function taskNodeLife({ members, nodeStates }: ClusterView, name: NodeName): NodeLife | undefined {
  const member = members.get(name)
  if (member !== undefined) return member.state === 'member' ? member : undefined
  const { attributes = {}, inCcm } = nodeStates.get(name) ?? {}
  if (attributes.remote_node !== 'true' || inCcm !== true) return undefined
  const { incarnation, [bootAttribute]: bootId } = attributes
  return { incarnation: Number(incarnation ?? 0), ...(bootId !== undefined && { bootId }) }
}

export const isTaskNodeUp = (view: ClusterView, name: NodeName): boolean => taskNodeLife(view, name) !== undefined

/**
 * A remote or guest node to which a member is just connecting. `status` counts a start that has begun as done, as Pacemaker's does: whoever has
 * read there that the node is online is not told the opposite, but waits for the end of that start. After one that has failed nobody waits for
 * the next.
 */
export function isTaskNodeComing({ members, operations }: ClusterView, name: NodeName): boolean {
  let isBegun = false
  for (const { resource, node, attributes } of operations.values()) {
    if ((resource as string) !== name || !connects.has(attributes.operation ?? '')) continue
    if (attributes['op-status'] !== '-1' && attributes['rc-code'] !== '0') return false
    isBegun ||= attributes['op-status'] === '-1' && members.get(node)?.state === 'member'
  }
  return isBegun
}

const connects: ReadonlySet<string> = new Set(['start', 'migrate_from'])

/** A member that claims its tasks itself, for a job that claims them for it: of this life, whose boot is known. */
export function memberLife({ members }: ClusterView, name: NodeName): TaskLife | undefined {
  const member = members.get(name)
  if (member?.state !== 'member' || member.bootId === undefined) return undefined
  return { incarnation: member.incarnation, bootId: member.bootId }
}

/** It can come back. */
export function isTaskNodeListed(file: ClusterFile, view: ClusterView, name: NodeName): boolean {
  return file.nodes.some((node) => node.name === name) || remoteNodesOf(view).includes(name)
}

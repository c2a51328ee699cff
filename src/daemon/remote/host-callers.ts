/** Who calls on a remote node's own host, and what of the call goes to the cluster node that holds the connection. */
import { superusers } from '../../cib/index.ts'
import { type CallHandlers, fitsOwner, mostGroups, type OwnerCalls } from '../../remote/index.ts'
import { exitCodes, refused, type ToolCall, type ToolReply } from '../../tools/index.ts'
import type { HostUsers } from '../access/host-users.ts'

export type ToolRequest = Parameters<CallHandlers<OwnerCalls>['tool']>[0]
export type ToolUser = NonNullable<ToolRequest['by']>

/**
 * In whose name a call is made: undefined for root and whoever runs this daemon. Whose number has no name is somebody without a role. Root and
 * hacluster may name another user (CIB_user), as on a member.
 */
export async function callerOnHost(
  users: Pick<HostUsers, 'byId' | 'byName'>,
  uid: number | undefined,
  named: string | undefined,
): Promise<ToolUser | undefined> {
  const isRoot = uid === 0 || (uid !== undefined && uid === process.getuid?.())
  const known = isRoot || uid === undefined ? undefined : await users.byId(uid)
  const caller = isRoot ? undefined : (known ?? { name: `#${uid ?? 'unknown'}`, groups: [] })
  const mayName = caller === undefined || superusers.includes(caller.name)
  if (!mayName || named === undefined || superusers.includes(named)) return caller
  return (await users.byName(named)) ?? { name: named, groups: [] }
}

/** The request, or the refusal: a call that the cluster node does not take would end the connection, which all agents here use. */
export function toOwner(call: ToolCall, by: ToolUser | undefined): ToolRequest | ToolReply {
  const { tool, resource, onNode, arguments: words } = call
  const request: ToolRequest = {
    tool,
    arguments: words,
    ...(resource === undefined ? {} : { resource }),
    ...(onNode === undefined ? {} : { onNode }),
    // One in more groups has the roles of those that come first.
    ...(by === undefined ? {} : { by: { ...by, groups: by.groups.slice(0, mostGroups) } }),
  }
  return fitsOwner('tool', request)
    ? request
    : refused(
        exitCodes.usage,
        `${tool}: the command is too long for a remote node, or a name in it has control characters.`,
      )
}

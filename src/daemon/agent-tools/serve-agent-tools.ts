/** The socket of crm_attribute and the other commands on a cluster node: who calls, and with which rights. */
import type { Socket } from 'node:net'
import type { NodeName } from '../../base/index.ts'
import { type AclUser, superusers } from '../../cib/index.ts'
import { cibOfView } from '../../controller/index.ts'
import type { CallHandlers, OwnerCalls } from '../../remote/index.ts'
import {
  type CallerIdentity,
  haclientGroup,
  isOwnOrRoot,
  type PeerCredentials,
  RefusedError,
  shareOfUsers,
  userOf,
} from '../../rpc/index.ts'
import {
  exitCodes,
  installedAgents,
  refused,
  runTool,
  serveTools,
  type ToolCall,
  type ToolReply,
  type ToolServer,
} from '../../tools/index.ts'
import type { AccessControl } from '../access/access-control.ts'
import { refuseLongDocument } from '../access/longest-document.ts'
import { accessCodes, type Rights } from '../access/rights.ts'
import { agentToolsSocket } from '../host/agent-tools-socket.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { Seldom } from '../host/seldom.ts'
import { AgentToolsWorld, type ToolsNode, tooSlow } from './agent-tools.ts'
import { LimitedToolsWorld } from './limited-tools-world.ts'
import { runRemoteTool } from './run-remote-tool.ts'

/** `credentials`: how a caller is known; without them the socket is root's alone. */
export async function serveAgentTools(
  node: ToolsNode,
  paths: Paths,
  served: { readonly access: AccessControl; readonly credentials: PeerCredentials | undefined },
): Promise<ToolServer> {
  const { access, credentials } = served
  const worldFor = async (rights: Rights): Promise<AgentToolsWorld> =>
    rights.kind === 'limited'
      ? await LimitedToolsWorld.open(node, access.guardedFor(rights))
      : new AgentToolsWorld(node, rights.mayNameAnother ? { user: rights.user, asUser } : { user: rights.user })
  const asUser = async (user: string): Promise<AgentToolsWorld> => await worldFor(await access.rightsOfName(user))
  const ofRoot = new AgentToolsWorld(node, { asUser })
  const installed = installedAgents()
  const handle = async (asked: ToolCall, caller: CallerIdentity): Promise<ToolReply> => {
    const call = { ...asked, installed }
    const named = call.user !== undefined && !superusers.includes(call.user) ? call.user : undefined
    // Agents call as root, many times a minute: nothing is looked up for them.
    if (isRoot(caller)) return await runTool(call, named === undefined ? ofRoot : await asUser(named))
    return isOwnOrRoot(caller)
      ? await handleOfUser(call, caller, named)
      : await shareOfUsers.take(userOf(caller), async () => await handleOfUser(call, caller, named))
  }
  const handleOfUser = async (
    call: ToolCall,
    caller: CallerIdentity,
    named: string | undefined,
  ): Promise<ToolReply> => {
    const rights = await access.rightsOf(caller)
    if (rights.kind === 'limited') refuseLongWords(node, call)
    const actsFor = rights.kind === 'all' && rights.mayNameAnother ? named : undefined
    return await runTool(call, actsFor === undefined ? await worldFor(rights) : await asUser(actsFor))
  }
  const callerOf = (socket: Socket): CallerIdentity =>
    credentials ? (credentials.of(socket) ?? { kind: 'unknown' }) : { kind: 'user', uid: 0, gid: 0, pid: 0 }
  const group = process.getuid?.() === 0 && credentials ? haclientGroup() : undefined
  return await serveTools(agentToolsSocket(paths), {
    handle: async (call, caller) =>
      await node.seesOwnWrites(async () => await handle(call, caller)).catch((error: unknown) => refusal(call, error)),
    callerOf,
    userOf: (caller) => (caller.kind === 'user' ? caller.uid : undefined),
    group,
  })
}

/** For agents on the remote nodes whose connections this node holds, and their users: they see what both may see, under their node's name. */
export function remoteTools(
  node: ToolsNode,
  log: Pick<Log, 'warn'>,
  access: AccessControl,
): (remote: NodeName, call: Parameters<CallHandlers<OwnerCalls>['tool']>[0]) => Promise<ToolReply> {
  const seldom = new Seldom()
  const worldFor = async (localNode: NodeName, user: AclUser | undefined): Promise<AgentToolsWorld> => {
    if (user === undefined) return new AgentToolsWorld(node, { localNode })
    const rights = access.rightsOfKnown(user)
    if (rights.kind === 'all') return new AgentToolsWorld(node, { localNode, user: rights.user })
    return await LimitedToolsWorld.open(node, access.guardedOfRemote(rights, localNode), localNode)
  }
  return async (remote, { by, ...call }) => {
    const run = async (): Promise<ToolReply> =>
      await runRemoteTool(call, {
        remote,
        world: await worldFor(remote, by),
        view: node.view,
        refuseXpath: async (cib, xpath) =>
          (await access.isQuickOfRemote(cib, xpath, remote)) ? undefined : tooSlow(xpath),
        onRefused: (why) => {
          if (seldom.mayTell(`${remote} ${call.tool}`, performance.now()))
            log.warn('a command of a remote node was refused', { remote, tool: call.tool, why })
        },
      })
    try {
      return await node.seesOwnWrites(async () => await shareOfUsers.take(`node ${remote}`, run))
    } catch (error) {
      return refusal(call, error)
    }
  }
}

/** A document stands among the words of a command. */
function refuseLongWords({ view, quorate }: ToolsNode, { arguments: words }: ToolCall): void {
  const cib = cibOfView(view, quorate)
  if (cib !== undefined)
    refuseLongDocument(
      cib,
      words.reduce((sum, word) => sum + word.length, 0),
    )
}

const isRoot = (caller: CallerIdentity): boolean => caller.kind === 'user' && caller.uid === 0

function refusal({ tool }: ToolCall, error: unknown): ToolReply {
  if (error instanceof RefusedError && accessCodes.has(error.code))
    return refused(exitCodes.insufficientPrivileges, `${tool}: ${error.message}`)
  throw error
}

/** The socket of crm_attribute and the other commands on a cluster node: who calls, and with which rights. */
import type { Socket } from 'node:net'
import { type CallerIdentity, haclientGroup, type PeerCredentials, RefusedError } from '../../rpc/index.ts'
import {
  installedAgents,
  refused,
  runTool,
  serveTools,
  type ToolCall,
  type ToolReply,
  type ToolServer,
} from '../../tools/index.ts'
import type { AccessControl } from '../access/access-control.ts'
import { LimitedToolsWorld } from '../access/limited-tools-world.ts'
import { accessCodes, type Rights } from '../access/rights.ts'
import type { Paths } from '../host/paths.ts'
import { AgentToolsWorld, type ToolsNode } from './agent-tools.ts'
import { agentToolsSocket } from './agent-tools-socket.ts'

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
    // Agents call as root, many times a minute: nothing is looked up for them.
    return await runTool(call, isRoot(caller) ? ofRoot : await worldFor(await access.rightsOf(caller)))
  }
  const callerOf = (socket: Socket): CallerIdentity =>
    credentials ? (credentials.of(socket) ?? { kind: 'unknown' }) : { kind: 'user', uid: 0, gid: 0, pid: 0 }
  const group = process.getuid?.() === 0 && credentials ? haclientGroup() : undefined
  return await serveTools(agentToolsSocket(paths), {
    handle: async (call, caller) => await handle(call, caller).catch((error: unknown) => refusal(call, error)),
    callerOf,
    userOf: (caller) => (caller.kind === 'user' ? caller.uid : undefined),
    group,
  })
}

const isRoot = (caller: CallerIdentity): boolean => caller.kind === 'user' && caller.uid === 0

/** Pacemaker's exit code for who may not. */
const insufficientPrivileges = 4

function refusal({ tool }: ToolCall, error: unknown): ToolReply {
  if (error instanceof RefusedError && accessCodes.has(error.code))
    return refused(insufficientPrivileges, `${tool}: ${error.message}`)
  throw error
}

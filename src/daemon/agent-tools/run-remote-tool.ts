/** A command that an agent on a remote node has called, with the rights of that node. */
import type { NodeName } from '../../base/index.ts'
import type { XmlElement } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { exitCodes, refused, runTool, type ToolCall, type ToolReply, type ToolWorld } from '../../tools/index.ts'
import { whyNotAllowed } from '../remote/allowed-tools.ts'
import { NotAllowedError, RemoteWorld } from '../remote/remote-world.ts'

export interface RemoteToolPorts {
  readonly remote: NodeName
  /** What a member may do, under the remote node's name. */
  readonly world: ToolWorld
  readonly view: ClusterView
  /** Why an XPath of the remote node's own is not evaluated in this CIB; undefined where it may be. */
  readonly refuseXpath: (cib: XmlElement, xpath: string) => Promise<ToolReply | undefined>
  readonly onRefused: (sentence: string) => void
}

export async function runRemoteTool(asked: ToolCall, ports: RemoteToolPorts): Promise<ToolReply> {
  const { remote, world, onRefused } = ports
  const { tool, arguments: words, resource, onNode } = asked
  const call: ToolCall = {
    tool,
    arguments: words,
    ...(resource === undefined ? {} : { resource }),
    // That it works for another node is its own word.
    ...(onNode === undefined ? {} : { onNode: remote }),
  }
  const notAllowed = (sentence: string): ToolReply => {
    onRefused(sentence)
    return refused(exitCodes.insufficientPrivileges, `${tool}: ${sentence}`)
  }
  const sentence = whyNotAllowed(call, remote)
  if (sentence !== undefined) return notAllowed(sentence)
  try {
    return await runTool(call, new RemoteWorld(world, ports))
  } catch (error) {
    if (error instanceof NotAllowedError) return notAllowed(error.message)
    throw error
  }
}

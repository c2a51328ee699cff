/** What the commands that agents call (crm_attribute …) need to know and to do; the daemon gives it to them. */
import type { NodeName } from '../base/index.ts'
import type { EditResult, XmlElement } from '../cib/index.ts'
import type { MonitorStatus } from './monitor-status.ts'

export interface ToolCall {
  /** `crm_attribute`. */
  readonly tool: string
  readonly arguments: readonly string[]
  /** OCF_RESOURCE_INSTANCE of the agent that calls. */
  readonly resource?: string
  /** The node that the agent works for, where that is another than the one that runs it. */
  readonly onNode?: string
}

export interface ToolReply {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

export interface ToolNode {
  readonly name: NodeName
  readonly id: string
  readonly state: 'member' | 'lost'
}

export interface ToolWorld {
  readonly localNode: NodeName
  readonly quorate: boolean
  /** The cluster's nodes, remote ones left out. */
  nodes(): readonly ToolNode[]
  /** A cluster node or a remote one. */
  knowsNode(node: string): boolean
  /** The whole CIB as this node knows it. Large clusters have large ones: most commands need only what follows. */
  cib(): XmlElement
  /** The `cib` element, its configuration alone. */
  configuration(): XmlElement
  /** The transient attributes of a node as its CIB has them, with everything that this node has set itself. */
  transient(node: string): ReadonlyMap<string, string>
  /** As attrd_updater sees them: private ones and changes whose dampening still runs included. */
  live(node: string): ReadonlyMap<string, string>
  /** A transient attribute; `value++` and `value+=n` count up. Resolves when `live` shows it. */
  setAttribute(attribute: {
    readonly node: NodeName
    readonly set: string
    readonly name: string
    /** Left out, the attribute is deleted. */
    readonly value?: string
    /** The attribute's dampening from now on, on all nodes (`--update-both`). Left out, it stays as it is. */
    readonly delayMs?: number
    /** Never in the CIB. Counts where nobody has the attribute yet. */
    readonly isPrivate?: boolean
  }): Promise<void>
  /** `--update-delay`: the dampening alone. What waits under the name is written where it changes. */
  setDampening(name: string, delayMs: number): Promise<void>
  /** `--refresh`: what waits is written. */
  refreshAttributes(): Promise<void>
  /** A change of the configuration, made again on the newest one when somebody else was faster. */
  edit(change: (cib: XmlElement) => EditResult, command: string): Promise<EditResult>
  /** Forgets the failures of a resource, on a node or on all. */
  cleanUp(resource: string, node: NodeName | undefined): Promise<void>
  /** For crm_mon. */
  status(): Promise<MonitorStatus>
  /** Resolves when the cluster has nothing left to do, or false after the time. */
  settled(timeoutMs: number): Promise<boolean>
}

/** Exit codes of Pacemaker's tools (`crm_error --list --exit`). */
export const exitCodes = {
  ok: 0,
  error: 1,
  unimplemented: 3,
  insufficientPrivileges: 4,
  usage: 64,
  configuration: 78,
  notConnected: 102,
  noSuchObject: 105,
  timeout: 124,
} as const

export function printed(output: string): ToolReply {
  return { exitCode: exitCodes.ok, output, errors: '' }
}

export function refused(exitCode: number, sentence: string): ToolReply {
  return { exitCode, output: '', errors: `${sentence}\n` }
}

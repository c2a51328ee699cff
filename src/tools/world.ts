/** What the commands need to know and to do. The daemon is one adapter, a CIB in a file (`file/file-world.ts`) the other. */
import type { NodeName } from '../base/index.ts'
import type { Md5, XmlElement } from '../cib/index.ts'
import type { ToolReply } from './reply.ts'

export interface ToolNode {
  readonly name: NodeName
  readonly id: string
  readonly state: 'member' | 'lost'
  /** Where its heartbeats go: on its first link. */
  readonly address?: string
  readonly links?: readonly ToolLink[]
}

export interface ToolLink {
  readonly number: number
  readonly address: string
  /** Heartbeats come on it; of the own node: from anybody. */
  readonly isUp: boolean
}

/** The host that votes and is no node. */
export interface ToolWitness {
  readonly name: string
  /** By the list of nodes. */
  readonly votes: boolean
  readonly isHeard: boolean
}

/** The CIB after a change; or why there is none, which is what the command then answers. */
export type CibChange = (cib: XmlElement) => XmlElement | ToolReply

export interface EditWay {
  readonly command: string
  readonly whole?: boolean
  /** It puts a document in the place of what is there, which says nothing about what is held for a while. */
  readonly replaces?: boolean
  /** What a CIB in a file counts up although nothing differs afterwards; `made`: the change has counted itself. */
  readonly counts?: 'epoch' | 'updates' | 'made'
  /** How many changes of Pacemaker's it stands for, by each of which the epoch of a file grows, or its updates. */
  readonly steps?: (before: XmlElement) => number
}

export interface FencingEvent {
  readonly target: string
  readonly action: string
  readonly device?: string
  readonly client: string
  readonly node: string
  /** Seconds since the epoch. */
  readonly begun: number
  readonly ended?: number
  readonly outcome: 'pending' | 'success' | 'failed'
}

export interface ToolWorld {
  /** A cluster that runs; otherwise a CIB in a file. */
  readonly isCluster: boolean
  readonly localNode: NodeName
  readonly quorate: boolean
  readonly md5: Md5
  /** Seconds since the epoch. */
  now(): number
  /** The cluster's nodes, remote ones left out. */
  nodes(): readonly ToolNode[]
  witness(): ToolWitness | undefined
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
  /**
   * A change, made again on the newest CIB when somebody else was faster, so that what it found is what it changes. Of the
   * `configuration` alone, unless `whole` says that the recorded state may change too. Undefined once it is saved.
   */
  edit(change: CibChange, how: EditWay): Promise<ToolReply | undefined>
  /** Forgets recorded operations and fail counts: what failed, or with `refresh` all. */
  cleanUp(what: {
    readonly resource?: string
    readonly node?: NodeName
    readonly operation?: string
    readonly intervalMs?: number
    readonly refresh?: boolean
  }): Promise<void>
  /** Records that a resource, by its name in the history, has failed on a node; false where the node has no history of it. */
  fail(what: { readonly resource: string; readonly node: NodeName }): Promise<boolean>
  /** Resolves when the cluster has nothing left to do, or false after the time. */
  settled(timeoutMs: number): Promise<boolean>
  /** The same with what the roles of another user permit (`cibadmin --user`); a reply where that cannot be. Only a daemon has it. */
  asUser?(user: string): Promise<ToolWorld | ToolReply>
  /** Why a caller's own XPath is not evaluated: for users who might stop others with one. Undefined where it may be. */
  refuseXpath?(xpath: string): Promise<ToolReply | undefined>
  /** Who is the cluster's DC, if it has one. */
  dc(): { readonly name: NodeName; readonly id: string } | undefined
  /** What the DC is doing, as Pacemaker names its states: `S_IDLE`. */
  controllerState(): string
  /** Recorded fencing, the newest first. */
  fencingHistory(): Promise<readonly FencingEvent[]>
  /** The fence devices in use. */
  fenceDevices(): readonly FenceDeviceFacts[]
  /** The hosts that a device knows, or whether it works (then none). A sentence where it does not answer well. */
  askFenceDevice(id: string, question: 'list' | 'monitor', timeoutMs: number): Promise<readonly string[] | string>
  /** Fences a node, or confirms that it is off. Answers a sentence where that failed. */
  fence(request: FenceRequest): Promise<string | undefined>
  /** Forgets what is over of the fencing history of a node, or of all. */
  forgetFencing(node: string | undefined): Promise<void>
}

export interface FenceDeviceFacts {
  readonly id: string
  /** Undefined where the device must be asked. */
  readonly targets: 'all' | readonly string[] | undefined
}

export interface FenceRequest {
  readonly node: string
  readonly action: 'reboot' | 'off' | 'on' | 'confirm'
  /** Where left out, the cluster's fencing-timeout. */
  readonly timeoutMs?: number
  /** Beside the delays of the devices. */
  readonly delayMs?: number
  /** For the history: several programs may ask through this command. */
  readonly tag?: string
}

/** Fencing as a node's core has it: what goes in, what comes out, and what is remembered. */
import type { MonotonicMs, NodeName } from '../base/index.ts'
import type {
  ClusterView,
  ControllerEffect,
  DiskFencing,
  FencingAction,
  MemberRecord,
  NodeIncarnation,
} from '../controller/index.ts'
import type {
  Announcement,
  DeviceAnswer,
  FenceDevice,
  FencingDemand,
  FencingEffect,
  FencingSetup,
  FencingState,
  SelfFencingWait,
} from '../fencing/index.ts'
import type { AgentMetadata } from '../resource-agents/index.ts'
import type { RecordedFencing } from './left-off.ts'

/** Who tells devices to act: the DC under its term, or the survivor of two, which leads nobody. */
export type FencerName = 'dc' | 'alone'

export interface NodeFencing {
  readonly dc: FencingState
  readonly alone: FencingState
  readonly metadata: ReadonlyMap<string, AgentMetadata>
  /** As the configuration and the agents' metadata have it, and which configuration that was. */
  readonly setup?: FencingSetup
  readonly configuredFrom?: ClusterView['configuration']
  /** For each node that its own watchdog can fence, how long after the end of its lease it counts as reset. */
  readonly watchdogWaits: ReadonlyMap<NodeName, number>
  readonly waitsFrom?: {
    readonly nodeStates: ClusterView['nodeStates']
    readonly configuration: ClusterView['configuration'] | undefined
  }
  /** The life of each node that was to be fenced last. */
  readonly meant: ReadonlyMap<NodeName, number | undefined>
  /** Nodes that an administrator wants off: nobody switches them on. */
  readonly wantedOff: ReadonlySet<NodeName>
  /** The other fencer has a device at work on their node. */
  readonly inLine: readonly InLine[]
  /** Who asked the DC's fencer, by the ids of the demands. */
  readonly asked: ReadonlyMap<string, AskedFencing>
  readonly watchdogs: readonly WatchdogFencing[]
  /** Of which the store is being told. */
  readonly throughDisks: readonly ThroughDisks[]
  /** How often each node's member record was seen to come, change or go. */
  readonly memberChanges: ReadonlyMap<NodeName, number>
  /** Demands whose target is back after another boot. */
  readonly rebooted: ReadonlySet<string>
  /** Resets by a watchdog that are being recorded, or whose record was refused so that their failure is. */
  readonly resets: ReadonlyMap<string, { readonly record: RecordEffect; readonly refused: boolean }>
  /** What earlier DCs have switched off, until this node's view shows that it is the DC. */
  readonly history?: LeftOffHistory
  /** Of the survivor of two. */
  readonly peer?: FencingOfPeer
}

export interface InLine {
  readonly by: FencerName
  readonly demand: AskedDemand
  readonly giveUpAt: MonotonicMs
}

/** The rest is known once its turn has come. */
export type AskedDemand = Omit<FencingDemand, 'attributes' | 'runners'>

export interface AskedFencing {
  readonly action: FencingAction
  readonly incarnation: number | undefined
  readonly byAdministrator: boolean
}

export interface WatchdogFencing {
  readonly call: number
  readonly id: string
  readonly target: NodeName
  readonly term: number
  readonly life: NodeIncarnation
  readonly waitMs: number
  readonly timeoutMs: number
  /** Undefined: the target is being asked to end itself. */
  readonly wait?: SelfFencingWait
}

/** A message through disks of SBD that is about to be sent. */
export interface ThroughDisks {
  readonly asked: Extract<FencingEffect, { kind: 'run-device' }>
  readonly device: FenceDevice
  readonly attempt: number
  /** The store is being told: the target obeys that word, whatever this node wants later. */
  readonly writes?: true
  /** The target is here again. */
  readonly withdrawn?: true
}

interface LeftOffHistory {
  readonly term: number
  readonly records: readonly RecordedFencing[]
  readonly giveUpAt: MonotonicMs
}

interface FencingOfPeer {
  readonly attempt: number
  readonly id: string
  readonly target: NodeName
  readonly planning: boolean
  readonly withdrawn: boolean
}

type RecordEffect = Omit<Extract<FencingEffect, { kind: 'record' }>, 'kind'>

export type NodeFencingInput =
  /** Of fence agents, as far as it was read. */
  | { readonly kind: 'agents'; readonly metadata: ReadonlyMap<string, AgentMetadata> }
  /** The controller's own effects: the loop passes them on once they may be performed. */
  | {
      readonly kind: 'fence'
      readonly request: Extract<ControllerEffect, { kind: 'fence' }>
      readonly random: number
    }
  | { readonly kind: 'withdraw'; readonly id: string }
  /** On the DC. Its `announce` says what came of it. */
  | {
      readonly kind: 'fence-for-administrator'
      readonly id: string
      readonly term: number
      readonly target: NodeName
      readonly action: FencingAction
      /** Who asks, in the words of the history. */
      readonly client: string
      /** fencing-timeout where it is not given. */
      readonly timeoutMs?: number
      readonly delayMs?: number
      readonly random: number
    }
  | {
      readonly kind: 'peer-planned'
      readonly attempt: number
      readonly action: FencingAction
      readonly delayMs: number
      readonly random: number
    }
  /** An election is won: the history as it is known then. */
  | { readonly kind: 'history'; readonly term: number; readonly records: readonly RecordedFencing[] }
  | { readonly kind: 'recorded-alone'; readonly records: readonly RecordedFencing[] }
  | {
      readonly kind: 'recorded'
      readonly by: FencerName
      readonly id: string
      readonly outcome: 'pending' | 'succeeded' | 'failed'
      readonly written: boolean
    }
  | { readonly kind: 'device-answered'; readonly by: FencerName; readonly call: number; readonly answer: DeviceAnswer }
  /** Its record among the members as the store's majority has it; without one, it is no member. */
  | {
      readonly kind: 'target-seen'
      readonly call: number
      readonly record?: MemberRecord
      readonly revision?: number
    }
  | { readonly kind: 'target-not-seen'; readonly call: number; readonly why: string }
  /** `why`: the store did not take it; without one, what was asked for does not hold. */
  | { readonly kind: 'disk-word-written'; readonly call: number; readonly written: boolean; readonly why?: string }
  /** `refused`: why it could not be asked. */
  | { readonly kind: 'asked-to-end'; readonly call: number; readonly refused?: string }

export type NodeFencingEffect =
  /** Those of the configuration, for whoever runs devices on this node; the metadata of its agents is to be read. */
  | { readonly kind: 'use-devices'; readonly devices: readonly FenceDevice[] }
  /** What this machine has written down without a majority. Answered with `recorded-alone`. */
  | { readonly kind: 'read-recorded-alone' }
  /**
   * Of the DC: in a transaction that compares its term, and where `ifAway` says so that the target has no member record. Of a survivor: on this
   * machine's disk. One after the other. Answered with `recorded`.
   */
  | ({ readonly kind: 'record'; readonly by: FencerName; readonly ifAway: boolean } & RecordEffect)
  /** Of a survivor: by this node. Answered with `device-answered`. */
  | ({ readonly by: FencerName } & Extract<FencingEffect, { kind: 'run-device' }>)
  /** Its record among the members is read from the store. Answered with `target-seen` or `target-not-seen`. */
  | { readonly kind: 'look-at-target'; readonly call: number; readonly target: NodeName }
  /**
   * Put `fencing/disk/<node>` under that term, if the record of the target is the one of that revision; undefined: if there is none. Answered with
   * `disk-word-written`.
   */
  | {
      readonly kind: 'write-disk-word'
      readonly call: number
      readonly target: NodeName
      readonly term: number
      readonly word: DiskFencing
      readonly ifRevision: number | undefined
    }
  /** That life of the node is to end itself: put `fencing/self/<node>` under that comparison. Answered with `asked-to-end`. */
  | {
      readonly kind: 'ask-to-end'
      readonly call: number
      readonly target: NodeName
      readonly incarnation: number | undefined
      readonly term: number
    }
  /** Of the DC. The controller is fed `fenced` with the time of day (`fencedInput`). */
  | { readonly kind: 'announce'; readonly result: Announcement; readonly asked: AskedFencing }
  /** How the scheduler would fence it if it were lost. Answered with `peer-planned`. */
  | { readonly kind: 'plan-peer'; readonly attempt: number; readonly target: NodeName }

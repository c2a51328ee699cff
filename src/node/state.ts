/** What goes into a node's core and what comes out. Effects are values: a driver performs them, the daemon's or the simulation's. */
import type { MonotonicMs, NodeName, ResourceId, Step } from '../base/index.ts'
import type {
  Change,
  ClusterView,
  ControllerEffect,
  ControllerInput,
  ControllerState,
  defaultControllerTimings,
} from '../controller/index.ts'
import type { Command } from '../executor/index.ts'
import type { PeerView, PresenceEffect, PresenceInput, PresenceState } from '../membership/index.ts'
import type { TwoNodeEffect, TwoNodeInput, TwoNodeSituation, TwoNodeState, VoterList } from '../quorum/index.ts'
import type { ResourceAction, TransitionGraph } from '../transition/index.ts'
import type { CommandAnswer } from './commands.ts'
import type { NodeFencing, NodeFencingEffect, NodeFencingInput } from './fencing-state.ts'
import type { Said } from './own-member.ts'
import type { OwnVotes, VotesEffect, VotesInput } from './own-votes-state.ts'
import type { OwnWatchdog, OwnWatchdogEffect, OwnWatchdogInput } from './own-watchdog-state.ts'
import type {
  StartUp,
  StartUpEffect,
  StartUpInput,
  StoreCopy,
  StoreCopyEffect,
  StoreCopyInput,
} from './start-up-state.ts'

export interface NodeSetup {
  readonly self: NodeName
  /** Of this daemon: greater than that of every daemon before it on this node. */
  readonly incarnation: number
  readonly timings: {
    readonly leaseTtlMs: number
    readonly leaseMarginMs: number
    readonly controller: typeof defaultControllerTimings
  }
  /** Who votes, by this node's list. */
  readonly list: VoterList
  /** This machine had quorum since it booted. */
  readonly met: boolean
  /** An earlier daemon began to go on without the other voters, and has not ended it. */
  readonly wasGoingAlone?: true | undefined
  /** Disks of SBD's on which this boot has had a slot, by their UUIDs; undefined: on none, or it has ended that in order. */
  readonly slotsOfBoot?: readonly string[] | undefined
  /** Of this machine; undefined: it is not known. */
  readonly bootId?: string | undefined
  /** One of several nodes on a machine: a watchdog would reset all of them. */
  readonly isolated?: true
}

export interface NodeState extends NodeSetup {
  readonly startedAt: MonotonicMs
  readonly startUp: StartUp
  readonly storeCopy: StoreCopy
  /** The store was read: this node knows what an earlier daemon ran here, and its executor takes commands. */
  readonly began: boolean
  readonly leaving: boolean
  readonly lease?: string
  /** Until when this node may act under its lease, by its own clock. */
  readonly quorateUntil: MonotonicMs
  readonly view: ClusterView
  /** The other nodes, as this one hears them. */
  readonly peers: readonly Pick<PeerView, 'node' | 'state' | 'incarnation'>[]
  /** This node's copy of the store has everything that was ever confirmed. */
  readonly hasWholeCopy: boolean
  /** What it says of itself, beside its watchdog (`saidOf`). */
  readonly says: Said
  readonly controller: ControllerState
  readonly presence: PresenceState
  readonly twoNode: TwoNodeState
  readonly fencing: NodeFencing
  readonly ownStops: OwnStops
  readonly watchdog: OwnWatchdog
  readonly votes: OwnVotes
}

export type SelfEnd = 'reset' | 'off' | 'crashdump'

export type WhyOwnStops = 'no-quorum' | 'leaves' | 'declared-down'

/** To stop by its own decision. */
export interface OwnStopsAttempt {
  readonly id: number
  readonly why: WhyOwnStops
  readonly phase:
    | { readonly kind: 'waits'; readonly until: MonotonicMs }
    /** For the store to be read: what an earlier daemon has left running is known then. */
    | { readonly kind: 'reads'; readonly until: MonotonicMs }
    | { readonly kind: 'planning' }
    | { readonly kind: 'stopping'; readonly unmanaged: readonly ResourceId[] }
}

export interface OwnStops {
  readonly attempts: readonly OwnStopsAttempt[]
  readonly lastId: number
  /** What may run here since the last attempt to stop by itself, and should not. */
  readonly leftRunning: readonly ResourceId[]
  readonly reported?: { readonly trouble: string; readonly at: MonotonicMs }
}

/** What the scheduler says of a cluster without quorum, as far as it matters here. */
export interface OwnPlan {
  readonly graph: TransitionGraph
  readonly noQuorumPolicy: string
  /** What is left alone on purpose. */
  readonly unmanaged: readonly ResourceId[]
}

export type NodeInput =
  | { readonly kind: 'start-up'; readonly input: StartUpInput }
  | { readonly kind: 'store-copy'; readonly input: StoreCopyInput }
  /** The store's events, folded into the view; before `began` too. */
  | { readonly kind: 'store'; readonly view: ClusterView; readonly changes: readonly Change[] }
  | { readonly kind: 'began' }
  /** From the quorum core, whenever it changes or is prolonged. */
  | { readonly kind: 'quorum'; readonly lease?: string; readonly until: MonotonicMs }
  /** This node's list of nodes is another one. */
  | { readonly kind: 'list'; readonly list: VoterList }
  | { readonly kind: 'quorum-lost'; readonly why: string }
  /** From the heartbeat core, whenever it changes. `agreed`: the silent ones whose silence a majority confirms. */
  | { readonly kind: 'heartbeats'; readonly peers: NodeState['peers']; readonly agreed: readonly NodeName[] }
  /** Whether this node's member of the store has caught up with the others. */
  | { readonly kind: 'copy'; readonly isWhole: boolean }
  /** What this node says of itself now, beside its watchdog. */
  | { readonly kind: 'says'; readonly says: Said }
  /** An administrator wants this node to leave in order, or its host shuts down. */
  | { readonly kind: 'leave' }
  /** Of a DC. `highestTerm`: that the executor has seen; undefined: there is no executor yet. */
  | {
      readonly kind: 'command'
      readonly id: number
      readonly command: Command
      readonly highestTerm: number | undefined
    }
  | { readonly kind: 'own-stops-planned'; readonly id: number; readonly plan: OwnPlan }
  | { readonly kind: 'own-stops-not-planned'; readonly id: number; readonly message: string }
  /** It is not known what came of them: they are planned and carried out again. */
  | { readonly kind: 'own-stops-not-done'; readonly id: number; readonly message: string }
  /** `mayRun`: of what runs or may run here then. */
  | {
      readonly kind: 'own-stops-ended'
      readonly id: number
      readonly failed: readonly ResourceId[]
      readonly mayRun: readonly ResourceId[]
    }
  /** What came of an effect of that part. */
  | { readonly kind: 'controller'; readonly input: ControllerInput }
  | { readonly kind: 'presence'; readonly input: Extract<PresenceInput, { kind: 'written' }> }
  | { readonly kind: 'two-node'; readonly input: TwoNodeInput }
  | { readonly kind: 'fencing'; readonly input: NodeFencingInput }
  | { readonly kind: 'watchdog'; readonly input: OwnWatchdogInput }
  | { readonly kind: 'votes'; readonly input: VotesInput }
  | { readonly kind: 'tick' }

export type NodeEffect =
  | { readonly kind: 'start-up'; readonly effect: StartUpEffect }
  | { readonly kind: 'store-copy'; readonly effect: StoreCopyEffect }
  | { readonly kind: 'controller'; readonly effect: ControllerEffect }
  | { readonly kind: 'presence'; readonly effect: Extract<PresenceEffect, { kind: 'register' | 'request-shutdown' }> }
  | { readonly kind: 'two-node'; readonly effect: Extract<TwoNodeEffect, { kind: 'go-alone' }> }
  | { readonly kind: 'fencing'; readonly effect: NodeFencingEffect }
  | { readonly kind: 'watchdog'; readonly effect: OwnWatchdogEffect }
  | { readonly kind: 'votes'; readonly effect: VotesEffect }
  /** How it is with the other of two has changed; undefined: this is no cluster of two voters. A word to go on alone that was begun with may count now. */
  | { readonly kind: 'two-node-situation'; readonly situation: TwoNodeSituation | undefined }
  /** For people: what one of two waits for, whenever that changes. */
  | { readonly kind: 'two-node-waits'; readonly message: string | undefined }
  | { readonly kind: 'executor-quorum'; readonly quorate: boolean }
  | { readonly kind: 'quorum-gained' }
  | { readonly kind: 'quorum-lost' }
  /** Answered with `own-stops-planned` or `own-stops-not-planned`. `stopEverything`: whatever no-quorum-policy says. */
  | { readonly kind: 'plan-own-stops'; readonly id: number; readonly stopEverything: boolean }
  /** Stage after stage, by the executor where there is one. Answered with `own-stops-ended`, at once where there are none, or `own-stops-not-done`. */
  | { readonly kind: 'stop-own'; readonly id: number; readonly stages: readonly (readonly ResourceAction[])[] }
  | { readonly kind: 'perform-command'; readonly id: number; readonly command: Command }
  /** To a node behind a connection that this node holds. */
  | { readonly kind: 'route-command'; readonly id: number; readonly node: NodeName; readonly command: Command }
  | { readonly kind: 'answer-command'; readonly id: number; readonly answer: CommandAnswer }
  /** The machine ends, hard. */
  | { readonly kind: 'end-self'; readonly how: SelfEnd; readonly why: string }
  /** The daemon ends, to come back as somebody new. */
  | { readonly kind: 'restart'; readonly why: string }
  /** The lease is given back, and the daemon ends. `disarm`: its watchdog is stopped, and what was written to its disks means nothing any more. */
  | { readonly kind: 'depart'; readonly lease?: string; readonly disarm: boolean }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>>
    }

export type NodeTurn = Step<NodeState, NodeEffect>

export const turn = (state: NodeState, ...effects: readonly NodeEffect[]): NodeTurn => ({ state, effects })

export function andThen({ state, effects }: NodeTurn, next: (state: NodeState) => NodeTurn): NodeTurn {
  const after = next(state)
  return { state: after.state, effects: [...effects, ...after.effects] }
}

/** By this node's own clock, now. */
export const isQuorate = ({ quorateUntil }: Pick<NodeState, 'quorateUntil'>, now: MonotonicMs): boolean =>
  now < quorateUntil

export const log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): NodeEffect => ({ kind: 'log', level, message, fields })

/** The controller's state, on every node and, in `dcState`, while this node is DC. */
import type { NodeName, ResourceId, Step } from '../base/index.ts'
import type { BlockedResource, ControllerEffect, TransitionRecord } from './effects.ts'
import type { NodeLoad } from './node-load.ts'
import { type ControllerOptions, controllerOptions } from './options.ts'
import type { ClusterView } from './view.ts'
import { emptyView } from './view.ts'
import { abortWalk, type Walk, type WalkedAction } from './walk.ts'

export interface ControllerTimings {
  /** Changes that come together are looked at together. */
  readonly settleMs: number
  /** How long a starting cluster waits for nodes that are missing, where `dc-deadtime` is not set. */
  readonly startupWaitMs: number
  /** A node that only the DC cannot hear is given up after this time. */
  readonly linkPatienceMs: number
  /** Without fencing: from the end of a lost node's lease until its resources may start elsewhere (`lossWait` of the quorum room). */
  readonly lossWaitMs: number
  /** A node that is heard without a lease is given up after this time: as long as its daemon has to be heard again (docs/concepts/times.md, restartGraceMs). */
  readonly registrationMs: number
  /** Where `node-action-limit` is not set and the node has said nothing of itself yet. */
  readonly nodeActionLimit: number
  /** Commands, campaigns and revocations without an answer are repeated after this time. */
  readonly retryMs: number
  /** A new transition is computed beside operations that have been under way for this long. */
  readonly overlapAfterMs: number
}

export const defaultControllerTimings: ControllerTimings = {
  settleMs: 10,
  startupWaitMs: 5000,
  linkPatienceMs: 10_000,
  lossWaitMs: 15_500,
  registrationMs: 5000,
  nodeActionLimit: 8,
  retryMs: 500,
  overlapAfterMs: 2000,
}

export interface ControllerState {
  readonly self: NodeName
  readonly timings: ControllerTimings
  readonly view: ClusterView
  readonly options: ControllerOptions
  readonly quorateUntil: number
  readonly lease?: string
  /** Who votes, the witness too; undefined: all nodes do. */
  readonly voters?: readonly NodeName[]
  /** The other of two voters: the survivor goes on alone. */
  readonly otherVoter?: NodeName
  /** The witness, where it is silent. */
  readonly uselessWitness?: NodeName
  /** Since when each silent node is silent here. */
  readonly silent: ReadonlyMap<NodeName, number>
  readonly agreed: ReadonlySet<NodeName>
  readonly leaving: boolean
  readonly campaigning: boolean
  readonly campaignAt: number
  /** When the revocation of a lease may be tried again. */
  readonly revokeAt: ReadonlyMap<string, number>
  readonly loads: ReadonlyMap<NodeName, NodeLoad>
  /** Numbers of writes, computations, fencings and transitions: never used twice by this daemon. */
  readonly lastId: number
  readonly lastTransition: number
  /** The last term that has ended: this node is never the DC under it again. */
  readonly endedTerm?: number
  readonly dcState?: DcState
}

export interface DcState {
  readonly term: number
  /** Only while the cluster starts. */
  readonly startupUntil?: number
  /** Writes that have not been answered. */
  readonly writes: ReadonlyMap<number, WritePurpose>
  /** Since when some write or computation has not been answered. */
  readonly waitingSince?: number
  /** A view older than this revision does not show this DC's own writes. */
  readonly mustSee: number
  readonly lookAgain?: { readonly reason: string; readonly at: number }
  readonly computing?: number
  /** The transition that is walked is the last. Those before it have been aborted, and something of them is still under way. */
  readonly walks: readonly Walk[]
  readonly fencing: ReadonlyMap<NodeName, FencingAttempts>
  readonly waits: ReadonlyMap<NodeName, number>
  readonly waitingFor: readonly string[]
  /** Nodes that took a command and never told its result. */
  readonly owing: ReadonlyMap<NodeName, OwedAnswer>
  /** Those of them that count as lost for it, and why. */
  readonly unresponsive: ReadonlyMap<NodeName, Unresponsive>
  /** What each node was fenced for once: it is not fenced for the same again. */
  readonly fencedForAnswers: ReadonlyMap<NodeName, OwedAnswer>
  /** Nodes whose fencing waits because the store would have no majority without them, and since when. */
  readonly neededVoters: ReadonlyMap<NodeName, number>
  readonly recheckAt: number
  readonly computedVersion: number
  /** By the holds of that revision of the store, or a later one. */
  readonly computedHolds: number
  /** What the running computation sees: the version of the configuration, and the revision of the whole view. */
  readonly computingVersion: number
  readonly computingHolds: number
  readonly computingRevision: number
  /** Undefined: it did not fail. */
  readonly schedulerFailure?: string
  readonly blocked: readonly BlockedResource[]
  /** A success of one of these primitives is a reason to look again: something waits for it. */
  readonly awaited: readonly string[]
  readonly published?: TransitionRecord
  readonly publishAt: number
}

/** A command whose result a node never told. */
export interface OwedAnswer {
  readonly resource?: ResourceId
  readonly operation: string
  /** `web start`, for people. */
  readonly what: string
  /** Why the command did not even arrive, where it did not. */
  readonly unreached?: string
  /** The version of the configuration that wanted it. */
  readonly version: number
}

/** It counts as lost for as long as this incarnation of it holds a lease. */
export interface Unresponsive {
  readonly why: string
  readonly incarnation: number | undefined
}

export interface FencingAttempts {
  /** The `fence` that is under way, and the action that wants it. */
  readonly id?: string
  readonly action?: WalkedAction
  /** Which incarnation of the node the `fence` under way is meant for. */
  readonly incarnation?: number
  /** The node is here again: the `fence` under way was asked to end. */
  readonly withdrawn?: true
  readonly failures: number
  readonly retryAt: number
  readonly message: string
}

export type WritePurpose =
  | { readonly kind: 'state' }
  /** Once it is applied the action has succeeded. */
  | ({ readonly kind: 'ends-action' } & WalkedAction)
  /** Once it is applied the command may go out. */
  | ({ readonly kind: 'begins-action' } & WalkedAction)

export type Turn = Step<ControllerState, ControllerEffect>

export function initialController(self: NodeName, timings: ControllerTimings): ControllerState {
  return {
    self,
    timings,
    view: emptyView,
    options: controllerOptions(undefined),
    quorateUntil: Number.NEGATIVE_INFINITY,
    silent: new Map(),
    agreed: new Set(),
    leaving: false,
    campaigning: false,
    campaignAt: Number.NEGATIVE_INFINITY,
    revokeAt: new Map(),
    loads: new Map(),
    lastId: 0,
    lastTransition: 0,
  }
}

/** Whatever was under way is not waited for any more. */
export function withoutDcState(state: ControllerState): ControllerState {
  const { dcState, ...rest } = state
  return dcState === undefined ? state : { ...rest, endedTerm: dcState.term }
}

export const turn = (state: ControllerState, ...effects: readonly ControllerEffect[]): Turn => ({ state, effects })

/** Runs the next part on the state that this one left, and joins their effects. */
export function andThen(first: Turn, next: (state: ControllerState) => Turn): Turn {
  const second = next(first.state)
  if (second.effects.length === 0) return { state: second.state, effects: first.effects }
  return { state: second.state, effects: [...first.effects, ...second.effects] }
}

/** Runs a part for each item, one after the other. */
export function forEach<Item>(
  state: ControllerState,
  items: Iterable<Item>,
  part: (state: ControllerState, item: Item) => Turn,
): Turn {
  let result = turn(state)
  for (const item of items) result = andThen(result, (next) => part(next, item))
  return result
}

export function withDcState(state: ControllerState, change: Partial<DcState>): ControllerState {
  return state.dcState === undefined ? state : { ...state, dcState: { ...state.dcState, ...change } }
}

export function walkOf(state: ControllerState, transition: number): Walk | undefined {
  return state.dcState?.walks.find(({ number }) => number === transition)
}

/** The walk in the place of what it was. */
export function withWalk(state: ControllerState, walk: Walk): ControllerState {
  const walks = state.dcState?.walks ?? []
  return withDcState(state, { walks: walks.map((other) => (other.number === walk.number ? walk : other)) })
}

/** What is walked, if anything, is stale; the next transition is computed soon. The earliest time asked for counts. */
export function lookAgain(state: ControllerState, reason: string, at: number): ControllerState {
  const { dcState } = state
  if (dcState === undefined) return state
  const before = dcState.lookAgain
  const wanted = before === undefined ? { reason, at } : { reason: before.reason, at: Math.min(before.at, at) }
  return withDcState(state, { lookAgain: wanted, walks: dcState.walks.map((walk) => abortWalk(walk, reason)) })
}

/** What the executor of a node keeps, hears, and asks for. */
import type { ResourceId, Step } from '../base/index.ts'
import type { AgentOutcome } from '../resource-agents/index.ts'
import { emptyLine, type Line } from './line.ts'
import type { Operation, ReportedResult } from './operation.ts'

export interface ExecutorState {
  /** The highest term seen. */
  readonly term: number
  readonly quorate: boolean
  readonly closing: boolean
  /** Results of one node are ordered by it, so that it grows over restarts of the daemon as well. */
  readonly nextCallId: number
  readonly lines: ReadonlyMap<ResourceId, Line>
  readonly localStop?: LocalStop
  readonly ownDecisions: OwnDecisions
}

/** Stages of stops (or demotes), of which one is under way. */
export interface LocalStop {
  readonly stages: readonly (readonly Operation[])[]
  /** The call ids of the stage that is under way. */
  readonly running: ReadonlySet<number>
  readonly failed: readonly ResourceId[]
}

/** What this node has done without being asked. A transition that was computed before that was known expects something else here. */
export interface OwnDecisions {
  /** The call ids of those whose results are not in the store yet. */
  readonly unrecorded: ReadonlySet<number>
  /** The revision of the store that shows all others. */
  readonly shownAt: number
}

export type ExecutorInput =
  | { readonly kind: 'execute'; readonly operation: Operation }
  | {
      readonly kind: 'cancel'
      readonly term: number
      readonly resource: ResourceId
      readonly operation: string
      readonly intervalMs: number
    }
  /** The DC deletes the history of a resource here (`lrm_delete`): it is no longer monitored. */
  | { readonly kind: 'forget'; readonly term: number; readonly resource: ResourceId }
  | { readonly kind: 'announced'; readonly callId: number; readonly resource: ResourceId; readonly written: boolean }
  | {
      readonly kind: 'finished'
      readonly callId: number
      readonly resource: ResourceId
      readonly outcome: Omit<AgentOutcome, 'output'>
    }
  /** A result is in the store, at this revision. */
  | { readonly kind: 'recorded'; readonly callId: number; readonly revision: number }
  | { readonly kind: 'left-agent'; readonly resource: ResourceId }
  | { readonly kind: 'left-agent-gone'; readonly resource: ResourceId }
  /** Something has happened to the resource: its recurring operations look at it now. */
  | { readonly kind: 'noticed'; readonly resource: ResourceId }
  | { readonly kind: 'quorum'; readonly quorate: boolean }
  /** Nobody stands behind what was asked for any more: what has not begun does not begin. */
  | { readonly kind: 'withdraw' }
  /** Stops (or demotes) by this node's own decision: a stage begins when the one before has ended, well or not. */
  | { readonly kind: 'stop-locally'; readonly stages: readonly (readonly Operation[])[] }
  /** The daemon ends: no new operations, no more monitoring; what runs goes on without us. */
  | { readonly kind: 'close' }
  | { readonly kind: 'tick' }

export type RefusedFor = 'old-term' | 'no-quorum' | 'outdated' | 'closing'

export type ExecutorEffect =
  | {
      readonly kind: 'refuse'
      readonly why: RefusedFor
      readonly highestTerm: number
      readonly message: string
    }
  | {
      readonly kind: 'announce'
      readonly callId: number
      readonly result: ReportedResult
      readonly term: number
    }
  | { readonly kind: 'run'; readonly callId: number; readonly operation: Operation }
  | { readonly kind: 'kill'; readonly callId: number; readonly resource: ResourceId }
  | { readonly kind: 'record'; readonly result: ReportedResult }
  /** The record of a recurring operation that was cancelled is deleted. */
  | {
      readonly kind: 'forget-operation'
      readonly resource: ResourceId
      readonly operation: string
      readonly intervalMs: number
    }
  | { readonly kind: 'forget-resource'; readonly resource: ResourceId }
  | { readonly kind: 'stopped-locally'; readonly failed: readonly ResourceId[] }

export type ExecutorStep = Step<ExecutorState, ExecutorEffect>

export function initialExecutor(firstCallId = 1): ExecutorState {
  return {
    term: 0,
    quorate: true,
    closing: false,
    nextCallId: firstCallId,
    lines: new Map(),
    ownDecisions: { unrecorded: new Set(), shownAt: 0 },
  }
}

export function lineOf(state: ExecutorState, resource: ResourceId): Line {
  return state.lines.get(resource) ?? emptyLine
}

export function withLine(state: ExecutorState, resource: ResourceId, line: Line): ExecutorState {
  return { ...state, lines: new Map(state.lines).set(resource, line) }
}

export function mapLines(
  lines: ReadonlyMap<ResourceId, Line>,
  change: (line: Line) => Line,
): ReadonlyMap<ResourceId, Line> {
  return new Map([...lines].map(([resource, line]) => [resource, change(line)]))
}

/**
 * What a change in the store means to the transition that is being walked: an expected result lets it go on; a failure,
 * or anything that it did not cause, aborts it (Pacemaker Explained, "Resource Operations History"; the key
 * `action:transition:expected:uuid` tells which action an operation belongs to).
 */
import { assertNever, type NodeName, type ResourceId } from '../base/index.ts'
import { failCountName, formatTransitionKey, type OperationRecord, parseTransitionKey } from '../cib/index.ts'
import type { ActionId, GraphAction, TransitionGraph } from '../transition/index.ts'
import type { Failure } from './effects.ts'
import type { Change } from './view.ts'
import type { WalkedAction } from './walk.ts'

/** A DC's term in the form of a UUID, as transition keys carry it: the term is its last part. */
export function uuidOfTerm(term: number): string {
  return `00000000-0000-4000-8000-${String(term).padStart(12, '0')}`
}

export function transitionKeyOf(action: GraphAction, transition: number, term: number): string {
  const expected = Number(action.attributes.CRM_meta_op_target_rc ?? '0')
  return formatTransitionKey({
    action: action.id,
    transition,
    expectedExitCode: Number.isInteger(expected) ? expected : 0,
    uuid: uuidOfTerm(term),
  })
}

export interface OperationOutcome {
  readonly node: NodeName
  readonly resource: ResourceId
  readonly operation: string
  readonly intervalMs: number
  readonly result: 'pending' | 'cancelled' | 'succeeded' | 'failed'
  readonly exitCode: number
  readonly action: ActionId
  readonly transition: number
  readonly uuid: string
  readonly lastChange: number
  /** Equal for the records that one result left. */
  readonly identity: string
}

export function outcomeOf(record: OperationRecord): OperationOutcome | undefined {
  const { attributes } = record
  const key = parseTransitionKey(attributes['transition-key'] ?? '')
  if (key === undefined) return undefined
  const status = Number(attributes['op-status'] ?? '0')
  const exitCode = Number(attributes['rc-code'] ?? '0')
  return {
    node: record.node,
    resource: record.resource,
    operation: attributes.operation ?? '',
    intervalMs: Number(attributes.interval ?? '0'),
    result: resultOf(status, exitCode, key.expectedExitCode),
    exitCode,
    action: key.action,
    transition: key.transition,
    uuid: key.uuid,
    lastChange: Number(attributes['last-rc-change'] ?? '0'),
    identity: [record.node, record.resource, attributes['transition-magic'], attributes['call-id']].join(' '),
  }
}

function resultOf(status: number, exitCode: number, expected: number): OperationOutcome['result'] {
  if (status === -1) return 'pending'
  if (status === 1) return 'cancelled'
  return status === 0 && exitCode === expected ? 'succeeded' : 'failed'
}

/** What the controller is doing, as far as a change is compared with it. */
export interface Doing {
  readonly term: number
  /** The transition is walked, or something of it is still under way. */
  readonly isWalked: (transition: number) => boolean
  readonly isUnderWay: (of: WalkedAction) => boolean
  /** Deletions of these prefixes of keys are its own doing. */
  readonly ownDeletions: readonly string[]
}

export type Meaning =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'action-succeeded'; readonly outcome: OperationOutcome }
  | { readonly kind: 'action-failed'; readonly outcome: OperationOutcome }
  /** The node has dropped it, having lost quorum or a term: it did not fail, but it was not done either. */
  | { readonly kind: 'action-dropped'; readonly of: WalkedAction }
  /**
   * What the DC has asked of the node, of one resource or of all, may have been dropped there without a word; or it is still
   * in line there, so that it must not be taken for over.
   */
  | { readonly kind: 'node-interrupted'; readonly node: NodeName; readonly resource?: ResourceId }
  /** A result that nobody waits for: a recurring operation, or one of an earlier transition. */
  | { readonly kind: 'unexpected-failure'; readonly outcome: OperationOutcome }
  /** The state is not what the transition was computed from. */
  | { readonly kind: 'look-again'; readonly reason: string }

/** The number of the transition in operations that a node has decided upon by itself, without quorum. */
const ownDecision = -1

const nothing: Meaning = { kind: 'nothing' }

export function meaningOf(change: Change, doing: Doing): Meaning {
  switch (change.kind) {
    case 'configuration':
      return { kind: 'look-again', reason: 'the configuration has changed' }
    case 'operation':
      return meaningOfOperation(change, doing)
    case 'attribute':
      if (change.before === change.after || (change.after === undefined && isOwn(change.key, doing))) return nothing
      return { kind: 'look-again', reason: `node attribute ${change.name} of ${change.node} has changed` }
    case 'shutdown-lock':
      return { kind: 'nothing' }
    case 'ticket':
      return { kind: 'look-again', reason: 'a ticket has changed' }
    case 'node-state':
      // Written by this DC under its term: whatever follows from it was decided with it.
      if (change.after?.term === doing.term) return nothing
      return { kind: 'look-again', reason: `the state of ${change.node} has changed` }
    case 'member':
      return change.rejoined ? { kind: 'node-interrupted', node: change.node } : nothing
    case 'confirmed-down':
    case 'restart':
    case 'dc':
    case 'unreadable':
      // Looked at as state, by the DC's reconciliation.
      return nothing
    default:
      return assertNever(change)
  }
}

function meaningOfOperation(change: Extract<Change, { kind: 'operation' }>, doing: Doing): Meaning {
  const { before, after } = change
  if (after === undefined) {
    return isOwn(change.key, doing) || before === undefined
      ? nothing
      : { kind: 'look-again', reason: `the history of ${before.resource} on ${before.node} was deleted` }
  }
  const outcome = outcomeOf(after)
  if (outcome === undefined)
    return { kind: 'look-again', reason: `an operation of ${after.resource} on ${after.node} was recorded` }
  if (before !== undefined && outcomeOf(before)?.identity === outcome.identity) return nothing
  return meaningOfOutcome(outcome, doing)
}

function meaningOfOutcome(outcome: OperationOutcome, doing: Doing): Meaning {
  const { node } = outcome
  const current = outcome.uuid === uuidOfTerm(doing.term) && doing.isWalked(outcome.transition)
  if (outcome.result === 'pending') return nothing
  if (outcome.result === 'cancelled')
    return current && doing.isUnderWay(outcome) ? { kind: 'action-dropped', of: outcome } : nothing
  if (outcome.transition === ownDecision) return { kind: 'node-interrupted', node, resource: outcome.resource }
  if (current && doing.isUnderWay(outcome))
    return { kind: outcome.result === 'succeeded' ? 'action-succeeded' : 'action-failed', outcome }
  if (outcome.result === 'failed') return { kind: 'unexpected-failure', outcome }
  // A recurring operation that was started by this transition, and goes on as it should.
  if (current && outcome.intervalMs > 0) return nothing
  return { kind: 'look-again', reason: `${describeOperation(outcome)} on ${node} has ended outside of the transition` }
}

function isOwn(key: string, doing: Doing): boolean {
  return doing.ownDeletions.some((prefix) => key.startsWith(prefix))
}

export function describeOperation(outcome: OperationOutcome): string {
  const every = outcome.intervalMs > 0 ? ` every ${outcome.intervalMs} ms` : ''
  return `${outcome.operation} of ${outcome.resource}${every}`
}

/**
 * Which failures count, and how: those of recurring operations, start, promote, demote and stop. A failed start counts as
 * INFINITY with start-failure-is-fatal, a failed stop always; the graph carries both as `failed-*-offset`.
 */
export function failureOf(
  outcome: OperationOutcome,
  graph: TransitionGraph | undefined,
  action: GraphAction | undefined,
): Failure | undefined {
  if (outcome.result !== 'failed' || action?.attributes.CRM_meta_on_fail === 'ignore') return undefined
  const counted = outcome.intervalMs > 0 || ['start', 'stop', 'promote', 'demote'].includes(outcome.operation)
  if (!counted) return undefined
  const { node, resource, operation, intervalMs, lastChange } = outcome
  return { node, resource, operation, intervalMs, by: weightOf(outcome, graph), at: lastChange }
}

/** The node has counted it in the transaction of the result: an attribute that came with the record. */
export function isCounted({ node, resource, operation, intervalMs }: Failure, changes: readonly Change[]): boolean {
  const name = failCountName({ resource, operation, intervalMs })
  return changes.some(
    (change) =>
      change.kind === 'attribute' && change.node === node && change.name === name && change.after !== undefined,
  )
}

function weightOf(outcome: OperationOutcome, graph: TransitionGraph | undefined): Failure['by'] {
  if (outcome.intervalMs > 0) return 'one'
  if (outcome.operation === 'stop') return offsetIsFatal(graph?.attributes['failed-stop-offset'])
  if (outcome.operation === 'start') return offsetIsFatal(graph?.attributes['failed-start-offset'])
  return 'one'
}

function offsetIsFatal(offset: string | undefined): Failure['by'] {
  return offset === undefined || /^\+?INFINITY$/i.test(offset) ? 'infinity' : 'one'
}

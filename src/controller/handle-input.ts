/** Takes an input into the controller's state: what is true now. What follows from it, the controller decides afterwards. */
import { assertNever } from '../base/index.ts'
import { beginWalk } from './begin-walk.ts'
import type { ControllerInput, Failure } from './effects.ts'
import { knownIncarnation } from './incarnation.ts'
import { configuredId, downEdits, isRemoteNode } from './node-states.ts'
import { controllerOptions } from './options.ts'
import { hasTold } from './owed-answers.ts'
import {
  type Doing,
  describeOperation,
  failureOf,
  isCounted,
  type Meaning,
  meaningOf,
  type OperationOutcome,
  transitionKeyOf,
} from './results.ts'
import { execute } from './send.ts'
import { shutdownLockEdits } from './shutdown-locks.ts'
import {
  type ControllerState,
  type FencingAttempts,
  lookAgain,
  type Turn,
  turn,
  type WritePurpose,
  walkOf,
  withDcState,
  withoutDcState,
  withWalk,
} from './state.ts'
import { endAction, failActionsOn, remindOf } from './under-way.ts'
import { actionsUnderWay, executingNode, type WalkedAction } from './walk.ts'
import { askToWrite, write } from './writes.ts'

type Input<Kind extends ControllerInput['kind']> = Extract<ControllerInput, { kind: Kind }>

export function handleInput(state: ControllerState, input: ControllerInput, now: number): Turn {
  switch (input.kind) {
    case 'store':
      return handleStore(state, input, now)
    case 'quorum': {
      const { lease: _before, voters: _voted, otherVoter: _other, ...rest } = state
      const { voters, otherVoter } = input.voters === undefined ? state : input
      const reported = {
        ...(input.lease === undefined ? {} : { lease: input.lease }),
        ...(voters === undefined ? {} : { voters }),
        ...(otherVoter === undefined ? {} : { otherVoter }),
      }
      // What was asked for without quorum was not performed, and is never answered.
      const campaigning = state.campaigning && now < input.until
      return turn({ ...rest, campaigning, quorateUntil: input.until, ...reported })
    }
    case 'silence': {
      const silent = new Map(input.silent.map((node) => [node, state.silent.get(node) ?? now]))
      return turn({ ...state, silent, agreed: new Set(input.agreed) })
    }
    case 'witness': {
      const { uselessWitness: _before, ...rest } = state
      return turn(input.useless === undefined ? rest : { ...rest, uselessWitness: input.useless })
    }
    case 'campaigned':
      return turn({ ...state, campaigning: false, campaignAt: now + state.timings.retryMs })
    case 'written':
      return handleWritten(state, input, now)
    case 'computed':
      return handleComputed(state, input, now)
    case 'compute-failed':
      return handleComputeFailed(state, input, now)
    case 'not-taken':
      return handleNotTaken(state, input, now)
    case 'acknowledged':
      return turn(withActionOf(state, input.transitionKey, acknowledged))
    case 'fenced':
      return handleFenced(state, input, now)
    case 'load':
      return turn({ ...state, loads: new Map(state.loads).set(input.node, input.load) })
    case 'leaving':
      return turn({ ...state, leaving: true })
    case 'tick':
      return turn(state)
    default:
      return assertNever(input)
  }
}

/** On other nodes the view is all there is to it; the DC looks at every change. */
function handleStore(state: ControllerState, input: Input<'store'>, now: number): Turn {
  const { view, changes } = input
  const known = state.view.configuration === view.configuration && state.view.revision > 0
  const options = known ? state.options : controllerOptions(view.configuration?.typed)
  // Another DC, or none: what was tried against the former one says nothing.
  const campaignAt = changes.some(({ kind }) => kind === 'dc') ? now : state.campaignAt
  const learnt = { ...state, view, options, campaignAt }
  const before = known ? learnt : withoutFencingPause(learnt, now)
  if (before.dcState === undefined) return turn(before)
  const failures: Failure[] = []
  let next: ControllerState = before
  for (const change of changes) {
    const meaning = meaningOf(change, doing(next))
    const failure = failureIn(meaning, next)
    const isNew = failure !== undefined && !failures.some((other) => isSame(other, failure))
    if (isNew && !isCounted(failure, changes)) failures.push(failure)
    next = applyMeaning(next, meaning, now)
    if (change.kind === 'operation' && change.after !== undefined && change.after.attributes['op-status'] !== '-1')
      next = hasTold(next, change.after.node, change.after.resource)
  }
  if (failures.length === 0) return turn(next)
  return askToWrite(next, { kind: 'state' }, (asked) => ({ kind: 'record-failures', ...asked, failures }))
}

/** Whoever repairs a fence device changes the configuration: what failed is tried again at once. */
function withoutFencingPause(state: ControllerState, now: number): ControllerState {
  const fencing = [...(state.dcState?.fencing ?? [])].map(
    ([node, attempts]) => [node, { ...attempts, retryAt: Math.min(attempts.retryAt, now) }] as const,
  )
  return fencing.length === 0 ? state : withDcState(state, { fencing: new Map(fencing) })
}

function doing(state: ControllerState): Doing {
  const { dcState } = state
  return {
    term: dcState?.term ?? 0,
    isWalked: (transition) => walkOf(state, transition) !== undefined,
    isUnderWay: ({ transition, action }) => walkOf(state, transition)?.underWay.has(action) ?? false,
    ownDeletions: dcState?.walks.flatMap(({ deletions }) => deletions) ?? [],
  }
}

function applyMeaning(state: ControllerState, meaning: Meaning, now: number): ControllerState {
  switch (meaning.kind) {
    case 'nothing':
      return state
    case 'action-succeeded':
      return actionSucceeded(state, meaning.outcome, now)
    case 'action-failed':
      return lookAgain(endAction(state, meaning.outcome, 'failed'), describeFailure(meaning.outcome), now)
    case 'action-dropped':
      return lookAgain(endAction(state, meaning.of, 'failed'), 'a node has dropped an action', now + settleMs(state))
    case 'node-interrupted': {
      const reminded = remindOf(state, meaning, now)
      return lookAgain(reminded, `${meaning.node} was without quorum`, now + settleMs(state))
    }
    case 'unexpected-failure':
      return lookAgain(state, describeFailure(meaning.outcome), now)
    case 'look-again':
      return lookAgain(state, meaning.reason, now + settleMs(state))
    default:
      return assertNever(meaning)
  }
}

/** What has been decided beside it does not know the result, and holds back whatever concerns its resource. */
function actionSucceeded(state: ControllerState, outcome: OperationOutcome, now: number): ControllerState {
  const ended = endAction(state, outcome, 'succeeded')
  const wasLeft = walkOf(state, outcome.transition)?.aborted !== undefined && state.dcState?.lookAgain === undefined
  if (!wasLeft && !isAwaited(state, outcome)) return ended
  return lookAgain(ended, `${describeOperation(outcome)} on ${outcome.node} has ended`, now + settleMs(state))
}

/** Instances of a clone stand with their numbers in the history. */
function isAwaited({ dcState }: ControllerState, { resource }: OperationOutcome): boolean {
  if (dcState === undefined || dcState.lookAgain !== undefined) return false
  return dcState.awaited.includes(resource) || dcState.awaited.includes(resource.replace(/:\d+$/, ''))
}

function settleMs(state: ControllerState): number {
  return Math.max(state.timings.settleMs, state.options.transitionDelayMs)
}

function describeFailure(outcome: OperationOutcome): string {
  return `${describeOperation(outcome)} on ${outcome.node} failed with exit code ${outcome.exitCode}`
}

function failureIn(meaning: Meaning, state: ControllerState): Failure | undefined {
  if (meaning.kind === 'unexpected-failure')
    return failureOf(meaning.outcome, state.dcState?.walks.at(-1)?.graph, undefined)
  if (meaning.kind !== 'action-failed') return undefined
  const walk = walkOf(state, meaning.outcome.transition)
  return failureOf(meaning.outcome, walk?.graph, walk?.byId.get(meaning.outcome.action))
}

/** A failure leaves up to two records, which arrive together. */
function isSame(a: Failure, b: Failure): boolean {
  return a.node === b.node && a.resource === b.resource && a.operation === b.operation && a.intervalMs === b.intervalMs
}

function handleWritten(state: ControllerState, input: Input<'written'>, now: number): Turn {
  const { dcState } = state
  const purpose = dcState?.writes.get(input.id)
  if (dcState === undefined || purpose === undefined) return turn(state)
  if (input.outcome === 'refused') return turn(withoutDcState(state))
  const writes = new Map(dcState.writes)
  writes.delete(input.id)
  const next = withDcState(state, { writes, mustSee: Math.max(dcState.mustSee, input.revision) })
  if (purpose.kind === 'state') return turn(next)
  const walk = walkOf(next, purpose.transition)
  if (walk === undefined) return turn(next)
  if (purpose.kind === 'ends-action') return turn(endAction(next, purpose, 'succeeded'))
  const action = walk.byId.get(purpose.action)
  return action === undefined || !walk.underWay.has(action.id)
    ? turn(lookAgain(next, 'an action could not begin', now))
    : execute(next, walk, action)
}

/** What has changed since the computation began makes its graph worthless. */
function handleComputed(state: ControllerState, input: Input<'computed'>, now: number): Turn {
  const { dcState } = state
  if (dcState === undefined || dcState.computing !== input.compute) return turn(state)
  const { computing: _done, ...rest } = dcState
  const done: ControllerState = { ...state, dcState: rest }
  if (dcState.lookAgain !== undefined) return turn(done)
  const recheckInMs = Math.min(state.options.recheckIntervalMs, input.recheckInMs ?? Number.POSITIVE_INFINITY)
  const { schedulerFailure: _over, ...working } = rest
  const known = withDcState(
    { ...done, dcState: working },
    {
      computedVersion: dcState.computingVersion,
      computedHolds: dcState.computingHolds,
      blocked: input.blocked ?? [],
      awaited: input.awaited ?? [],
      // Rules change at whole seconds: a look a moment too early would have to be repeated at once.
      recheckAt: now + Math.max(recheckInMs, 100),
    },
  )
  const edits = shutdownLockEdits(state.view.shutdownLocks, input.shutdownLocks)
  if (edits.length === 0) return turn(beginWalk(known, input.graph, now))
  // A graph that forgets the history of an expired lock has an action for a node which is not there: without the lock it has not.
  const over = edits.some(({ kind }) => kind === 'delete-record')
  const next = over ? lookAgain(known, 'shutdown locks have ended', now) : beginWalk(known, input.graph, now)
  return write(next, edits, { kind: 'state' })
}

const computeRetryMs = 5000

function handleComputeFailed(state: ControllerState, input: Input<'compute-failed'>, now: number): Turn {
  const { dcState } = state
  if (dcState === undefined || dcState.computing !== input.compute) return turn(state)
  const { computing: _done, ...rest } = dcState
  const done = withDcState({ ...state, dcState: rest }, { schedulerFailure: input.message })
  return turn(lookAgain(done, 'the scheduler failed', now + computeRetryMs), {
    kind: 'log',
    message: 'the scheduler failed',
    fields: { error: input.message },
  })
}

function handleNotTaken(state: ControllerState, input: Input<'not-taken'>, now: number): Turn {
  const later = now + state.timings.retryMs
  return turn(
    withActionOf(state, input.transitionKey, (next, of) => {
      const walk = walkOf(next, of.transition)
      const underWay = walk?.underWay.get(of.action)
      if (walk === undefined || underWay === undefined) return next
      if (input.why === 'unknown') {
        const again = { ...underWay, resendAt: later, unreached: input.message }
        const waiting = new Map(walk.underWay).set(of.action, again)
        return withWalk(next, { ...walk, underWay: waiting })
      }
      return lookAgain(endAction(next, of, 'failed'), `a node refused an action: ${input.message}`, later)
    }),
  )
}

function withActionOf(
  state: ControllerState,
  transitionKey: string,
  change: (state: ControllerState, of: WalkedAction) => ControllerState,
): ControllerState {
  const { dcState } = state
  for (const walk of dcState?.walks ?? []) {
    const action = actionsUnderWay(walk).find(
      (candidate) => transitionKeyOf(candidate, walk.number, dcState?.term ?? 0) === transitionKey,
    )
    if (action !== undefined) return change(state, { transition: walk.number, action: action.id })
  }
  return state
}

function acknowledged(state: ControllerState, of: WalkedAction): ControllerState {
  const action = walkOf(state, of.transition)?.byId.get(of.action)
  const node = action && executingNode(action)
  const ended = endAction(state, of, 'succeeded')
  return node === undefined ? ended : hasTold(ended, node, action?.resource)
}

/** A confirmed fencing is recorded first; the starts that wait for it go out when the record is in the store. */
function handleFenced(state: ControllerState, input: Input<'fenced'>, now: number): Turn {
  const { dcState } = state
  if (dcState === undefined) return turn(state)
  const { target, action } = input
  const attempts = dcState.fencing.get(target)
  const own = attempts?.id === input.id ? attempts : undefined
  if (input.outcome === 'failed') return turn(own === undefined ? state : fencingFailed(state, { own, input }, now))
  const fencing = new Map(dcState.fencing)
  if (own !== undefined) fencing.delete(target)
  const known = withDcState(state, { fencing })
  if (action === 'on') return turn(own?.action === undefined ? known : endAction(known, own.action, 'succeeded'))
  if (own === undefined) return handleForeignFencing(known, input, now)
  const purpose: WritePurpose = own.action === undefined ? { kind: 'state' } : { kind: 'ends-action', ...own.action }
  return recordFenced(known, { ...input, incarnation: own.incarnation }, purpose)
}

/**
 * Asked for by an administrator, or by this node before it lost its place as DC for a while. The node may have booted and
 * joined again since: only where it is still the one that was meant does the fencing count.
 */
function handleForeignFencing(state: ControllerState, input: Input<'fenced'>, now: number): Turn {
  const looked = lookAgain(state, `${input.target} was fenced`, now)
  const { incarnation } = input
  if (incarnation === undefined || incarnation !== knownIncarnation(state.view, input.target)) return turn(looked)
  return recordFenced(looked, { ...input, incarnation }, { kind: 'state' })
}

function recordFenced(
  state: ControllerState,
  {
    target,
    at,
    message,
    incarnation,
  }: Omit<Input<'fenced'>, 'incarnation'> & { readonly incarnation: number | undefined },
  purpose: WritePurpose,
): Turn {
  const reason = message === '' ? 'fenced' : `fenced: ${message}`
  const edits = downEdits({
    node: target,
    id: state.view.nodeStates.get(target)?.id ?? configuredId(state.view, target),
    incarnation,
    reason,
    term: state.dcState?.term ?? 0,
    fencedAt: at,
    isRemote: isRemoteNode(state.view, target),
  })
  return write(failActionsOn(state, target), edits, purpose)
}

/** What this DC has asked for, and what came of it. */
interface OwnFencing {
  readonly own: FencingAttempts
  readonly input: Input<'fenced'>
}

function fencingFailed(state: ControllerState, { own, input }: OwnFencing, now: number): ControllerState {
  if (input.withdrawn === true) return fencingWithdrawn(state, { own, input }, now)
  const failures = own.failures + 1
  const retryMs = failures < state.options.fencingMaxAttempts ? Math.min(10_000, 1000 * failures) : 60_000
  const attempts: FencingAttempts = { failures, retryAt: now + retryMs, message: input.message }
  const fencing = new Map(state.dcState?.fencing).set(input.target, attempts)
  const known = withDcState(state, { fencing })
  const ended = own.action === undefined ? known : endAction(known, own.action, 'failed')
  return lookAgain(ended, `fencing of ${input.target} failed: ${input.message}`, now)
}

/** No device has failed. */
function fencingWithdrawn(
  state: ControllerState,
  { own, input: { target } }: OwnFencing,
  now: number,
): ControllerState {
  const fencing = new Map(state.dcState?.fencing)
  fencing.delete(target)
  const known = withDcState(state, { fencing })
  const ended = own.action === undefined ? known : endAction(known, own.action, 'failed')
  return lookAgain(ended, `${target} is heard again`, now)
}

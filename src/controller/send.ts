/**
 * Turns each kind of action into the effect that carries it out. Operations and clean shutdowns are commands to a node; fencing
 * goes to the fencer; the rest is writing.
 */
import { parseDurationMs } from '../base/index.ts'
import type { GraphAction, PseudoAction, TransitionGraph } from '../transition/index.ts'
import type { Edit, FencingAction } from './effects.ts'
import { knownIncarnation } from './incarnation.ts'
import { keys } from './keys.ts'
import { downEdits } from './node-states.ts'
import type { ControllerOptions } from './options.ts'
import { transitionKeyOf } from './results.ts'
import { type ControllerState, type FencingAttempts, type Turn, turn, walkOf, withDcState, withWalk } from './state.ts'
import { endAction, failActionsOn } from './under-way.ts'
import { executingNode, isFencing, markSent, type UnderWay, type Walk, type WalkedAction } from './walk.ts'
import { askToWrite, write } from './writes.ts'

const defaultTimeoutMs = 20_000
const defaultClusterDelayMs = 60_000
/** A node that was without quorum for a moment may have dropped what it was told: it is told again, and knows what it has done. */
export const remindMs = 5000

export function send(
  state: ControllerState,
  { transition, action }: { readonly transition: number; readonly action: GraphAction },
  now: number,
): Turn {
  const walk = walkOf(state, transition)
  if (walk === undefined) return turn(state)
  const { graph } = walk
  if (action.kind === 'pseudo') return recordGuestDown(state, action, { walk, now })
  const underWay: UnderWay = {
    sentAt: now,
    deadline: deadlineOf(action, { graph, options: state.options }, now),
    ...(isFencing(action) ? {} : { resendAt: now + remindMs }),
  }
  const marked = withWalk(state, markSent(walk, action.id, underWay))
  const of = { transition, action: action.id }
  switch (action.operation) {
    case 'stonith':
      return fence(marked, action, { of, graph })
    case 'do_shutdown':
      return beginShutdown(marked, action, of)
    case 'clear_failcount':
      return clearFailures(marked, action, of)
    case 'lrm_delete':
    case 'delete':
      return execute(marked, walk, action)
    default:
      return action.kind === 'resource'
        ? execute(marked, walk, action)
        : // A note for the daemons of Pacemaker, such as `maintenance_nodes`: our executors read the CIB themselves.
          turn(endAction(marked, of, 'succeeded'))
  }
}

/** Also for an action that was sent before, and whose arrival is unknown. */
export function execute(state: ControllerState, walk: Walk, action: GraphAction): Turn {
  const { dcState } = state
  const node = executingNode(action)
  if (dcState === undefined || node === undefined || action.kind === 'pseudo') return turn(state)
  return turn(state, {
    kind: 'execute',
    node,
    term: dcState.term,
    plannedFrom: walk.plannedFrom,
    transition: walk.number,
    transitionKey: transitionKeyOf(action, walk.number, dcState.term),
    action,
    timeoutMs: timeoutOf(action),
  })
}

function fence(
  state: ControllerState,
  action: GraphAction,
  { of, graph }: { readonly of: WalkedAction; readonly graph: TransitionGraph },
): Turn {
  const { dcState } = state
  if (dcState === undefined || action.kind !== 'cluster' || action.node === undefined)
    return turn(endAction(state, of, 'failed'))
  const target = action.node
  const id = `${dcState.term}-${state.lastId + 1}`
  const before = dcState.fencing.get(target) ?? { failures: 0, retryAt: 0, message: '' }
  const known = knownIncarnation(state.view, target)
  const incarnation = known === undefined ? {} : { incarnation: known }
  const { failures, retryAt, message } = before
  const attempts: FencingAttempts = { failures, retryAt, message, id, action: of, ...incarnation }
  const fencing = new Map(dcState.fencing).set(target, attempts)
  const timeout = graph.attributes['fencing-timeout'] ?? graph.attributes['stonith-timeout'] ?? ''
  return turn(withDcState({ ...state, lastId: state.lastId + 1 }, { fencing }), {
    kind: 'fence',
    id,
    term: dcState.term,
    target,
    action: fencingActionOf(action),
    ...incarnation,
    timeoutMs: parseDurationMs(timeout) ?? 60_000,
    delayMs: priorityDelayMs(action),
    reason: state.view.nodeStates.get(target)?.reason ?? 'the cluster cannot recover otherwise',
  })
}

/** What was under way in the guest has no result any more. It begins anew, with a clean history, when it is connected again. */
function recordGuestDown(
  state: ControllerState,
  action: PseudoAction,
  { walk, now }: { readonly walk: Walk; readonly now: number },
): Turn {
  const { node } = action
  if (node === undefined) return turn(state)
  const underWay = { sentAt: now, deadline: Number.POSITIVE_INFINITY }
  const marked = withWalk(state, markSent(walk, action.id, underWay))
  const edits = downEdits({
    node,
    id: node,
    incarnation: knownIncarnation(state.view, node),
    reason: 'its container, or the host of it, was stopped',
    term: state.dcState?.term ?? 0,
    isRemote: true,
  })
  const purpose = { kind: 'ends-action', transition: walk.number, action: action.id } as const
  return write(failActionsOn(marked, node), edits, purpose)
}

/** What the scheduler wants done to the node: `fencing-action`, or `on` for unfencing. */
export function fencingActionOf({ attributes }: GraphAction): FencingAction {
  const text = attributes.CRM_meta_stonith_action
  if (text === 'on') return 'on'
  return text === 'off' || text === 'poweroff' ? 'off' : 'reboot'
}

export function priorityDelayMs({ attributes }: GraphAction): number {
  return parseDurationMs(attributes.CRM_meta_priority_fencing_delay ?? '') ?? 0
}

/** First it is recorded that the node is expected to go, so that nobody takes it for lost; then it is told that it may. */
function beginShutdown(state: ControllerState, action: GraphAction, of: WalkedAction): Turn {
  const node = executingNode(action)
  const record = node && state.view.nodeStates.get(node)
  const term = state.dcState?.term
  if (!record || term === undefined) return turn(endAction(state, of, 'succeeded'))
  const edits: readonly Edit[] = [
    { kind: 'put-node-state', record: { ...record, expected: 'down', reason: 'shut down', term } },
  ]
  return write(state, edits, { kind: 'begins-action', ...of })
}

function clearFailures(state: ControllerState, action: GraphAction, of: WalkedAction): Turn {
  if (action.kind === 'pseudo' || action.node === undefined || action.resource === undefined)
    return turn(endAction(state, of, 'succeeded'))
  const { node, resource } = action
  const edits: readonly Edit[] = [{ kind: 'delete-record', key: keys.lastFailure(node, resource) }]
  return askToWrite(state, { kind: 'ends-action', ...of }, (asked) => ({
    kind: 'clear-failures',
    ...asked,
    node,
    resource,
    edits,
  }))
}

/** The fencer and the store always answer; a node may not. */
function deadlineOf(
  action: GraphAction,
  { graph, options }: { readonly graph: TransitionGraph; readonly options: ControllerOptions },
  now: number,
): number {
  if (isFencing(action)) return Number.POSITIVE_INFINITY
  const delay = parseDurationMs(graph.attributes['cluster-delay'] ?? '') ?? defaultClusterDelayMs
  if (action.operation === 'do_shutdown') return now + options.shutdownEscalationMs + delay
  return now + timeoutOf(action) + Number(action.attributes.CRM_meta_start_delay ?? '0') + delay
}

function timeoutOf(action: GraphAction): number {
  const timeoutMs = Number(action.attributes.CRM_meta_timeout ?? defaultTimeoutMs)
  return Number.isFinite(timeoutMs) && timeoutMs > 0 ? timeoutMs : defaultTimeoutMs
}

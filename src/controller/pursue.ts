/**
 * The walk in time: sends what is ready, gives up what never ends, and turns each kind of action into the effect that
 * carries it out. Operations and clean shutdowns are commands to a node; fencing goes to the fencer; the rest is writing.
 */
import { type NodeName, nodeName, parseDurationMs, type ResourceId } from '../base/index.ts'
import type { ActionId, GraphAction, PseudoAction, TransitionGraph } from '../transition/index.ts'
import { heldBeside } from './beside.ts'
import type { ControllerEffect, Edit, FencingAction } from './effects.ts'
import { keys } from './keys.ts'
import { knownIncarnation } from './life.ts'
import { withLostArrivals } from './lost-arrivals.ts'
import { actionLimit } from './node-load.ts'
import { clusterNodes, downEdits } from './node-states.ts'
import { transitionKeyOf } from './results.ts'
import {
  andThen,
  type ControllerState,
  type FencingAttempts,
  forEach,
  lookAgain,
  type Turn,
  turn,
  type WritePurpose,
  walkOf,
  withReign,
  withWalk,
} from './state.ts'
import type { ClusterView } from './view.ts'
import {
  actionsToCome,
  actionsUnderWay,
  executingNode,
  isFencing,
  isGuestFencing,
  isOver,
  markEnded,
  markSent,
  nextActions,
  startWalk,
  type UnderWay,
  type Walk,
  type WalkedAction,
  type WalkLimits,
} from './walk.ts'

const defaultTimeoutMs = 20_000
const defaultClusterDelayMs = 60_000
/** A node that was without quorum for a moment may have dropped what it was told: it is told again, and knows what it has done. */
const remindMs = 5000

export function beginWalk(state: ControllerState, graph: TransitionGraph): ControllerState {
  const number = state.lastTransition + 1
  const next = { ...state, lastTransition: number }
  const plannedFrom = state.reign?.computingRevision ?? 0
  return withReign(next, {
    walks: [
      ...(next.reign?.walks ?? []),
      startWalk(graph, {
        number,
        plannedFrom,
        lastFailure: (action) => lastFailure(state.view, action),
        deletions: graph.actions.flatMap(deletionsOf),
      }),
    ],
  })
}

function lastFailure(view: ClusterView, action: GraphAction): number | undefined {
  if (action.kind !== 'resource') return undefined
  const record = view.operations.get(lastFailureKey(action.node, action.resource))
  return record && (Number(record.attributes['last-rc-change']) || 1)
}

const lastFailureKey = (node: NodeName, resource: ResourceId): string =>
  keys.history(node, resource, `${resource}_last_failure_0`)

/** Sends what can go out; ends each walk of which nothing is left. */
export function pursue(state: ControllerState, now: number): Turn {
  return andThen(giveUpOverdue(state, now), (timely) =>
    andThen(resend(timely, now), (sent) => andThen(sendReady(sent, now), (done) => turn(endWalks(done, now)))),
  )
}

/** When something about the walks is due. */
export function walkDeadlines(state: ControllerState): readonly number[] {
  const { reign } = state
  if (reign === undefined) return []
  const due = underWayIn(state).flatMap(({ underWay: { deadline, resendAt } }) => [deadline, resendAt ?? deadline])
  const waits = reign.walks.some((walk) => actionsToCome(walk).length > 0)
  return waits ? [...due, ...[...reign.fencing.values()].map(({ retryAt }) => retryAt)] : due
}

/** Actions under way on a node that is gone have no result any more; one that shut it down has done its work. */
export function failActionsOn(state: ControllerState, node: NodeName): ControllerState {
  let next = state
  for (const { walk, action } of underWayIn(state)) {
    if (action.kind === 'pseudo' || isFencing(action)) continue
    if (executingNode(action) !== node && action.node !== node) continue
    const of = { transition: walk.number, action: action.id }
    next = endAction(next, of, action.operation === 'do_shutdown' ? 'succeeded' : 'failed')
  }
  return next
}

/** Sends what is under way on a node again, at once: it knows what it has done, and what it is about to do. */
export function remindOf(
  state: ControllerState,
  of: { readonly node: NodeName; readonly resource?: ResourceId },
  now: number,
): ControllerState {
  let next = state
  for (const { walk, action } of underWayIn(state)) {
    if (action.kind === 'pseudo' || isFencing(action) || executingNode(action) !== of.node) continue
    if (of.resource === undefined || action.resource === of.resource)
      next = resendAt(next, { transition: walk.number, action: action.id }, now)
  }
  return next
}

function resendAt(state: ControllerState, { transition, action }: WalkedAction, at: number): ControllerState {
  const walk = walkOf(state, transition)
  const underWay = walk?.underWay.get(action)
  if (walk === undefined || underWay === undefined) return state
  return withWalk(state, { ...walk, underWay: new Map(walk.underWay).set(action, { ...underWay, resendAt: at }) })
}

function underWayIn(
  state: ControllerState,
): readonly { readonly walk: Walk; readonly action: GraphAction; readonly underWay: UnderWay }[] {
  return (state.reign?.walks ?? []).flatMap((walk) =>
    [...walk.underWay].flatMap(([id, underWay]) => {
      const action = walk.byId.get(id)
      return action === undefined ? [] : [{ walk, action, underWay }]
    }),
  )
}

export function endAction(
  state: ControllerState,
  { transition, action }: WalkedAction,
  outcome: 'succeeded' | 'failed',
): ControllerState {
  const walk = walkOf(state, transition)
  return walk === undefined ? state : withWalk(state, markEnded(walk, action, outcome))
}

export function write(state: ControllerState, edits: readonly Edit[], purpose: WritePurpose): Turn {
  const all = withLostArrivals(state.view, edits)
  return askToWrite(state, purpose, (asked) => ({ kind: 'write', ...asked, edits: all }))
}

/** Whatever is written under the term: its answer finds the purpose by the id. */
export function askToWrite(
  state: ControllerState,
  purpose: WritePurpose,
  effectOf: (asked: { readonly id: number; readonly term: number }) => ControllerEffect,
): Turn {
  const { reign } = state
  if (reign === undefined) return turn(state)
  const id = state.lastId + 1
  const next = withReign({ ...state, lastId: id }, { writes: new Map(reign.writes).set(id, purpose) })
  return turn(next, effectOf({ id, term: reign.term }))
}

function sendReady(state: ControllerState, now: number): Turn {
  return forEach(state, state.reign?.walks ?? [], (next, { number }) => sendReadyOf(next, number, now))
}

function sendReadyOf(state: ControllerState, transition: number, now: number): Turn {
  const walk = walkOf(state, transition)
  if (walk === undefined) return turn(state)
  const actions = nextActions(walk, limitsOf(state, walk, now))
  if (actions.length === 0) return turn(state)
  const sent = forEach(state, actions, (next, action) => send(next, { transition, action }, now))
  // What was done at once may have made others ready.
  return andThen(sent, (next) => sendReadyOf(next, transition, now))
}

function limitsOf(state: ControllerState, walk: Walk, now: number): WalkLimits {
  const { options, timings, loads, reign } = state
  const { graph } = walk
  const givesUp = givesUpGuests(graph)
  const isBusyBeside = heldBeside(state, walk)
  return {
    batch: Math.max(0, Number(graph.attributes['batch-limit'] ?? '0') || 0),
    migrations: Number(graph.attributes['migration-limit'] ?? '-1'),
    onNode: (node) => actionLimit(options, loads.get(node), timings.nodeActionLimit),
    beside: (reign?.walks ?? []).filter((other) => other !== walk).flatMap(actionsUnderWay),
    held: (action) => {
      if (isBusyBeside(action)) return true
      if (givesUp.has(action.id)) return isProbing(state, executingNode(action))
      if (action.kind !== 'cluster' || action.node === undefined) return false
      if (isFencing(action)) return (reign?.fencing.get(action.node)?.retryAt ?? 0) > now
      return action.operation === 'do_shutdown' && isBusy(state, action.node)
    },
  }
}

/**
 * The recovery of guests by their containers: what records them as down, and the stops that come before it. Where a daemon has just
 * started, it is not known what runs there, nor whether the connections live that it held: a guest counts as lost only when no probe
 * that can be made now finds the one and the other.
 */
function givesUpGuests({ actions }: TransitionGraph): ReadonlySet<ActionId> {
  const found = new Set(actions.filter(isGuestFencing).map(({ id }) => id))
  if (found.size === 0) return found
  const byId = new Map(actions.map((action) => [action.id, action]))
  // A set that grows while it is walked.
  for (const id of found)
    for (const input of byId.get(id)?.inputs ?? []) {
      const before = byId.get(input)
      if (before !== undefined && before.kind !== 'cluster' && !isProbe(before)) found.add(input)
    }
  return found
}

/** On a node, or anywhere. */
function isProbing(state: ControllerState, node: NodeName | undefined): boolean {
  return goingOn(state).some((action) => isProbe(action) && (node === undefined || executingNode(action) === node))
}

const isProbe = (action: GraphAction): boolean =>
  action.kind === 'resource' && action.operation === 'monitor' && action.intervalMs === 0

/** A node leaves last: a probe that is about to begin may still find something that must be stopped first. */
function isBusy(state: ControllerState, node: NodeName): boolean {
  return goingOn(state).some((action) => action.kind === 'resource' && executingNode(action) === node)
}

/** What is under way, and what could be. */
function goingOn(state: ControllerState): readonly GraphAction[] {
  return (state.reign?.walks ?? []).flatMap((walk) => [...actionsUnderWay(walk), ...actionsToCome(walk)])
}

function send(
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
    deadline: deadlineOf(action, graph, now),
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
  const { reign } = state
  const node = executingNode(action)
  if (reign === undefined || node === undefined || action.kind === 'pseudo') return turn(state)
  return turn(state, {
    kind: 'execute',
    node,
    term: reign.term,
    plannedFrom: walk.plannedFrom,
    transition: walk.number,
    transitionKey: transitionKeyOf(action, walk.number, reign.term),
    action,
    timeoutMs: timeoutOf(action),
  })
}

function fence(
  state: ControllerState,
  action: GraphAction,
  { of, graph }: { readonly of: WalkedAction; readonly graph: TransitionGraph },
): Turn {
  const { reign } = state
  if (reign === undefined || action.kind !== 'cluster' || action.node === undefined)
    return turn(endAction(state, of, 'failed'))
  const target = action.node
  const id = `${reign.term}-${state.lastId + 1}`
  const before = reign.fencing.get(target) ?? { failures: 0, retryAt: 0, message: '' }
  const known = knownIncarnation(state.view, target)
  const incarnation = known === undefined ? {} : { incarnation: known }
  const { failures, retryAt, message } = before
  const attempts: FencingAttempts = { failures, retryAt, message, id, action: of, ...incarnation }
  const fencing = new Map(reign.fencing).set(target, attempts)
  const timeout = graph.attributes['fencing-timeout'] ?? graph.attributes['stonith-timeout'] ?? ''
  return turn(withReign({ ...state, lastId: state.lastId + 1 }, { fencing }), {
    kind: 'fence',
    id,
    term: reign.term,
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
    term: state.reign?.term ?? 0,
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
  const term = state.reign?.term
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
  const edits: readonly Edit[] = [{ kind: 'delete-record', key: lastFailureKey(node, resource) }]
  return askToWrite(state, { kind: 'ends-action', ...of }, (asked) => ({
    kind: 'clear-failures',
    ...asked,
    node,
    resource,
    edits,
  }))
}

/** Which keys the actions of the graph delete, or the nodes that carry them out: their going is no news. */
function deletionsOf(action: GraphAction): readonly string[] {
  const { node } = action
  if (node === undefined) return []
  if (action.operation === 'stonith') return [keys.historyOfNode(node), keys.attributesOfNode(node)]
  if (action.kind === 'pseudo') return []
  const resource: ResourceId | undefined = action.resource
  if (resource === undefined) return []
  if (action.operation === 'clear_failcount')
    return [
      keys.attribute(node, '', `fail-count-${resource}#`),
      keys.attribute(node, '', `last-failure-${resource}#`),
      lastFailureKey(node, resource),
    ]
  const target = action.attributes.CRM_meta_migrate_target
  if (action.operation === 'migrate_to' && target !== undefined) return [keys.arrival(nodeName(target), resource)]
  return ['lrm_delete', 'delete', 'cancel'].includes(action.operation) ? [keys.historyOfResource(node, resource)] : []
}

/** The fencer and the store always answer; a node may not. */
function deadlineOf(action: GraphAction, graph: TransitionGraph, now: number): number {
  if (isFencing(action)) return Number.POSITIVE_INFINITY
  const delay = parseDurationMs(graph.attributes['cluster-delay'] ?? '') ?? defaultClusterDelayMs
  if (action.operation === 'do_shutdown') return now + 20 * 60_000
  return now + timeoutOf(action) + Number(action.attributes.CRM_meta_start_delay ?? '0') + delay
}

function timeoutOf(action: GraphAction): number {
  const timeoutMs = Number(action.attributes.CRM_meta_timeout ?? defaultTimeoutMs)
  return Number.isFinite(timeoutMs) && timeoutMs > 0 ? timeoutMs : defaultTimeoutMs
}

/** A node that took a command and never told what became of it cannot be relied on: it counts as lost. */
function giveUpOverdue(state: ControllerState, now: number): Turn {
  const overdue = underWayIn(state).filter(({ underWay }) => underWay.deadline <= now)
  return forEach(state, overdue, (next, { walk, action }) => {
    const node = executingNode(action)
    // Without fencing there is nothing to be done about it but to ask again: it holds a lease, and it is heard.
    // A remote node that never answers is not its router's fault.
    const isRouted = action.kind !== 'pseudo' && action.routerNode !== undefined
    const isMember = node !== undefined && !isRouted && clusterNodes(next.view).includes(node)
    const known = isMember && next.options.fencingEnabled
    const unresponsive = known ? new Set(next.reign?.unresponsive).add(node) : (next.reign?.unresponsive ?? new Set())
    const of = { transition: walk.number, action: action.id }
    const failed = withReign(endAction(next, of, 'failed'), { unresponsive })
    const reason = `no result of ${action.operation} came from ${node ?? 'its node'}`
    return turn(lookAgain(failed, reason, now), {
      kind: 'log',
      message: 'action given up',
      fields: { action: action.id, reason },
    })
  })
}

function resend(state: ControllerState, now: number): Turn {
  const due = underWayIn(state).filter(({ underWay }) => (underWay.resendAt ?? Number.POSITIVE_INFINITY) <= now)
  return forEach(state, due, (next, { walk, action }) => {
    const of = { transition: walk.number, action: action.id }
    const reminded = resendAt(next, of, now + remindMs)
    // What is still being written has not been sent for the first time.
    const writing = [...(next.reign?.writes.values() ?? [])].some(
      (purpose) => purpose.kind !== 'state' && purpose.action === of.action && purpose.transition === of.transition,
    )
    return writing || action.operation === 'clear_failcount' ? turn(reminded) : execute(reminded, walk, action)
  })
}

function endWalks(state: ControllerState, now: number): ControllerState {
  const over = state.reign?.walks.filter(isOver) ?? []
  if (over.length === 0) return state
  const ended = withReign(state, { walks: state.reign?.walks.filter((walk) => !over.includes(walk)) ?? [] })
  // Whoever marked an action as failed has asked for another look already; this is for the sake of certainty.
  const forgotten = over.some(({ failed, aborted }) => failed.size > 0 && aborted === undefined)
  if (!forgotten || ended.reign?.lookAgain !== undefined) return ended
  return lookAgain(ended, 'the transition ended unfinished', now + state.timings.retryMs)
}

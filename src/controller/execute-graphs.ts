/** The walk in time: sends what is ready, sends again what may have been lost, and gives up what never ends. */
import type { GraphAction } from '../transition/index.ts'
import { limitsOf } from './limits.ts'
import { isLoss, noteNeededVoters } from './needed-voters.ts'
import { clusterNodes } from './node-states.ts'
import { execute, remindMs, send } from './send.ts'
import {
  andThen,
  type ControllerState,
  forEach,
  lookAgain,
  type OwedAnswer,
  type Turn,
  turn,
  walkOf,
  withDcState,
  withWalk,
} from './state.ts'
import { endAction, resendAt, underWayIn } from './under-way.ts'
import {
  actionsToCome,
  chooseActions,
  executingNode,
  isOver,
  noteKeptBack,
  type UnderWay,
  type Walk,
  withTimes,
} from './walk.ts'
import { reportOf } from './walk-report.ts'

/** Sends what can go out; ends each walk of which nothing is left. */
export function executeGraphs(state: ControllerState, now: number): Turn {
  return andThen(giveUpOverdue(state, now), (timely) =>
    andThen(resend(timely, now), (sent) => andThen(sendReady(sent, now), (done) => endWalks(done, now))),
  )
}

/** When something about the walks is due. */
export function walkDeadlines(state: ControllerState): readonly number[] {
  const { dcState } = state
  if (dcState === undefined) return []
  const due = underWayIn(state).flatMap(({ underWay: { deadline, resendAt } }) => [deadline, resendAt ?? deadline])
  const waits = dcState.walks.some((walk) => actionsToCome(walk).length > 0)
  return waits ? [...due, ...[...dcState.fencing.values()].map(({ retryAt }) => retryAt)] : due
}

function sendReady(state: ControllerState, now: number): Turn {
  return forEach(state, state.dcState?.walks ?? [], (next, { number }) => sendReadyOf(next, number, now))
}

function sendReadyOf(state: ControllerState, transition: number, now: number): Turn {
  const walk = walkOf(state, transition)
  if (walk === undefined) return turn(state)
  const { next: ready, keptBack } = chooseActions(walk, limitsOf(state, walk, now))
  const noted = noteKeptBack(walk, keptBack)
  const known = noted === walk ? state : withWalk(state, noted)
  if (ready.length === 0) return turn(known)
  // One fencing at a time: whether the store has a majority without the next node depends on it.
  const first = ready.find(isLoss)
  const actions = first === undefined ? ready : ready.filter((action) => action === first || !isLoss(action))
  const sent = forEach(known, actions, (next, action) => send(next, { transition, action }, now))
  // What was done at once may have made others ready.
  return andThen(sent, (next) => sendReadyOf(first === undefined ? next : noteNeededVoters(next, now), transition, now))
}

/** A node that took a command and never told what became of it owes the result. */
function giveUpOverdue(state: ControllerState, now: number): Turn {
  const overdue = underWayIn(state).filter(({ underWay }) => underWay.deadline <= now)
  return forEach(state, overdue, (next, { walk, action, underWay }) => {
    const node = executingNode(action)
    // A remote node that never answers is not its router's fault.
    const isRouted = action.kind !== 'pseudo' && action.routerNode !== undefined
    const isOwing = node !== undefined && !isRouted && clusterNodes(next.view).includes(node)
    const owing = new Map(next.dcState?.owing)
    if (isOwing) owing.set(node, owedAnswer(next, action, underWay))
    const of = { transition: walk.number, action: action.id }
    const failed = withDcState(endAction(next, of, 'failed'), { owing })
    const reason = `no result of ${action.operation} came from ${node ?? 'its node'}`
    return turn(lookAgain(failed, reason, now), {
      kind: 'log',
      message: 'action given up',
      fields: { action: action.id, reason },
    })
  })
}

function owedAnswer(state: ControllerState, action: GraphAction, { unreached }: UnderWay): OwedAnswer {
  const { operation } = action
  return {
    operation,
    what: `${action.resource ?? ''} ${operation}`.trim(),
    version: state.view.configuration?.version ?? 0,
    ...(action.resource === undefined ? {} : { resource: action.resource }),
    ...(unreached === undefined ? {} : { unreached }),
  }
}

function resend(state: ControllerState, now: number): Turn {
  const due = underWayIn(state).filter(({ underWay }) => (underWay.resendAt ?? Number.POSITIVE_INFINITY) <= now)
  return forEach(state, due, (next, { walk, action }) => {
    const of = { transition: walk.number, action: action.id }
    const reminded = resendAt(next, of, now + remindMs)
    // What is still being written has not been sent for the first time.
    const writing = [...(next.dcState?.writes.values() ?? [])].some(
      (purpose) => purpose.kind !== 'state' && purpose.action === of.action && purpose.transition === of.transition,
    )
    return writing || action.operation === 'clear_failcount' ? turn(reminded) : execute(reminded, walk, action)
  })
}

function endWalks(before: ControllerState, now: number): Turn {
  const walks = before.dcState?.walks.map((walk) => withTimes(walk, now)) ?? []
  const state = withDcState(before, { walks })
  const over = walks.filter(isOver)
  if (over.length === 0) return turn(state)
  const reports = over.flatMap((walk) => reportOf(walk, now) ?? [])
  const effects = reports.map((report) => ({ kind: 'walked' as const, report }))
  return turn(
    afterWalks(withDcState(state, { walks: walks.filter((walk) => !over.includes(walk)) }), over, now),
    ...effects,
  )
}

function afterWalks(ended: ControllerState, over: readonly Walk[], now: number): ControllerState {
  if (over.some(hasClearedFailures)) return lookAgain(ended, 'failures have been cleared', now)
  // Whoever marked an action as failed has asked for another look already; this is for the sake of certainty.
  const forgotten = over.some(({ failed, aborted }) => failed.size > 0 && aborted === undefined)
  if (!forgotten || ended.dcState?.lookAgain !== undefined) return ended
  return lookAgain(ended, 'the transition ended unfinished', now + ended.timings.retryMs)
}

/**
 * What a failure banned stays where it is in the transition that clears it, as with Pacemaker: the next one places it. The
 * deletions themselves are no news, because that transition may well go on meanwhile.
 */
function hasClearedFailures({ clearsFailures, succeeded, byId }: Walk): boolean {
  if (!clearsFailures) return false
  return [...succeeded].some((id) => byId.get(id)?.operation === 'clear_failcount')
}

/**
 * The core of a node: the controller, this node's presence among the members, the rules for two nodes, and what it stops by its own
 * decision, composed. The daemon and the simulation drive it with a driver each (`NodeLoop`), and nothing else is different between them.
 *
 * Contract at the edge:
 * - `start-up` is fed with `start` first, once there is a driver.
 * - `store` is fed for every revision, in order, and before everything that follows from it; `began` once the store was read and the executor is
 *   there. Before that nothing is decided from the view: once this node is registered the DC deletes the history of its earlier life.
 * - `quorum` is fed whenever the confirmation of the lease changes or is prolonged, `quorum-lost` when it is over.
 * - Effects are performed in order, and each only where `mayPerform` still holds right before it.
 * - Every `plan-own-stops`, `stop-own`, `perform-command` and `route-command` is answered. What the effects of the parts promise stands in their rooms.
 */
import { assertNever, type MonotonicMs, monotonicMs } from '../base/index.ts'
import {
  type Change,
  type ControllerInput,
  controllerStep,
  emptyView,
  initialController,
  nextControllerAt,
} from '../controller/index.ts'
import {
  initialPresence,
  nextPresenceAt,
  type PresenceEffect,
  type PresenceInput,
  presenceStep,
} from '../membership/index.ts'
import {
  describeTwoNode,
  initialTwoNode,
  nextTwoNodeAt,
  type TwoNodeInput,
  twoNodeStep,
  votesIn,
} from '../quorum/index.ts'
import { takerOf } from './commands.ts'
import {
  advanceFencing,
  confirmDown,
  initialNodeFencing,
  memberChanged,
  nextNodeFencingAt,
  obeyTwoNode,
  takeFencingInput,
  tickFencing,
} from './fencing.ts'
import type { FencingTurn } from './fencing-turn.ts'
import { panicsWhenFenced, shutdownEscalationMs } from './options.ts'
import { diskErrors } from './own-disks.ts'
import { ownMember, saidOf } from './own-member.ts'
import {
  advanceOwnStops,
  ended,
  endOwnStops,
  initialOwnStops,
  nextOwnStopAt,
  type OwnStopsTurn,
  planned,
  stopEverything,
  stopsWithoutQuorum,
  tryAgain,
} from './own-stops.ts'
import { advanceVotes, nextVotesAt, takeVotesInput } from './own-votes.ts'
import { initialOwnVotes, type VotesInput } from './own-votes-state.ts'
import { advanceWatchdog, departWithoutWatchdog, nextWatchdogTimes, takeWatchdogInput } from './own-watchdog.ts'
import { initialOwnWatchdog, reportedWatchdog, watchdogTrouble } from './own-watchdog-state.ts'
import {
  advanceStartUp,
  nextStartUpAt,
  patienceMs,
  peerIsOff,
  takeStartUpInput,
  takeStoreCopyInput,
} from './start-up.ts'
import { initialStartUp, initialStoreCopy } from './start-up-state.ts'
import {
  andThen,
  isQuorate,
  log,
  type NodeEffect,
  type NodeInput,
  type NodeSetup,
  type NodeState,
  type NodeTurn,
  turn,
  type WhyOwnStops,
} from './state.ts'
import { silentOf, twoNodeSituation } from './two-node-situation.ts'

const never = monotonicMs(Number.NEGATIVE_INFINITY)

export function initialNode(setup: NodeSetup, now: MonotonicMs): NodeState {
  return {
    ...setup,
    startedAt: now,
    startUp: initialStartUp,
    storeCopy: initialStoreCopy,
    began: false,
    leaving: false,
    quorateUntil: never,
    view: emptyView,
    peers: [],
    hasWholeCopy: false,
    says: {},
    controller: initialController(setup.self, setup.timings.controller),
    presence: initialPresence(setup.self, setup.incarnation),
    twoNode: initialTwoNode,
    fencing: initialNodeFencing,
    ownStops: initialOwnStops,
    watchdog: initialOwnWatchdog,
    votes: initialOwnVotes,
  }
}

export function nodeStep(state: NodeState, input: NodeInput, now: MonotonicMs): NodeTurn {
  const taken = andThen(takeInput(state, input, now), (next) => seeTwoNodes(next, now))
  const starting = andThen(taken, (next) => advanceStartUp(next, now))
  const fencing = andThen(starting, (next) => afterFencing(advanceFencing(next, now), now))
  const advanced = andThen(fencing, (next) => afterOwnStops(advanceOwnStops(next, now), now))
  const voted = andThen(advanced, (next) => advanceVotes(next, now))
  const watched = andThen(voted, (next) => showWatchdog(state, advanceWatchdog(next, now), now))
  const waits = describeTwoNode(watched.state.twoNode)
  if (waits === describeTwoNode(state.twoNode)) return watched
  return { state: watched.state, effects: [...watched.effects, { kind: 'two-node-waits', message: waits }] }
}

/**
 * When the next `tick` is needed, at the latest; undefined: only an input can change anything. `ticked`: when the last one was. What was due by then
 * waits for another input.
 */
export function nextNodeAt(state: NodeState, ticked: MonotonicMs): MonotonicMs | undefined {
  const twoNodeAt = nextTwoNodeAt(state.twoNode)
  const times = [
    nextControllerAt(state.controller, ticked),
    nextPresenceAt(state.presence, ticked),
    twoNodeAt !== undefined && twoNodeAt > ticked ? twoNodeAt : undefined,
    nextStartUpAt(state),
    nextOwnStopAt(state),
    ...nextNodeFencingAt(state, ticked),
    ...nextWatchdogTimes(state),
    nextVotesAt(state, ticked),
  ].filter((time) => time !== undefined)
  const next = Math.min(...times)
  return Number.isFinite(next) ? monotonicMs(next) : undefined
}

/**
 * Whether an effect may still be performed. A step may have taken a moment, or the process may have been paused: without quorum nobody acts on
 * what a controller has decided. What is not performed is never answered: the controller begins anew when the lease is confirmed (`quorumIsOver`).
 */
export function mayPerform(state: NodeState, effect: NodeEffect, now: MonotonicMs): boolean {
  if (effect.kind !== 'controller' || isQuorate(state, now)) return true
  return effect.effect.kind === 'log' || effect.effect.kind === 'withdraw-fencing'
}

export const quorumIsOver: NodeInput = { kind: 'controller', input: { kind: 'quorum', until: never } }

function takeInput(state: NodeState, input: NodeInput, now: MonotonicMs): NodeTurn {
  switch (input.kind) {
    case 'store':
      return seen({ ...state, view: input.view }, input.changes, now)
    case 'start-up':
      return takeStartUpInput(state, input.input, now)
    case 'store-copy':
      return takeStoreCopyInput(state, input.input, now)
    case 'began':
      return begin({ ...state, began: true, startUp: { kind: 'done' } }, now)
    case 'list':
      return turn({ ...state, list: input.list })
    case 'quorum':
      return quorumIs(state, input, now)
    case 'quorum-lost':
      return quorumLost(state, input.why, now)
    case 'heartbeats': {
      const { peers, agreed } = input
      return toController({ ...state, peers }, { kind: 'silence', silent: silentOf(peers), agreed }, now)
    }
    case 'copy':
      return turn({ ...state, hasWholeCopy: input.isWhole })
    case 'says':
      return showOwnMember({ ...state, says: input.says }, now)
    case 'leave':
      return leave({ ...state, leaving: true }, now)
    case 'command':
      return takeCommand(state, input, now)
    case 'own-stops-planned':
      return planned(state, input, now)
    case 'own-stops-not-planned':
    case 'own-stops-not-done':
      return tryAgain(state, input, now)
    case 'own-stops-ended':
      return afterOwnStops(ended(state, input), now)
    case 'controller':
      return toController(state, input.input, now)
    case 'presence':
      return toPresence(state, input.input, now)
    case 'two-node':
      return takeTwoNodeInput(state, input.input, now)
    case 'watchdog':
      return takeWatchdogInput(state, input.input, now)
    case 'votes':
      return takeVotes(state, input.input, now)
    case 'fencing':
      return afterFencing(takeFencingInput(state, input.input, now), now)
    case 'tick':
      return [
        (next: NodeState) => toController(next, input, now),
        (next: NodeState) => toPresence(next, input, now),
        (next: NodeState) => toTwoNode(next, input, now),
        (next: NodeState) => afterFencing(tickFencing(next, now), now),
      ].reduce(andThen, turn(state))
    default:
      return assertNever(input)
  }
}

/** A node that waits for the other of two need not wait any more. */
function takeTwoNodeInput(state: NodeState, input: TwoNodeInput, now: MonotonicMs): NodeTurn {
  const isConfirmed = input.kind === 'peer-is-off' && input.word === 'administrator'
  return andThen(isConfirmed ? peerIsOff(state, now) : turn(state), (next) => toTwoNode(next, input, now))
}

/** What is known of the witness matters to the controller as well. */
function takeVotes(state: NodeState, input: VotesInput, now: MonotonicMs): NodeTurn {
  const taken = takeVotesInput(state, input, now)
  if (input.kind !== 'witness') return taken
  const useless = input.state === 'up' ? undefined : state.list.witness?.name
  return andThen(taken, (next) =>
    toController(next, { kind: 'witness', ...(useless === undefined ? {} : { useless }) }, now),
  )
}

function seen(state: NodeState, changes: Extract<NodeInput, { kind: 'store' }>['changes'], now: MonotonicMs): NodeTurn {
  if (!state.began) return turn(state)
  const reported = changes.reduce(
    (done, change) => andThen(done, (next) => tellFencing(next, change, now)),
    turn(state),
  )
  return andThen(
    andThen(reported, (next) => showOwnMember(next, now)),
    (next) => toController(next, { kind: 'store', view: next.view, changes }, now),
  )
}

/** Of members that change, and of nodes that others vouch for. */
function tellFencing(state: NodeState, change: Change, now: MonotonicMs): NodeTurn {
  if (change.kind === 'member') return afterFencing(memberChanged(state, change.node, now), now)
  if (change.kind !== 'confirmed-down' || !change.confirmed) return turn(state)
  const bySurvivor = state.view.confirmedDown.get(change.node)?.reason !== undefined
  return afterFencing(confirmDown(state, { target: change.node, bySurvivor }, now), now)
}

/** An earlier daemon of this boot may have left something running, and lost quorum before it ended, or after. */
function begin(state: NodeState, now: MonotonicMs): NodeTurn {
  const quorate = isQuorate(state, now)
  const shown = andThen(turn(state, { kind: 'executor-quorum', quorate }), (next) => seen(next, [], now))
  return state.met && !quorate ? andThen(shown, (next) => stopsWithoutQuorum(next, patienceMs(next, now), now)) : shown
}

function quorumIs(state: NodeState, input: Extract<NodeInput, { kind: 'quorum' }>, now: MonotonicMs): NodeTurn {
  const { lease, until } = input
  const before = isQuorate(state, now)
  const prolonged = toController(
    { ...state, quorateUntil: until },
    { ...input, ...votesIn(state.list, state.self) },
    now,
  )
  if (lease === undefined || !isQuorate(prolonged.state, now) || (before && lease === state.lease)) return prolonged
  return andThen(prolonged, (next) => {
    const gained = endOwnStops({ ...next, lease, met: true })
    const reported = turn(
      gained,
      log('info', 'this node has quorum', { lease }),
      { kind: 'executor-quorum', quorate: true },
      { kind: 'quorum-gained' },
    )
    return andThen(reported, (after) => toPresence(after, { kind: 'lease', lease }, now))
  })
}

function quorumLost(state: NodeState, why: string, now: MonotonicMs): NodeTurn {
  const reported = turn(
    state,
    log('warn', 'this node has lost quorum', { why }),
    { kind: 'executor-quorum', quorate: false },
    { kind: 'quorum-lost' },
  )
  const lost = andThen(reported, (next) => toPresence(next, { kind: 'lease' }, now))
  return why === 'left' ? lost : andThen(lost, (next) => stopsWithoutQuorum(next, 0, now))
}

/** Not before it is known what an earlier daemon ran here: once this node is registered the DC deletes that history. */
function showOwnMember(state: NodeState, now: MonotonicMs): NodeTurn {
  if (!state.began) return turn(state)
  const own = ownMember(state.view, state, saidOf(state))
  return toPresence(state, { kind: 'view', own }, now)
}

/** The others are told of a change, and people are. */
function showWatchdog({ watchdog: before }: NodeState, advanced: NodeTurn, now: MonotonicMs): NodeTurn {
  const { watchdog } = advanced.state
  if (watchdog === before) return advanced
  const [was, is] = [before, watchdog].map((one) =>
    JSON.stringify([reportedWatchdog(one), watchdogTrouble(one), diskErrors(one)]),
  )
  if (was === is) return advanced
  const shown = andThen(advanced, (next) => turn(next, { kind: 'watchdog', effect: { kind: 'changed' } }))
  return andThen(shown, (next) => showOwnMember(next, now))
}

function leave(state: NodeState, now: MonotonicMs): NodeTurn {
  const escalateMs = shutdownEscalationMs(state.view.configuration?.typed)
  return andThen(toController(state, { kind: 'leaving' }, now), (next) =>
    toPresence(next, { kind: 'leave', ...(escalateMs === undefined ? {} : { escalateMs }) }, now),
  )
}

function takeCommand(
  state: NodeState,
  { id, command, highestTerm }: Extract<NodeInput, { kind: 'command' }>,
  now: MonotonicMs,
): NodeTurn {
  const taker = takerOf(state.self, command, highestTerm)
  switch (taker.kind) {
    case 'nobody':
      return turn(state, { kind: 'answer-command', id, answer: taker.answer })
    case 'presence':
      return andThen(turn(state, { kind: 'answer-command', id, answer: taker.answer }), (next) =>
        toPresence(next, { kind: 'shutdown-allowed' }, now),
      )
    case 'connection':
      return turn(state, { kind: 'route-command', id, node: taker.node, command })
    case 'executor':
      return turn(state, { kind: 'perform-command', id, command })
    default:
      return assertNever(taker)
  }
}

function afterOwnStops({ state, effects, over }: OwnStopsTurn, now: MonotonicMs): NodeTurn {
  return over.reduce((done, why) => andThen(done, (next) => nothingMoreToStop(next, why, now)), {
    state,
    effects,
  } as NodeTurn)
}

function nothingMoreToStop(state: NodeState, why: WhyOwnStops, now: MonotonicMs): NodeTurn {
  switch (why) {
    case 'no-quorum':
      return turn(state)
    case 'leaves':
      return toPresence(state, { kind: 'stopped-locally' }, now)
    case 'declared-down':
      return turn(state, { kind: 'restart', why: 'the cluster considers this node down' })
    default:
      return assertNever(why)
  }
}

// ------------------------------------------------------------------ the parts

function toController(state: NodeState, input: ControllerInput, now: MonotonicMs): NodeTurn {
  const { state: controller, effects } = controllerStep(state.controller, input, now)
  return { state: { ...state, controller }, effects: effects.map((effect) => ({ kind: 'controller', effect })) }
}

function toTwoNode(state: NodeState, input: TwoNodeInput, now: MonotonicMs): NodeTurn {
  const { state: twoNode, effects } = twoNodeStep(state.twoNode, input, now)
  return effects.reduce(
    (done, effect) =>
      andThen(done, (next) =>
        effect.kind === 'go-alone'
          ? turn(next, { kind: 'two-node', effect })
          : afterFencing(obeyTwoNode(next, effect, now), now),
      ),
    turn({ ...state, twoNode }),
  )
}

/** The rules for two nodes are shown what has changed for them. */
function seeTwoNodes(state: NodeState, now: MonotonicMs): NodeTurn {
  const situation = twoNodeSituation(state, now)
  if (JSON.stringify(situation) === JSON.stringify(state.twoNode.situation)) return turn(state)
  const input: TwoNodeInput = { kind: 'situation', ...(situation === undefined ? {} : { situation }) }
  return andThen(toTwoNode(state, input, now), (next) => turn(next, { kind: 'two-node-situation', situation }))
}

function afterFencing({ state, effects, reported }: FencingTurn, now: MonotonicMs): NodeTurn {
  return reported.reduce((done, input) => andThen(done, (next) => toTwoNode(next, input, now)), {
    state,
    effects,
  } as NodeTurn)
}

function toPresence(state: NodeState, input: PresenceInput, now: MonotonicMs): NodeTurn {
  const { state: presence, effects } = presenceStep(state.presence, input, now)
  return effects.reduce(
    (done, effect) => andThen(done, (next) => obeyPresence(next, effect, now)),
    turn({ ...state, presence }),
  )
}

function obeyPresence(state: NodeState, effect: PresenceEffect, now: MonotonicMs): NodeTurn {
  switch (effect.kind) {
    case 'register':
    case 'request-shutdown':
      return turn(state, { kind: 'presence', effect })
    case 'stop-locally': {
      const reported = log('warn', 'no DC confirms that this node may leave: it stops its resources itself')
      return andThen(turn(state, reported), (next) => stopEverything(next, 'leaves', now))
    }
    case 'depart':
      return depart(state, effect)
    case 'declared-down':
      return declaredDown(state, now)
    default:
      return assertNever(effect)
  }
}

/** What was left running others will start: then this machine must be reset, and its watchdog is not stopped. */
function depart(state: NodeState, effect: Extract<PresenceEffect, { kind: 'depart' }>): NodeTurn {
  const { lease } = effect
  const escalated = effect.escalated === true
  const disarm = !escalated && state.ownStops.leftRunning.length === 0
  const reported = escalated
    ? [
        log(
          'error',
          'the shutdown did not finish within shutdown-escalation: this node leaves with its resources running',
        ),
      ]
    : []
  if (disarm) return departWithoutWatchdog(state, lease)
  return turn(state, ...reported, { kind: 'depart', ...(lease === undefined ? {} : { lease }), disarm })
}

/** The cluster believes that this node is off and may start its resources elsewhere. */
function declaredDown(state: NodeState, now: MonotonicMs): NodeTurn {
  if (panicsWhenFenced(state.view.configuration?.typed, state.view.nodeStates.get(state.self)))
    return turn(state, {
      kind: 'end-self',
      how: 'reset',
      why: 'fencing-reaction=panic: the cluster considers this node fenced although it is alive',
    })
  const reported = log('error', 'the cluster considers this node down although it is alive: its resources are stopped')
  return andThen(turn(state, reported), (next) => stopEverything(next, 'declared-down', now))
}

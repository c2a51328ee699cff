/**
 * The controller's core. On every node it knows who the DC is: where there is none it campaigns, and the lease of a DC whose
 * silence a majority confirms is ended. On the DC it turns: record who is here and who is lost, compute a transition, walk
 * it, and look again whenever something else than its own results has changed (Pacemaker Administration, "The transition
 * engine"). It reacts to state: every step compares what the view shows with what should be, whatever woke it.
 *
 * Contract at the edge: see `effects.ts`. Feed `store` before anything that follows from it; feed `quorum` at every
 * confirmation of the lease; step again at `nextControllerAt`.
 */
import type { NodeName } from '../base/index.ts'
import type { ControllerInput } from './effects.ts'
import { executeGraphs, walkDeadlines } from './execute-graphs.ts'
import { handleInput } from './handle-input.ts'
import { endTerm, withdrawWhoIsBack } from './heard-again.ts'
import { neededVoterTimes, noteNeededVoters } from './needed-voters.ts'
import { isMember, type NodeStateInput, reconcileNodeStates } from './node-states.ts'
import { mayOverlapWalks, overlapTimes } from './overlap.ts'
import { loseWhoOwes, withoutOwing } from './owed-answers.ts'
import {
  andThen,
  type ControllerState,
  type DcState,
  forEach,
  lookAgain,
  type Turn,
  turn,
  withDcState,
  withoutDcState,
} from './state.ts'
import { publish } from './summary.ts'
import { failActionsOn } from './under-way.ts'
import { write } from './writes.ts'

export function controllerStep(state: ControllerState, input: ControllerInput, now: number): Turn {
  return andThen(handleInput(state, input, now), (next) => act(next, now))
}

/** When the next `tick` is needed, at the latest; infinite where only an input can change anything. */
export function nextControllerAt(state: ControllerState, now: number): number {
  const { dcState, timings } = state
  const times = [state.campaignAt, ...state.revokeAt.values()]
  if (dcState !== undefined) {
    times.push(state.quorateUntil, dcState.recheckAt, dcState.publishAt, dcState.startupUntil ?? now)
    times.push((dcState.waitingSince ?? now) + answerPatienceMs)
    times.push(dcState.lookAgain?.at ?? now, ...dcState.waits.values(), ...walkDeadlines(state), ...overlapTimes(state))
    times.push(...neededVoterTimes(state))
    times.push(...[...state.silent.values()].map((since) => since + timings.linkPatienceMs))
  }
  return Math.min(...times.filter((time) => time > now), Number.POSITIVE_INFINITY)
}

function act(state: ControllerState, now: number): Turn {
  if (now >= state.quorateUntil || state.lease === undefined) return endTerm(state)
  const { dc } = state.view
  if (dc === undefined) return andThen(endTerm(state), (next) => campaign(next, now))
  if (dc.node !== state.self) return andThen(endTerm(state), (next) => watchDc(next, dc, now))
  // The key of an earlier incarnation of this daemon: nobody is the DC under it any more.
  if (dc.lease !== state.lease) return andThen(endTerm(state), (next) => revoke(next, dc, now))
  const current = state.dcState !== undefined && isStuck(state.dcState, now) ? withoutDcState(state) : state
  if (dc.term === current.endedTerm) return resign(current, dc.term, now)
  const acted = actAsDc(current.dcState?.term === dc.term ? current : beginTerm(current, dc.term, now), now)
  return { state: noteWaiting(acted.state, now), effects: acted.effects }
}

function resign(state: ControllerState, term: number, now: number): Turn {
  if (state.campaigning || now < state.campaignAt) return turn(state)
  return turn({ ...state, campaigning: true }, { kind: 'resign', term })
}

/**
 * Whoever performs effects answers each of them. Should an answer get lost all the same, the DC resigns, and the next
 * one begins with what the store shows: no cluster may stand still over it.
 */
const answerPatienceMs = 30_000

function isStuck(dcState: DcState, now: number): boolean {
  return dcState.waitingSince !== undefined && now - dcState.waitingSince >= answerPatienceMs
}

function noteWaiting(state: ControllerState, now: number): ControllerState {
  const { dcState } = state
  if (dcState === undefined) return state
  const waits = dcState.writes.size > 0 || dcState.computing !== undefined
  if (waits === (dcState.waitingSince !== undefined)) return state
  const { waitingSince: _before, ...rest } = dcState
  return { ...state, dcState: waits ? { ...rest, waitingSince: now } : rest }
}

/** A node that leaves wants to be DC only where nobody else can: somebody must see the others out. */
function campaign(state: ControllerState, now: number): Turn {
  const own = state.view.members.get(state.self)
  if (own === undefined || own.lease !== state.lease || state.lease === undefined) return turn(state)
  if (state.campaigning || now < state.campaignAt) return turn(state)
  const others = [...state.view.members.values()].filter(({ node }) => node !== state.self && !state.silent.has(node))
  if (state.leaving && others.some((member) => member.state !== 'leaving')) return turn(state)
  return turn({ ...state, campaigning: true }, { kind: 'campaign', lease: state.lease })
}

function watchDc(state: ControllerState, dc: { readonly node: NodeName; readonly lease?: string }, now: number): Turn {
  return state.agreed.has(dc.node) ? revoke(state, dc, now) : turn(state)
}

function revoke(
  state: ControllerState,
  { node, lease }: { readonly node: NodeName; readonly lease?: string | undefined },
  now: number,
): Turn {
  if (lease === undefined || now < (state.revokeAt.get(lease) ?? 0)) return turn(state)
  const pending = [...state.revokeAt].filter(([, at]) => at > now)
  const revokeAt = new Map(pending).set(lease, now + state.timings.retryMs)
  return turn({ ...state, revokeAt }, { kind: 'revoke-lease', node, lease })
}

function beginTerm(state: ControllerState, term: number, now: number): ControllerState {
  const own = state.view.members.get(state.self)
  const ownState = state.view.nodeStates.get(state.self)
  const established = isMember(ownState) && ownState?.attributes?.incarnation === String(own?.incarnation)
  const waitMs = state.options.deadtimeMs ?? state.timings.startupWaitMs
  const dcState: DcState = {
    term,
    ...(established ? {} : { startupUntil: now + waitMs }),
    writes: new Map(),
    mustSee: state.view.revision,
    lookAgain: { reason: 'this node became DC', at: now },
    walks: [],
    fencing: new Map(),
    waits: new Map(),
    waitingFor: [],
    owing: new Map(),
    unresponsive: new Map(),
    fencedForAnswers: new Map(),
    neededVoters: new Map(),
    recheckAt: Number.POSITIVE_INFINITY,
    computedVersion: 0,
    computedHolds: 0,
    computingVersion: 0,
    computingHolds: 0,
    computingRevision: 0,
    blocked: [],
    awaited: [],
    publishAt: now,
  }
  return { ...state, dcState }
}

function actAsDc(state: ControllerState, now: number): Turn {
  return andThen(
    andThen(withdrawWhoIsBack(state), (next) => recordNodes(next, now)),
    (recorded) =>
      andThen(executeGraphs(noteNeededVoters(recorded, now), now), (executed) =>
        andThen(compute(executed, now), (done) => publish(done, now)),
      ),
  )
}

/** Waits for its own writes first: a view that lacks them would have them written again. */
function recordNodes(before: ControllerState, now: number): Turn {
  if (isWaitingForWrites(before)) return turn(before)
  const state = loseWhoOwes(before, now)
  const { dcState } = state
  if (dcState === undefined) return turn(state)
  const outcome = reconcileNodeStates(nodeStateInput(state, dcState, now))
  const waitsChanged = outcome.waitingFor.length < dcState.waitingFor.length
  let next = withDcState(state, { waits: outcome.waits, waitingFor: outcome.waitingFor })
  if (waitsChanged) next = lookAgain(next, 'no node needs to be waited for', now)
  for (const node of outcome.gone) next = withoutOwing(failActionsOn(next, node), node)
  const revoked = forEach(next, outcome.revoke, (each, { node, lease }) => revoke(each, { node, lease }, now))
  if (outcome.edits.length === 0) return revoked
  return andThen(revoked, (each) => write(lookAgain(each, 'nodes came or went', now), outcome.edits, { kind: 'state' }))
}

function nodeStateInput(state: ControllerState, dcState: DcState, now: number): NodeStateInput {
  const lost = new Map<NodeName, string>()
  for (const [node, since] of state.silent)
    if (now - since >= state.timings.linkPatienceMs) lost.set(node, 'its heartbeats do not reach the DC')
  for (const node of state.agreed) lost.set(node, 'a majority misses its heartbeats')
  for (const [node, { why }] of dcState.unresponsive) lost.set(node, why)
  return {
    view: state.view,
    self: state.self,
    term: dcState.term,
    now,
    lost,
    silent: new Set(state.silent.keys()),
    beingFenced: new Set([...dcState.fencing].filter(([, { id }]) => id !== undefined).map(([node]) => node)),
    fencingEnabled: state.options.fencingEnabled,
    ...(dcState.startupUntil === undefined ? {} : { startupUntil: dcState.startupUntil }),
    waits: dcState.waits,
    lossWaitMs: state.timings.lossWaitMs,
    registrationMs: state.timings.registrationMs,
  }
}

/** One computation at a time, from a view that shows everything this DC has written, beside nothing but what is slow. */
function compute(state: ControllerState, now: number): Turn {
  const { dcState, view } = state
  if (dcState === undefined || dcState.computing !== undefined || !mayOverlapWalks(state, now)) return turn(state)
  if (now >= dcState.recheckAt && dcState.lookAgain === undefined)
    return compute(lookAgain(state, 'the time to look again has come', now), now)
  if (dcState.lookAgain === undefined || now < dcState.lookAgain.at) return turn(state)
  if (isWaitingForWrites(state) || dcState.waitingFor.length > 0 || view.configuration === undefined) return turn(state)
  if (!isMember(view.nodeStates.get(state.self))) return turn(state)
  const id = state.lastId + 1
  const { lookAgain: wanted, ...rest } = dcState
  const next: ControllerState = {
    ...state,
    lastId: id,
    dcState: {
      ...rest,
      computing: id,
      computingVersion: view.configuration.version,
      computingHolds: view.holdsRevision,
      computingRevision: view.revision,
      recheckAt: now + state.options.recheckIntervalMs,
    },
  }
  return turn(next, { kind: 'compute', compute: id, term: dcState.term, reason: wanted.reason })
}

function isWaitingForWrites(state: ControllerState): boolean {
  const { dcState, view } = state
  if (dcState === undefined) return true
  return dcState.writes.size > 0 || view.revision < dcState.mustSee
}

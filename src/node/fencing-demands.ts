/** What a node's fencers are asked for, and whose turn it is. */
import { type MonotonicMs, monotonicMs, type NodeName, nodeName } from '../base/index.ts'
import { type FencingAction, knownIncarnation } from '../controller/index.ts'
import { type FencingDemand, type FencingInput, isAtWork } from '../fencing/index.ts'
import { withdrawFromDisks } from './disk-fencing.ts'
import { attributesOf, firstLevel, timeoutMs } from './fencing-devices.ts'
import type { AskedDemand, AskedFencing, FencerName, InLine, NodeFencingInput } from './fencing-state.ts'
import { afterDisks, announced, step } from './fencing-steps.ts'
import { after, type FencingTurn, only, withFencing } from './fencing-turn.ts'
import { isHalfDone, leftOffIn, type RecordedFencing } from './left-off.ts'
import { isQuorate, log, type NodeState } from './state.ts'
import { silentOf } from './two-node-situation.ts'

/** There is no DC, and nobody else who could ask a device. */
const noTerm = 0
/** In line, behind what the other fencer does to the node. */
const patienceMs = 20 * 60_000

export function fence(
  state: NodeState,
  { request, random }: Extract<NodeFencingInput, { kind: 'fence' }>,
  now: MonotonicMs,
): FencingTurn {
  const { id, term, target, timeoutMs, delayMs, reason, incarnation } = request
  const action = asWanted(state, target, request.action)
  const reported = only(
    withAsked(state, id, { action, incarnation, byAdministrator: false }),
    log('warn', 'a node is to be fenced', { target, action, reason }),
  )
  const demand = { id, term, target, action, timeoutMs, delayMs, reason, random, client: 'controller' }
  return after(reported, (next) => inTurn(next, 'dc', { demand, now }))
}

export function fenceForAdministrator(
  state: NodeState,
  {
    kind: _,
    id,
    term,
    target,
    action,
    timeoutMs: limitMs,
    delayMs = 0,
    ...more
  }: Extract<NodeFencingInput, { kind: 'fence-for-administrator' }>,
  now: MonotonicMs,
): FencingTurn {
  const others = [...state.fencing.wantedOff].filter((node) => node !== target)
  const wantedOff = new Set(action === 'off' ? [...others, target] : others)
  const incarnation = knownIncarnation(state.view, target)
  const asked = withAsked(withFencing(state, { wantedOff }), id, { action, incarnation, byAdministrator: true })
  const reason = 'requested by an administrator'
  const how = { timeoutMs: limitMs ?? timeoutMs(state), delayMs, reason }
  return inTurn(asked, 'dc', { demand: { id, term, target, action, ...how, ...more }, now })
}

export function fencePeer(
  state: NodeState,
  { attempt, delayMs, random, ...planned }: Extract<NodeFencingInput, { kind: 'peer-planned' }>,
  now: MonotonicMs,
): FencingTurn {
  const { peer } = state.fencing
  if (peer?.attempt !== attempt || !peer.planning) return only(state)
  const { id, target } = peer
  if (peer.withdrawn) {
    const { peer: _over, ...fencing } = state.fencing
    const message = `${target} is heard again.`
    return { ...only({ ...state, fencing }), reported: [{ kind: 'fenced', id: attempt, succeeded: false, message }] }
  }
  const next = withFencing(state, { peer: { ...peer, planning: false } })
  const reason = 'it is silent, and the survivor of two must be the only one'
  const more = { term: noTerm, timeoutMs: timeoutMs(state), client: 'survivor of two' }
  return inTurn(next, 'alone', {
    demand: { id, target, action: planned.action, delayMs, random, reason, ...more },
    now,
  })
}

function inTurn(
  state: NodeState,
  by: FencerName,
  { demand, now }: { readonly demand: AskedDemand; readonly now: MonotonicMs },
): FencingTurn {
  const one: InLine = { by, demand, giveUpAt: monotonicMs(now + patienceMs) }
  return callNext(withFencing(state, { inLine: [...state.fencing.inLine, one] }), now)
}

export function callNext(state: NodeState, now: MonotonicMs): FencingTurn {
  const next = state.fencing.inLine.find(
    ({ by, demand, giveUpAt }) => now >= giveUpAt || !isAtWork(state.fencing[otherOf(by)], demand.target),
  )
  if (next === undefined) return only(state)
  const inLine = state.fencing.inLine.filter((one) => one !== next)
  return after(demandOf(withFencing(state, { inLine }), next, now), (rest) => callNext(rest, now))
}

function demandOf(state: NodeState, { by, demand }: InLine, now: MonotonicMs): FencingTurn {
  const { target } = demand
  const meant = withMeant(state, target)
  const attributes = attributesOf(state, target)
  if (by === 'alone') {
    const action = asWanted(state, target, demand.action)
    return step(meant, { by: 'alone', input: demanded({ ...demand, action, attributes, runners: [state.self] }) }, now)
  }
  return after(leaveAsItIs(meant, 'alone', { node: target, now }), (next) =>
    step(next, { by: 'dc', input: demanded({ ...demand, attributes, runners: runners(next) }) }, now),
  )
}

const demanded = (demand: Extract<FencingInput, { kind: 'demanded' }>['demand']): FencingInput => ({
  kind: 'demanded',
  demand,
})

/** Of those that wait in line nothing was begun. */
export function withdraw(
  state: NodeState,
  by: FencerName,
  { id, now }: { readonly id: string; readonly now: MonotonicMs },
): FencingTurn {
  const waiting = state.fencing.inLine.find((one) => one.by === by && one.demand.id === id)
  if (waiting === undefined) {
    const withdrawn = step(state, { by, input: { kind: 'withdrawn', id } }, now)
    return after(withdrawn, (next) => afterDisks(next, withdrawFromDisks(next, id), now))
  }
  const { target } = waiting.demand
  const inLine = state.fencing.inLine.filter((one) => one !== waiting)
  const message = `${target} is heard again.`
  return announced(withFencing(state, { inLine }), by, { id, target, outcome: 'failed', message, withdrawn: true })
}

export function leaveAsItIs(
  state: NodeState,
  by: FencerName,
  { node, now }: { readonly node: NodeName; readonly now: MonotonicMs },
): FencingTurn {
  return step(state, { by, input: { kind: 'left-as-it-is', target: node } }, now)
}

/** For the DC, once its view shows that it is: what earlier ones have switched off and not on again. */
export function takeUpLeftOff(state: NodeState, now: MonotonicMs): FencingTurn {
  const { history, ...fencing } = state.fencing
  if (history === undefined) return only(state)
  const { term, records, giveUpAt } = history
  if (now >= giveUpAt) return only({ ...state, fencing })
  if (!isQuorate(state, now) || state.view.dc?.term !== term) return only(state)
  return leftOffIn(records, state.view).reduce(
    (done, { record, target, devices: known }) =>
      after(done, (next) => {
        const devices = known ?? firstLevel(next, target)
        const reported = log('warn', 'a node that a reboot has left off is switched on', { target, devices })
        const { id, reason = 'it was left off', client = 'controller' } = record
        const more = { timeoutMs: timeoutMs(next), delayMs: 0, random: 0, runners: runners(next) }
        const demand = { id, term, target, action: 'reboot', reason, client, ...more } as const
        return after(only(withMeant(next, target), reported), (then) =>
          step(then, { by: 'dc', input: leftOff(then, record, { demand, devices }) }, now),
        )
      }),
    only({ ...state, fencing }),
  )
}

/** What an earlier daemon of this node has begun without a majority. Switching on does no harm to a node that is on. */
export function takeUpLeftOffAlone(
  state: NodeState,
  records: readonly RecordedFencing[],
  now: MonotonicMs,
): FencingTurn {
  return records.filter(isHalfDone).reduce((done, record) => {
    const target = nodeName(record.target)
    return after(done, (next) => {
      const devices = record.powerOn ?? firstLevel(next, target)
      const { id, reason = '', client = '' } = record
      const more = { timeoutMs: timeoutMs(next), delayMs: 0, random: 0, runners: [next.self] }
      const demand = { id, term: noTerm, target, action: 'reboot', reason, client, ...more } as const
      return step(withMeant(next, target), { by: 'alone', input: leftOff(next, record, { demand, devices }) }, now)
    })
  }, only(state))
}

function leftOff(
  state: NodeState,
  { outcome, message = '' }: RecordedFencing,
  { demand, devices }: { readonly demand: Omit<FencingDemand, 'attributes'>; readonly devices: readonly string[] },
): FencingInput {
  const result = outcome === 'succeeded' ? { result: message } : {}
  return { kind: 'left-off', demand: { ...demand, attributes: attributesOf(state, demand.target) }, devices, ...result }
}

const withAsked = (state: NodeState, id: string, asked: AskedFencing): NodeState =>
  withFencing(state, { asked: new Map(state.fencing.asked).set(id, asked) })

const withMeant = (state: NodeState, target: NodeName): NodeState =>
  withFencing(state, { meant: new Map(state.fencing.meant).set(target, knownIncarnation(state.view, target)) })

/** This node first, and nobody who is silent. */
function runners({ self, view, peers }: NodeState): readonly NodeName[] {
  const silent = silentOf(peers)
  return [self, ...[...view.members.keys()].filter((node) => node !== self && !silent.includes(node)).sort()]
}

const asWanted = ({ fencing }: NodeState, target: NodeName, action: FencingAction): FencingAction =>
  action === 'reboot' && fencing.wantedOff.has(target) ? 'off' : action

const otherOf = (by: FencerName): FencerName => (by === 'dc' ? 'alone' : 'dc')

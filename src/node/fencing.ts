/**
 * Fencing as a node does it, composed: the DC's fencer and that of a survivor of two (`fencing/fencing.ts` each), resets by watchdogs, what an
 * earlier DC has left switched off, and who comes first. Which device does what is decided in the room `fencing`.
 *
 * Devices are told one thing at a time about a node, by whichever of the two: the other waits in line. A reset by a watchdog counts only where its
 * record was written while the target was away. A node that is here as somebody new is not switched on any more.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName } from '../base/index.ts'
import type { ControllerInput } from '../controller/index.ts'
import { type FencingInput, initialFencing, nextFencingAt } from '../fencing/index.ts'
import type { TwoNodeEffect } from '../quorum/index.ts'
import { diskWordWritten, targetSeen } from './disk-fencing.ts'
import {
  callNext,
  fence,
  fenceForAdministrator,
  fencePeer,
  leaveAsItIs,
  takeUpLeftOff,
  takeUpLeftOffAlone,
  withdraw,
} from './fencing-demands.ts'
import { configure, useDevices } from './fencing-devices.ts'
import type { NodeFencing, NodeFencingEffect, NodeFencingInput } from './fencing-state.ts'
import { afterDisks, afterWatchdogs, recorded, step } from './fencing-steps.ts'
import { after, type FencingTurn, only, tell, withFencing } from './fencing-turn.ts'
import { isQuorate, log, type NodeState } from './state.ts'
import { askedToEnd, lookAtWatchdogs, nextWatchdogLooks } from './watchdog-fencing.ts'

/** Until the view has caught up with this node's own election. */
const electionMs = 10_000

export const initialNodeFencing: NodeFencing = {
  dc: initialFencing,
  alone: initialFencing,
  metadata: new Map(),
  watchdogWaits: new Map(),
  meant: new Map(),
  wantedOff: new Set(),
  inLine: [],
  asked: new Map(),
  watchdogs: [],
  throughDisks: [],
  memberChanges: new Map(),
  rebooted: new Set(),
  resets: new Map(),
}

export function takeFencingInput(state: NodeState, input: NodeFencingInput, now: MonotonicMs): FencingTurn {
  switch (input.kind) {
    case 'agents':
      return useDevices(withFencing(state, { metadata: input.metadata }), now)
    case 'fence':
      return fence(state, input, now)
    case 'withdraw':
      return after(only(state, log('warn', 'a fencing is no longer wanted', { id: input.id })), (next) =>
        withdraw(next, 'dc', { id: input.id, now }),
      )
    case 'fence-for-administrator':
      return fenceForAdministrator(state, input, now)
    case 'peer-planned':
      return fencePeer(state, input, now)
    case 'history': {
      const { term, records } = input
      return only(withFencing(state, { history: { term, records, giveUpAt: monotonicMs(now + electionMs) } }))
    }
    case 'recorded-alone':
      return takeUpLeftOffAlone(state, input.records, now)
    case 'recorded':
      return recorded(state, input, now)
    case 'device-answered':
      return step(
        state,
        { by: input.by, input: { kind: 'device-answered', call: input.call, answer: input.answer } },
        now,
      )
    case 'target-seen':
    case 'target-not-seen':
      return afterDisks(state, targetSeen(state, input), now)
    case 'disk-word-written': {
      const holdsTerm = isQuorate(state, now) && state.view.dc?.term === termOf(state, input.call)
      return afterDisks(state, diskWordWritten(state, input, holdsTerm), now)
    }
    case 'asked-to-end':
      return afterWatchdogs(state, askedToEnd(state, input, now), now)
    default:
      return assertNever(input)
  }
}

const termOf = ({ fencing }: NodeState, call: number): number | undefined =>
  fencing.throughDisks.find(({ asked }) => asked.call === call)?.asked.term

/** What is due of it, whatever has happened. */
export function advanceFencing(state: NodeState, now: MonotonicMs): FencingTurn {
  return after(
    after(
      after(configure(state, now), (next) => afterWatchdogs(next, lookAtWatchdogs(next, now), now)),
      (next) => takeUpLeftOff(next, now),
    ),
    (next) => callNext(next, now),
  )
}

export function tickFencing(state: NodeState, now: MonotonicMs): FencingTurn {
  return after(step(state, { by: 'dc', input: { kind: 'tick' } }, now), (next) =>
    step(next, { by: 'alone', input: { kind: 'tick' } }, now),
  )
}

/** What is not after `ticked` waits for another input. */
export function nextNodeFencingAt({ fencing }: NodeState, ticked: MonotonicMs): readonly MonotonicMs[] {
  const { dc, alone, inLine, watchdogs } = fencing
  const times = [
    nextFencingAt(dc),
    nextFencingAt(alone),
    ...inLine.map(({ giveUpAt }) => giveUpAt),
    ...nextWatchdogLooks(watchdogs),
  ]
  return times.filter((time) => time !== undefined && time > ticked) as readonly MonotonicMs[]
}

/** Somebody else vouches that the node is off. `bySurvivor`: the other of two, which has fenced it itself. */
export function confirmDown(
  state: NodeState,
  { target, bySurvivor }: { readonly target: NodeName; readonly bySurvivor: boolean },
  now: MonotonicMs,
): FencingTurn {
  const confirmed: FencingInput = { kind: 'confirmed', target, bySurvivor }
  return after(step(state, { by: 'dc', input: confirmed }, now), (next) =>
    step(next, { by: 'alone', input: confirmed }, now),
  )
}

/** A member record has come, changed or gone. */
export function memberChanged(state: NodeState, node: NodeName, now: MonotonicMs): FencingTurn {
  const { memberChanges, meant, wantedOff } = state.fencing
  const counted = withFencing(state, {
    memberChanges: new Map(memberChanges).set(node, (memberChanges.get(node) ?? 0) + 1),
  })
  const incarnation = state.view.members.get(node)?.incarnation
  if (incarnation === undefined || !meant.has(node) || incarnation === meant.get(node)) return only(counted)
  const others = new Map(meant)
  others.delete(node)
  const known = withFencing(counted, {
    meant: others,
    wantedOff: new Set([...wantedOff].filter((other) => other !== node)),
  })
  return after(leaveAsItIs(known, 'dc', { node, now }), (next) => leaveAsItIs(next, 'alone', { node, now }))
}

/** The survivor of two asks for it, or takes it back. */
export function obeyTwoNode(
  state: NodeState,
  effect: Exclude<TwoNodeEffect, { kind: 'go-alone' }>,
  now: MonotonicMs,
): FencingTurn {
  const { id: attempt, target } = effect
  if (effect.kind === 'fence') {
    const id = `alone-${state.self}-${state.incarnation}-${attempt}`
    const peer = { attempt, id, target, planning: true, withdrawn: false }
    return only(withFencing(state, { peer }), tell({ kind: 'plan-peer', attempt, target }))
  }
  const { peer } = state.fencing
  const reported = only(state, log('warn', 'the other node is heard again before it was fenced', { peer: target }))
  if (peer?.attempt !== attempt) return reported
  if (peer.planning) return after(reported, (next) => only(withFencing(next, { peer: { ...peer, withdrawn: true } })))
  return after(reported, (next) => withdraw(next, 'alone', { id: peer.id, now }))
}

/** `at`: the time of day, in seconds. */
export function fencedInput(
  { result, asked }: Extract<NodeFencingEffect, { kind: 'announce' }>,
  at: number,
): ControllerInput {
  const { id, target, outcome, message, withdrawn } = result
  const { action, incarnation } = asked
  const meant = incarnation === undefined ? {} : { incarnation }
  const back = withdrawn === undefined ? {} : { withdrawn }
  return { kind: 'fenced', id, target, action, ...meant, ...back, at, outcome, message }
}

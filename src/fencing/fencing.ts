/**
 * Fencing: which device is asked for what, by which node, and when it counts (Pacemaker's fencer). The result is proven or
 * it is a failure: after `off` the device's own status must say so, where it has one.
 *
 * Contract at the edge:
 * - `record`: put `fencing/history/<id>` in a transaction that compares the DC's term, then feed back `recorded`. No device is
 *   asked before the first one is written, and nobody is told a result before the last one is.
 * - `run-device` ends with exactly one `device-answered`.
 * - The powering on after a reboot comes when the result has been told: the node is known to be off, so recovery need not wait.
 */
import { assertNever, type MonotonicMs, type NodeName } from '../base/index.ts'
import { beginActing, deviceAnswered, goOn } from './acting.ts'
import { type FencingDemand, type Phase, type Request, runnersFor } from './request.ts'
import {
  callDevice,
  type DeviceAnswer,
  deviceOf,
  ending,
  type FencingEffect,
  type FencingInput,
  type FencingState,
  type FencingStep,
  isBusy,
  recordOf,
  remove,
  replace,
} from './state.ts'

const rememberedResults = 64

export const initialFencing: FencingState = {
  setup: { devices: [], topology: [], concurrent: true },
  term: 0,
  requests: [],
  calls: new Map(),
  nextCall: 1,
  hosts: new Map(),
  finished: [],
}

export function stepFencing(state: FencingState, input: FencingInput, now: MonotonicMs): FencingStep {
  const taken = take(state, input, now)
  return settle(taken, now)
}

/** When a delay is over; a `tick` then goes on. */
export function nextFencingAt(state: FencingState): MonotonicMs | undefined {
  const times = state.requests.flatMap(({ phase }) =>
    phase.kind === 'acting' && phase.doing.kind === 'delaying' ? [phase.doing.until] : [],
  )
  return times.toSorted((a, b) => a - b)[0]
}

function take(state: FencingState, input: FencingInput, now: MonotonicMs): FencingStep {
  switch (input.kind) {
    case 'configured':
      // Whom a device knows may have changed with its parameters.
      return { state: { ...state, setup: input.setup, hosts: new Map() }, effects: [] }
    case 'demanded':
      return demanded(state, input.demand)
    case 'recorded':
      return recorded(state, input)
    case 'device-answered':
      return answered(state, input.call, input.answer, now)
    case 'confirmed':
      return confirmed(state, input.target)
    case 'withdrawn':
      return withdrawn(state, input.id)
    case 'tick':
      return { state, effects: [] }
    default:
      return assertNever(input)
  }
}

/** Every request goes as far as it can without an answer, until none moves any more. */
function settle(step: FencingStep, now: MonotonicMs): FencingStep {
  let { state } = step
  const effects = [...step.effects]
  for (let before: FencingState | undefined; before !== state; ) {
    before = state
    for (const { id } of before.requests) {
      const request = state.requests.find((candidate) => candidate.id === id)
      if (!request) continue
      const moved = advance(state, request, now)
      state = moved.state
      effects.push(...moved.effects)
    }
  }
  return { state, effects }
}

function advance(state: FencingState, request: Request, now: MonotonicMs): FencingStep {
  const { phase } = request
  switch (phase.kind) {
    case 'queued':
      return mustWait(state, request) ? { state, effects: [] } : beginActing(state, request)
    case 'acting':
      return goOn(state, request, phase, now)
    case 'powering-on':
      return phase.call === undefined ? powerOn(state, request, phase) : { state, effects: [] }
    case 'recording':
    case 'ending':
      return { state, effects: [] }
    default:
      return assertNever(phase)
  }
}

/** Actions on one node come one after the other; on different nodes as concurrent-fencing says. */
function mustWait(state: FencingState, request: Request): boolean {
  const earlier = state.requests.slice(0, state.requests.indexOf(request))
  return earlier.some(
    ({ target, phase }) => target === request.target || (!state.setup.concurrent && phase.kind !== 'powering-on'),
  )
}

function demanded(state: FencingState, demand: FencingDemand): FencingStep {
  const { id, target } = demand
  const known = state.finished.find((result) => result.id === id)
  if (known) return { state, effects: [{ kind: 'announce', ...known }] }
  if (state.requests.some((request) => request.id === id || request.joined.includes(id))) return { state, effects: [] }
  if (demand.term < state.term) {
    const message = `The term ${demand.term} is over: ${state.term} has been seen.`
    return { state, effects: [{ kind: 'announce', id, target, outcome: 'failed', message }] }
  }
  const raised = { ...state, term: demand.term }
  const same = state.requests.find((request) => request.target === target && answersFor(request, demand))
  if (same) return { state: replace(raised, { ...same, joined: [...same.joined, id] }), effects: [] }
  const request: Request = { ...demand, joined: [], phase: { kind: 'recording' }, trail: [] }
  return {
    state: { ...raised, requests: [...state.requests, request] },
    effects: [recordOf(request, 'pending', demand.reason)],
  }
}

/** The same action that has not ended answers for both, if it is of this term: an older one's record may be refused. */
function answersFor({ action, term, phase }: Request, demand: FencingDemand): boolean {
  return action === demand.action && term === demand.term && phase.kind !== 'ending' && phase.kind !== 'powering-on'
}

function recorded(state: FencingState, input: Extract<FencingInput, { kind: 'recorded' }>): FencingStep {
  const { id, outcome, written } = input
  const request = state.requests.find((candidate) => candidate.id === id)
  if (request?.phase.kind === 'recording')
    return written
      ? { state: replace(state, { ...request, phase: { kind: 'queued' } }), effects: [] }
      : announce(state, request, { outcome: 'failed', message: 'The term is over.', powerOn: [] })
  if (request?.phase.kind !== 'ending' || outcome === 'pending') return { state, effects: [] }
  if (written) return announce(state, request, request.phase)
  const message = 'The result could not be recorded: the term is over, or the node has come back.'
  return announce(state, request, { outcome: 'failed', message, powerOn: [] })
}

function announce(
  state: FencingState,
  request: Request,
  end: Pick<Extract<Phase, { kind: 'ending' }>, 'outcome' | 'message' | 'powerOn'>,
): FencingStep {
  const { outcome, message, powerOn: devices } = end
  const back = request.withdrawn === true && outcome === 'failed' ? ({ withdrawn: true } as const) : {}
  const results = [request.id, ...request.joined].map((id) => ({
    id,
    target: request.target,
    outcome,
    message,
    ...back,
  }))
  const next: FencingState = { ...state, finished: [...state.finished, ...results].slice(-rememberedResults) }
  const after =
    devices.length === 0
      ? remove(next, request)
      : replace(next, { ...request, phase: { kind: 'powering-on', devices, attempt: 0 } })
  return { state: after, effects: results.map((result) => ({ kind: 'announce', ...result })) }
}

/** Before the first device is told to do anything; others who want the same are not asked. */
function withdrawn(state: FencingState, id: string): FencingStep {
  const request = state.requests.find((candidate) => candidate.id === id)
  if (request === undefined || request.joined.length > 0) return { state, effects: [] }
  const { phase } = request
  // It was told already: that goes on, and is not repeated.
  if (request.device !== undefined) return { state: replace(state, { ...request, withdrawn: true }), effects: [] }
  const isBefore =
    phase.kind === 'recording' ||
    phase.kind === 'queued' ||
    (phase.kind === 'acting' && ['ready', 'delaying', 'asking'].includes(phase.doing.kind))
  if (!isBefore) return { state, effects: [] }
  const message = `${request.target} is heard again: its fence device was told nothing.`
  return ending(state, { ...request, withdrawn: true }, { outcome: 'failed', message })
}

/** A device that still works on the node may end as it likes. */
function confirmed(state: FencingState, target: NodeName): FencingStep {
  const message = `An administrator has confirmed that ${target} is off.`
  let next = state
  const effects: FencingEffect[] = []
  for (const request of state.requests) {
    if (request.target !== target || request.action === 'on') continue
    if (request.phase.kind === 'ending' || request.phase.kind === 'powering-on') continue
    const { device: _device, runner: _runner, ...byHand } = request
    const ended = ending(next, byHand, { outcome: 'succeeded', message })
    next = ended.state
    effects.push(...ended.effects)
  }
  return { state: next, effects }
}

function answered(state: FencingState, call: number, answer: DeviceAnswer, now: MonotonicMs): FencingStep {
  const asked = state.calls.get(call)
  if (!asked) return { state, effects: [] }
  const calls = new Map(state.calls)
  calls.delete(call)
  const freed = { ...state, calls }
  const request = state.requests.find((candidate) => callOf(candidate) === call)
  if (request?.phase.kind === 'powering-on') return poweredOn(freed, request, request.phase, answer)
  if (request?.phase.kind !== 'acting') return { state: freed, effects: [] }
  return deviceAnswered(freed, request, request.phase, { device: asked.device, answer, now })
}

function callOf({ phase }: Request): number | undefined {
  if (phase.kind === 'powering-on') return phase.call
  return phase.kind === 'acting' && 'call' in phase.doing ? phase.doing.call : undefined
}

type PoweringOn = Extract<Phase, { kind: 'powering-on' }>

/** Somebody who wants to fence the node again does not want it on. */
function powerOn(state: FencingState, request: Request, phase: PoweringOn): FencingStep {
  const unwanted = state.requests.some((other) => other !== request && other.target === request.target)
  const device = deviceOf(state, phase.devices[0] ?? '')
  if (unwanted || !device) return { state: remove(state, request), effects: [] }
  const runners = runnersFor(device, request)
  const runner = runners[phase.attempt % Math.max(1, runners.length)]
  if (runner === undefined) return { state: remove(state, request), effects: [] }
  if (isBusy(state, device)) return { state, effects: [] }
  const run = callDevice(state, { request, device, action: 'on', runner })
  const next: Request = { ...request, phase: { ...phase, call: run.call } }
  return { state: replace(run.state, next), effects: [run.effect] }
}

/** A node that cannot be powered on is fenced all the same: its history says that it stays off. */
function poweredOn(state: FencingState, request: Request, phase: PoweringOn, answer: DeviceAnswer): FencingStep {
  const { call: _, ...rest } = phase
  const attempts = deviceOf(state, phase.devices[0] ?? '')?.actions.on.attempts ?? 1
  if (!answer.succeeded && phase.attempt + 1 < attempts)
    return { state: replace(state, { ...request, phase: { ...rest, attempt: phase.attempt + 1 } }), effects: [] }
  const message = `${request.target} is off, but ${phase.devices[0]} could not power it on again: ${answer.message}`
  const effects = answer.succeeded ? [] : [recordOf(request, 'succeeded', message)]
  const devices = phase.devices.slice(1)
  if (devices.length === 0) return { state: remove(state, request), effects }
  return { state: replace(state, { ...request, phase: { ...rest, devices, attempt: 0 } }), effects }
}

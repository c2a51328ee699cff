/**
 * Fencing: which device is asked for what, by which node, and when it counts (Pacemaker's fencer). The result is proven or
 * it is a failure: after `off` the device's own status must say so, where it has one.
 *
 * Contract at the edge:
 * - `record`: put `fencing/history/<id>` in a transaction that compares the DC's term, then feed back `recorded`. No device is
 *   asked before the first one is written, and nobody is told a result before the last one is.
 * - `run-device` ends with exactly one `device-answered`.
 * - The powering on after a reboot comes when the result has been told: the node is known to be off, so recovery need not wait. It comes
 *   as well where the result could not be recorded: without the node there may be no majority that could. The record names the devices for as
 *   long as they have not switched the node on, so that whoever leads next goes on with it (`left-off`).
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName } from '../base/index.ts'
import { beginActing, deviceAnswered, goOn } from './acting.ts'
import { type FencingDemand, type Phase, type Request, runnersFor } from './request.ts'
import {
  type Announcement,
  callDevice,
  currentProgram,
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
/** Between the rounds of attempts to switch a node on that was switched off. */
const shortestPauseMs = 5000
const longestPauseMs = 60_000

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
  const times = state.requests.flatMap(({ phase }) => {
    if (phase.kind === 'powering-on') return phase.pausedUntil === undefined ? [] : [phase.pausedUntil]
    return phase.kind === 'acting' && phase.doing.kind === 'delaying' ? [phase.doing.until] : []
  })
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
      return answered(state, input, now)
    case 'confirmed':
      return confirmed(state, input)
    case 'withdrawn':
      return withdrawn(state, input.id)
    case 'left-off':
      return leftOff(state, input)
    case 'left-as-it-is':
      return leftAsItIs(state, input.target)
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
      return goOn({ state: state, request: request, acting: phase }, now)
    case 'powering-on':
      return phase.call === undefined ? powerOn(state, { request, phase }, now) : { state, effects: [] }
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
  return earlier.some(({ target, phase }) => {
    // What is not being switched on at this moment waits for whoever fences the node again.
    if (phase.kind === 'powering-on') return target === request.target && phase.call !== undefined
    return target === request.target || !state.setup.concurrent
  })
}

function demanded(state: FencingState, demand: FencingDemand): FencingStep {
  const { id, target } = demand
  const known = state.finished.find((result) => result.id === id)
  if (known) return { state, effects: [{ kind: 'announce', ...known }] }
  if (state.requests.some((request) => request.id === id || request.joined.includes(id))) return { state, effects: [] }
  if (demand.term < state.term) {
    const message = `The term ${demand.term} has ended: term ${state.term} has been seen.`
    return { state, effects: [{ kind: 'announce', id, target, outcome: 'failed', message }] }
  }
  const raised = { ...state, term: demand.term }
  const same = state.requests.find((request) => request.target === target && answersFor(request, demand))
  if (same) return { state: replace(raised, { ...same, joined: [...same.joined, id] }), effects: [] }
  const request: Request = { ...demand, joined: [], phase: { kind: 'recording' }, trail: [] }
  return {
    state: { ...raised, requests: [...state.requests, request] },
    effects: [recordOf(request, { outcome: 'pending', message: demand.reason })],
  }
}

/**
 * The same action that has not ended answers for both, if it is of this term: an older one's record may be refused. So does `off` for a
 * reboot: whoever wants the node to stay off is obeyed, and it is as surely off for whoever only wants it gone.
 */
function answersFor({ action, term, phase }: Request, demand: FencingDemand): boolean {
  const isEnough = action === demand.action || (action === 'off' && demand.action === 'reboot')
  return isEnough && term === demand.term && phase.kind !== 'ending' && phase.kind !== 'powering-on'
}

function recorded(state: FencingState, input: Extract<FencingInput, { kind: 'recorded' }>): FencingStep {
  const { id, outcome, written } = input
  const request = state.requests.find((candidate) => candidate.id === id)
  if (request?.phase.kind === 'recording')
    return written
      ? { state: replace(state, { ...request, phase: { kind: 'queued' } }), effects: [] }
      : announce(state, request, { outcome: 'failed', message: 'The term has ended.', powerOn: [] })
  if (request?.phase.kind !== 'ending' || outcome === 'pending') return { state, effects: [] }
  if (written) return announce(state, request, request.phase)
  const message = 'The result could not be recorded: the term has ended, or the node has come back.'
  const { outcome: reached, powerOn } = request.phase
  const isOff = reached === 'succeeded' && request.action !== 'on'
  return announce(state, request, { outcome: 'failed', message, powerOn, ...(isOff ? { isOff } : {}) })
}

function announce(
  state: FencingState,
  request: Request,
  end: Pick<Extract<Phase, { kind: 'ending' }>, 'outcome' | 'message' | 'powerOn'> & Pick<Announcement, 'isOff'>,
): FencingStep {
  const { outcome, message, powerOn: devices, isOff } = end
  const back = request.withdrawn === true && outcome === 'failed' ? ({ withdrawn: true } as const) : {}
  const results = [request.id, ...request.joined].map((id) => ({
    id,
    target: request.target,
    outcome,
    message,
    ...back,
    ...(isOff === undefined ? {} : { isOff }),
  }))
  const finished = [...state.finished, ...results].slice(-rememberedResults)
  // What is known of the node now is what this request has done: it switches the node on itself, or it is to stay off.
  const isDone = outcome === 'succeeded' || isOff === true
  const dropped = isDone ? poweringOn(state, request.target) : []
  const next = without({ ...state, finished }, dropped)
  const after =
    devices.length === 0
      ? remove(next, request)
      : replace(next, {
          ...request,
          isRecorded: outcome === 'succeeded',
          result: message,
          phase: { kind: 'powering-on', devices, attempt: 0, rounds: 0 },
        })
  return {
    state: after,
    effects: [
      ...dropped.flatMap((other) => recordPoweredOn(other, [])),
      ...results.map((result) => ({ kind: 'announce', ...result }) as const),
    ],
  }
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
  const message = `No fence action was started: ${request.target} is reachable again, or the DC that asked for it has lost quorum.`
  return ending(state, { ...request, withdrawn: true }, { outcome: 'failed', message })
}

/**
 * A device that still works on the node may end as it likes. Nobody switches on what a person may be working on; what the survivor of two has
 * fenced, and what is switched off after that, is to be on again.
 */
function confirmed(
  before: FencingState,
  { target, bySurvivor = false }: Extract<FencingInput, { kind: 'confirmed' }>,
): FencingStep {
  const message = bySurvivor
    ? `The survivor of the two nodes has fenced ${target}.`
    : `An administrator has confirmed that ${target} is off.`
  const dropped = bySurvivor ? [] : poweringOn(before, target)
  const state = bySurvivor ? withForgotten(before, target) : without(before, dropped)
  let next = state
  const effects: FencingEffect[] = dropped.flatMap((request) => recordPoweredOn(request, []))
  for (const request of state.requests) {
    if (request.target !== target || request.action === 'on') continue
    if (request.phase.kind === 'ending') continue
    const { device: _device, runner: _runner, ...byHand } = request
    const ended = ending(next, byHand, { outcome: 'succeeded', message })
    next = ended.state
    effects.push(...ended.effects)
  }
  return { state: next, effects }
}

/** Switching off for a reboot that ends before its device has answered. */
function withForgotten(state: FencingState, target: NodeName): FencingState {
  const calls = new Map(state.calls)
  for (const request of state.requests.filter((one) => one.target === target)) {
    const call = callOf(request)
    const known = call === undefined ? undefined : calls.get(call)
    if (call === undefined || known === undefined || request.phase.kind !== 'acting') continue
    const powerOn = currentProgram(state, request, request.phase)?.powerOn ?? []
    const acts = request.phase.doing.kind === 'running' || request.phase.doing.kind === 'verifying'
    if (acts && powerOn.length > 0) calls.set(call, { ...known, forgotten: { request, powerOn } })
  }
  return { ...state, calls }
}

function answered(
  state: FencingState,
  { call, answer }: { readonly call: number; readonly answer: DeviceAnswer },
  now: MonotonicMs,
): FencingStep {
  const asked = state.calls.get(call)
  if (!asked) return { state, effects: [] }
  const calls = new Map(state.calls)
  calls.delete(call)
  const freed = { ...state, calls }
  const request = state.requests.find((candidate) => callOf(candidate) === call)
  if (request?.phase.kind === 'powering-on') return poweredOn(freed, request, { phase: request.phase, answer, now })
  if (request?.phase.kind !== 'acting') {
    const { forgotten } = asked
    if (forgotten === undefined || !answer.succeeded) return { state: freed, effects: [] }
    const { request: former, powerOn: devices } = forgotten
    return leftOff(freed, { kind: 'left-off', demand: { ...former, id: `${former.id}-on` }, devices })
  }
  return deviceAnswered({ state: freed, request, acting: request.phase }, { device: asked.device, answer, now })
}

function callOf({ phase }: Request): number | undefined {
  if (phase.kind === 'powering-on') return phase.call
  return phase.kind === 'acting' && 'call' in phase.doing ? phase.doing.call : undefined
}

type PoweringOn = Extract<Phase, { kind: 'powering-on' }>

const poweringOn = ({ requests }: FencingState, target: NodeName): readonly Request[] =>
  requests.filter((request) => request.target === target && request.phase.kind === 'powering-on')

function without(state: FencingState, dropped: readonly Request[]): FencingState {
  if (dropped.length === 0) return state
  return { ...state, requests: state.requests.filter((request) => !dropped.includes(request)) }
}

/** As a DC finds it in the history. */
function leftOff(state: FencingState, input: Extract<FencingInput, { kind: 'left-off' }>): FencingStep {
  const { demand, devices, result } = input
  const isKnown = state.requests.some(({ target, phase }) => target === demand.target && phase.kind === 'powering-on')
  if (devices.length === 0 || isKnown) return { state, effects: [] }
  const request: Request = {
    ...demandOf(demand),
    joined: [],
    trail: [],
    ...(result === undefined ? {} : { isRecorded: true, result }),
    phase: { kind: 'powering-on', devices, attempt: 0, rounds: 0 },
  }
  return { state: { ...state, requests: [...state.requests, request] }, effects: [] }
}

/** Without what has become of it, where it is a request already. */
function demandOf(demand: FencingDemand): FencingDemand {
  const { id, target, attributes, action, term, timeoutMs, delayMs, random, runners, reason, client } = demand
  return { id, target, attributes, action, term, timeoutMs, delayMs, random, runners, reason, client }
}

/** What a device does at this moment may end as it likes. */
function leftAsItIs(state: FencingState, target: NodeName): FencingStep {
  const done = poweringOn(state, target)
  return { state: without(state, done), effects: done.flatMap((request) => recordPoweredOn(request, [])) }
}

/** Somebody who wants to fence the node again goes first: if he succeeds, he also decides whether it is on afterwards. */
function powerOn(
  state: FencingState,
  { request, phase }: { readonly request: Request; readonly phase: PoweringOn },
  now: MonotonicMs,
): FencingStep {
  const isFencedAgain = state.requests.some(
    ({ target, phase: { kind } }) => target === request.target && kind !== 'powering-on',
  )
  if (isFencedAgain || (phase.pausedUntil !== undefined && now < phase.pausedUntil)) return { state, effects: [] }
  const device = deviceOf(state, phase.devices[0] ?? '')
  if (!device) return { state: remove(state, request), effects: recordPoweredOn(request, []) }
  const runners = runnersFor(device, request)
  const runner = runners[phase.attempt % Math.max(1, runners.length)]
  if (runner === undefined) return { state: remove(state, request), effects: [] }
  if (isBusy(state, device)) return { state, effects: [] }
  const run = callDevice(state, { request, device, action: 'on', runner })
  const { pausedUntil: _over, ...rest } = phase
  const next: Request = { ...request, phase: { ...rest, call: run.call } }
  return { state: replace(run.state, next), effects: [run.effect] }
}

/** A node that cannot be powered on is fenced all the same: its history says that it is off still. It is tried again until it is on. */
function poweredOn(
  state: FencingState,
  request: Request,
  { phase, answer, now }: { readonly phase: PoweringOn; readonly answer: DeviceAnswer; readonly now: MonotonicMs },
): FencingStep {
  const { call: _, ...rest } = phase
  const [device = '', ...others] = phase.devices
  const attempts = deviceOf(state, device)?.actions.on.attempts ?? 1
  if (answer.succeeded) {
    const effects = recordPoweredOn(request, others)
    if (others.length === 0) return { state: remove(state, request), effects }
    const next: Phase = { ...rest, devices: others, attempt: 0, rounds: 0 }
    return { state: replace(state, { ...request, phase: next }), effects }
  }
  if (phase.attempt + 1 < attempts)
    return { state: replace(state, { ...request, phase: { ...rest, attempt: phase.attempt + 1 } }), effects: [] }
  const pausedUntil = monotonicMs(now + Math.min(longestPauseMs, shortestPauseMs * 2 ** phase.rounds))
  const paused: Phase = { ...rest, attempt: 0, rounds: phase.rounds + 1, pausedUntil }
  const message = `${request.target} is off, but ${device} could not power it on again: ${answer.message}`
  const isNews = phase.rounds === 0 && request.isRecorded === true
  return {
    state: replace(state, { ...request, phase: paused }),
    effects: isNews ? [recordOf(request, { outcome: 'succeeded', message, powerOn: phase.devices })] : [],
  }
}

/** Nothing is written where not even the result was. */
function recordPoweredOn(request: Request, left: readonly string[]): readonly FencingEffect[] {
  if (request.isRecorded !== true) return []
  const message = request.result ?? `${request.action} by ${request.device ?? 'its devices'}`
  return [recordOf(request, { outcome: 'succeeded', message, powerOn: left })]
}

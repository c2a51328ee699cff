/** One request on its way through devices, attempts and levels, until it is proven or nothing is left to try. */
import type { MonotonicMs, NodeName } from '../base/index.ts'
import { monotonicMs } from '../base/index.ts'
import { capability, hostsInList } from './capability.ts'
import type { FenceDevice } from './device.ts'
import { levelsFor } from './levels.ts'
import {
  type Acting,
  describeTrail,
  type FailedAttempt,
  fencingDelayMs,
  type ProgramStep,
  type Request,
  runnersFor,
} from './request.ts'
import {
  callDevice,
  currentProgram,
  currentStep,
  type DeviceAnswer,
  deviceOf,
  ending,
  type FencingState,
  type FencingStep,
  isBusy,
  replace,
} from './state.ts'
import { watchdogDeviceId } from './watchdog.ts'

/** A request whose turn has come, in the state that it is in. */
export interface AtWork {
  readonly state: FencingState
  readonly request: Request
  readonly acting: Acting
}

/** The request's turn has come. */
export function beginActing(state: FencingState, request: Request): FencingStep {
  const { target, attributes } = request
  const { topology, devices } = state.setup
  // A watchdog can switch nothing on.
  const able = request.action === 'on' ? devices.filter(({ id }) => id !== watchdogDeviceId) : devices
  const levels = levelsFor({ node: target, attributes }, topology, able)
  if (levels.length === 0) {
    const message = `No enabled fence device can fence ${target}.`
    return ending(state, request, { outcome: 'failed', message })
  }
  const doing = { kind: 'ready', delayed: request.action === 'on' } as const
  const phase: Acting = { kind: 'acting', levels, level: 0, step: 0, attempt: 0, doing }
  return { state: replace(state, { ...request, phase }), effects: [] }
}

/** Goes on if nothing has to be waited for; otherwise the state stays the same. */
export function goOn(at: AtWork, now: MonotonicMs): FencingStep {
  const { state, acting } = at
  const { doing } = acting
  if (doing.kind === 'delaying')
    return now < doing.until ? { state, effects: [] } : beginStep(at, { delayed: true, now })
  return doing.kind === 'ready' ? beginStep(at, { delayed: doing.delayed, now }) : { state, effects: [] }
}

function beginStep(
  at: AtWork,
  { delayed, now }: { readonly delayed: boolean; readonly now: MonotonicMs },
): FencingStep {
  const { state, request, acting } = at
  const step = currentStep(state, request, acting)
  const device = step && deviceOf(state, step.device)
  if (!step || !device) return failLevel(at, devicesAreMissing(acting))
  const runner = runnerOf(device, request, acting)
  if (runner === undefined) return failLevel(at, `No online node may run ${device.id}.`)
  const can = capability(device, { target: request.target, known: state.hosts.get(device.id) }, now)
  if (can === 'no') return failLevel(at, `${device.id} cannot fence ${request.target}.`)
  if (isBusy(state, device)) return { state, effects: [] }
  if (can !== 'yes') return ask(at, { device, runner, what: can === 'ask-list' ? 'list' : 'status' })
  const delayMs = delayed ? 0 : fencingDelayMs(device, request)
  if (delayMs > 0) {
    const doing = { kind: 'delaying', until: monotonicMs(now + delayMs) } as const
    return { state: replace(state, { ...request, phase: { ...acting, doing } }), effects: [] }
  }
  const run = callDevice(state, { request, device, action: step.action, runner })
  const phase: Acting = { ...acting, doing: { kind: 'running', call: run.call } }
  const toldOff = step.action === 'off' && request.action === 'reboot' ? [...(request.toldOff ?? []), device.id] : []
  const told = toldOff.length === 0 ? {} : { toldOff: [...new Set(toldOff)] }
  return { state: replace(run.state, { ...request, ...told, device: device.id, runner, phase }), effects: [run.effect] }
}

function runnerOf(device: FenceDevice, request: Request, acting: Acting): NodeName | undefined {
  const runners = runnersFor(device, request)
  return runners[acting.attempt % Math.max(1, runners.length)]
}

function devicesAreMissing(acting: Acting): string {
  const devices = (acting.levels[acting.level] ?? []).join(', ')
  return `Not all devices of this level are configured and enabled: ${devices || 'it has none'}.`
}

function ask(
  at: AtWork,
  {
    device,
    runner,
    what,
  }: { readonly device: FenceDevice; readonly runner: NodeName; readonly what: 'list' | 'status' },
): FencingStep {
  const { state, request, acting } = at
  const run = callDevice(state, { request, device, action: what, runner })
  const phase: Acting = { ...acting, doing: { kind: 'asking', call: run.call, what } }
  return { state: replace(run.state, { ...request, phase }), effects: [run.effect] }
}

/** The answer of a device to the call that this request waits for. */
export function deviceAnswered(
  at: AtWork,
  answered: { readonly device: string; readonly answer: DeviceAnswer; readonly now: MonotonicMs },
): FencingStep {
  const { state, acting } = at
  const { doing } = acting
  const { answer } = answered
  switch (doing.kind) {
    case 'asking':
      return toldHosts(at, { ...answered, what: doing.what })
    case 'running':
      return acted(at, answer)
    case 'verifying':
      return verified(at, { answer, attempt: doing.attempt })
    case 'ready':
    case 'delaying':
      return { state, effects: [] }
  }
}

/** A device that cannot say whom it knows cannot be used for this node now; it is asked again next time. */
function toldHosts(
  at: AtWork,
  told: {
    readonly device: string
    readonly answer: DeviceAnswer
    readonly what: 'list' | 'status'
    readonly now: MonotonicMs
  },
): FencingStep {
  const { state, request, acting } = at
  const { device, answer, what, now } = told
  if (what === 'list' ? !answer.succeeded : answer.power === undefined) {
    const why = `${device} did not list its targets: ${answer.message}`
    return failLevel(at, why)
  }
  const before = what === 'status' ? (state.hosts.get(device)?.names ?? []) : []
  const names = new Set([...before, ...(what === 'list' ? hostsInList(answer.output) : [request.target])])
  const hosts = new Map(state.hosts).set(device, { names, at: now })
  const doing = { kind: 'ready', delayed: acting.level > 0 || acting.step > 0 || request.action === 'on' } as const
  return { state: replace({ ...state, hosts }, { ...request, phase: { ...acting, doing } }), effects: [] }
}

function acted(at: AtWork, answer: DeviceAnswer): FencingStep {
  const { state, request, acting } = at
  const step = currentStep(state, request, acting)
  if (!step) return failLevel(at, devicesAreMissing(acting))
  if (!answer.succeeded) return failAttempt(at, { step, answer })
  return step.verified ? verify(at, 0) : stepDone(state, request, acting)
}

function verify(at: AtWork, attempt: number): FencingStep {
  const { state, request, acting } = at
  const step = currentStep(state, request, acting)
  const device = step && deviceOf(state, step.device)
  if (!device || request.runner === undefined) return failLevel(at, devicesAreMissing(acting))
  const run = callDevice(state, { request, device, action: 'status', runner: request.runner })
  const phase: Acting = { ...acting, doing: { kind: 'verifying', call: run.call, attempt } }
  return { state: replace(run.state, { ...request, phase }), effects: [run.effect] }
}

function verified(
  at: AtWork,
  { answer, attempt }: { readonly answer: DeviceAnswer; readonly attempt: number },
): FencingStep {
  const { state, request, acting } = at
  if (answer.power === 'off') return stepDone(state, request, acting)
  const step = currentStep(state, request, acting)
  const device = step && deviceOf(state, step.device)
  if (!step || !device) return failLevel(at, devicesAreMissing(acting))
  if (attempt + 1 < device.actions.status.attempts) return verify(at, attempt + 1)
  const says = answer.power === 'on' ? 'its status says on' : `its status cannot be read: ${answer.message}`
  return failAttempt(at, {
    step,
    answer: { ...answer, message: `it reports off, but ${says}` },
  })
}

function stepDone(state: FencingState, request: Request, acting: Acting): FencingStep {
  const program = currentProgram(state, request, acting)
  if (program && acting.step + 1 < program.steps.length) {
    const next: Acting = { ...acting, step: acting.step + 1, attempt: 0, doing: { kind: 'ready', delayed: true } }
    return { state: replace(state, { ...request, phase: next }), effects: [] }
  }
  const devices = (acting.levels[acting.level] ?? []).join(', ')
  const message = `${request.action} by ${devices}`
  const powerOn = [...new Set([...(program?.powerOn ?? []), ...(request.toldOff ?? [])])]
  return ending(state, request, { outcome: 'succeeded', message, powerOn })
}

/** Tried again, by the next node that can, unless the time for this device is used up. */
function failAttempt(
  at: AtWork,
  { step, answer }: { readonly step: ProgramStep; readonly answer: DeviceAnswer },
): FencingStep {
  const { state, request, acting } = at
  const why = {
    device: step.device,
    runner: request.runner ?? 'no node',
    text: `${step.action} failed: ${answer.message}`,
  }
  // It was not switched off, and is heard: it is not tried again.
  if (request.withdrawn && acting.step === 0 && !answer.timedOut)
    return ending(
      state,
      { ...request, trail: [...request.trail, why] },
      { outcome: 'failed', message: describeTrail([why]) },
    )
  const attempts = deviceOf(state, step.device)?.actions[step.action].attempts ?? 1
  if (answer.timedOut || acting.attempt + 1 >= attempts) return failLevel(at, why)
  const again: Acting = { ...acting, attempt: acting.attempt + 1, doing: { kind: 'ready', delayed: true } }
  return { state: replace(state, { ...request, trail: [...request.trail, why], phase: again }), effects: [] }
}

function failLevel(at: AtWork, why: FailedAttempt | string): FencingStep {
  const { state, request, acting } = at
  const trail = [...request.trail, why]
  if (acting.level + 1 >= acting.levels.length)
    return ending(state, { ...request, trail }, { outcome: 'failed', message: describeTrail(trail) })
  const doing = { kind: 'ready', delayed: true } as const
  const next: Acting = { ...acting, level: acting.level + 1, step: 0, attempt: 0, doing }
  return { state: replace(state, { ...request, trail, phase: next }), effects: [] }
}

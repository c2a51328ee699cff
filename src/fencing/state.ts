/** The state of all fencing, what goes into it and what comes out; and how to look into it. */
import type { NodeName, Step } from '../base/index.ts'
import type { FencingLevel } from '../cib/index.ts'
import type { KnownHosts } from './capability.ts'
import type { DeviceAction, FenceDevice } from './device.ts'
import { type Acting, type FencingDemand, type Program, type ProgramStep, programOf, type Request } from './request.ts'

export interface FencingSetup {
  readonly devices: readonly FenceDevice[]
  readonly topology: readonly FencingLevel[]
  /** concurrent-fencing: actions on different nodes at the same time. */
  readonly concurrent: boolean
}

export interface FencingState {
  readonly setup: FencingSetup
  readonly term: number
  /** In the order in which they came. */
  readonly requests: readonly Request[]
  readonly calls: ReadonlyMap<number, Call>
  readonly nextCall: number
  readonly hosts: ReadonlyMap<string, KnownHosts>
  /** The last results, for demands that come again. */
  readonly finished: readonly Announcement[]
}

export interface Call {
  readonly device: string
  /** It is to switch the node off for a reboot that nobody waits for any more. */
  readonly forgotten?: { readonly request: Request; readonly powerOn: readonly string[] }
}

export interface Announcement {
  readonly id: string
  readonly target: NodeName
  readonly outcome: 'succeeded' | 'failed'
  readonly message: string
  /** It was taken back before anything was done to the node: no failure of a device. */
  readonly withdrawn?: true
  /** It failed because it could not be recorded: the devices have switched the node off. */
  readonly isOff?: true
}

export interface DeviceAnswer {
  readonly succeeded: boolean
  /** Of `status`: what the device says. */
  readonly power?: 'on' | 'off'
  readonly timedOut: boolean
  /** Of `list`. */
  readonly output: string
  /** Why it failed, in words, without secrets. */
  readonly message: string
}

export type FencingInput =
  | { readonly kind: 'configured'; readonly setup: FencingSetup }
  | { readonly kind: 'demanded'; readonly demand: FencingDemand }
  | {
      readonly kind: 'recorded'
      readonly id: string
      readonly outcome: FencingProgress['outcome']
      /** False where the term is over. */
      readonly written: boolean
    }
  | { readonly kind: 'device-answered'; readonly call: number; readonly answer: DeviceAnswer }
  /** Whoever asked for it does not want it any more: the node is heard again, or it leads no more. It ends where no device was told to do anything yet. */
  | { readonly kind: 'withdrawn'; readonly id: string }
  /** It is off by the word of an administrator, or of the survivor of two, who has fenced it. */
  | { readonly kind: 'confirmed'; readonly target: NodeName; readonly bySurvivor?: boolean }
  /** A reboot that somebody else has begun has switched the node off, and nobody is known to have switched it on again. */
  | {
      readonly kind: 'left-off'
      readonly demand: FencingDemand
      readonly devices: readonly string[]
      /** As it is recorded, where it is. */
      readonly result?: string
    }
  /** The node runs, or is to stay off: nobody needs to switch it on. */
  | { readonly kind: 'left-as-it-is'; readonly target: NodeName }
  | { readonly kind: 'tick' }

export interface FencingProgress {
  readonly id: string
  readonly target: NodeName
  readonly action: FencingDemand['action']
  readonly client: string
  readonly reason: string
  readonly outcome: 'pending' | 'succeeded' | 'failed'
  readonly device?: string
  readonly executedBy?: NodeName
  readonly message: string
  /** Of a reboot that has switched the node off: the devices that have not switched it on again. Whoever leads next does it. */
  readonly powerOn?: readonly string[]
  /** The result was recorded before, with the alerts that it calls for; this only tells what has followed. */
  readonly isFollowUp?: true
}

/** `fencing/history/<id>`. Times are ISO 8601. */
export interface FencingRecord extends FencingProgress {
  readonly begun: string
  readonly ended?: string
}

export type FencingEffect =
  | { readonly kind: 'record'; readonly progress: FencingProgress; readonly term: number }
  | {
      readonly kind: 'run-device'
      readonly call: number
      readonly id: string
      readonly node: NodeName
      readonly device: string
      readonly action: DeviceAction
      readonly target: NodeName
      readonly timeoutMs: number
      readonly term: number
    }
  | ({ readonly kind: 'announce' } & Announcement)

export type DeviceCommand = Omit<Extract<FencingEffect, { kind: 'run-device' }>, 'kind' | 'call' | 'node'>

export type FencingStep = Step<FencingState, FencingEffect>

/** A device is at work on the node. */
export function isAtWork({ requests }: FencingState, node: NodeName): boolean {
  return requests.some(
    ({ target, phase }) =>
      target === node && (phase.kind === 'acting' || (phase.kind === 'powering-on' && phase.call !== undefined)),
  )
}

export function deviceOf(state: FencingState, id: string): FenceDevice | undefined {
  return state.setup.devices.find((device) => device.id === id)
}

/** Undefined where a device of the level is not there (any more). */
export function currentProgram(state: FencingState, request: Request, acting: Acting): Program | undefined {
  const ids = acting.levels[acting.level] ?? []
  const devices = ids.flatMap((id) => deviceOf(state, id) ?? [])
  return ids.length > 0 && devices.length === ids.length ? programOf(request.action, devices) : undefined
}

export function currentStep(state: FencingState, request: Request, acting: Acting): ProgramStep | undefined {
  return currentProgram(state, request, acting)?.steps[acting.step]
}

export function replace(state: FencingState, request: Request): FencingState {
  return { ...state, requests: state.requests.map((other) => (other.id === request.id ? request : other)) }
}

export function remove(state: FencingState, request: Request): FencingState {
  return { ...state, requests: state.requests.filter(({ id }) => id !== request.id) }
}

/** Whether the device does as much as it may at the same time. */
export function isBusy(state: FencingState, device: FenceDevice): boolean {
  const running = [...state.calls.values()].filter((other) => other.device === device.id).length
  return running >= device.actionLimit
}

/** Asks a device for an action; the caller notes the number of the call. */
export function callDevice(
  state: FencingState,
  asked: {
    readonly request: Request
    readonly device: FenceDevice
    readonly action: DeviceAction
    readonly runner: NodeName
  },
): { readonly state: FencingState; readonly call: number; readonly effect: FencingEffect } {
  const { request, device, action, runner } = asked
  const call = state.nextCall
  const effect: FencingEffect = {
    kind: 'run-device',
    call,
    id: request.id,
    node: runner,
    device: device.id,
    action,
    target: request.target,
    timeoutMs: device.actions[action].timeoutMs ?? request.timeoutMs,
    term: request.term,
  }
  const calls = new Map(state.calls).set(call, { device: device.id })
  return { state: { ...state, nextCall: call + 1, calls }, call, effect }
}

export function recordOf(
  request: Request,
  {
    outcome,
    message,
    powerOn = [],
  }: Pick<FencingProgress, 'outcome'> & { readonly message: string; readonly powerOn?: readonly string[] },
): FencingEffect {
  const { id, target, action, client, reason, device, runner, term, isRecorded } = request
  const known = {
    ...(isRecorded === true ? ({ isFollowUp: true } as const) : {}),
    ...(device === undefined ? {} : { device }),
    ...(runner === undefined ? {} : { executedBy: runner }),
    ...(powerOn.length === 0 ? {} : { powerOn }),
  }
  return { kind: 'record', term, progress: { id, target, action, client, reason, outcome, message, ...known } }
}

/** The end of a request, to be recorded before it is told. */
export function ending(
  state: FencingState,
  request: Request,
  end: { readonly outcome: 'succeeded' | 'failed'; readonly message: string; readonly powerOn?: readonly string[] },
): FencingStep {
  const { outcome, message, powerOn = [] } = end
  const next: Request = { ...request, phase: { kind: 'ending', outcome, message, powerOn } }
  return { state: replace(state, next), effects: [recordOf(next, { outcome, message, powerOn })] }
}

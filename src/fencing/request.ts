/** A fencing action that was asked for, and how far it has come. */
import { type MonotonicMs, type NodeName, parseDurationMs } from '../base/index.ts'
import type { DeviceAction, FenceDevice } from './device.ts'
import type { Levels } from './levels.ts'

export type FencingAction = 'off' | 'reboot' | 'on'

export interface FencingDemand {
  /** Of this action, for ever: the key of its history. */
  readonly id: string
  readonly target: NodeName
  /** Of the target, for topologies that choose by them. */
  readonly attributes: ReadonlyMap<string, string>
  readonly action: FencingAction
  readonly term: number
  /** fencing-timeout: the limit of each action of a device that has none of its own. */
  readonly timeoutMs: number
  /** priority-fencing-delay, beside the devices' own delays. */
  readonly delayMs: number
  /** In [0, 1), for `pcmk_delay_max`: chance is an input. */
  readonly random: number
  /** Who may run devices, whom to ask first coming first; the target itself is only asked when there is nobody else. */
  readonly runners: readonly NodeName[]
  readonly reason: string
  /** Who asked: the controller, or a command on a node. */
  readonly client: string
}

/** What a device did not do when a node asked it. */
export interface FailedAttempt {
  readonly device: string
  readonly runner: string
  readonly text: string
}

export interface Request extends FencingDemand {
  /** Demands for the same while it was under way. */
  readonly joined: readonly string[]
  readonly phase: Phase
  /** What has failed so far. */
  readonly trail: readonly (FailedAttempt | string)[]
  readonly device?: string
  readonly runner?: NodeName
  /** Of a reboot: devices that were told to switch the node off. It may be off by one that could not tell so. */
  readonly toldOff?: readonly string[]
  /** Whoever asked for it has taken it back. */
  readonly withdrawn?: true
  /** Its success is in the history, in these words. */
  readonly isRecorded?: boolean
  readonly result?: string
}

export type Phase =
  /** Its history is being written, before anything happens. */
  | { readonly kind: 'recording' }
  /** Another action on the same node, or any other where they may not run together, comes first. */
  | { readonly kind: 'queued' }
  | Acting
  | {
      readonly kind: 'ending'
      readonly outcome: 'succeeded' | 'failed'
      readonly message: string
      readonly powerOn: readonly string[]
    }
  /** The result is announced; what follows can no longer make it wrong. */
  | {
      readonly kind: 'powering-on'
      readonly devices: readonly string[]
      readonly attempt: number
      /** Of attempts that have all failed. */
      readonly rounds: number
      readonly pausedUntil?: MonotonicMs
      readonly call?: number
    }

export interface Acting {
  readonly kind: 'acting'
  readonly levels: Levels
  readonly level: number
  /** Of the level's program. */
  readonly step: number
  readonly attempt: number
  readonly doing:
    | { readonly kind: 'ready'; readonly delayed: boolean }
    | { readonly kind: 'delaying'; readonly until: MonotonicMs }
    | { readonly kind: 'asking'; readonly call: number; readonly what: 'list' | 'status' }
    | { readonly kind: 'running'; readonly call: number }
    | { readonly kind: 'verifying'; readonly call: number; readonly attempt: number }
}

export interface ProgramStep {
  readonly device: string
  readonly action: DeviceAction
  /** Nothing counts as off before the device's status says so. */
  readonly verified: boolean
}

export interface Program {
  readonly steps: readonly ProgramStep[]
  /** Devices that switch the node on again once it is known to be off. */
  readonly powerOn: readonly string[]
}

/**
 * What the devices of a level do, one after the other. A node with two power supplies is off when both are off, so that a
 * reboot by more than one device is all off, then all on.
 */
export function programOf(action: FencingAction, devices: readonly FenceDevice[]): Program {
  const [only] = devices
  const inOne = action === 'reboot' && devices.length === 1 && only?.canReboot === true && !only.splitsReboot
  if (action === 'on' || inOne) return { steps: devices.map((device) => step(device, action)), powerOn: [] }
  return {
    steps: devices.map((device) => step(device, 'off')),
    powerOn: action === 'reboot' ? devices.map(({ id }) => id) : [],
  }
}

function step(device: FenceDevice, action: DeviceAction): ProgramStep {
  const { name } = device.actions[action]
  return { device: device.id, action, verified: name === 'off' && device.canStatus }
}

/** The delay before the first device acts on a node, so that two nodes which fence each other do not both die. */
export function fencingDelayMs(device: FenceDevice, request: FencingDemand): number {
  const { byNode, all } = device.delayBaseMs
  const base = byNode.get(request.target) ?? all
  const range = Math.max(0, device.delayMaxMs - base)
  return Math.round(request.delayMs + base + request.random * range + ownDelayMs(device))
}

/** The parameter `delay`, which agents obey themselves: waited for here, a delay can be ended when the node is heard again. */
function ownDelayMs({ parameters: { delay = '0' } }: FenceDevice): number {
  return parseDurationMs(delay) ?? 0
}

/** The nodes that can run the device for this action, in the order in which they are asked. */
export function runnersFor(device: FenceDevice, request: FencingDemand): readonly NodeName[] {
  const allowed = request.runners.filter((node) => !device.bannedOn.has(node))
  if (request.action === 'on' && device.onTarget) return allowed.filter((node) => node === request.target)
  const others = allowed.filter((node) => node !== request.target)
  return others.length > 0 ? others : allowed
}

/** What failed in the same way from several nodes is told once. */
export function describeTrail(trail: Request['trail']): string {
  const runners = new Map<string, ReadonlySet<string>>()
  const about = (attempt: FailedAttempt | string, nodes: readonly string[]): string =>
    typeof attempt === 'string' ? attempt : `${attempt.device} on ${nodes.join(', ')}: ${attempt.text}`
  for (const attempt of trail) {
    const key = about(attempt, ['*'])
    runners.set(key, new Set([...(runners.get(key) ?? []), ...(typeof attempt === 'string' ? [] : [attempt.runner])]))
  }
  return [...new Set(trail.map((attempt) => about(attempt, [...(runners.get(about(attempt, ['*'])) ?? [])])))].join(
    '; ',
  )
}

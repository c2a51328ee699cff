/**
 * Self-fencing by a watchdog as one more fence device: it does nothing but wait, and it is the last that is tried. It knows the
 * nodes whose watchdog can be counted on (Pacemaker Explained, `stonith-watchdog-timeout`): those that have told that they feed
 * one, with a time that is shorter than the one the cluster waits.
 */
import { type NodeName, parseDurationMs, type ResourceId, resourceId } from '../base/index.ts'
import type { AgentActionOptions, FenceDevice } from './device.ts'

/** As a fencing level names it (`stonith level add 2 alpha watchdog`). */
export const watchdogDeviceId: ResourceId = resourceId('watchdog')

/**
 * How long after its last feeding a node has surely been reset: `fencing-watchdog-timeout`; undefined where nobody may count
 * on it. Half of a negative value's time is for a process that is paused between its look at the lease and its feeding.
 */
export function selfResetMs(option: string, deviceTimeoutMs: number): number | undefined {
  if (/^\s*-/.test(option)) return 2 * deviceTimeoutMs
  const waited = parseDurationMs(option) ?? 0
  return waited > deviceTimeoutMs ? waited : undefined
}

/** Of nodes that may never be seen to go: the fencer gives up then, and tries again. */
const patienceMs = 60_000

/** `waits`: for each node that can be counted on, how long after the end of its lease it counts as reset. */
export function watchdogDevice(waits: ReadonlyMap<NodeName, number>): FenceDevice {
  const timeoutMs = Math.max(0, ...waits.values()) + patienceMs
  const action = (name: string): AgentActionOptions => ({ name, timeoutMs, attempts: 1 })
  return {
    id: watchdogDeviceId,
    agent: 'fence_watchdog',
    parameters: {},
    priority: 0,
    hosts: { kind: 'listed', names: new Set(waits.keys()) },
    plugs: new Map(),
    actions: {
      off: action('off'),
      on: action('on'),
      reboot: action('reboot'),
      status: action('status'),
      list: action('list'),
      monitor: action('monitor'),
    },
    delayBaseMs: { all: 0, byNode: new Map() },
    delayMaxMs: 0,
    actionLimit: Number.POSITIVE_INFINITY,
    canStatus: false,
    canReboot: true,
    splitsReboot: false,
    onTarget: false,
    bannedOn: new Set(),
  }
}

/**
 * Which devices fence a node, and in which order (Pacemaker Explained, "Fencing topologies"). With a topology: its levels,
 * one after the other until all devices of one have succeeded. Without: every device that can, each a level of its own.
 * In the end its watchdog, whose way is the slowest and the only one that nobody can see.
 */
import { patternOrNothing } from '../base/index.ts'
import { describeTarget, type FencingLevel } from '../cib/index.ts'
import type { FenceDevice } from './device.ts'
import { watchdogDeviceId } from './watchdog.ts'

export interface Target {
  readonly node: string
  /** For topologies that choose nodes by an attribute. */
  readonly attributes: ReadonlyMap<string, string>
}

/** Ids of devices; one that is not there makes its level fail. */
export type Levels = readonly (readonly string[])[]

export function levelsFor(target: Target, topology: readonly FencingLevel[], devices: readonly FenceDevice[]): Levels {
  const chosen = topologyFor(target, topology)
  const levels = chosen.length > 0 ? chosen.map((level) => level.devices) : everyDevice(target, devices)
  const named = levels.some((level) => level.includes(watchdogDeviceId))
  return named || !hasWatchdog(target, devices) ? levels : [...levels, [watchdogDeviceId]]
}

/** Whether there is a level whose devices are all there; whether they can indeed, a device that must be asked knows. */
export function isFenceable(
  target: Target,
  topology: readonly FencingLevel[],
  devices: readonly FenceDevice[],
): boolean {
  const ids = new Set<string>(devices.map(({ id }) => id))
  return levelsFor(target, topology, devices).some((level) => level.length > 0 && level.every((id) => ids.has(id)))
}

/** A node by its name comes before patterns, and those before attributes; only one of these kinds counts. */
function topologyFor(target: Target, topology: readonly FencingLevel[]): readonly FencingLevel[] {
  for (const by of ['node', 'pattern', 'attribute'] as const) {
    const levels = topology.filter((level) => level.target.by === by && matches(level.target, target))
    if (levels.length > 0) return joined(levels).toSorted((a, b) => a.index - b.index)
  }
  return []
}

/** Levels of one target with the same index are one level. */
function joined(levels: readonly FencingLevel[]): readonly FencingLevel[] {
  const keyOf = ({ index, target }: FencingLevel): string => `${index} ${describeTarget(target)}`
  const byKey = new Map<string, FencingLevel>()
  for (const level of levels) {
    const before = byKey.get(keyOf(level))?.devices ?? []
    byKey.set(keyOf(level), { ...level, devices: [...new Set([...before, ...level.devices])] })
  }
  return [...byKey.values()]
}

function matches(wanted: FencingLevel['target'], { node, attributes }: Target): boolean {
  switch (wanted.by) {
    case 'node':
      return wanted.node.toLowerCase() === node.toLowerCase()
    case 'pattern':
      return patternOrNothing(wanted.pattern).test(node)
    case 'attribute':
      return attributes.get(wanted.name) === wanted.value
  }
}

/** Those that surely can come first, then higher priorities, then the order of the configuration. */
function everyDevice(target: Target, devices: readonly FenceDevice[]): Levels {
  return devices
    .filter(({ id }) => id !== watchdogDeviceId)
    .filter((device) => device.hosts.kind !== 'listed' || device.hosts.names.has(target.node))
    .toSorted((a, b) => Number(mustAsk(a)) - Number(mustAsk(b)) || b.priority - a.priority)
    .map(({ id }) => [id])
}

function hasWatchdog({ node }: Target, devices: readonly FenceDevice[]): boolean {
  const hosts = devices.find(({ id }) => id === watchdogDeviceId)?.hosts
  return hosts?.kind === 'listed' && hosts.names.has(node)
}

function mustAsk({ hosts }: FenceDevice): boolean {
  return hosts.kind === 'ask-list' || hosts.kind === 'ask-status'
}

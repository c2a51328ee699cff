/**
 * With which devices a node would be fenced, by the configuration: its fencing level targets first, otherwise every device that
 * is configured for it. A device without a list of hosts is asked by the fencer what it can fence; here it is only named.
 */
import { assertNever, patternOrNothing, type ResourceId, resourceId } from '../../base/index.ts'
import { type FencingLevel, splitWords } from '../../cib/index.ts'
import type { ClusterStatus, NodeStatus, PrimitiveResource } from '../../status/index.ts'
import type { Explained } from './explained.ts'
import { primitivesOf } from './instances.ts'

export interface FenceTopology {
  /** In the order in which they are tried; one level has succeeded when all of its devices have. */
  readonly levels: readonly { readonly index: number; readonly devices: readonly FenceDevice[] }[]
  /** Without levels: any one of these. */
  readonly devices: readonly FenceDevice[]
  readonly watchdog: boolean
  /** A guest node has no device: to stop its container is to fence it. */
  readonly container?: ResourceId
}

export interface FenceDevice {
  readonly id: ResourceId
  readonly agent: string
  /** `asked`: the device itself says which nodes it can fence. */
  readonly knows: 'node' | 'asked'
  /** Why it is of no use: disabled, or named by a level and not configured. */
  readonly unusable?: string
  /** As written: `pcmk_delay_base` and `pcmk_delay_max`. */
  readonly delay?: string
}

export function fenceTopologyOf({ status }: Explained, node: NodeStatus): FenceTopology {
  if (node.container !== undefined) return { levels: [], devices: [], watchdog: false, container: node.container }
  const all = fenceDevicesIn(status)
  const levels = status.configuration.fencingLevels
    .filter((level) => isFor(level, node))
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, devices }) => ({ index, devices: devices.map((id) => namedDevice(all, id, node)) }))
  return {
    levels,
    devices: levels.length > 0 ? [] : all.flatMap((device) => deviceFor(device, node) ?? []),
    watchdog: status.options.haveWatchdog && fencingWatchdog(status),
  }
}

export function fenceDevicesIn(status: ClusterStatus): readonly PrimitiveResource[] {
  return status.resources.flatMap(primitivesOf).filter(({ agent, orphan }) => agent.class === 'stonith' && !orphan)
}

function isFor({ target }: FencingLevel, node: NodeStatus): boolean {
  switch (target.by) {
    case 'node':
      return target.node === node.name
    case 'pattern':
      return patternOrNothing(target.pattern).test(node.name)
    case 'attribute':
      return node.attributes.get(target.name) === target.value
    default:
      return assertNever(target)
  }
}

/** Whether some device can fence the node, or may be able to. */
export function canBeFenced({ levels, devices, watchdog, container }: FenceTopology): boolean {
  const usable = (list: readonly FenceDevice[]): boolean => list.some(({ unusable }) => unusable === undefined)
  return (
    watchdog ||
    container !== undefined ||
    usable(devices) ||
    levels.some((level) => level.devices.every((device) => usable([device])))
  )
}

export function describeDevices(topology: FenceTopology): readonly string[] {
  const { levels, devices, watchdog, container } = topology
  if (container !== undefined) return [`No device: its container, ${container}, is stopped, and it with it.`]
  if (levels.length > 0)
    return levels.map(({ index, devices: own }) => `Fencing level ${index}: ${own.map(describeDevice).join(' and ')}`)
  const self = watchdog ? ['It fences itself by its watchdog where no device does.'] : []
  if (devices.length === 0) return watchdog ? self : ['No fence device is configured for it: it cannot be fenced.']
  return [`Fence devices: ${devices.map(describeDevice).join(', ')}`, ...self]
}

function describeDevice({ id, agent, knows, unusable, delay }: FenceDevice): string {
  const notes = [
    agent,
    ...(knows === 'asked' ? ['asked at the time whether it can'] : []),
    ...(delay === undefined ? [] : [`delay ${delay}`]),
    ...(unusable === undefined ? [] : [unusable]),
  ]
  return `${id} (${notes.join(', ')})`
}

function namedDevice(all: readonly PrimitiveResource[], id: string, node: NodeStatus): FenceDevice {
  const found = all.find((device) => device.id === id || device.configuredId === id)
  if (found === undefined) return { id: resourceId(id), agent: '?', knows: 'node', unusable: 'not configured' }
  return deviceFor(found, node) ?? { ...describe(found), knows: 'node', unusable: `is not configured for ${node.name}` }
}

/** Undefined where its list of hosts leaves the node out. */
function deviceFor(device: PrimitiveResource, node: NodeStatus): FenceDevice | undefined {
  const parameters = device.parametersOn(undefined)
  const map = (parameters.get('pcmk_host_map') ?? '').split(/[;\s]+/).flatMap((entry) => entry.split(/[:=]/)[0] || [])
  const hosts = new Set([...splitWords(parameters.get('pcmk_host_list')), ...map])
  const check = parameters.get('pcmk_host_check') ?? (hosts.size > 0 ? 'static-list' : 'dynamic-list')
  if (check === 'static-list' && !hosts.has(node.name)) return undefined
  return { ...describe(device), knows: check === 'static-list' || check === 'none' ? 'node' : 'asked' }
}

function describe(device: PrimitiveResource): Omit<FenceDevice, 'knows'> {
  const parameters = device.parametersOn(undefined)
  const delay = ['pcmk_delay_base', 'pcmk_delay_max'].flatMap((name) => parameters.get(name) ?? []).join(' up to ')
  const disabled = device.meta.targetRole === 'Stopped'
  return {
    id: device.id,
    agent: device.agent.type,
    ...(delay === '' ? {} : { delay }),
    ...(disabled ? { unusable: 'disabled' } : {}),
  }
}

function fencingWatchdog({ options }: ClusterStatus): boolean {
  const timeout = options.raw.get('fencing-watchdog-timeout') ?? options.raw.get('stonith-watchdog-timeout') ?? '0'
  return !/^0\D*$/.test(timeout.trim())
}

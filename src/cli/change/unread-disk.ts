/**
 * Fence devices of SBD's shared disks whose messages somebody does not read: they write to a disk and call the node fenced some time later, and
 * it must have read the message by then.
 */
import {
  configuredPrimitives,
  nvSetsByPrecedence,
  type PrimitiveDefinition,
  readConfiguration,
  splitWords,
  type XmlElement,
} from '../../cib/index.ts'
import { watchdogSettingOf } from '../facts/watchdog-setting.ts'

/** The parameter that names the disks, by agent: Debian's of today, and that of old. */
const parameterOf: ReadonlyMap<string, string> = new Map([
  ['fence_sbd', 'devices'],
  ['external/sbd', 'sbd_device'],
])

export interface UnreadDisk {
  readonly id: string
  readonly text: string
}

export function unreadDisks(cib: XmlElement): readonly UnreadDisk[] {
  const devices = configuredPrimitives(readConfiguration(cib)).filter(
    ({ agent }) => agent.class === 'stonith' && parameterOf.has(agent.type),
  )
  if (devices.length === 0) return []
  const { disks } = watchdogSettingOf(cib)
  return devices.flatMap((device) => {
    const written = splitWords(parametersOf(device).get(parameterOf.get(device.agent.type) ?? ''))
    const targets = targetsOf(device, [...disks.keys()])
    // A configuration without nodes shows nobody who would read it.
    const deaf = targets.length === 0 ? ['its nodes'] : targets.filter((node) => !isSame(written, disks.get(node)))
    return deaf.length === 0 ? [] : [{ id: device.id, text: sentence(device, written, deaf) }]
  })
}

function sentence({ id, agent }: PrimitiveDefinition, written: readonly string[], deaf: readonly string[]): string {
  const words = written.map((disk) => `device=${disk}`).join(' ')
  const advice = words === '' ? 'stonith sbd enable device=<path>' : `stonith sbd enable ${words}`
  return `The fence device ${id}: ${agent.type} writes to a disk that each node must read, but ${deaf.join(', ')} would not read ${written.join(', ') || 'it'}: a node reported as fenced would keep running, and its resources would run twice. Configure the disk on every node first (${advice}), or use fence_scsi or a watchdog.`
}

function targetsOf(device: PrimitiveDefinition, members: readonly string[]): readonly string[] {
  const parameters = parametersOf(device)
  const mapped = splitWords(parameters.get('pcmk_host_map')).map((pair) => pair.split(/[:=]/)[0] ?? '')
  const listed = [...splitWords(parameters.get('pcmk_host_list')), ...mapped]
  return listed.length > 0 ? [...new Set(listed)] : members
}

function parametersOf({ parameters }: PrimitiveDefinition): ReadonlyMap<string, string> {
  const pairs = nvSetsByPrecedence(parameters).flatMap((set) => (set.rule === undefined ? set.pairs : []))
  return new Map(pairs.toReversed().map(({ name, value }) => [name, value]))
}

function isSame(written: readonly string[], read: readonly string[] = []): boolean {
  return read.length > 0 && read.length === written.length && read.every((disk) => written.includes(disk))
}

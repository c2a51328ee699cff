/**
 * Fencing through SBD's disks. The agent writes a message and counts the target as dead some time later, whether or not anybody reads
 * it. So a node that is to read disks is fenced through them only where it has told that it does, and only through all of them: of
 * fewer it might read the others. The word in the store comes first: a node that cannot read its disks lives on what the store says.
 */
import type { NodeName } from '../../base/index.ts'
import { splitWords } from '../../cib/index.ts'
import { type ClusterView, diskWatchOf, knownLife } from '../../controller/index.ts'
import type { FenceDevice } from '../../fencing/index.ts'
import type { Write } from '../../store/index.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { watchdogSetting } from '../watchdog/setting.ts'

/** The parameter that names the disks, by agent: Debian's of today, and that of old. */
const parameters = new Map([
  ['fence_sbd', 'devices'],
  ['external/sbd', 'sbd_device'],
])

export const isThroughDisks = ({ agent }: FenceDevice): boolean => parameters.has(agent)

/** Why the device must not be used for that node; undefined: it may. One that was never here runs nothing, and others are not ours to know. */
export function whyNotThroughDisks(
  device: FenceDevice,
  { view, target, runner }: { readonly view: ClusterView; readonly target: NodeName; readonly runner: NodeName },
): string | undefined {
  const configured = watchdogSetting(view.configuration?.typed, target)?.disks
  const state = view.nodeStates.get(target)
  if (configured === undefined || (state === undefined && !view.members.has(target))) return undefined
  const told = view.members.get(target)?.sbd ?? diskWatchOf(state)
  if (told === undefined)
    return `${target} has not told that it reads its disks (${configured.join(', ')}), so that a message there proves nothing`
  const written = splitWords(device.parameters[parameters.get(device.agent) ?? ''])
  const uuids = new Map(diskWatchOf(view.nodeStates.get(runner))?.disks.map(({ path, uuid }) => [path, uuid]))
  const read = told.disks.filter(
    ({ path, uuid }) =>
      written.includes(path) || (uuid !== undefined && written.some((one) => uuids.get(one) === uuid)),
  )
  if (read.length === told.disks.length && written.length === told.disks.length) return undefined
  const disks = told.disks.map(({ path }) => path).join(',')
  return `${target} reads ${disks}, and ${device.id} writes to ${written.join(',') || 'none'}: it must be the same disks`
}

/** That this boot of the node is fenced through its disks. */
export function wordOfDiskFencing(view: ClusterView, target: NodeName): Write {
  const { bootId } = knownLife(view, target)
  return { kind: 'put', key: keys.diskFencing(target), value: toBytes(bootId === undefined ? {} : { bootId }) }
}

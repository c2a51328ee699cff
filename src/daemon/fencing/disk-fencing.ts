/**
 * Fencing through SBD's disks. The agent writes a message and counts the target as dead some time later, whether or not anybody reads
 * it. So a node that is to read disks is fenced through them only where it has told that it does, and only through all of them: of
 * fewer it might read the others. The word in the store comes first: a node that cannot read its disks lives on what the store says.
 */

import type { NodeName } from '../../base/index.ts'
import {
  type ClusterView,
  type DiskWatch,
  diskWatchOf,
  type FencingAction,
  lastIncarnation,
  parseMemberRecord,
} from '../../controller/index.ts'
import { disksOfDevice, type FenceDevice } from '../../fencing/index.ts'
import { watchdogSetting } from '../../node/index.ts'
import type { Comparison, Store, Write } from '../../store/index.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'

/** Why the device must not be used for that node; undefined: it may. One that was never here runs nothing, and others are not ours to know. */
export function whyNotThroughDisks(
  device: FenceDevice,
  { view, target, runner }: { readonly view: ClusterView; readonly target: NodeName; readonly runner: NodeName },
): string | undefined {
  const configured = watchdogSetting(view.configuration?.typed, target)?.disks
  if (configured === undefined || (!view.nodeStates.has(target) && !view.members.has(target))) return undefined
  const told = toldBy(view, target)
  if (told === undefined)
    return `${target} did not report that it reads its disks (${configured.join(', ')}), so a message there proves nothing`
  const written = disksOfDevice(device)
  if (areSame(told.disks, written, toldBy(view, runner)?.disks ?? [])) return undefined
  const disks = told.disks.map(({ path }) => path).join(',')
  return `${target} reads ${disks}, but ${device.id} writes to ${written.join(',') || 'none'} on ${runner}: the disks must be the same`
}

/** What its life of now tells, if it is here: what an earlier one told holds for that. */
function toldBy({ members, nodeStates }: ClusterView, node: NodeName): DiskWatch | undefined {
  const record = members.get(node)
  return record === undefined ? diskWatchOf(nodeStates.get(node)) : record.sbd
}

type Disks = DiskWatch['disks']

/** By their UUIDs where both nodes tell them: a path may be another disk on another node, and a disk another one since it was set up anew. */
function areSame(read: Disks, written: readonly string[], ofRunner: Disks): boolean {
  const isSame = ({ path, uuid }: Disks[number], one: string): boolean => {
    const its = ofRunner.find((disk) => disk.path === one)?.uuid
    return uuid === undefined || its === undefined ? path === one : uuid === its
  }
  return (
    read.length === written.length &&
    read.every((disk) => written.some((one) => isSame(disk, one))) &&
    written.every((one) => read.some((disk) => isSame(disk, one)))
  )
}

export interface SeenTarget {
  readonly view: ClusterView
  /** That its record is still this one. */
  readonly unchanged: Comparison
}

/**
 * The target as the store has it now. A node that says that it reads its disks no more stops its watchdog soon after; so the word that it is
 * fenced is written only where it has not said so, and the node looks for that word before it stops.
 */
export async function seeTarget(store: Store, view: ClusterView, target: NodeName): Promise<SeenTarget> {
  const key = keys.member(target)
  const entry = await store.get(key)
  const record = entry && parseMemberRecord(fromBytes(entry.value))
  const members = new Map(view.members)
  if (record === undefined) members.delete(target)
  else members.set(target, record)
  const unchanged: Comparison = entry
    ? { kind: 'mod-revision', key, equals: entry.modRevision }
    : { kind: 'absent', key }
  return { view: { ...view, members }, unchanged }
}

/** That this boot of the node is fenced through its disks. */
export function wordOfDiskFencing(view: ClusterView, target: NodeName, action: FencingAction): Write {
  const bootId = view.members.get(target)?.bootId ?? lastIncarnation(view, target).bootId
  const value = toBytes({ action, ...(bootId === undefined ? {} : { bootId }) })
  return { kind: 'put', key: keys.diskFencing(target), value }
}

/**
 * Fencing through SBD's disks. The agent writes a message and counts the target as dead some time later, whether or not anybody reads
 * it. So a node that is to read disks is fenced through them only where it has told that it does, and only through all of them: of
 * fewer it might read the others. The word in the store comes first: a node that cannot read its disks lives on what the store says.
 *
 * A node that says that it reads its disks no more stops its watchdog soon after; so the word is written only where its record in the store is the one
 * that was judged, and the node looks for that word before it stops.
 */
import type { NodeName } from '../base/index.ts'
import {
  type ClusterView,
  type DiskFencing,
  type DiskWatch,
  diskWatchOf,
  lastIncarnation,
  type MemberRecord,
} from '../controller/index.ts'
import {
  type DeviceAnswer,
  disksOfDevice,
  type FenceDevice,
  type FencingEffect,
  isThroughDisks,
} from '../fencing/index.ts'
import type { FencerName, NodeFencingEffect, NodeFencingInput, ThroughDisks } from './fencing-state.ts'
import { log, type NodeEffect, type NodeState } from './state.ts'
import { watchdogSetting } from './watchdog-setting.ts'

export interface DisksFencingTurn {
  readonly throughDisks: readonly ThroughDisks[]
  readonly effects: readonly NodeEffect[]
  readonly answers: readonly { readonly call: number; readonly answer: DeviceAnswer }[]
}

type Asked = Extract<FencingEffect, { kind: 'run-device' }>
type Seen = Extract<NodeFencingInput, { kind: 'target-seen' | 'target-not-seen' }>

/** A member seldom tells anything new of itself. */
const attempts = 5

/** Undefined: it is no message through disks. */
export function beginDiskFencing(
  state: NodeState,
  { by, asked }: { readonly by: FencerName; readonly asked: Asked },
  devices: readonly FenceDevice[],
): DisksFencingTurn | undefined {
  if (asked.action !== 'off' && asked.action !== 'reboot') return undefined
  const device = devices.find(({ id, agent }) => id === asked.device && isThroughDisks(agent))
  if (device === undefined) return undefined
  const { throughDisks } = state.fencing
  const { target, node: runner, call } = asked
  const obstacle = whyNotThroughDisks(device, { view: state.view, target, runner })
  if (obstacle !== undefined) return fails(throughDisks, asked, obstacle)
  // Without a majority there is no store to tell.
  if (by === 'alone') return { throughDisks, effects: [run(asked, by)], answers: [] }
  const one: ThroughDisks = { asked, device, attempt: 1 }
  return {
    throughDisks: [...throughDisks, one],
    effects: [tell({ kind: 'look-at-target', call, target })],
    answers: [],
  }
}

/** The target as the store has it now. */
export function targetSeen(state: NodeState, input: Seen): DisksFencingTurn {
  const { throughDisks } = state.fencing
  const one = throughDisks.find(({ asked }) => asked.call === input.call)
  if (one === undefined) return { throughDisks, effects: [], answers: [] }
  const { asked, device } = one
  const { target, node: runner, call, term } = asked
  const others = throughDisks.filter((other) => other !== one)
  if (input.kind === 'target-not-seen')
    return fails(others, asked, `the store did not report whether ${target} reads its disks: ${input.why}`)
  const view = { ...state.view, members: withMember(state.view.members, target, input.record) }
  const obstacle = whyNotThroughDisks(device, { view, target, runner })
  if (obstacle !== undefined) return fails(others, asked, obstacle)
  const { revision: ifRevision } = input
  const word = wordOfDiskFencing(view, target, asked.action)
  return {
    throughDisks: [...others, { ...one, writes: true }],
    effects: [tell({ kind: 'write-disk-word', call, target, term, word, ifRevision })],
    answers: [],
  }
}

export function diskWordWritten(
  state: NodeState,
  { call, written, why }: Extract<NodeFencingInput, { kind: 'disk-word-written' }>,
  holdsTerm: boolean,
): DisksFencingTurn {
  const { throughDisks } = state.fencing
  const one = throughDisks.find(({ asked }) => asked.call === call)
  if (one === undefined) return { throughDisks, effects: [], answers: [] }
  const { asked, attempt } = one
  const { target, node } = asked
  const others = throughDisks.filter((other) => other !== one)
  if (written) return { throughDisks: others, effects: [run(asked, 'dc')], answers: [] }
  if (why !== undefined) return fails(others, asked, `${node} could not be asked: ${why}`)
  if (!holdsTerm) return fails(others, asked, 'the term is over')
  if (one.withdrawn) return fails(others, asked, isBack(target))
  if (attempt >= attempts) return fails(others, asked, `the reports of ${target} about its disks keep changing`)
  const again = [...others, { asked, device: one.device, attempt: attempt + 1 }]
  return { throughDisks: again, effects: [tell({ kind: 'look-at-target', call, target })], answers: [] }
}

/** The fencing is not wanted any more: nobody is sent a message of whom the store knows nothing yet. */
export function withdrawFromDisks(state: NodeState, id: string): DisksFencingTurn {
  const { throughDisks } = state.fencing
  const one = throughDisks.find(({ asked }) => asked.id === id)
  // Another may want it still.
  const isWithdrawn = state.fencing.dc.requests.some((request) => request.id === id && request.withdrawn === true)
  if (one === undefined || !isWithdrawn) return { throughDisks, effects: [], answers: [] }
  const others = throughDisks.filter((other) => other !== one)
  if (one.writes) return { throughDisks: [...others, { ...one, withdrawn: true }], effects: [], answers: [] }
  return fails(others, one.asked, isBack(one.asked.target))
}

const isBack = (target: NodeName): string => `${target} is reachable again`

/** Why the device must not be used for that node; undefined: it may. One that was never here runs nothing, and others are not ours to know. */
export function whyNotThroughDisks(
  device: FenceDevice,
  { view, target, runner }: { readonly view: ClusterView; readonly target: NodeName; readonly runner: NodeName },
): string | undefined {
  const configured = watchdogSetting(view.configuration?.typed, target)?.disks
  if (configured === undefined || (!view.nodeStates.has(target) && !view.members.has(target))) return undefined
  const reported = reportedBy(view, target)
  if (reported === undefined)
    return `${target} did not report that it reads its disks (${configured.join(', ')}), so a message there proves nothing`
  const written = disksOfDevice(device)
  if (areSame(reported.disks, written, reportedBy(view, runner)?.disks ?? [])) return undefined
  const disks = reported.disks.map(({ path }) => path).join(',')
  return `${target} reads ${disks}, but ${device.id} writes to ${written.join(',') || 'none'} on ${runner}: the disks must be the same`
}

/** What its life of now says, if it is here: what an earlier one said holds for that. */
function reportedBy({ members, nodeStates }: ClusterView, node: NodeName): DiskWatch | undefined {
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

/** That this boot of the node is fenced through its disks. */
function wordOfDiskFencing(view: ClusterView, target: NodeName, action: string): DiskFencing {
  const bootId = view.members.get(target)?.bootId ?? lastIncarnation(view, target).bootId
  return { action, ...(bootId === undefined ? {} : { bootId }) }
}

function withMember(
  members: ClusterView['members'],
  node: NodeName,
  record: MemberRecord | undefined,
): ClusterView['members'] {
  const known = new Map(members)
  if (record === undefined) known.delete(node)
  else known.set(node, record)
  return known
}

const tell = (effect: NodeFencingEffect): NodeEffect => ({ kind: 'fencing', effect })
const run = (asked: Asked, by: FencerName): NodeEffect => tell({ ...asked, by })

function fails(throughDisks: readonly ThroughDisks[], asked: Asked, message: string): DisksFencingTurn {
  const { call, node, device, action } = asked
  return {
    throughDisks,
    effects: [log('warn', 'a fence device failed', { node, device, action, message })],
    answers: [{ call, answer: { succeeded: false, timedOut: false, output: '', message } }],
  }
}

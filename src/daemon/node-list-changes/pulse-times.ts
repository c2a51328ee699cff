/**
 * Another token, while all nodes run. Each node judges the others by its own token and by the interval in which they send, so that the two must never
 * contradict each other between two nodes: first everybody gets the longer token and the shorter interval, and only when all have
 * them what was asked for. All nodes must be there when it begins; one that goes meanwhile takes the list before it is a member again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import type { ClusterFile, PulseTimes } from '../node-list/cluster-file.ts'
import { changeNodeList } from '../node-list/node-list.ts'
import { askNode } from '../peers/ask-for-list.ts'
import type { WitnessKnowledge } from '../witness/witness-link.ts'
import { quorateNode, tellIdleNodes } from './add-remove-node.ts'

/** A shorter one would suspect nodes of a busy machine all day. */
const shortestTokenMs = 300
const agreeWithinMs = 20_000
const askEveryMs = 100

export const pulseTimes = (tokenMs: number): PulseTimes => ({ tokenMs, heartbeatIntervalMs: Math.floor(tokenMs / 3) })

/** What nodes with either times tolerate of each other. */
export const tolerated = (one: PulseTimes, other: PulseTimes): PulseTimes => ({
  tokenMs: Math.max(one.tokenMs, other.tokenMs),
  heartbeatIntervalMs: Math.min(one.heartbeatIntervalMs, other.heartbeatIntervalMs),
})

/** Resolves with the token of before, once every member has the new one. */
export async function setToken(daemon: Daemon, tokenMs: number): Promise<number> {
  const { file, view, isUp, witnessKnows } = await quorateNode(daemon)
  if (!Number.isInteger(tokenMs) || tokenMs < shortestTokenMs)
    throw refuse(
      'bad-token',
      `A token of ${tokenMs} ms is too short. The minimum is ${shortestTokenMs} whole milliseconds.`,
    )
  const unready = [...nodesThatCannotFollow(file, view.members, isUp), ...witnessThatCannotFollow(file, witnessKnows)]
  if (unready.length > 0) throw refuse('not-all-follow', ...unready)
  const { tokenMs: beforeMs, heartbeatIntervalMs } = file.timings
  const before: PulseTimes = { tokenMs: beforeMs, heartbeatIntervalMs }
  const wanted = pulseTimes(tokenMs)
  if (isSame(before, wanted)) return beforeMs
  const { late, kept } = await exchangeTimes(before, wanted, {
    put: async (from, to) => await put(daemon, from, to),
    handOut: async (from, to) => await membersWithout(daemon, (await put(daemon, from, to)).nodesVersion),
  })
  if (late.length === 0) return beforeMs
  const outcome = isSame(kept, before)
    ? 'all nodes keep the old one'
    : `and not every node has returned to the old token yet. Until it is set again, all nodes accept the old and the new one (a token of ${kept.tokenMs} ms, heartbeats every ${kept.heartbeatIntervalMs} ms)`
  throw refuse(
    'not-all-follow',
    `${late.join(', ')} did not take the new token within ${agreeWithinMs / 1000} s: ${outcome}.`,
  )
}

/** `from`: what all nodes are to have until then. */
export interface PulseHands {
  readonly put: (from: PulseTimes, to: PulseTimes) => Promise<unknown>
  /** Resolves with the members that have not taken them after some patience: also where they stand there already. */
  readonly handOut: (from: PulseTimes, to: PulseTimes) => Promise<readonly NodeName[]>
}

/**
 * The tolerant times go with those of before and with the new ones, and these never with each other. So nobody is told of the one pair
 * before all have left the other, on the way back as well. Resolves with those who were late, and with what is written in the end.
 */
export async function exchangeTimes(
  before: PulseTimes,
  wanted: PulseTimes,
  { put, handOut }: PulseHands,
): Promise<{ readonly late: readonly NodeName[]; readonly kept: PulseTimes }> {
  const tolerant = tolerated(before, wanted)
  const unprepared = await handOut(before, tolerant)
  const late = unprepared.length > 0 ? unprepared : await handOut(tolerant, wanted)
  if (late.length === 0) return { late, kept: wanted }
  const stuck = unprepared.length > 0 ? [] : await handOut(wanted, tolerant)
  if (stuck.length > 0) return { late, kept: tolerant }
  await put(tolerant, before)
  return { late, kept: before }
}

/** A sentence for each node that would go on with the old times, or might when it is back. */
export function nodesThatCannotFollow(
  { nodes }: Pick<ClusterFile, 'nodes'>,
  members: ClusterView['members'],
  isUp: (node: NodeName) => boolean,
): readonly string[] {
  return nodes.flatMap(({ name }) => {
    const record = members.get(name)
    if (record === undefined)
      return [`${name} is offline, and its version of Systole may keep the old token when it returns. Start it first.`]
    if (!isUp(name)) return [`${name} is joining, leaving or unreachable. Wait until it is a member.`]
    if (record.knowsPulseTimes === true) return []
    return [
      `The version of Systole on ${name} (${record.daemonVersion || 'unknown'}) cannot change its token while it runs. Upgrade it first.`,
    ]
  })
}

/** A node that was away may have the list from the witness first, which the store's does not replace: it has the same version. */
function witnessThatCannotFollow(
  { witness }: Pick<ClusterFile, 'witness'>,
  { knowsPulseTimes }: WitnessKnowledge,
): readonly string[] {
  if (witness === undefined || knowsPulseTimes) return []
  return [
    `The witness ${witness.name} is unreachable, or its version of Systole does not support a changed token. Start or upgrade it first.`,
  ]
}

/** `from`: what must stand there, if anything does. Somebody else may have set a token meanwhile. */
async function put(daemon: Daemon, from: PulseTimes, pulse: PulseTimes): Promise<ClusterFile> {
  const { store, file } = await quorateNode(daemon)
  const listed = await changeNodeList(store, file, (list) => {
    if (list.pulse !== undefined && !isSame(list.pulse, from))
      throw refuse(
        'conflict',
        `Another user has set a token of ${list.pulse.tokenMs} ms meanwhile. Check 'cluster config' and try again.`,
      )
    return { ...list, pulse }
  })
  tellIdleNodes(daemon, listed)
  return listed
}

/** Those of the members that have not taken the list, after some patience. Whoever stops being a member meanwhile takes it when it is back. */
async function membersWithout(daemon: Daemon, version: number): Promise<readonly NodeName[]> {
  const end = performance.now() + agreeWithinMs
  for (;;) {
    const { name, view } = daemon.node
    const missing = await Promise.all(
      [...view.members.keys()].map(async (node) => {
        const has = node === name ? daemon.node.file : (await askNode({ to: (peer) => daemon.peer(peer) }, node))?.file
        return has !== undefined && has.nodesVersion >= version ? [] : [node]
      }),
    )
    const without = missing.flat()
    if (without.length === 0 || performance.now() > end) return without
    await delay(askEveryMs)
  }
}

const isSame = (one: PulseTimes, other: PulseTimes): boolean =>
  one.tokenMs === other.tokenMs && one.heartbeatIntervalMs === other.heartbeatIntervalMs

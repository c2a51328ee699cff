/**
 * Another token, while all nodes run. Each node judges the others by its own token and by the interval in which they send, so that the two must never
 * contradict each other between two nodes: first everybody gets the longer token and the shorter interval, and only when all have
 * them what was asked for. A node that is away takes the list before it is a member again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Daemon } from '../daemon.ts'
import { quorateNode, tellIdleNodes } from './add-remove-node.ts'
import { askNode } from './ask-for-list.ts'
import type { ClusterFile, PulseTimes } from './cluster-file.ts'
import { changeNodeList } from './node-list.ts'

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
  const { file, view, isUp } = quorateNode(daemon)
  if (!Number.isInteger(tokenMs) || tokenMs < shortestTokenMs)
    throw refuse(
      'bad-token',
      `A token of ${tokenMs} ms is not possible: at least ${shortestTokenMs} whole milliseconds.`,
    )
  const unready = nodesThatCannotFollow(view.members, isUp)
  if (unready.length > 0) throw refuse('not-all-follow', ...unready)
  const { tokenMs: beforeMs, heartbeatIntervalMs } = file.timings
  const before: PulseTimes = { tokenMs: beforeMs, heartbeatIntervalMs }
  const wanted = pulseTimes(tokenMs)
  if (isSame(before, wanted)) return beforeMs
  const tolerant = tolerated(before, wanted)
  const missing = await handOut(daemon, before, tolerant)
  const late = missing.length > 0 ? missing : await handOut(daemon, tolerant, wanted)
  if (late.length === 0) return beforeMs
  // Nodes that have the tolerant times tolerate those of before as well as the new ones.
  await put(daemon, missing.length > 0 ? tolerant : wanted, before)
  throw refuse(
    'not-all-follow',
    `${late.join(', ')} did not take the new token within ${agreeWithinMs / 1000} s: all nodes keep the old one.`,
  )
}

/** A sentence for each member that would go on with the old times. */
export function nodesThatCannotFollow(
  members: ClusterView['members'],
  isUp: (node: NodeName) => boolean,
): readonly string[] {
  return [...members.values()].flatMap(({ node, daemonVersion, knowsPulseTimes }) => {
    if (!isUp(node)) return [`${node} is coming, going or silent: wait until it is a member, or off.`]
    if (knowsPulseTimes === true) return []
    return [
      `The version of Systole on ${node} (${daemonVersion || 'unknown'}) cannot change its token while it runs: upgrade it first.`,
    ]
  })
}

/** Returns the members that have not taken them. */
async function handOut(daemon: Daemon, from: PulseTimes, to: PulseTimes): Promise<readonly NodeName[]> {
  if (isSame(from, to)) return []
  const { nodesVersion } = await put(daemon, from, to)
  return await membersWithout(daemon, nodesVersion)
}

/** `from`: what must stand there, if anything does. Somebody else may have set a token meanwhile. */
async function put(daemon: Daemon, from: PulseTimes, pulse: PulseTimes): Promise<ClusterFile> {
  const { store, file } = quorateNode(daemon)
  const listed = await changeNodeList(store, file, (list) => {
    if (list.pulse !== undefined && !isSame(list.pulse, from))
      throw refuse(
        'conflict',
        `Somebody else has set a token of ${list.pulse.tokenMs} ms meanwhile: look (cluster config), and try again.`,
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

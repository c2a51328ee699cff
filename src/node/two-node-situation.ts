/**
 * What the rules for two nodes (`quorum/two-node.ts`) see: whether this is a cluster of two voters by this node's list, and how it is with the
 * other of them.
 */
import type { MonotonicMs, NodeName } from '../base/index.ts'
import { type Configuration, clusterOptionValue, parseBoolean } from '../cib/index.ts'
import type { PeerView } from '../membership/index.ts'
import { hasVote, otherOfTwo, type TwoNodeSituation } from '../quorum/index.ts'
import { isQuorate, type NodeState } from './state.ts'

/** As the pulse thread reports them. */
export type Heard = Pick<PeerView, 'node' | 'state' | 'incarnation'>

export const silentOf = (peers: readonly Heard[]): readonly NodeName[] =>
  peers.flatMap(({ node, state }) => (state === 'silent' ? [node] : []))

/** A peer that nothing was reported of yet has its first token to be heard. */
export const heartbeatOf = (peers: readonly Heard[], node: NodeName): Heard['state'] =>
  peers.find((peer) => peer.node === node)?.state ?? 'heard'

/** Where nothing is known of the configuration, nobody is fenced. */
export function fencingEnabled(configuration: Configuration | undefined): boolean {
  if (configuration === undefined) return false
  return parseBoolean(clusterOptionValue(configuration, 'fencing-enabled')) ?? true
}

export type SituationFacts = Pick<
  NodeState,
  'self' | 'list' | 'view' | 'peers' | 'hasWholeCopy' | 'met' | 'quorateUntil'
>

export function twoNodeSituation(facts: SituationFacts, now: MonotonicMs): TwoNodeSituation | undefined {
  const { self, list, view, peers, hasWholeCopy, met } = facts
  const other = otherOfTwo(list, self)
  // The list runs ahead of etcd: a member that still copies the store lacks changes, and must not go on with what it has.
  if (!other?.votes || !hasVote(list, self) || !hasWholeCopy) return undefined
  const peer = other.name
  const state = view.nodeStates.get(peer)
  const incarnation = peers.find(({ node }) => node === peer)?.incarnation
  return {
    peer,
    ...(incarnation === undefined ? {} : { incarnation }),
    heartbeat: heartbeatOf(peers, peer),
    // Recorded before a node is told that it may go, which is when nothing runs there any more; or once it was fenced.
    peerIsDown: state?.expected === 'down' && !view.members.has(peer),
    met,
    fencingEnabled: fencingEnabled(view.configuration?.typed),
    quorate: isQuorate(facts, now),
  }
}

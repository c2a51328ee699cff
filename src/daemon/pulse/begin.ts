/** The pulse thread of a node, set up from its files. It imports little, because it is the first thing that a daemon does. */

import { readIfThere } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'
import { takesPart } from '../host/takes-part.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { defaultTimings, parseClusterFile, type Timings } from '../node-list/cluster-file.ts'
import { membersDoor } from '../node-list/known-hosts.ts'
import { addressOn, linksOf, missingAddress } from '../node-list/node-links.ts'
import { findOwnNode } from '../node-list/own-name.ts'
import { readIdentity, UnusableIdentityError } from '../pki/identity.ts'
import { storeConfig, voterEndpoints } from '../store/store-config.ts'
import { mustMeetFirst } from '../two-node/wait-for-all.ts'
import type { PulseListen, PulsePeer, ToPulse } from './messages.ts'
import { type Pulse, startPulse } from './pulse.ts'

export function beginPulse(file: ClusterFile, own: ClusterNodeEntry, paths: Paths): Pulse {
  return startPulse({
    node: own.name,
    incarnation: Date.now(),
    listen: listenOn(own),
    door: membersDoor(file),
    peers: pulsePeers(file, own),
    identity: readIdentity(paths.pki),
    timings: timingsOf(file, own),
    store: storeConfig(file, own, paths),
    held: mustMeetFirst(file, own.name, paths),
  })
}

/**
 * For a daemon that takes part and was killed: its peers count the seconds, so that its heartbeats begin while the rest of
 * the program is still being loaded. Whatever is wrong with the files or the address is told by those who need them afterwards.
 */
export function beginPulseEarly(paths: Paths): Pulse | undefined {
  const text = readIfThere(paths.clusterFile)
  if (text === undefined || !takesPart(paths)) return undefined
  const parsed = parseClusterFile(text)
  const own = parsed.ok ? findOwnNode(parsed.value) : undefined
  if (own && missingAddress(own) !== undefined) return undefined
  try {
    return parsed.ok && own ? beginPulse(parsed.value, own, paths) : undefined
  } catch (error) {
    if (error instanceof UnusableIdentityError) return undefined
    throw error
  }
}

/** After the list of nodes, the members or what is reached on which link have changed. Those that the store knows as members are the voters on a node's silence. */
export function nodesForPulse(
  file: ClusterFile,
  own: ClusterNodeEntry,
  { members, restarting }: Pick<Extract<ToPulse, { kind: 'nodes' }>, 'members' | 'restarting'>,
): ToPulse {
  const endpoints = file.store.kind === 'etcd' ? voterEndpoints(file, own.name) : []
  const { tokenMs, heartbeatIntervalMs, restartGraceMs } = timingsOf(file, own)
  const timings = { tokenMs, heartbeatIntervalMs, restartGraceMs }
  return {
    kind: 'nodes',
    listen: listenOn(own),
    door: membersDoor(file),
    peers: pulsePeers(file, own),
    members,
    restarting,
    endpoints,
    timings,
  }
}

/** That a link is down must be known long before a lease is over, however long the token is. */
function timingsOf({ timings }: ClusterFile, own: ClusterNodeEntry): Timings {
  if (linksOf(own).length === 1) return timings
  const { heartbeatIntervalMs } = timings
  return { ...timings, heartbeatIntervalMs: Math.min(heartbeatIntervalMs, defaultTimings.heartbeatIntervalMs) }
}

function listenOn(own: ClusterNodeEntry): readonly PulseListen[] {
  return linksOf(own).map(({ number, address }) => ({ link: number, host: address, port: own.ports.heartbeat }))
}

function pulsePeers(file: ClusterFile, own: ClusterNodeEntry): readonly PulsePeer[] {
  return file.nodes
    .filter(({ name }) => name !== own.name)
    .flatMap((peer) =>
      linksOf(peer).flatMap(({ number, address }) => {
        const from = addressOn(own, number)
        if (from === undefined) return []
        const { heartbeat } = peer.ports
        const used = [own, peer].flatMap(({ ports }) => [ports.peer, ports.etcdClient, ports.etcdPeer])
        const connections = [...new Set(used)]
        const keys = peer.keys === undefined ? {} : { keys: peer.keys }
        return [{ node: peer.name, link: number, from, host: address, port: heartbeat, connections, ...keys }]
      }),
    )
}

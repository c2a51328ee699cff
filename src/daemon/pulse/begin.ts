/** The pulse thread of a node, set up from its files. It imports little, because it is the first thing that a daemon does. */

import type { NodeName } from '../../base/index.ts'
import { mustMeetFirst } from '../alone/wait-for-all.ts'
import { readIfThere } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'
import { takesPart } from '../host/takes-part.ts'
import type { ClusterFile, ClusterNodeEntry } from '../nodes/cluster-file.ts'
import { parseClusterFile } from '../nodes/cluster-file.ts'
import { readIdentity } from '../nodes/identity.ts'
import { findOwnNode } from '../nodes/own-name.ts'
import { storeConfig, voterEndpoints } from '../store/store-config.ts'
import type { PulsePeer, ToPulse } from './messages.ts'
import { type Pulse, startPulse } from './pulse.ts'

export function beginPulse(file: ClusterFile, own: ClusterNodeEntry, paths: Paths): Pulse {
  return startPulse({
    node: own.name,
    incarnation: Date.now(),
    listen: { host: own.address, port: own.ports.heartbeat },
    peers: pulsePeers(file, own),
    identity: readIdentity(paths.pki),
    timings: file.timings,
    store: storeConfig(file, own, paths),
    held: mustMeetFirst(file, own, paths),
  })
}

/**
 * For a daemon that takes part and was killed: its peers count the seconds, so that its heartbeats begin while the rest of
 * the program is still being loaded. Whatever is wrong with the files is told by those who read them afterwards.
 */
export function beginPulseEarly(paths: Paths): Pulse | undefined {
  const text = readIfThere(paths.clusterFile)
  if (text === undefined || !takesPart(paths)) return undefined
  const parsed = parseClusterFile(text)
  const own = parsed.ok ? findOwnNode(parsed.value) : undefined
  return parsed.ok && own ? beginPulse(parsed.value, own, paths) : undefined
}

/** After the list of nodes or the members have changed. Those that the store knows as members are the voters on a node's silence. */
export function nodesForPulse(file: ClusterFile, own: ClusterNodeEntry, members: readonly NodeName[]): ToPulse {
  const endpoints = file.store.kind === 'etcd' ? voterEndpoints(file, own.name) : []
  const { tokenMs, heartbeatIntervalMs, restartGraceMs } = file.timings
  const timings = { tokenMs, heartbeatIntervalMs, restartGraceMs }
  return { kind: 'nodes', peers: pulsePeers(file, own), members, endpoints, timings }
}

function pulsePeers(file: ClusterFile, own: ClusterNodeEntry): readonly PulsePeer[] {
  return file.nodes
    .filter(({ name }) => name !== own.name)
    .map(({ name, address, ports }) => ({ node: name, host: address, port: ports.heartbeat }))
}

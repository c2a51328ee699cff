/** The list of nodes, and the witness, of a simulated cluster: as a cluster.json has it, and as the store keeps it. */

import { type NodeName, nodeName } from '../../src/base/index.ts'
import {
  type ClusterFile,
  type ClusterNodeEntry,
  defaultPorts,
  defaultTimings,
  type WitnessEntry,
} from '../../src/daemon/node-list/cluster-file.ts'
import { voterCount } from '../../src/quorum/index.ts'

export { nodeListKey } from '../../src/daemon/records/keys.ts'

export const witnessName = nodeName('umpire')

/** Base64, as a key is. */
export const keyOf = (node: NodeName, made: number): string => Buffer.from(`${made} ${node}`).toString('base64')

export const witnessEntry = (votes: boolean): WitnessEntry => ({
  name: witnessName,
  address: witnessName,
  ports: defaultPorts,
  votes,
})

/** `withKeys`: nodes come and go, so that it matters by which key each is known. */
export function firstList(nodes: readonly NodeName[], hasWitness: boolean, withKeys: boolean): ClusterFile {
  return {
    clusterName: 'simulated',
    nodes: nodes.map((name, index) => ({
      name,
      id: String(index + 1),
      address: name,
      ports: defaultPorts,
      votes: index < voterCount(nodes.length),
      ...(withKeys ? { keys: [keyOf(name, 1)] } : {}),
    })),
    ...(hasWitness ? { witness: witnessEntry(true) } : {}),
    nodesVersion: 1,
    store: { kind: 'etcd' },
    timings: defaultTimings,
  }
}

export function entryOf(list: ClusterFile, node: NodeName): ClusterNodeEntry {
  const entry = list.nodes.find(({ name }) => name === node)
  if (entry === undefined) throw new Error(`${node} is not in the list`)
  return entry
}

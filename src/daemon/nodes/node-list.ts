/**
 * The list of nodes: in cluster.json, the same on every node, because a node must know it before it can reach the store;
 * and in the store, written with every change, so that a node that was away when it changed takes the newer one when it is back.
 */

import { refuse } from '../../rpc/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import { nodeListKey } from '../records/keys.ts'
import { type ClusterFile, type ClusterNodeEntry, printClusterFile } from './cluster-file.ts'
import { acceptClusterFile } from './enrol.ts'

const attempts = 10

/** What a node makes of the list in the store: nothing where its own is as new; times and the rest stay as its own file has them. */
export function newerFile(own: ClusterFile, listed: ClusterFile): ClusterFile | undefined {
  if (listed.nodesVersion <= own.nodesVersion) return undefined
  return { ...own, nodes: listed.nodes, nodesVersion: listed.nodesVersion }
}

/** Changes the newest list, whoever else changes it at the same time. Returns what it has become. */
export async function changeNodeList(
  store: Store,
  own: ClusterFile,
  change: (nodes: readonly ClusterNodeEntry[]) => readonly ClusterNodeEntry[],
): Promise<ClusterFile> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const entry = await store.get(nodeListKey)
    const before = (entry && newerFile(own, decodeNodeList(entry))) ?? own
    const nodes = change(before.nodes)
    if (JSON.stringify(nodes) === JSON.stringify(before.nodes)) return before
    const changed = { ...before, nodes, nodesVersion: before.nodesVersion + 1 }
    const text = printClusterFile(changed)
    // A list that the others could not read would bind them all.
    acceptClusterFile(text)
    const { applied } = await store.transaction({
      compare: [
        entry
          ? { kind: 'mod-revision', key: nodeListKey, equals: entry.modRevision }
          : { kind: 'absent', key: nodeListKey },
      ],
      writes: [{ kind: 'put', key: nodeListKey, value: new TextEncoder().encode(text) }],
    })
    if (applied) return changed
  }
  throw refuse('conflict', 'The list of nodes was changed by somebody else several times in a row: try again.')
}

export function decodeNodeList(entry: Entry): ClusterFile {
  return acceptClusterFile(new TextDecoder().decode(entry.value))
}

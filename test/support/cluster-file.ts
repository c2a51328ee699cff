/** A list of nodes, read as the daemon reads it. */
import { type ClusterFile, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'

export function clusterFile(...names: readonly string[]): ClusterFile {
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'test', nodes: names.map((name) => ({ name })) }))
  if (parsed.ok) return parsed.value
  throw new Error(JSON.stringify(parsed.reports))
}

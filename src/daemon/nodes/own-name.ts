/** Which of a cluster's nodes this host is. */
import { hostname } from 'node:os'
import type { ClusterFile, ClusterNodeEntry } from './cluster-file.ts'

/** The name by which this host would be a node; SYSTOLE_NODE_NAME is for several nodes on one machine. */
export const ownName = (): string => process.env.SYSTOLE_NODE_NAME ?? hostname().split('.')[0] ?? ''

export function isThisHost(name: string): boolean {
  return name === ownName() || name === hostname()
}

export function findOwnNode(file: ClusterFile): ClusterNodeEntry | undefined {
  return file.nodes.find(({ name }) => isThisHost(name))
}

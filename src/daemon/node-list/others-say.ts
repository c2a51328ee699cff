/**
 * Whose word a host without quorum takes. It may have been off while a node was removed, and its own list names that node still: so one node's word is
 * held against what the others say whom it knows ([ADR 70](../../../docs/adr/0070-the-others-are-asked-first.md)).
 */
import type { NodeName } from '../../base/index.ts'
import { serialOf } from '../../rpc/index.ts'
import type { ClusterFile } from './cluster-file.ts'

export interface Said {
  readonly node: NodeName
  readonly file: ClusterFile
}

/** `keys`: those that it has shown, or by which this host knows it; undefined where the list is of an older build. */
export interface Doubted {
  readonly name: string
  readonly keys: readonly string[] | undefined
}

/**
 * Nobody who has a newer list says that it was removed; or more do not. Who has no newer list than this host knows no more than this host does, and is
 * not counted. Where as many say the one as the other, nobody is believed.
 */
export function isBelieved(own: Pick<ClusterFile, 'nodesVersion'>, doubted: Doubted, said: readonly Said[]): boolean {
  const newer = said.filter(({ node, file }) => node !== doubted.name && file.nodesVersion > own.nodesVersion)
  const against = newer.filter(({ file }) => isGone(file, doubted)).length
  // Its own word for itself is one.
  return against === 0 || 1 + newer.length - against > against
}

function isGone({ nodes, revoked }: Pick<ClusterFile, 'nodes' | 'revoked'>, { name, keys }: Doubted): boolean {
  if (!nodes.some((node) => node.name === name)) return true
  return keys !== undefined && keys.length > 0 && keys.every((key) => revoked?.includes(serialOf(key)) === true)
}

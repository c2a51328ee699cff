/**
 * What must hold before a resource may start (Pacemaker Explained, meta-attribute `requires`).
 *
 * | written | fencing enabled | means |
 * | --- | --- | --- |
 * | nothing, quorum, fencing | | what it says |
 * | unfencing | no, or for a fence device | quorum |
 * | (nothing valid) | for a fence device or a connection | quorum |
 * | (nothing valid) | yes, and some device unfences | unfencing |
 * | (nothing valid) | yes | fencing |
 * | (nothing valid) | no, and no-quorum-policy=ignore | nothing |
 * | (nothing valid) | no | quorum |
 */
import type { ResourceMeta } from '../cluster-status.ts'
import type { MetaOwner, MetaSources } from './meta-sources.ts'

export function requiresOf(
  written: string | undefined,
  owner: MetaOwner,
  { options, unfencingEnabled }: MetaSources,
): ResourceMeta['requires'] {
  const isFenceDevice = owner.agent?.class === 'stonith'
  switch (written?.toLowerCase()) {
    case 'nothing':
      return 'nothing'
    case 'quorum':
      return 'quorum'
    case 'fencing':
      return 'fencing'
    case 'unfencing':
      return isFenceDevice || !options.fencingEnabled ? 'quorum' : 'unfencing'
    default:
      if (isFenceDevice || owner.isConnection === true) return 'quorum'
      if (unfencingEnabled) return 'unfencing'
      if (options.fencingEnabled) return 'fencing'
      return options.noQuorumPolicy === 'ignore' ? 'nothing' : 'quorum'
  }
}

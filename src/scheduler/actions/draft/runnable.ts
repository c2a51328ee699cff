/**
 * Whether a resource's action can run where it is meant to, as far as its node and quorum go ("Quorum" and
 * `no-quorum-policy` in Pacemaker Explained). What other actions have to do with it follows when orderings are applied.
 */

import type { NodeName } from '../../../base/index.ts'
import { roleRank } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import type { ActionFacts } from './action.ts'
import type { PlannedPrimitive } from './planned-resource.ts'
import { canFence, hostsOf, type Setting } from './setting.ts'

export type Verdict =
  /** Nothing speaks against it; what was said against it before is not true any more. */
  | { readonly kind: 'fine'; readonly forgets: boolean }
  | { readonly kind: 'impossible'; readonly cause?: 'no-quorum' | 'quorum-freeze' }
  /** A stop that cannot be carried out is brought about by fencing. */
  | { readonly kind: 'needs-fencing'; readonly reason: string }

type Judged = Pick<ActionFacts, 'task' | 'node' | 'onDc'> & { readonly needs: 'nothing' | 'quorum' | 'fencing' }

export function verdictOn(setting: Setting, rsc: PlannedPrimitive, { task, node, onDc, needs }: Judged): Verdict {
  if (!node) return { kind: 'impossible' }
  if (!onDc && !isReachable(node)) {
    const isStuck = rsc.assigned.managed && task === 'stop' && !node.unclean
    return isStuck ? { kind: 'needs-fencing', reason: 'resource actions are unrunnable' } : { kind: 'impossible' }
  }
  if (!onDc && node.pending) return { kind: 'impossible' }
  if (needs !== 'nothing') {
    const cause = quorumForbids(setting, rsc)
    return cause === undefined ? { kind: 'fine', forgets: false } : { kind: 'impossible', cause }
  }
  // In a guest whose host is lost everything is over once that host is fenced.
  const isLost = node.kind === 'guest' && hostsOf(setting, node).some((host) => !host.online || host.unclean)
  return isLost && !canFence(setting, node) ? { kind: 'impossible' } : { kind: 'fine', forgets: true }
}

/** A guest that is merely down comes up with its container; one that has to be reset is gone. */
export const isReachable = ({ online, kind, requiresReset }: NodeStatus): boolean =>
  online || (kind === 'guest' && !requiresReset)

/**
 * Of a remote or guest node: as it is, and not as it will be once its connection is made. What is to be cancelled or forgotten there ended
 * with the node, whether or not it comes back.
 */
export function isReachableNow({ status }: Setting, name: NodeName): boolean {
  const node = status.nodesByName.get(name)
  return node !== undefined && isReachable(node)
}

/** Why a start or promotion is not allowed without quorum. */
function quorumForbids(
  { status }: Setting,
  { role, assigned, resource }: PlannedPrimitive,
): 'no-quorum' | 'quorum-freeze' | undefined {
  switch (status.haveQuorum ? 'ignore' : status.options.noQuorumPolicy) {
    case 'stop':
      return 'no-quorum'
    case 'demote':
      // What can be demoted is, and everything else stops.
      return role === 'Promoted' || role === 'Unpromoted' ? undefined : 'no-quorum'
    case 'freeze': {
      const rises = resource.state.active.length === 0 || roleRank(assigned.nextRole) > roleRank(role)
      return rises ? 'quorum-freeze' : undefined
    }
    default:
      return undefined
  }
}

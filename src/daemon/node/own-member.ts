/** What the store shows about this node, for the presence core. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView, MemberRecord } from '../../controller/index.ts'
import type { OwnMember } from '../../membership/index.ts'

export function ownMember(
  view: ClusterView,
  self: NodeName,
  incarnation: number,
  /** What this node says of itself now. */
  now: Pick<MemberRecord, 'watchdogMs' | 'troubles'>,
): OwnMember {
  const record = view.members.get(self)
  const state = view.nodeStates.get(self)
  const named = state?.attributes?.incarnation === String(incarnation)
  // First recorded, then told: whoever may leave is a member until it is gone.
  const isOnItsWayOut = record?.state === 'leaving' && state?.join === 'member'
  return {
    ...(record === undefined ? {} : { record }),
    outdated: record !== undefined && !saysTheSame(record, now),
    acknowledged: named && state?.join === 'member',
    declaredDown: named && state?.expected === 'down' && !isOnItsWayOut,
  }
}

function saysTheSame(one: Pick<MemberRecord, 'watchdogMs' | 'troubles'>, other: typeof one): boolean {
  return one.watchdogMs === other.watchdogMs && (one.troubles ?? []).join('\n') === (other.troubles ?? []).join('\n')
}

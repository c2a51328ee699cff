/** What the store shows about this node, for the presence core. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { OwnMember } from '../../membership/index.ts'

/** `watchdogMs`: what this node says of its watchdog now. */
export function ownMember(
  view: ClusterView,
  self: NodeName,
  incarnation: number,
  watchdogMs: number | undefined,
): OwnMember {
  const record = view.members.get(self)
  const state = view.nodeStates.get(self)
  const named = state?.attributes?.incarnation === String(incarnation)
  // First recorded, then told: whoever may leave is a member until it is gone.
  const isOnItsWayOut = record?.state === 'leaving' && state?.join === 'member'
  return {
    ...(record === undefined ? {} : { record }),
    outdated: record !== undefined && record.watchdogMs !== watchdogMs,
    acknowledged: named && state?.join === 'member',
    declaredDown: named && state?.expected === 'down' && !isOnItsWayOut,
  }
}

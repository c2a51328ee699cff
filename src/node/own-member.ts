/** What the store shows about this node, for the presence core. */
import type { NodeName } from '../base/index.ts'
import { type ClusterView, keys, type MemberRecord, type ReportedWatchdog } from '../controller/index.ts'
import type { OwnMember } from '../membership/index.ts'
import { type OwnWatchdog, reportedWatchdog } from './own-watchdog-state.ts'

/** What a node says of itself among the members. */
export type Said = ReportedWatchdog & Pick<MemberRecord, 'troubles'>

export const saidOf = ({ watchdog, says }: { readonly watchdog: OwnWatchdog; readonly says: Said }): Said => ({
  ...reportedWatchdog(watchdog),
  ...says,
})

export function ownMember(
  view: ClusterView,
  { self, incarnation }: { readonly self: NodeName; readonly incarnation: number },
  /** What this node says of itself now. */
  now: Said,
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
    asksToLeave: view.attributes.has(keys.attribute(self, '', 'shutdown')),
    declaredDown: named && state?.expected === 'down' && !isOnItsWayOut,
  }
}

function saysTheSame(one: Said, other: Said): boolean {
  const troubles = (one.troubles ?? []).join('\n') === (other.troubles ?? []).join('\n')
  return troubles && one.watchdogMs === other.watchdogMs && JSON.stringify(one.sbd) === JSON.stringify(other.sbd)
}

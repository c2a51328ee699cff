/**
 * Whom a node meets before it takes part (`wait_for_all`). A node that was left as the only voter would find its majority by itself; after a boot it must not: the
 * other may have been told meanwhile that this one is off, and act. Where the other acts already, this node gives way: its own log is the older one.
 *
 * Of three voters and more, too, one may have gone on without the others, on an administrator's confirmation. They would find a majority among themselves after
 * a boot, and must hear first that they have no votes any more; and what was begun on that confirmation is ended first.
 */
import type { NodeName } from '../base/index.ts'
import type { NodeStateRecord } from '../cib/index.ts'
import { hasVote, type ListedHost, otherOfAll, type VoterList } from './voters.ts'

export interface BeforeMeeting {
  readonly list: VoterList
  readonly self: NodeName
  /** This machine had quorum since it booted. */
  readonly met: boolean
  /** An earlier daemon began to go on alone, and has not ended it: its etcd may be alone already although the list does not say so yet. */
  readonly wasGoingAlone?: true | undefined
}

export type MeetsFirst =
  | { readonly kind: 'peer'; readonly peer: ListedHost }
  /** Whoever of the others answers within a moment. */
  | { readonly kind: 'others' }
  /** What it was about to do without the others is ended, or came to nothing. */
  | { readonly kind: 'end-going-alone' }

export function meetsFirst({ list, self, met, wasGoingAlone }: BeforeMeeting): MeetsFirst | undefined {
  const other = otherOfAll(list, self)
  if (other === undefined) {
    const hosts = list.nodes.length + (list.witness === undefined ? 0 : 1)
    if (list.store.kind !== 'etcd' || hosts < 3) return undefined
    if (wasGoingAlone) return { kind: 'end-going-alone' }
    return met ? undefined : { kind: 'others' }
  }
  if (met) return undefined
  return !other.votes || wasGoingAlone ? { kind: 'peer', peer: other } : undefined
}

/** As the daemon of the other describes itself. */
export interface MetPeer {
  readonly list: VoterList
  readonly quorate: boolean
}

/** Each may have gone on without the other. Whoever acts is right; of two that wait, the one whose list is newer. */
export function judgeMeeting(
  { self, list: own }: Pick<BeforeMeeting, 'self' | 'list'>,
  { list, quorate }: MetPeer,
): 'go-on' | 'give-way' | 'wait' {
  if (hasVote(list, self)) return 'go-on'
  const [theirs, ours] = [list.nodesVersion ?? 0, own.nodesVersion ?? 0]
  if (quorate || theirs > ours) return 'give-way'
  return theirs < ours ? 'go-on' : 'wait'
}

/** A node that was added and has not come yet cannot have gone on without this one. */
export const neverJoined = (state: NodeStateRecord | undefined): boolean =>
  state?.expected === 'down' && state.attributes?.incarnation === undefined

/**
 * By what the store was read to have. A node that is only in the list was being added when the command that added it ended: every node that joins is recorded.
 * A store that does not answer says nothing.
 */
export const hasNeverJoined = (stored: NodeStateRecord | 'absent' | 'unknown'): boolean =>
  stored === 'absent' || (stored !== 'unknown' && neverJoined(stored))

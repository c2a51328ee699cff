/** What the DC remembers of its work on votes, what it is answered, and what it asks for. */
import { type MonotonicMs, monotonicMs, type NodeName } from '../base/index.ts'
import type { VoteChange, VoterState } from '../quorum/index.ts'

export interface OwnVotes {
  /** As its answers have it; it is not heard by heartbeats. Undefined: nothing is known yet. */
  readonly witness?: VoterState
  readonly doing?: { readonly kind: 'search' } | { readonly kind: 'change'; readonly change: VoteChange }
  /** The list in use may not show yet what was changed: with that version of it nothing is changed before then. */
  readonly rests?: { readonly nodesVersion: number; readonly until: MonotonicMs }
  /** When strangers among the members are looked for again, unless the list has changed. */
  readonly searched: { readonly nodesVersion: number; readonly until: MonotonicMs }
}

export type VotesInput =
  | { readonly kind: 'witness'; readonly state: VoterState }
  /** Whose vote does not count yet: it copies the store. Nobody, where that cannot be known. */
  | { readonly kind: 'joining'; readonly hosts: readonly string[] }
  /** The member is out of the store. */
  | { readonly kind: 'removed' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string }

export type VotesEffect =
  /** Members that the list gives no vote are removed from the store. Answered with `done` or `failed`, as each of these. */
  | { readonly kind: 'remove-strangers' }
  /** Answered with `joining`. */
  | { readonly kind: 'ask-joining' }
  /** Answered with `removed`. */
  | { readonly kind: 'remove-member'; readonly host: NodeName }
  | { readonly kind: 'change-list'; readonly host: NodeName; readonly votes: boolean }

export const initialOwnVotes: OwnVotes = {
  searched: { nodesVersion: -1, until: monotonicMs(Number.NEGATIVE_INFINITY) },
}

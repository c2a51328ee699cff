/** How far a node is in its start, what it is answered, and what it asks for. */
import type { MonotonicMs, NodeName } from '../base/index.ts'
import type { MetPeer } from '../quorum/index.ts'

export type StartUp =
  | { readonly kind: 'not-started' }
  /** It does nothing before it has met the other of two, or is told that the other is off. */
  | { readonly kind: 'asks-peer' | 'looks-up-peer'; readonly peer: NodeName }
  | { readonly kind: 'asks-peer-again'; readonly peer: NodeName; readonly at: MonotonicMs }
  | { readonly kind: 'declares-off' }
  /** To the other of two, which has gone on: this daemon ends. */
  | { readonly kind: 'gives-way' }
  | { readonly kind: 'asks-others'; readonly until: MonotonicMs }
  | { readonly kind: 'ends-going-alone' }
  /** It may have quorum; the store is read. */
  | { readonly kind: 'reads' }
  | { readonly kind: 'prepares' }
  | { readonly kind: 'prepares-again'; readonly at: MonotonicMs; readonly why: string }
  /** Disks of SBD's, through which it may be fenced as soon as it takes part. */
  | { readonly kind: 'reads-disks'; readonly until: MonotonicMs }
  /** The executor, and what else takes part. */
  | { readonly kind: 'starts-parts' }
  | { readonly kind: 'done' }

export type StartUpInput =
  | { readonly kind: 'start' }
  /** Without one: its daemon did not answer. */
  | { readonly kind: 'peer-answered'; readonly answer?: MetPeer }
  /** `neverJoined`: the store knows it as one that was added and has never been here. */
  | { readonly kind: 'peer-looked-up'; readonly neverJoined: boolean }
  | { readonly kind: 'declared-off' }
  | { readonly kind: 'others-answered' }
  | { readonly kind: 'going-alone-ended' }
  | { readonly kind: 'prepared' }
  /** The store did not answer. */
  | { readonly kind: 'not-prepared'; readonly why: string }

export type StartUpEffect =
  /** Answered with `peer-answered`, within a second or two. */
  | { readonly kind: 'ask-peer'; readonly peer: NodeName }
  /** Answered with `peer-looked-up`. */
  | { readonly kind: 'look-up-peer'; readonly peer: NodeName }
  /** This daemon begins again with the list that the peer has answered with. */
  | { readonly kind: 'give-way' }
  /** Written into the store, which is this node's own, on an administrator's confirmation. Answered with `declared-off`. */
  | { readonly kind: 'declare-off'; readonly peer: NodeName }
  /** For their lists, which are followed. Answered with `others-answered` once all have answered or cannot. */
  | { readonly kind: 'ask-others' }
  /** What an earlier daemon has begun and not ended. Answered with `going-alone-ended`. */
  | { readonly kind: 'end-going-alone' }
  /** A lease may be asked for. */
  | { readonly kind: 'release' }
  /** `stale`: keys to delete. `configure`: there is no configuration yet. Answered with `prepared` or `not-prepared`. */
  | { readonly kind: 'prepare'; readonly stale: readonly string[]; readonly configure: boolean }
  /** Answered with `began`. */
  | { readonly kind: 'start-parts' }

/** This node's copy of the store. */
export interface StoreCopy {
  readonly phase:
    | { readonly kind: 'none' | 'listing' | 'follows' }
    | { readonly kind: 'lists-again'; readonly at: MonotonicMs }
  /** It was listed since this daemon began. */
  readonly listed: boolean
  /** Why it could not be listed yet. */
  readonly trouble?: string
}

export type StoreCopyInput =
  /** What was listed has been fed as `store`, and what is not there any more as deleted. */
  | { readonly kind: 'listed'; readonly revision: number }
  | { readonly kind: 'not-listed'; readonly why: string }
  /** The watch fell behind, or what it would need is gone. */
  | { readonly kind: 'lost' }

export type StoreCopyEffect =
  /** `mayBeOld`: from this node's own member. Answered with `listed` or `not-listed`. */
  | { readonly kind: 'list'; readonly mayBeOld: boolean }
  /** What happens after that revision is fed as `store`, in order; `lost` where it cannot be. */
  | { readonly kind: 'follow'; readonly after: number }

export const initialStartUp: StartUp = { kind: 'not-started' }
export const initialStoreCopy: StoreCopy = { phase: { kind: 'none' }, listed: false }

/** The history of one resource on one node while it is read from its oldest entry to its newest. */
import type { Role } from '../../cib/index.ts'
import type { HistoryEntry, OnFail } from '../cluster-status.ts'
import type { NodeDraft, PrimitiveDraft, World } from '../drafts.ts'

export interface Reading {
  readonly world: World
  readonly node: NodeDraft
  readonly resource: PrimitiveDraft
  /** The entry that is being read. */
  entry: HistoryEntry
  /** What the entries so far say; undefined while none said anything. */
  role: Role | undefined
  /** The most drastic response that failures so far ask for, unless a success ended them. */
  onFail: OnFail
  lastFailure: HistoryEntry | undefined
}

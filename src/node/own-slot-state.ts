/** How far a node is with its slot on one of SBD's disks, and what is asked of the disk. */
import type { MonotonicMs } from '../base/index.ts'
import type { SbdHeader, SlotMessage } from '../fencing/index.ts'

export interface OpenSlot {
  readonly header: SbdHeader
  readonly slot: number
}

export type SlotPhase =
  | { readonly kind: 'rests'; readonly until: MonotonicMs }
  | { readonly kind: 'reads-header' }
  | { readonly kind: 'reads-names' | 'takes'; readonly header: SbdHeader }
  /** Another node may have taken the same slot at the same time. */
  | { readonly kind: 'lets-others-take'; readonly header: SbdHeader; readonly until: MonotonicMs }
  /** What is in the mailbox before this node begins to read it. */
  | { readonly kind: 'reads-old'; readonly open: OpenSlot }
  /** `doubted`: nobody can tell whether it was old. */
  | { readonly kind: 'clears-old'; readonly open: OpenSlot; readonly received: SlotMessage; readonly doubted: boolean }
  | { readonly kind: 'notes'; readonly open: OpenSlot; readonly provesFrom?: MonotonicMs }
  | { readonly kind: 'checks-slot'; readonly open: OpenSlot }
  | { readonly kind: 'reads-message'; readonly open: OpenSlot; readonly at: MonotonicMs }
  | { readonly kind: 'reads-test' | 'clears-test'; readonly open: OpenSlot }

export interface OwnSlot {
  readonly path: string
  readonly phase: SlotPhase
  /** As it was read last. */
  readonly open?: OpenSlot
  /** Before that a reading without a message proves nothing. */
  readonly provesFrom?: MonotonicMs
  /** The look that is under way. */
  readonly askedAt?: MonotonicMs
  readonly error?: string
  /** Of the last request: the answer to another one comes too late. */
  readonly call?: number
}

/** In whole sectors. Each is answered once, or never where the disk hangs. */
export type SlotRequest =
  | { readonly kind: 'read-header' }
  /** Of all slots. */
  | { readonly kind: 'read-names'; readonly header: SbdHeader }
  /** Its mailbox is cleared first. */
  | ({ readonly kind: 'take' } & OpenSlot)
  | ({ readonly kind: 'read-name' | 'read-message' | 'clear' } & OpenSlot)
  /** Not on the disk: that this boot has had a slot there, for the next daemon of this boot. */
  | { readonly kind: 'note'; readonly uuid: string }

export type SlotAnswer =
  /** Without one: it is not initialized. */
  | { readonly kind: 'header'; readonly header?: SbdHeader }
  | { readonly kind: 'names'; readonly names: readonly (string | undefined)[] }
  | { readonly kind: 'name'; readonly name: string | undefined }
  | { readonly kind: 'message'; readonly received: SlotMessage }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string }

/**
 * The replicated store, as every other part of the daemon sees it. There are two adapters, `embedded/` and `etcd/`, and
 * one contract suite runs against both (test/contract). Nothing but this is used of either: read at a revision, a
 * transaction that compares and then writes, watch from a revision, leases.
 *
 * Revisions count the transactions that changed something, over all keys; they never go back. Keys are paths, values are
 * bytes. An error that is not a domain outcome is a StoreUnavailableError (nothing happened) or a StoreTimeoutError (it may
 * have happened): after a time-out a caller reads before it repeats. Within its time limit the adapter itself repeats what
 * got no answer, and applies it once all the same.
 */
import type { Branded } from '../../base/index.ts'
import type { EndpointAddress } from './endpoint-address.ts'

export type Revision = Branded<number, 'Revision'>
export type LeaseId = Branded<string, 'LeaseId'>

export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  /** The revision at which the key came into being; the term of the DC is that of the `dc` key. */
  readonly createRevision: Revision
  readonly modRevision: Revision
  readonly lease?: LeaseId
}

export interface Snapshot {
  readonly revision: Revision
  /** Sorted by key. */
  readonly entries: readonly Entry[]
}

export type Comparison =
  | { readonly kind: 'absent'; readonly key: string }
  | { readonly kind: 'present'; readonly key: string }
  | { readonly kind: 'mod-revision'; readonly key: string; readonly equals: Revision }
  | { readonly kind: 'create-revision'; readonly key: string; readonly equals: Revision }
  | { readonly kind: 'value'; readonly key: string; readonly equals: Uint8Array }

/** The key is as it was read: for whoever writes what follows from it. */
export const unchanged = (key: string, entry: Entry | undefined): Comparison =>
  entry === undefined ? { kind: 'absent', key } : { kind: 'mod-revision', key, equals: entry.modRevision }

export type Write =
  | { readonly kind: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: LeaseId }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'delete-prefix'; readonly prefix: string }

export interface Transaction {
  /** All must hold, or nothing is written. */
  readonly compare: readonly Comparison[]
  /** No key twice, and none under a prefix that the same transaction deletes: etcd refuses that, so both adapters assert it. */
  readonly writes: readonly Write[]
  /** Milliseconds; the default of the adapter where it is left out. */
  readonly timeoutMs?: number
}

export interface TransactionResult {
  readonly applied: boolean
  /** The store's revision after the transaction. */
  readonly revision: Revision
  /** Set when it was not applied because a lease that it puts a key under is gone. */
  readonly leaseLost?: boolean
}

export type StoreEvent =
  | { readonly kind: 'put'; readonly entry: Entry }
  | { readonly kind: 'delete'; readonly key: string; readonly revision: Revision }

export interface WatchListener {
  /** Events of one revision arrive together, in order, each exactly once, across reconnections too. */
  readonly onEvents: (events: readonly StoreEvent[], revision: Revision) => void
  /** The revision asked for is gone (compacted): list again and watch from there. The watch has ended. */
  readonly onLost: () => void
}

export interface Watch {
  readonly close: () => void
}

export interface Store {
  readonly get: (key: string) => Promise<Entry | undefined>
  /** With `serializable`, a local answer that may be old: works without quorum. */
  readonly list: (prefix: string, options?: { readonly serializable?: boolean }) => Promise<Snapshot>
  readonly transaction: (transaction: Transaction) => Promise<TransactionResult>
  /** Delivers what happened after `from` (exclusive). */
  readonly watch: (prefix: string, from: Revision, listener: WatchListener) => Watch
  /** Its expiry deletes the keys under it. What is granted may be more than what was asked for (etcd counts whole seconds). */
  readonly grantLease: (ttlMs: number) => Promise<{ readonly lease: LeaseId; readonly ttlMs: number }>
  /**
   * Resolves with the time to live that the store's majority confirmed, or 'lost' when the lease is gone. The caller counts
   * it from the moment *before* the call: the lease cannot run out earlier than that.
   */
  readonly keepAlive: (lease: LeaseId) => Promise<{ readonly ttlMs: number } | 'lost'>
  readonly revokeLease: (lease: LeaseId) => Promise<void>
  /** Where members may come and go: those to reach from now on, this node's own first. */
  readonly useEndpoints?: (endpoints: readonly EndpointAddress[]) => void
  readonly close: () => Promise<void>
}

/**
 * What a transaction does to the embedded store's state: pure. A batch of transactions is evaluated one after the other on
 * the durable state and the changes staged so far; only when the batch is on disk does anybody see its effects.
 */
import { assertNever } from '../../base/index.ts'
import type {
  Comparison,
  Entry,
  LeaseId,
  Revision,
  StoreEvent,
  Transaction,
  TransactionResult,
  Write,
} from '../port/store.ts'

/** The durable state, as the evaluation reads it. */
export interface StateReader {
  readonly get: (key: string) => Entry | undefined
  readonly keysUnder: (prefix: string) => Iterable<string>
  readonly hasLease: (lease: LeaseId) => boolean
  readonly keysOfLease: (lease: LeaseId) => Iterable<string>
}

/** Changes of a batch that is being put together; a lease or key that maps to undefined is gone. */
export interface Staged {
  revision: Revision
  readonly entries: Map<string, Entry | undefined>
  readonly leases: Map<LeaseId, number | undefined>
  readonly history: { readonly revision: Revision; readonly events: readonly StoreEvent[] }[]
}

export function emptyStage(revision: Revision): Staged {
  return { revision, entries: new Map(), leases: new Map(), history: [] }
}

export function stageTransaction(state: StateReader, staged: Staged, transaction: Transaction): TransactionResult {
  const holds = transaction.compare.every((comparison) => compares(current(state, staged, comparison.key), comparison))
  if (!holds) return { applied: false, revision: staged.revision }
  const leaseLost = transaction.writes.some(
    (write) => write.kind === 'put' && write.lease !== undefined && !leaseLives(state, staged, write.lease),
  )
  if (leaseLost) return { applied: false, revision: staged.revision, leaseLost }
  stageWrites(state, staged, transaction.writes)
  return { applied: true, revision: staged.revision }
}

export function stageLeaseGrant(staged: Staged, lease: LeaseId, ttlMs: number): void {
  staged.leases.set(lease, ttlMs)
}

/** Revoked or run out: the lease and the keys under it go in one revision. */
export function stageLeaseEnd(state: StateReader, staged: Staged, lease: LeaseId): void {
  if (!leaseLives(state, staged, lease)) return
  const keys = new Set<string>()
  for (const key of state.keysOfLease(lease)) if (!staged.entries.has(key)) keys.add(key)
  for (const [key, entry] of staged.entries) if (entry?.lease === lease) keys.add(key)
  staged.leases.set(lease, undefined)
  stageWrites(
    state,
    staged,
    [...keys].sort().map((key) => ({ kind: 'delete', key })),
  )
}

function leaseLives(state: StateReader, staged: Staged, lease: LeaseId): boolean {
  return staged.leases.has(lease) ? staged.leases.get(lease) !== undefined : state.hasLease(lease)
}

function current(state: StateReader, staged: Staged, key: string): Entry | undefined {
  return staged.entries.has(key) ? staged.entries.get(key) : state.get(key)
}

function compares(entry: Entry | undefined, comparison: Comparison): boolean {
  switch (comparison.kind) {
    case 'absent':
      return entry === undefined
    case 'present':
      return entry !== undefined
    case 'mod-revision':
      return (entry?.modRevision ?? 0) === comparison.equals
    case 'create-revision':
      return (entry?.createRevision ?? 0) === comparison.equals
    case 'value':
      return entry !== undefined && Buffer.compare(entry.value, comparison.equals) === 0
    default:
      return assertNever(comparison)
  }
}

/** All writes of a transaction share the next revision; where none of them changes anything, no revision is used up. */
function stageWrites(state: StateReader, staged: Staged, writes: readonly Write[]): void {
  // The only place where a revision is made: one more than the last.
  const revision = (staged.revision + 1) as Revision
  const events: StoreEvent[] = []
  for (const write of writes) {
    if (write.kind === 'put') {
      const before = current(state, staged, write.key)
      const entry: Entry = {
        key: write.key,
        value: Uint8Array.from(write.value),
        createRevision: before?.createRevision ?? revision,
        modRevision: revision,
        ...(write.lease === undefined ? {} : { lease: write.lease }),
      }
      staged.entries.set(write.key, entry)
      events.push({ kind: 'put', entry })
      continue
    }
    const keys = write.kind === 'delete' ? [write.key] : keysUnder(state, staged, write.prefix)
    for (const key of keys) {
      if (current(state, staged, key) === undefined) continue
      staged.entries.set(key, undefined)
      events.push({ kind: 'delete', key, revision })
    }
  }
  if (events.length === 0) return
  staged.revision = revision
  staged.history.push({ revision, events })
}

function keysUnder(state: StateReader, staged: Staged, prefix: string): readonly string[] {
  const keys = new Set(state.keysUnder(prefix))
  for (const key of staged.entries.keys()) if (key.startsWith(prefix)) keys.add(key)
  return [...keys].sort()
}

/**
 * How a transaction is sent several times and applied once; pure. etcd may be working on an attempt long after the client
 * has given it up (a stopped member reads its socket when it wakes), so every attempt carries the same guards:
 *
 * - the *session* key of this client, under a lease, has the create revision that it was made with: what outlives the
 *   session can never apply;
 * - the *slot*, a key below the session that one request at a time uses, still has the value that the request found there.
 *
 * The attempt that applies writes `<request>:applied` into the slot. A repeated attempt whose comparisons do not hold writes
 * `<request>:refused` instead, because otherwise an earlier one, still under way, could apply after the refusal was
 * reported. Either mark makes all other attempts void, and they read from it what became of the request.
 */
import { assertNever } from '../../base/index.ts'
import type { Comparison, Revision, Transaction, TransactionResult, Write } from '../port/store.ts'
import { type Compare, keyBytes, keyText, prefixEnd, type RequestOp, type TxnRequest, type TxnResponse } from './api.ts'

export interface Session {
  readonly key: string
  readonly createRevision: string
  readonly lease: string
}

export interface Slot {
  readonly key: string
  /** What the last request left there; undefined where the slot is new. */
  readonly value: string | undefined
}

export interface GuardedRequest {
  readonly session: Session
  readonly slot: Slot
  readonly id: string
  readonly transaction: Transaction
}

export type Verdict =
  | { readonly kind: 'decided'; readonly result: TransactionResult; readonly slotValue: string | undefined }
  | { readonly kind: 'session-lost' }

export function firstAttempt(request: GuardedRequest): TxnRequest {
  return { ...guarded(request), failure: [rangeOf(request.session.key), rangeOf(request.slot.key)] }
}

/** For every attempt after the first: a refusal is written down. */
export function repeatedAttempt(request: GuardedRequest): TxnRequest {
  const refuse: TxnRequest = {
    compare: guards(request),
    success: [putSlot(request, refusedMark(request))],
    failure: [rangeOf(request.slot.key)],
  }
  return { ...guarded(request), failure: [rangeOf(request.session.key), { request_txn: refuse }] }
}

export function verdictOf(request: GuardedRequest, response: TxnResponse): Verdict {
  const revision = toRevision(response.header.revision)
  if (response.succeeded) return decided(true, revision, appliedMark(request))
  const [session, second] = response.responses
  const sessionLives = session?.response_range?.kvs[0]?.create_revision === request.session.createRevision
  if (second?.response_txn?.succeeded === true) return decided(false, revision, refusedMark(request))
  const slot = (second?.response_range ?? second?.response_txn?.responses[0]?.response_range)?.kvs[0]
  const value = slot === undefined ? undefined : keyText(slot.value)
  if (slot !== undefined && value === appliedMark(request)) return decided(true, toRevision(slot.mod_revision), value)
  if (value === refusedMark(request)) return decided(false, revision, value)
  if (!sessionLives || value !== request.slot.value) return { kind: 'session-lost' }
  return decided(false, revision, value)
}

/** Without the guards: for a transaction that only compares, which may be repeated freely. */
export function comparisonOnly(transaction: Transaction): TxnRequest {
  return { compare: transaction.compare.map(toCompare), success: [], failure: [] }
}

export function toRevision(text: string): Revision {
  return Number(text) as Revision
}

function guarded(request: GuardedRequest): Omit<TxnRequest, 'failure'> {
  return {
    compare: [...guards(request), ...request.transaction.compare.map(toCompare)],
    success: [...request.transaction.writes.map(toOperation), putSlot(request, appliedMark(request))],
  }
}

function guards({ session, slot }: GuardedRequest): readonly Compare[] {
  return [
    { result: 'EQUAL', target: 'CREATE', key: keyBytes(session.key), create_revision: session.createRevision },
    slot.value === undefined
      ? { result: 'EQUAL', target: 'CREATE', key: keyBytes(slot.key), create_revision: '0' }
      : { result: 'EQUAL', target: 'VALUE', key: keyBytes(slot.key), value: keyBytes(slot.value) },
  ]
}

function putSlot({ session, slot }: GuardedRequest, value: string): RequestOp {
  return { request_put: { key: keyBytes(slot.key), value: keyBytes(value), lease: session.lease } }
}

function rangeOf(key: string): RequestOp {
  return { request_range: { key: keyBytes(key) } }
}

const appliedMark = ({ id }: GuardedRequest) => `${id}:applied`
const refusedMark = ({ id }: GuardedRequest) => `${id}:refused`

function decided(applied: boolean, revision: Revision, slotValue: string | undefined): Verdict {
  return { kind: 'decided', result: { applied, revision }, slotValue }
}

function toCompare(comparison: Comparison): Compare {
  const key = keyBytes(comparison.key)
  switch (comparison.kind) {
    case 'absent':
      return { result: 'EQUAL', target: 'CREATE', key, create_revision: '0' }
    case 'present':
      return { result: 'GREATER', target: 'CREATE', key, create_revision: '0' }
    case 'mod-revision':
      return { result: 'EQUAL', target: 'MOD', key, mod_revision: String(comparison.equals) }
    case 'create-revision':
      return { result: 'EQUAL', target: 'CREATE', key, create_revision: String(comparison.equals) }
    case 'value':
      return { result: 'EQUAL', target: 'VALUE', key, value: comparison.equals }
    default:
      return assertNever(comparison)
  }
}

function toOperation(write: Write): RequestOp {
  switch (write.kind) {
    case 'put':
      return {
        request_put: {
          key: keyBytes(write.key),
          value: write.value,
          ...(write.lease === undefined ? {} : { lease: write.lease }),
        },
      }
    case 'delete':
      return { request_delete_range: { key: keyBytes(write.key) } }
    case 'delete-prefix':
      return { request_delete_range: { key: keyBytes(write.prefix), range_end: prefixEnd(write.prefix) } }
    default:
      return assertNever(write)
  }
}

/** A step of a job as one transaction: the job, its tasks and its lock, or nothing. */
import { type JobEffect, type JobRecord, lockOwner } from '../../jobs/index.ts'
import { type Comparison, type Entry, unchanged, type Write } from '../../store/index.ts'
import { type LockRecord, parseLock } from '../locks/lock-record.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { jobKey, lockKey, taskKey } from '../records/keys.ts'

/** Of a job: the DC ends it with the job (lock-keeper.ts). For a DC of an older version it has a time, the longest that there is. */
const lockTtlMs = 7 * 24 * 3_600_000

export interface JobWrite {
  readonly job: JobRecord
  readonly effects: readonly JobEffect[]
}

export function jobTransaction(
  { job, effects }: JobWrite,
  entryOf: (key: string) => Entry | undefined,
): { readonly compare: readonly Comparison[]; readonly writes: readonly Write[] } {
  const puts: readonly (readonly [string, unknown])[] = [
    [jobKey(job.id), job],
    ...effects.flatMap((effect): readonly (readonly [string, unknown])[] => {
      if (effect.kind === 'begin' || effect.kind === 'change') return [[taskKey(effect.task.id), effect.task]]
      return effect.kind === 'lock' && job.lock !== undefined ? [[lockKey(job.lock), lockOf(job, job.lock)]] : []
    }),
  ]
  // One that was released by force may be somebody else's by now.
  const lock = job.lock === undefined ? undefined : entryOf(lockKey(job.lock))
  const freed = effects.some(({ kind }) => kind === 'unlock') && lock !== undefined && isLockOf(lock, job) ? [lock] : []
  return {
    compare: [
      ...puts.map(([key]) => unchanged(key, entryOf(key))),
      ...freed.map((entry) => unchanged(entry.key, entry)),
    ],
    writes: [
      ...puts.map(([key, value]): Write => ({ kind: 'put', key, value: toBytes(value) })),
      ...freed.map(({ key }): Write => ({ kind: 'delete', key })),
    ],
  }
}

function lockOf(job: JobRecord, name: string): LockRecord {
  const now = new Date().toISOString()
  const owner = lockOwner(job.id)
  // Every user may list locks; the arguments are for those who may read jobs.
  const reason = (job.argv[0] ?? '').slice(0, 200)
  return {
    name,
    owner,
    user: job.user,
    node: job.node,
    job: job.id,
    holder: owner,
    reason,
    since: now,
    renewed: now,
    ttlMs: lockTtlMs,
  }
}

function isLockOf({ value }: Entry, { id }: JobRecord): boolean {
  return parseLock(fromBytes(value))?.job === id
}

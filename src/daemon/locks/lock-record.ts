/**
 * Named locks: what becomes of one by a call, and when the DC frees it. A lock is of one node: it ends with its time, or as soon as that
 * node has left or is known to be off, and never while the node may still be at work.
 */
import { type NodeName, nodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Messages } from '../../rpc/index.ts'

export interface LockRecord {
  readonly name: string
  /** Who may extend and release it. */
  readonly owner: string
  readonly user: string
  readonly node: NodeName
  /** Of the host, where it is known: a node that has booted since holds nothing. */
  readonly bootId?: string
  /** An id of the process that keeps it by renewing it. Nobody else extends it. */
  readonly holder?: string
  /** The job that holds it, until the job has ended. */
  readonly job?: string
  readonly reason?: string
  /** ISO 8601, by the clock of the node. */
  readonly since: string
  readonly renewed: string
  readonly ttlMs: number
}

/** Who calls, and when by the calendar. */
export interface Asking {
  readonly user: string
  readonly node: NodeName
  readonly bootId: string | undefined
  readonly now: string
}

export type LockStep =
  | { readonly outcome: 'acquired' | 'renewed' | 'released'; readonly after: LockRecord | undefined }
  | { readonly outcome: 'held' | 'free' }

const ownerOf = (owner: string | undefined, { user, node }: Asking): string => owner ?? `${user}@${node}`

export function afterAcquire(
  before: LockRecord | undefined,
  asked: Messages['AcquireLockRequest'],
  asking: Asking,
): LockStep {
  const { name, holder, reason, ttlMs, renew } = asked
  if (before !== undefined) {
    if (!isOwn(before, asked)) return { outcome: 'held' }
    const { bootId: _, ...kept } = before
    const after = { ...kept, ...placeOf(asking), ...(reason && { reason }), renewed: asking.now, ttlMs }
    return { outcome: 'renewed', after }
  }
  if (renew) return { outcome: 'free' }
  const after = {
    name,
    owner: ownerOf(asked.owner, asking),
    ...placeOf(asking),
    ...(holder !== undefined && { holder }),
    ...(reason && { reason }),
    since: asking.now,
    renewed: asking.now,
    ttlMs,
  }
  return { outcome: 'acquired', after }
}

/** Whoever extends a lock from another node works there now: it ends with that node. */
const placeOf = ({ user, node, bootId }: Asking): Pick<LockRecord, 'user' | 'node' | 'bootId'> => ({
  user,
  node,
  ...(bootId !== undefined && { bootId }),
})

/** Two who name no owner are two, even of one user: the second has to wait. */
function isOwn(lock: LockRecord, asked: { readonly owner?: string; readonly holder?: string }): boolean {
  if (lock.holder !== undefined || asked.holder !== undefined) return lock.holder === asked.holder
  return asked.owner === lock.owner
}

export function afterRelease(
  before: LockRecord | undefined,
  asked: Messages['ReleaseLockRequest'],
  asking: Asking,
): LockStep {
  if (before === undefined) return { outcome: 'free' }
  const owner = ownerOf(asked.owner, asking)
  return asked.force || isOwn(before, { ...asked, owner })
    ? { outcome: 'released', after: undefined }
    : { outcome: 'held' }
}

/** Its node holds nothing any more: it has left in order, is known to be off, has booted since, or is no node of the cluster. */
export function hasLeft(
  { members, nodeStates }: Pick<ClusterView, 'members' | 'nodeStates'>,
  lock: LockRecord,
): boolean {
  const member = members.get(lock.node)
  if (member !== undefined)
    return lock.bootId !== undefined && member.bootId !== undefined && member.bootId !== lock.bootId
  const state = nodeStates.get(lock.node)
  return state === undefined || (state.expected === 'down' && state.join === 'down')
}

/** Undefined for a record of a newer version: its lock is held, by somebody whom this version cannot name. */
export function parseLock(value: unknown): LockRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { name, owner, user, node, since, renewed, ttlMs, ...more } = value as Readonly<Record<string, unknown>>
  const texts = [name, owner, user, node, since, renewed]
  if (!texts.every((text) => typeof text === 'string' && text !== '') || typeof ttlMs !== 'number') return undefined
  const { bootId, holder, job, reason } = more
  return {
    name: String(name),
    owner: String(owner),
    user: String(user),
    node: nodeName(String(node)),
    ...(typeof bootId === 'string' && { bootId }),
    ...(typeof holder === 'string' && { holder }),
    ...(typeof job === 'string' && { job }),
    ...(typeof reason === 'string' && { reason }),
    since: String(since),
    renewed: String(renewed),
    ttlMs,
  }
}

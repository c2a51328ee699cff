/** An administrator's confirmation that a node is off (`stonith confirm`, `stonith_admin --confirm`). */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { refuse } from '../../rpc/index.ts'
import { type Entry, type Store, unchanged } from '../../store/index.ts'
import { fromBytes, toBytes } from './json-value.ts'
import { keys } from './keys.ts'

/**
 * It is about the life of the node that this node has seen last. A node that has started again since is not off: this node may not have seen that
 * yet, the store has.
 */
export async function confirmFencing(
  { store, view }: { readonly store: Store; readonly view: Pick<ClusterView, 'members'> },
  target: NodeName,
  nowMs: number,
): Promise<void> {
  const key = keys.member(target)
  const seen = view.members.get(target)?.incarnation
  const value = toBytes({ node: target, time: new Date(nowMs).toISOString(), fencedAt: Math.floor(nowMs / 1000) })
  // A node rewrites its record while it lives: only another life is a reason to refuse.
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const entry = await store.get(key)
    if (entry !== undefined && incarnationIn(entry) !== seen) break
    const { applied } = await store.transaction({
      compare: [unchanged(key, entry)],
      writes: [{ kind: 'put', key: keys.fencingConfirmed(target), value }],
    })
    if (applied) return
  }
  throw refuse('node-has-started', `${target} has started again, so it is not off. Nothing was changed.`)
}

const attempts = 20

/** Which life of the node the record is of. */
export function incarnationIn(member: Entry | undefined): unknown {
  const value = member && fromBytes(member.value)
  return typeof value === 'object' && value !== null && 'incarnation' in value ? value.incarnation : undefined
}

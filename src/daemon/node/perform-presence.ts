/** Writes what this node says of itself: its own entry among the members, and that it wants to leave. */
import { assertNever } from '../../base/index.ts'
import { keys, type MemberRecord } from '../../controller/index.ts'
import type { PresenceEffect } from '../../membership/index.ts'
import type { LeaseId, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { decodeNodeList } from '../node-list/node-list.ts'
import { toBytes } from '../records/json-value.ts'
import { nodeListKey } from '../records/keys.ts'

export interface PresencePorts {
  readonly store: Store
  readonly log: Log
  readonly member: Omit<MemberRecord, 'state' | 'since'>
  /** Resolves when the results that are known here have been written. */
  readonly resultsWritten: () => Promise<void>
  readonly written: (ok: boolean) => void
}

export function performPresenceEffect(
  effect: Extract<PresenceEffect, { kind: 'register' | 'request-shutdown' }>,
  ports: PresencePorts,
): void {
  const { store, log, member } = ports
  switch (effect.kind) {
    case 'register':
      log.info('this node registers', { as: effect.as })
      attempt(ports, async () => {
        // The DC deletes the history of a node that it integrates: a result that came later would pass for one of the new life.
        await ports.resultsWritten()
        // Whoever was removed while away and shows up as a member would be fenced when it is gone again.
        const listed = await store.get(nodeListKey)
        if (listed && !decodeNodeList(listed).nodes.some(({ name }) => name === member.node)) return false
        const record: MemberRecord = { ...member, state: effect.as, since: Math.floor(Date.now() / 1000) }
        const { applied } = await store.transaction({
          compare: [],
          writes: [
            { kind: 'put', key: keys.member(member.node), value: toBytes(record), lease: effect.lease as LeaseId },
          ],
        })
        return applied
      })
      return
    case 'request-shutdown':
      log.info('this node requests that its resources stop before it leaves')
      attempt(ports, async () => {
        const { node } = member
        const attribute = { node, set: '', name: 'shutdown', value: String(Math.floor(Date.now() / 1000)) }
        const { applied } = await store.transaction({
          compare: [],
          writes: [{ kind: 'put', key: keys.attribute(node, '', 'shutdown'), value: toBytes(attribute) }],
        })
        return applied
      })
      return
    default:
      assertNever(effect)
  }
}

function attempt({ log, written }: PresencePorts, write: () => Promise<boolean>): void {
  write().then(written, (error: unknown) => {
    log.warn('the store rejected the record of this node', { error })
    written(false)
  })
}

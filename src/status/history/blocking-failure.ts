/**
 * Whether the history holds a failure of an operation that is configured with on-fail=block. Such a failure waits for an
 * administrator, so that failure-timeout does not apply while it is on record.
 */
import type { HistoryEntry } from '../cluster-status.ts'
import type { NodeDraft, PrimitiveDraft } from '../drafts.ts'

export function hasBlockingFailure({ operations, state }: PrimitiveDraft, node: NodeDraft): boolean {
  const blocking = operations.filter(({ attributes }) => attributes['on-fail'] === 'block')
  if (blocking.length === 0) return false
  const entries = state.history.get(node.name) ?? []
  return blocking.some(({ name, intervalMs }) =>
    entries.some((entry) => entry.operation === name && entry.intervalMs === intervalMs && isFailure(entry)),
  )
}

const isFailure = ({ id, exitCode, expectedExitCode }: HistoryEntry): boolean =>
  id.endsWith('_last_failure_0') || (expectedExitCode !== undefined && exitCode !== expectedExitCode)

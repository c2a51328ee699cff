/**
 * Whether a recorded failure is to be forgotten because failure-timeout has passed, and whether that is the moment to clear
 * the fail count (Pacemaker Explained, "failure-timeout").
 *
 * A failure whose fail count still stands is kept: the count is the newer fact. Probes that told a state are facts, however
 * old. "Not installed" never expires.
 */
import type { HistoryEntry } from '../cluster-status.ts'
import type { NodeDraft, PrimitiveDraft, World } from '../drafts.ts'
import { failureTimeoutOf } from './note-fail-counts.ts'
import { exitCodes, isProbe, operationStatus } from './outcome.ts'
import { hasOutdatedParameters } from './outdated-failure.ts'

/** Exit codes of a probe that say what is, rather than that something failed. */
const tellingExitCodes: readonly number[] = [
  exitCodes.ok,
  exitCodes.notRunning,
  exitCodes.promoted,
  exitCodes.degraded,
  exitCodes.degradedPromoted,
]

export function isExpired(world: World, resource: PrimitiveDraft, node: NodeDraft, entry: HistoryEntry): boolean {
  if (entry.status === operationStatus.notInstalled) return false
  const failCount = resource.state.failCounts.get(node.name)
  const isOld = timeoutHasPassed(world, resource, entry)
  const expired = isOld && (failCount === undefined || failCount.expired)
  const reason = isOld ? reasonToClear(resource, entry, failCount) : undefined
  if (reason !== undefined) clearFailCount(resource, node, reason)
  else if (!expired && hasOutdatedParameters(world, resource, node, entry))
    clearFailCount(resource, node, 'resource parameters have changed')
  return expired && !(isProbe(entry) && tellingExitCodes.includes(entry.exitCode))
}

function timeoutHasPassed(world: World, resource: PrimitiveDraft, entry: HistoryEntry): boolean {
  const timeoutMs = failureTimeoutOf(resource)
  if (timeoutMs === undefined || entry.lastChange === undefined) return false
  return world.zone.now >= entry.lastChange + Math.ceil(timeoutMs / 1000) && !waitsForFencing(world, resource, entry)
}

function clearFailCount({ state }: PrimitiveDraft, node: NodeDraft, reason: string): void {
  if (!state.clearFailCountOn.some((cleared) => cleared.node === node.name))
    state.clearFailCountOn.push({ node: node.name, reason })
}

/**
 * A recurring monitor reports changes only: if it still fails in the same way, nobody would notice once its failure was
 * cleared. So the failure of a connection that is made again at intervals stays until the node behind it was fenced.
 */
function waitsForFencing(world: World, resource: PrimitiveDraft, entry: HistoryEntry): boolean {
  if (resource.reconnectIntervalMs === undefined || !world.options.fencingEnabled) return false
  if (entry.operation !== 'monitor' || entry.intervalMs === 0) return false
  const { connectionOf } = resource
  const node = connectionOf === undefined ? undefined : world.nodes.get(connectionOf)
  return node !== undefined && !node.fenced
}

function reasonToClear(
  resource: PrimitiveDraft,
  entry: HistoryEntry,
  failCount: { readonly expired: boolean } | undefined,
): string | undefined {
  if (failCount !== undefined) return failCount.expired ? 'it expired' : undefined
  return entry.id.endsWith('_last_failure_0') && resource.reconnectIntervalMs !== undefined
    ? 'reconnect interval is set'
    : undefined
}

/**
 * When somebody last looked whether a resource works, and how closely. A recurring monitor is recorded when its result changes, so its
 * last result is at most its interval old as long as the node is there; a start or a probe looks once.
 */
import type { NodeName } from '../base/index.ts'
import type { OperationDefinition } from '../cib/index.ts'
import type { HistoryEntry, PrimitiveResource } from './cluster-status.ts'

export interface Verification {
  readonly by: 'monitor' | 'start' | 'probe'
  /** `OCF_CHECK_LEVEL` of the monitor: 0 is the quickest look. Of a probe and a start always 0. */
  readonly level: number
  readonly passed: boolean
  /** It is looked at so often. Absent: it is not looked at again. */
  readonly everyMs?: number
  /** Seconds since the epoch: since when the result has been the same. */
  readonly since?: number
}

/** Its recurring monitors there, the most frequent first; without one, what looked at it once: nothing where nothing did. */
export function verificationsOn(
  { state, operations }: Pick<PrimitiveResource, 'state' | 'operations'>,
  node: NodeName,
): readonly Verification[] {
  // A recorded failure stands beside the monitor itself, which may have passed since.
  const history = (state.history.get(node) ?? []).filter(
    ({ id, callId, status }) => callId !== -1 && status !== cancelled && !id.includes('_last_failure_'),
  )
  const monitors = history
    .filter(({ operation, intervalMs }) => operation === 'monitor' && intervalMs > 0)
    .toSorted((a, b) => a.intervalMs - b.intervalMs)
    .map((entry) => ({ ...found(entry, 'monitor', levelOf(operations, entry)), everyMs: entry.intervalMs }))
  if (monitors.length > 0) return monitors
  const once = history.findLast(
    ({ operation, intervalMs }) => operation === 'start' || (operation === 'monitor' && intervalMs === 0),
  )
  return once === undefined ? [] : [found(once, once.operation === 'start' ? 'start' : 'probe', 0)]
}

const cancelled = 1

function found(entry: HistoryEntry, by: Verification['by'], level: number): Verification {
  const { exitCode, status, lastChange } = entry
  const passed = status === 0 && (exitCode === 0 || exitCode === promoted)
  return { by, level, passed, ...(lastChange === undefined ? {} : { since: lastChange }) }
}

const promoted = 8

function levelOf(operations: readonly OperationDefinition[], { operation, intervalMs }: HistoryEntry): number {
  const definition = operations.find((one) => one.name === operation && one.intervalMs === intervalMs)
  const written =
    definition?.attributes[checkLevel] ??
    definition?.parameters.flatMap(({ pairs }) => pairs).find(({ name }) => name === checkLevel)?.value
  const level = Number(written ?? '0')
  return Number.isSafeInteger(level) && level >= 0 ? level : 0
}

const checkLevel = 'OCF_CHECK_LEVEL'

/** Why nobody looks at it again and again, from what is configured; undefined where a recurring monitor is. */
export function whyUnmonitored({
  operations,
  state,
}: Pick<PrimitiveResource, 'operations' | 'state'>): string | undefined {
  const monitors = operations.filter(({ name }) => name === 'monitor')
  const recurring = monitors.filter(({ intervalMs }) => intervalMs > 0)
  if (monitors.length === 0) return 'it has no monitor operation'
  if (recurring.length === 0) return 'the interval of its monitor operation is 0'
  if (recurring.every(isDisabled)) return 'its monitor operation is disabled (enabled=false)'
  // The cluster cancels monitors in maintenance; unmanaged resources go on being monitored.
  if (state.maintenance) return 'maintenance mode has cancelled its monitor'
  return undefined
}

const isDisabled = ({ attributes, meta }: OperationDefinition): boolean =>
  [
    attributes.enabled,
    ...meta.flatMap(({ pairs }) => pairs).map(({ name, value }) => name === 'enabled' && value),
  ].some((value) => typeof value === 'string' && /^(false|off|no|n|0)$/i.test(value))

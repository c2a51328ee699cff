/** How much of the configuration's history is kept: by cluster options, whichever is reached first. The current version always is. */
import { parseDurationMs } from '../../base/index.ts'
import { type Configuration, clusterOptionValue } from '../../cib/index.ts'

export interface HistoryBounds {
  readonly versions: number
  /** Older ones go, where it is set. */
  readonly ageMs?: number
  /** Of all versions together as they are stored, where it is set. */
  readonly bytes?: number
}

const mebibyte = 1024 * 1024

export function historyBounds(configuration: Configuration | undefined): HistoryBounds {
  const number = (name: string): number => Number.parseInt(clusterOptionValue(configuration, name), 10) || 0
  const ageMs = parseDurationMs(clusterOptionValue(configuration, 'config-history-max-age')) ?? 0
  const bytes = number('config-history-max-size') * mebibyte
  return {
    versions: Math.max(1, number('config-history-max')),
    ...(ageMs > 0 ? { ageMs } : {}),
    ...(bytes > 0 ? { bytes } : {}),
  }
}

export interface KeptVersion {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly bytes: number
}

/** The oldest version that stays. `versions`: oldest first. */
export function oldestKept(versions: readonly KeptVersion[], bounds: HistoryBounds, nowMs: number): number {
  const last = versions.at(-1)?.version ?? 0
  let [kept, bytes] = [last, 0]
  for (const one of versions.toReversed()) {
    bytes += one.bytes
    const isOld = bounds.ageMs !== undefined && nowMs - Date.parse(one.time) > bounds.ageMs
    const isTooMuch = bounds.bytes !== undefined && bytes > bounds.bytes
    if (one.version !== last && (isOld || isTooMuch || last - one.version >= bounds.versions)) break
    kept = one.version
  }
  return kept
}

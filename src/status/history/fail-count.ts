/**
 * Fail counts (Pacemaker Explained, "Handling Resource Failure"): transient attributes `fail-count-RSC#OP_INTERVAL`, one for
 * each failed operation, which add up, with `last-failure-RSC#OP_INTERVAL` as the moment of the last one. Those without an
 * operation, which nodes wrote before Pacemaker 1.1.17, count for nothing any more. Once failure-timeout has passed since the
 * last failure they count as 0, unless a failure with on-fail=block is on record: that one is for the administrator to clear.
 */
import type { ResourceId } from '../../base/index.ts'
import { addScores, failuresIn, parseScore, type Score } from '../../cib/index.ts'
import type { FailCount } from '../cluster-status.ts'

interface Recorded {
  readonly count: Score
  readonly lastFailure: number
}

/** The fail counts of one node by the resource's name in the history, and by that name without an instance number. */
export interface FailCountIndex {
  readonly byName: ReadonlyMap<string, Recorded>
  readonly byBaseName: ReadonlyMap<string, Recorded>
}

const none: Recorded = { count: 0, lastFailure: 0 }

export function indexFailCounts(attributes: ReadonlyMap<string, string>): FailCountIndex {
  const byName = new Map<string, Recorded>()
  const byBaseName = new Map<string, Recorded>()
  const add = (map: Map<string, Recorded>, name: string, more: Recorded): void => {
    const { count, lastFailure } = map.get(name) ?? none
    map.set(name, {
      count: addScores(count, more.count),
      lastFailure: Math.max(lastFailure, more.lastFailure),
    })
  }
  for (const [attribute, value] of attributes) {
    const failures = failuresIn(attribute)
    if (failures === undefined || failures.operation === '') continue
    const { what, resource: name } = failures
    const recorded =
      what === 'fail-count'
        ? { count: parseScore(value) ?? 0, lastFailure: 0 }
        : { count: 0, lastFailure: Number.parseInt(value, 10) || 0 }
    add(byName, name, recorded)
    add(byBaseName, withoutNumber(name), recorded)
  }
  return { byName, byBaseName }
}

/** Asked of every recorded resource, few of which have a number. */
export const withoutNumber = (name: string): string => (name.includes(':') ? name.replace(/:\d+$/, '') : name)

/** `numberMatters`: it is no instance of an anonymous clone, whose counts are shared by all numbers. */
export function failCountOf(
  index: FailCountIndex,
  resource: { readonly id: ResourceId; readonly configuredId: ResourceId; readonly numberMatters: boolean },
  expiry: {
    readonly failureTimeoutMs: number | undefined
    readonly now: number
    /** A failure with on-fail=block is on record. */
    readonly isBlocked: () => boolean
  },
): FailCount | undefined {
  const recorded = resource.numberMatters
    ? index.byName.get(resource.id)
    : index.byBaseName.get(withoutNumber(resource.configuredId))
  if (recorded === undefined || recorded.count === 0) return undefined
  const { count: own, lastFailure } = recorded
  const timeoutMs = expiry.failureTimeoutMs
  if (lastFailure === 0) return { count: own, own, expired: false }
  if (timeoutMs === undefined || expiry.isBlocked()) return { count: own, own, expired: false, lastFailure }
  const expiresAt = lastFailure + Math.ceil(timeoutMs / 1000) + 1
  const expired = expiry.now >= expiresAt
  return { count: expired ? 0 : own, own, expired, lastFailure, expiresAt }
}

/** What failed in the same way on several nodes, as one. */
import { compareText, type NodeName } from '../base/index.ts'
import type { FailedOperation } from './cluster-status.ts'

export interface FailuresAlike {
  readonly first: FailedOperation
  /** By name. */
  readonly nodes: readonly NodeName[]
  /** When it failed so last: seconds since the epoch. */
  readonly last?: number
}

export function failuresAlike(failures: readonly FailedOperation[]): readonly FailuresAlike[] {
  const groups = new Map<string, FailedOperation[]>()
  for (const failure of failures) {
    const { resource, operation, intervalMs, status, exitCode, exitReason } = failure
    const key = JSON.stringify([resource, operation, intervalMs, status, exitCode, exitReason])
    groups.set(key, [...(groups.get(key) ?? []), failure])
  }
  return [...groups.values()].flatMap(([first, ...others]): readonly FailuresAlike[] => {
    if (first === undefined) return []
    const all = [first, ...others]
    const times = all.flatMap(({ lastChange }) => lastChange ?? [])
    const nodes = [...new Set(all.map(({ node }) => node))].toSorted(compareText)
    return [{ first, nodes, ...(times.length === 0 ? {} : { last: Math.max(...times) }) }]
  })
}

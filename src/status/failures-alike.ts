/** What failed in the same way on several nodes, as one: also of several instances of a clone, whose numbers say nothing then. */
import { compareText, type NodeName, type ResourceId } from '../base/index.ts'
import type { FailedOperation } from './cluster-status.ts'

export interface FailuresAlike {
  readonly first: FailedOperation
  /** The instance where only one failed so, else the resource. */
  readonly resource: ResourceId
  /** By name. */
  readonly nodes: readonly NodeName[]
  /** When it failed so last: seconds since the epoch. */
  readonly last?: number
}

export function failuresAlike(failures: readonly FailedOperation[]): readonly FailuresAlike[] {
  const groups = new Map<string, FailedOperation[]>()
  for (const failure of failures) {
    const { configuredResource, operation, intervalMs, status, exitCode, exitReason } = failure
    const key = JSON.stringify([configuredResource, operation, intervalMs, status, exitCode, exitReason])
    groups.set(key, [...(groups.get(key) ?? []), failure])
  }
  return [...groups.values()].flatMap(([first, ...others]): readonly FailuresAlike[] => {
    if (first === undefined) return []
    const all = [first, ...others]
    const times = all.flatMap(({ lastChange }) => lastChange ?? [])
    const nodes = [...new Set(all.map(({ node }) => node))].toSorted(compareText)
    const resource = all.every((other) => other.resource === first.resource) ? first.resource : first.configuredResource
    return [{ first, resource, nodes, ...(times.length === 0 ? {} : { last: Math.max(...times) }) }]
  })
}

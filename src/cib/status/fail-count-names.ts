/**
 * The names under which failures are counted: transient attributes `fail-count-<resource>#<operation>_<interval ms>`, and `last-failure-…`
 * with the seconds since the epoch (Pacemaker Explained, "Handling Resource Failure").
 */

export interface FailingOperation {
  readonly resource: string
  readonly operation: string
  readonly intervalMs: number
}

export interface CountedFailure extends FailingOperation {
  readonly what: 'fail-count' | 'last-failure'
}

export function failCountName({ resource, operation, intervalMs }: FailingOperation): string {
  return `fail-count-${resource}#${operation}_${intervalMs}`
}

export function lastFailureName({ resource, operation, intervalMs }: FailingOperation): string {
  return `last-failure-${resource}#${operation}_${intervalMs}`
}

/** How the names begin under which all failures of a resource are counted. */
export function failureNamesOf(resource: string): readonly [string, string] {
  return [`fail-count-${resource}#`, `last-failure-${resource}#`]
}

/**
 * What an attribute's name counts, or undefined where it counts nothing. Names that nodes wrote before Pacemaker 1.1.17 carry no operation:
 * it is empty then.
 */
export function failuresIn(name: string): CountedFailure | undefined {
  // Asked of every attribute of every node.
  if (!name.startsWith('fail-count-') && !name.startsWith('last-failure-')) return undefined
  const match = /^(fail-count|last-failure)-(.+?)(?:#([^#]+)_(\d+))?$/.exec(name)
  if (match === null) return undefined
  return {
    what: match[1] === 'fail-count' ? 'fail-count' : 'last-failure',
    resource: match[2] ?? '',
    operation: match[3] ?? '',
    intervalMs: Number(match[4] ?? '0'),
  }
}

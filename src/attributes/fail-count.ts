/** How failures are counted, and forgotten (Pacemaker Explained, "Handling Resource Failure"). A count that is INFINITY stays so until it is cleared. */
import type { NodeName, ResourceId } from '../base/index.ts'
import {
  addScores,
  failCountName,
  failuresIn,
  formatScore,
  lastFailureName,
  parseScore,
  type TransientAttributeRecord,
} from '../cib/index.ts'

export interface FailureOf {
  readonly node: NodeName
  readonly resource: ResourceId
  readonly operation: string
  readonly intervalMs: number
  readonly by: 'one' | 'infinity'
  /** Seconds since the epoch. */
  readonly at: number
}

export type AttributeEdit =
  | { readonly kind: 'put-attribute'; readonly node: NodeName; readonly name: string; readonly value: string }
  | { readonly kind: 'delete-attribute'; readonly node: NodeName; readonly set: string; readonly name: string }

/** Two failures of one operation in one batch count as two. */
export function failureEdits(
  attributes: Iterable<TransientAttributeRecord>,
  failures: readonly FailureOf[],
): readonly AttributeEdit[] {
  const counts = new Map<string, string>()
  for (const { node, name, value } of attributes) counts.set(`${node} ${name}`, value)
  const edits = new Map<string, AttributeEdit>()
  for (const failure of failures) {
    const { node } = failure
    const name = failCountName(failure)
    const before = parseScore(counts.get(`${node} ${name}`) ?? '0') ?? 0
    const value = failure.by === 'infinity' ? 'INFINITY' : formatScore(addScores(before, 1))
    counts.set(`${node} ${name}`, value)
    const since = lastFailureName(failure)
    edits.set(`${node} ${name}`, { kind: 'put-attribute', node, name, value })
    edits.set(`${node} ${since}`, { kind: 'put-attribute', node, name: since, value: String(failure.at) })
  }
  return [...edits.values()]
}

/** Of all operations where none is named, as `clear_failcount` and `resource cleanup` want it. */
export function clearFailureEdits(
  attributes: Iterable<TransientAttributeRecord>,
  of: {
    readonly resource: ResourceId
    readonly node?: NodeName
    readonly operation?: string
    readonly intervalMs?: number
  },
): readonly AttributeEdit[] {
  const edits: AttributeEdit[] = []
  for (const { node, set, name } of attributes) {
    const counted = failuresIn(name)
    if (counted === undefined || counted.resource !== of.resource) continue
    if (of.node !== undefined && of.node !== node) continue
    if (of.operation !== undefined && of.operation !== counted.operation) continue
    if (of.intervalMs !== undefined && of.intervalMs !== counted.intervalMs) continue
    edits.push({ kind: 'delete-attribute', node, set, name })
  }
  return edits
}

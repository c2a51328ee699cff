/** What one core says in the words of the next. */
import type { MonotonicMs, NodeName } from '../../src/base/index.ts'
import { keys, type Observation, type ReplicatedConfiguration } from '../../src/controller/index.ts'
import type { QuorumInput } from '../../src/quorum/index.ts'
import type { SimEntry } from './store.ts'

export function answerToKeepAlive(
  lease: string,
  ttlMs: number | 'lost' | undefined,
  askedAt: MonotonicMs,
): QuorumInput {
  if (ttlMs === undefined) return { kind: 'no-answer' }
  return ttlMs === 'lost' ? { kind: 'lost', lease } : { kind: 'confirmed', lease, ttlMs, askedAt }
}

export function observationOf(entry: SimEntry): Observation {
  const { key, value, createRevision, lease } = entry
  const shared = { kind: 'put', key, createRevision, ...(lease === undefined ? {} : { lease }) } as const
  if (key !== keys.configuration) return { ...shared, value }
  return { ...shared, value: undefined, configuration: value as ReplicatedConfiguration }
}

export function describeGraph(graph: {
  readonly actions: readonly { readonly kind: string; readonly key: string; readonly node?: NodeName }[]
}): string {
  const real = graph.actions.filter(({ kind }) => kind !== 'pseudo').map(({ key, node }) => `${key}@${node ?? '?'}`)
  return real.length === 0 ? 'nothing to do' : real.join(', ')
}

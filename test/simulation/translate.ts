/** What one core says in the words of the next. */
import type { MonotonicMs, NodeName, ResourceId } from '../../src/base/index.ts'
import { parseTransitionKey } from '../../src/cib/index.ts'
import {
  type ControllerEffect,
  keys,
  type Observation,
  type ReplicatedConfiguration,
} from '../../src/controller/index.ts'
import { type ExecutorInput, operationOfAction } from '../../src/executor/index.ts'
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

export function inputOf(command: Extract<ControllerEffect, { kind: 'execute' }>): ExecutorInput {
  const { action, term, plannedFrom, transitionKey, timeoutMs } = command
  const resource = action.resource as ResourceId
  if (action.operation === 'cancel') {
    const operation = action.attributes.CRM_meta_operation ?? 'monitor'
    const intervalMs = Number(action.attributes.CRM_meta_interval ?? '0')
    return { kind: 'cancel', term, resource, operation, intervalMs }
  }
  if (action.kind === 'cluster' || action.operation === 'lrm_delete' || action.operation === 'delete')
    return { kind: 'forget', term, resource }
  const key = parseTransitionKey(transitionKey)
  if (key === undefined) throw new Error(`no transition key: ${transitionKey}`)
  return { kind: 'execute', operation: operationOfAction(action, { key, term, plannedFrom, timeoutMs }) }
}

export function observationOf(entry: SimEntry): Observation {
  const { key, value, createRevision, lease } = entry
  const shared = { kind: 'put', key, createRevision, ...(lease === undefined ? {} : { lease }) } as const
  if (key !== keys.configuration) return { ...shared, value }
  return { ...shared, value: undefined, configuration: value as ReplicatedConfiguration }
}

export function timeoutOf(action: { readonly attributes: Readonly<Record<string, string>> }): number {
  return Number(action.attributes.CRM_meta_timeout ?? '20000') || 20_000
}

export function describeGraph(graph: {
  readonly actions: readonly { readonly kind: string; readonly key: string; readonly node?: NodeName }[]
}): string {
  const real = graph.actions.filter(({ kind }) => kind !== 'pseudo').map(({ key, node }) => `${key}@${node ?? '?'}`)
  return real.length === 0 ? 'nothing to do' : real.join(', ')
}

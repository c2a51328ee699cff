/**
 * Plays a transition graph as the controller would walk it, but nothing is executed: every operation ends as the graph
 * expects it to, unless it is told to fail. What cannot be reached any more is left out. A failure ends the transition, for the
 * cluster would make a new one: after it only what touches nothing, and what a transition always finishes, is done.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { GraphAction, TransitionGraph } from '../../transition/index.ts'
import type { OperationSpec } from './operation-spec.ts'

export interface PlayedAction {
  readonly action: GraphAction
  readonly exitCode: number
  readonly failed: boolean
}

/** In the order of execution. Passes over the graph repeat until none finds an action that is ready. */
export function playGraph(graph: TransitionGraph, failures: readonly OperationSpec[] = []): readonly PlayedAction[] {
  const done = new Set<number>()
  const failed = new Set<number>()
  const played: PlayedAction[] = []
  let waiting: readonly GraphAction[] = graph.actions
  for (;;) {
    const left: GraphAction[] = []
    for (const action of waiting) {
      const isFinished = action.priority >= INFINITY_SCORE
      const isLeftOut = failed.size > 0 && action.kind !== 'pseudo' && !isFinished
      // What a transition always finishes, such as telling that all instances are stopped, minds no failure.
      if (isLeftOut || !action.inputs.every((id) => done.has(id) || (isFinished && failed.has(id)))) {
        left.push(action)
        continue
      }
      const result = resultOf(action, failures)
      played.push(result)
      if (result.failed) failed.add(action.id)
      else done.add(action.id)
    }
    if (left.length === waiting.length) return played
    waiting = left
  }
}

function resultOf(action: GraphAction, failures: readonly OperationSpec[]): PlayedAction {
  if (action.kind !== 'resource') return { action, exitCode: 0, failed: false }
  const expected = action.expectedExitCode ?? 0
  const { resource, longId, operation, intervalMs, node } = action
  const failure = failures.find(
    (spec) =>
      spec.node === node &&
      spec.operation === operation &&
      spec.intervalMs === intervalMs &&
      (spec.resource === resource || spec.resource === longId),
  )
  return failure
    ? { action, exitCode: failure.exitCode, failed: failure.exitCode !== expected }
    : { action, exitCode: expected, failed: false }
}

/** One line, as `crm_simulate` tells it. `knownNames` are the names by which the status knows primitives. */
export function describePlayed({ action }: PlayedAction, knownNames: ReadonlySet<string>): string {
  const { operation, node } = action
  switch (action.kind) {
    case 'pseudo':
      return `Pseudo action:   ${action.key}${operation === 'stonith' ? ` on ${node}` : ''}`
    case 'cluster':
      if (operation === 'stonith') return `Fencing ${node} (${action.attributes.CRM_meta_stonith_action})`
      return `Cluster action:  ${operation}${action.resource === undefined ? '' : ` for ${action.resource}`} on ${node}`
    case 'resource': {
      const { intervalMs } = action
      const interval = intervalMs > 0 && operation !== 'delete' ? `=${intervalMs}` : ''
      return `Resource action: ${playedName(action, knownNames).padEnd(15)} ${operation}${interval} on ${node}`
    }
  }
}

/** An instance of a clone goes by the name under which the status knows it. */
export function playedName(
  { resource, longId }: Extract<GraphAction, { readonly kind: 'resource' }>,
  knownNames: ReadonlySet<string>,
): string {
  return knownNames.has(resource) || longId === undefined || !knownNames.has(longId) ? resource : longId
}

export function namesKnownTo({ primitivesById }: ClusterStatus): ReadonlySet<string> {
  return new Set(
    [...primitivesById.values()].flatMap(({ id, state }) =>
      state.historyName === undefined ? [id] : [id, state.historyName],
    ),
  )
}

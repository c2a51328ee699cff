/** A transition becomes a walk: what its failures are compared with, and which deletions it will see without surprise. */
import { nodeName, type ResourceId } from '../base/index.ts'
import { failureNamesOf } from '../cib/index.ts'
import type { GraphAction, TransitionGraph } from '../transition/index.ts'
import { keys } from './keys.ts'
import { type ControllerState, withDcState } from './state.ts'
import type { ClusterView } from './view.ts'
import { startWalk } from './walk.ts'

export function beginWalk(state: ControllerState, graph: TransitionGraph, now: number): ControllerState {
  const number = state.lastTransition + 1
  const next = { ...state, lastTransition: number }
  const plannedFrom = state.dcState?.computingRevision ?? 0
  const clears = graph.actions.filter(({ operation }) => operation === 'clear_failcount')
  return withDcState(next, {
    walks: [
      ...(next.dcState?.walks ?? []),
      startWalk(graph, {
        number,
        beganAt: now,
        plannedFrom,
        lastFailure: (action) => lastFailure(state.view, action),
        deletions: graph.actions.flatMap(deletionsOf),
        clearsFailures: clears.some((action) => hasAny(state.view, deletionsOf(action))),
      }),
    ],
  })
}

function lastFailure(view: ClusterView, action: GraphAction): number | undefined {
  if (action.kind !== 'resource') return undefined
  const record = view.operations.get(keys.lastFailure(action.node, action.resource))
  return record && (Number(record.attributes['last-rc-change']) || 1)
}

function hasAny({ operations, attributes }: ClusterView, prefixes: readonly string[]): boolean {
  return [...operations.keys(), ...attributes.keys()].some((key) => prefixes.some((prefix) => key.startsWith(prefix)))
}

/** Which keys the actions of the graph delete, or the nodes that carry them out: their going is no news. */
function deletionsOf(action: GraphAction): readonly string[] {
  const { node } = action
  if (node === undefined) return []
  if (action.operation === 'stonith') return [keys.historyOfNode(node), keys.attributesOfNode(node)]
  if (action.kind === 'pseudo') return []
  const resource: ResourceId | undefined = action.resource
  if (resource === undefined) return []
  if (action.operation === 'clear_failcount')
    return [...failureNamesOf(resource).map((name) => keys.attribute(node, '', name)), keys.lastFailure(node, resource)]
  const target = action.attributes.CRM_meta_migrate_target
  if (action.operation === 'migrate_to' && target !== undefined) return [keys.arrival(nodeName(target), resource)]
  return ['lrm_delete', 'delete', 'cancel'].includes(action.operation) ? [keys.historyOfResource(node, resource)] : []
}

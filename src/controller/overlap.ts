/**
 * What a new transition may be computed beside: an aborted walk whose slow operations are still under way. A start that takes a
 * minute then holds up nobody's fencing and recovery but that of its own resource ([ADR 24](../../docs/adr/0024-beside-slow-operations.md)).
 *
 * An operation is left to itself once it has been under way for `overlapAfterMs`, if the scheduler knows of it: its pending record shows
 * a start, and a monitor is planned again as long as it has no result. Stops and demotions are waited for, since nothing is recorded
 * of them before their result; promotions, since a pending one counts as promoted already, which others may wait for; so are
 * notifications, fencing and whatever goes on in a remote node or a container. Until it ends, nothing else is done to its resource,
 * nor to the group, clone or bundle which that is part of, and nothing that an order with `kind=Serialize` keeps apart from it.
 */
import type { GraphAction } from '../transition/index.ts'
import { keys } from './keys.ts'
import { outermostResources } from './outermost.ts'
import { transitionKeyOf } from './results.ts'
import { serializedWith } from './serialized.ts'
import type { ControllerState } from './state.ts'
import type { ClusterView } from './view.ts'
import { actionsUnderWay, isStalled, type Walk } from './walk.ts'

/** Nothing in the walks stands against computing the next transition. */
export function mayOverlapWalks(state: ControllerState, now: number): boolean {
  const { dcState, view } = state
  if (dcState === undefined) return false
  if (dcState.walks.length === 0) return true
  return dcState.walks.every(
    (walk) =>
      isStalled(walk) &&
      [...walk.underWay.values()].every(({ sentAt }) => now - sentAt >= state.timings.overlapAfterMs) &&
      actionsUnderWay(walk).every((action) => isKnownToScheduler(view, action, { walk, term: dcState.term })),
  )
}

/** When the last operation that began has been under way for long enough, for each aborted walk. */
export function overlapTimes({ dcState, timings }: ControllerState): readonly number[] {
  const aborted = dcState?.walks.filter((walk) => walk.aborted !== undefined) ?? []
  return aborted.flatMap((walk) => [...walk.underWay.values()].map(({ sentAt }) => sentAt + timings.overlapAfterMs))
}

/** Whether an action of this walk concerns a resource with which another walk is not done, or is kept apart from what that does. */
export function heldByOtherWalk(state: ControllerState, walk: Walk): (action: GraphAction) => boolean {
  const busy = state.dcState?.walks.filter((other) => other !== walk).flatMap(actionsUnderWay) ?? []
  if (busy.length === 0) return () => false
  const configuration = state.view.configuration?.typed
  const outermostOf = outermostResources(configuration)
  const held = new Set(busy.map(({ resource = '' }) => outermostOf(resource)))
  const isSerialized = serializedWith(busy, { configuration, outermostOf })
  return (action) => action.resource !== undefined && (held.has(outermostOf(action.resource)) || isSerialized(action))
}

function isKnownToScheduler(
  view: ClusterView,
  action: GraphAction,
  { walk, term }: { readonly walk: Walk; readonly term: number },
): boolean {
  if (action.kind !== 'resource' || action.routerNode !== undefined) return false
  if (action.operation === 'monitor') return true
  if (action.operation !== 'start') return false
  const record = view.operations.get(keys.history(action.node, action.resource, `${action.resource}_last_0`))
  return record?.attributes['transition-key'] === transitionKeyOf(action, walk.number, term)
}

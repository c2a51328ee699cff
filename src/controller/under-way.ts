/** What has been sent and has no result yet, in all walks. */
import type { NodeName, ResourceId } from '../base/index.ts'
import type { GraphAction } from '../transition/index.ts'
import { type ControllerState, walkOf, withWalk } from './state.ts'
import { executingNode, isFencing, markEnded, type UnderWay, type Walk, type WalkedAction } from './walk.ts'

export function underWayIn(
  state: ControllerState,
): readonly { readonly walk: Walk; readonly action: GraphAction; readonly underWay: UnderWay }[] {
  return (state.dcState?.walks ?? []).flatMap((walk) =>
    [...walk.underWay].flatMap(([id, underWay]) => {
      const action = walk.byId.get(id)
      return action === undefined ? [] : [{ walk, action, underWay }]
    }),
  )
}

/** Actions under way on a node that is gone have no result any more; one that shut it down has done its work. */
export function failActionsOn(state: ControllerState, node: NodeName): ControllerState {
  let next = state
  for (const { walk, action } of underWayIn(state)) {
    if (action.kind === 'pseudo' || isFencing(action)) continue
    if (executingNode(action) !== node && action.node !== node) continue
    const of = { transition: walk.number, action: action.id }
    next = endAction(next, of, action.operation === 'do_shutdown' ? 'succeeded' : 'failed')
  }
  return next
}

/** Sends what is under way on a node again, at once: it knows what it has done, and what it is about to do. */
export function remindOf(
  state: ControllerState,
  of: { readonly node: NodeName; readonly resource?: ResourceId },
  now: number,
): ControllerState {
  let next = state
  for (const { walk, action } of underWayIn(state)) {
    if (action.kind === 'pseudo' || isFencing(action) || executingNode(action) !== of.node) continue
    if (of.resource === undefined || action.resource === of.resource)
      next = resendAt(next, { transition: walk.number, action: action.id }, now)
  }
  return next
}

export function resendAt(state: ControllerState, { transition, action }: WalkedAction, at: number): ControllerState {
  const walk = walkOf(state, transition)
  const underWay = walk?.underWay.get(action)
  if (walk === undefined || underWay === undefined) return state
  const { unreached: _before, ...asked } = underWay
  return withWalk(state, { ...walk, underWay: new Map(walk.underWay).set(action, { ...asked, resendAt: at }) })
}

export function endAction(
  state: ControllerState,
  { transition, action }: WalkedAction,
  outcome: 'succeeded' | 'failed',
): ControllerState {
  const walk = walkOf(state, transition)
  return walk === undefined ? state : withWalk(state, markEnded(walk, action, outcome))
}

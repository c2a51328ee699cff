/** Which instances of a notified clone are told of a change, on which nodes, before it and after it. */
import type { NodeStatus } from '../../../status/index.ts'
import { type ActionIndex, type ActionState, type Findable, findAction, operationKey } from '../draft/action.ts'
import type { Change } from '../draft/boundary.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { activeNodes, type Setting, targetOf } from '../draft/setting.ts'

export interface NotifiedInstance {
  readonly node: NodeStatus
  readonly hears: { readonly pre: boolean; readonly post: boolean }
}

interface Told<Action> {
  readonly change: Change
  readonly isUnclean: (node: NodeStatus) => boolean
  readonly stateOf: (action: Action) => Readonly<Pick<ActionState, 'optional' | 'runnable' | 'pseudo'>>
}

export function notifiedInstances<Action extends Findable>(
  index: Setting & ActionIndex<Action>,
  rsc: PlannedPrimitive,
  { change, isUnclean, stateOf }: Told<Action>,
): readonly NotifiedInstance[] {
  if (change === 'start' || change === 'promote') {
    const start = findAction(index, rsc, { key: operationKey(rsc.id, 'start') })
    return listenerUp(index, rsc, { change, start: start && stateOf(start) })
  }
  if (rsc.role === 'Stopped') return []
  return activeNodes(index, rsc).flatMap((node) => {
    const stop = findAction(index, rsc, { key: operationKey(rsc.id, 'stop'), node })
    // A node that is being fenced hears nothing.
    const state = stop && stateOf(stop)
    if (state?.pseudo && (isUnclean(node) || node.requiresReset)) return []
    // What stops is not there any more to hear of it.
    return [{ node, hears: { pre: true, post: change === 'demote' || !state || state.optional } }]
  })
}

interface Rise {
  readonly change: 'start' | 'promote'
  readonly start: Readonly<Pick<ActionState, 'optional' | 'runnable'>> | undefined
}

function listenerUp(setting: Setting, rsc: PlannedPrimitive, { change, start }: Rise): readonly NotifiedInstance[] {
  const target = targetOf(setting, rsc)
  if (!target || setting.destinationOf(rsc).nextRole === 'Stopped') return []
  const isStarting = start !== undefined && !start.optional
  // One that cannot start is not going to be there.
  if (isStarting && !start.runnable) return []
  return [{ node: target, hears: { pre: change === 'promote' || !isStarting, post: true } }]
}

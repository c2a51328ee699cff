/** Which instances of a notified clone are told of a change, on which nodes, before it and after it. */
import type { NodeStatus } from '../../../status/index.ts'
import { type ActionIndex, type ActionState, type Findable, findAction, operationKey } from '../draft/action.ts'
import type { Change } from '../draft/boundary.ts'
import { activeNodes, type Setting, targetOf } from '../draft/setting.ts'
import type { PrimitiveUnit } from '../draft/unit.ts'

export interface Listener {
  readonly node: NodeStatus
  readonly hears: { readonly pre: boolean; readonly post: boolean }
}

interface Told<Action> {
  readonly change: Change
  readonly isUnclean: (node: NodeStatus) => boolean
  readonly stateOf: (action: Action) => Readonly<Pick<ActionState, 'optional' | 'runnable' | 'pseudo'>>
}

export function listeners<Action extends Findable>(
  index: Setting & ActionIndex<Action>,
  unit: PrimitiveUnit,
  { change, isUnclean, stateOf }: Told<Action>,
): readonly Listener[] {
  if (change === 'start' || change === 'promote') {
    const start = findAction(index, unit, { key: operationKey(unit.id, 'start') })
    return listenerUp(index, unit, { change, start: start && stateOf(start) })
  }
  if (unit.role === 'Stopped') return []
  return activeNodes(index, unit).flatMap((node) => {
    const stop = findAction(index, unit, { key: operationKey(unit.id, 'stop'), node })
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

function listenerUp(setting: Setting, unit: PrimitiveUnit, { change, start }: Rise): readonly Listener[] {
  const target = targetOf(setting, unit)
  if (!target || setting.destinationOf(unit).nextRole === 'Stopped') return []
  const isStarting = start !== undefined && !start.optional
  // One that cannot start is not going to be there.
  if (isStarting && !start.runnable) return []
  return [{ node: target, hears: { pre: change === 'promote' || !isStarting, post: true } }]
}

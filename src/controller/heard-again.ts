/**
 * What is asked of fence devices and not wanted any more.
 *
 * Nodes that are to be fenced because they were lost, and are here again before their device was told anything: a delay of the device gives them
 * the time. The fencing is taken back, and they are integrated as after any loss of sight. What was told to a device goes on.
 */
import { isUnclean } from './node-states.ts'
import { type ControllerState, forEach, type Turn, turn, withDcState, withoutDcState } from './state.ts'

/**
 * Without quorum, or no DC any more, this node decides nothing, and cannot take anything back later: what no device was told yet it gives up now. Whoever leads
 * next finds out for itself who must be fenced.
 */
export function endTerm(state: ControllerState): Turn {
  const open = [...(state.dcState?.fencing ?? [])].flatMap(([node, { id, withdrawn }]) =>
    id === undefined || withdrawn === true ? [] : [{ kind: 'withdraw-fencing', id, node } as const],
  )
  return turn(withoutDcState(state), ...open)
}

export function withdrawWhoIsBack(state: ControllerState): Turn {
  const { dcState, view, silent, agreed } = state
  const back = [...(dcState?.fencing ?? [])].flatMap(([node, { id, withdrawn }]) => {
    const isHere = view.members.has(node) && !silent.has(node) && !agreed.has(node) && !dcState?.unresponsive.has(node)
    const wasLost = isUnclean(view.nodeStates.get(node))
    return id === undefined || withdrawn === true || !isHere || !wasLost ? [] : [{ node, id }]
  })
  return forEach(state, back, (next, { node, id }) => {
    const attempts = next.dcState?.fencing.get(node)
    if (attempts === undefined) return turn(next)
    const fencing = new Map(next.dcState?.fencing).set(node, { ...attempts, withdrawn: true })
    return turn(withDcState(next, { fencing }), { kind: 'withdraw-fencing', id, node })
  })
}

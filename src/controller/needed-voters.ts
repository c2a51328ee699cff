/**
 * Nodes that are to be fenced and without which the store would have no majority. Nothing could be recovered then, not even the result of the
 * fencing could be recorded, and what runs here would stop as well. So the DC waits for a while: for the node itself, which may be coming back,
 * or for another one that makes the majority. It does not wait for ever: a reboot may be what the node needs.
 */
import type { NodeName } from '../base/index.ts'
import type { GraphAction } from '../transition/index.ts'
import { clusterNodes } from './node-states.ts'
import { fencingActionOf } from './send.ts'
import { type ControllerState, withDcState } from './state.ts'
import { actionsToCome, isFencing } from './walk.ts'

/** A machine has booted and joined in that time. */
export const neededVoterPatienceMs = 60_000

/** Since when each of them is waited for. */
export function noteNeededVoters(state: ControllerState, now: number): ControllerState {
  const { dcState } = state
  if (dcState === undefined) return state
  const wanted = dcState.walks
    .flatMap(actionsToCome)
    .flatMap((action) =>
      isLoss(action) && action.node !== undefined && isNeeded(state, action.node) ? [action.node] : [],
    )
  if (wanted.length === 0 && dcState.neededVoters.size === 0) return state
  // A transition is computed anew for every change: until then nobody knows whether the next one wants the same.
  const isOpen =
    dcState.lookAgain !== undefined || dcState.computing !== undefined || dcState.walks.some(({ aborted }) => aborted)
  const kept = [...dcState.neededVoters].filter(([node]) => wanted.includes(node) || (isOpen && isNeeded(state, node)))
  const neededVoters = new Map([...wanted.map((node) => [node, now] as const), ...kept])
  return withDcState(state, { neededVoters })
}

export function mustWaitForVoter({ dcState }: ControllerState, node: NodeName, now: number): boolean {
  const since = dcState?.neededVoters.get(node)
  return since !== undefined && now - since < neededVoterPatienceMs
}

/** When the waiting ends. */
export const neededVoterTimes = ({ dcState }: ControllerState): readonly number[] =>
  [...(dcState?.neededVoters.values() ?? [])].map((since) => since + neededVoterPatienceMs)

/** For people. */
export function describeNeededVoters(state: ControllerState): readonly string[] {
  return [...(state.dcState?.neededVoters.keys() ?? [])].map(
    (node) => `${node} is to be fenced, but without it the store has no majority now: that waits for a minute`,
  )
}

/** Of two voters, the survivor goes on alone: of two nodes without a witness, and of more while only two have votes. */
export function goesOnWithout({ voters, otherVoter, view }: ControllerState, lost: NodeName): boolean {
  return voters === undefined ? clusterNodes(view).length <= 2 : otherVoter === lost
}

/** A fencing after which the node is off, for a while at least. */
export const isLoss = (action: GraphAction): boolean =>
  action.kind === 'cluster' && isFencing(action) && fencingActionOf(action) !== 'on'

/** Its device may have been told already, also where the fencing was withdrawn. */
export const isBeingFenced = ({ dcState }: ControllerState, node: NodeName): boolean =>
  dcState?.fencing.get(node)?.id !== undefined

/** The others are here as far as they are heard and not about to be off, and the witness as far as it answers. */
function isNeeded(state: ControllerState, node: NodeName): boolean {
  const { view, silent, agreed, self, uselessWitness } = state
  const nodes = clusterNodes(view)
  const voters = state.voters ?? nodes
  if (!voters.includes(node) || goesOnWithout(state, node)) return false
  const isHere = (voter: NodeName): boolean =>
    voter === self || (!silent.has(voter) && !agreed.has(voter) && !isBeingFenced(state, voter))
  const rest = voters.filter((voter) => voter !== node && voter !== uselessWitness && isHere(voter))
  return rest.length * 2 <= voters.length
}

/**
 * Nodes that owe a result: they took a command, are heard, and never told what came of it. Such a node cannot be relied on, and is fenced for it.
 * But the fault may as well be the command's, and then every node that takes it owes its result. So they are fenced one at a time, only while the
 * rest keeps quorum, not for what the DC owes itself, and not for the same again after that has not helped. What may not be fenced is told, and everything goes on that does not need the answer.
 */
import type { NodeName, ResourceId } from '../base/index.ts'
import { goesOnWithout, isBeingFenced } from './needed-voters.ts'
import { clusterNodes, isMember, isUnclean } from './node-states.ts'
import { type ControllerState, lookAgain, type OwedAnswer, withDcState } from './state.ts'
import { underWayIn } from './under-way.ts'
import { executingNode } from './walk.ts'

/** The next of them that may be fenced counts as lost from now on. */
export function loseWhoOwes(state: ControllerState, now: number): ControllerState {
  const current = withoutOutdated(withoutFormerLives(state))
  const { dcState } = current
  if (dcState === undefined || dcState.owing.size === 0) return current
  const chosen = [...dcState.owing].find(([node, owed]) => whyNotLost(current, node, owed) === undefined)
  if (chosen === undefined) return current
  const [node, owed] = chosen
  const incarnation = current.view.members.get(node)?.incarnation
  const unresponsive = new Map(dcState.unresponsive).set(node, { why: reasonOf(owed), incarnation })
  const fencedForAnswers = new Map(dcState.fencedForAnswers).set(node, owed)
  return lookAgain(
    withDcState(current, { unresponsive, fencedForAnswers }),
    `${node} owes the result of ${owed.what}`,
    now,
  )
}

function withoutFormerLives(state: ControllerState): ControllerState {
  const { dcState, view } = state
  const left = [...(dcState?.unresponsive ?? [])].filter(
    ([node, { incarnation }]) => incarnation !== undefined && view.members.get(node)?.incarnation === incarnation,
  )
  return left.length === (dcState?.unresponsive.size ?? 0) ? state : withDcState(state, { unresponsive: new Map(left) })
}

/** Whoever changes the configuration may have taken away what it hangs on: it is asked for anew where it is still wanted. */
function withoutOutdated(state: ControllerState): ControllerState {
  const version = state.view.configuration?.version ?? 0
  const owing = [...(state.dcState?.owing ?? [])].filter(([, owed]) => owed.version === version)
  return owing.length === (state.dcState?.owing.size ?? 0) ? state : withDcState(state, { owing: new Map(owing) })
}

const reasonOf = ({ unreached }: OwedAnswer): string =>
  unreached === undefined
    ? 'it accepted a command and never reported the result'
    : `it could not receive its command: ${unreached}`

/** Undefined: it may be fenced for it. */
function whyNotLost(state: ControllerState, node: NodeName, owed: OwedAnswer): string | undefined {
  const { dcState, self, view, options } = state
  if (dcState === undefined || node === self) return 'it is the DC itself'
  if (!options.fencingEnabled) return 'fencing is disabled'
  if (dcState.owing.has(self) || owesItselfStill(state, owed)) return 'the DC has not reported it either'
  const before = dcState.fencedForAnswers.get(node)
  if (before?.what === owed.what && before.version === owed.version && !dcState.unresponsive.has(node))
    return 'it was fenced for that before, and that has not helped'
  const another = clusterNodes(view).find(
    (other) =>
      other !== node &&
      (dcState.unresponsive.has(other) || isUnclean(view.nodeStates.get(other)) || isBeingFenced(state, other)),
  )
  if (another !== undefined) return `${another} is to be fenced first`
  return restHasQuorum(state, node) ? undefined : 'the rest would have no quorum'
}

/** The same is under way here: until it has ended nobody knows whose fault it is. */
function owesItselfStill(state: ControllerState, owed: OwedAnswer): boolean {
  return underWayIn(state).some(
    ({ action }) =>
      action.kind === 'resource' &&
      executingNode(action) === state.self &&
      action.operation === owed.operation &&
      action.resource === owed.resource,
  )
}

function restHasQuorum(state: ControllerState, without: NodeName): boolean {
  const { view, silent, agreed } = state
  const nodes = clusterNodes(view)
  if (goesOnWithout(state, without)) return true
  const voters = state.voters ?? nodes
  const rest = voters.filter(
    (node) =>
      node !== without &&
      view.members.has(node) &&
      isMember(view.nodeStates.get(node)) &&
      !silent.has(node) &&
      !agreed.has(node),
  )
  return rest.length * 2 > voters.length
}

/** It has told something of that resource: it owes nothing of it any more. */
export function hasTold(state: ControllerState, node: NodeName, resource: ResourceId | undefined): ControllerState {
  const owed = state.dcState?.owing.get(node)
  if (owed === undefined || owed.resource !== resource) return state
  return withoutOwing(state, node)
}

/** What was under way there has no result any more. */
export function withoutOwing(state: ControllerState, node: NodeName): ControllerState {
  if (state.dcState?.owing.has(node) !== true) return state
  const owing = new Map(state.dcState.owing)
  owing.delete(node)
  return withDcState(state, { owing })
}

/** For people: who owes what, and why it is not fenced. */
export function describeOwing(state: ControllerState): readonly string[] {
  return [...(state.dcState?.owing ?? [])].flatMap(([node, owed]) => {
    const why = whyNotLost(state, node, owed)
    if (why === undefined || state.dcState?.unresponsive.has(node) === true) return []
    const did = owed.unreached === undefined ? 'never reported the result of' : 'could not receive the command'
    const cause = owed.unreached === undefined ? '' : ` (${owed.unreached})`
    return [`${node} ${did} ${owed.what}${cause}; it is not fenced for that: ${why}`]
  })
}

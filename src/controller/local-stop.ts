/**
 * What a node does about its own resources when it has lost quorum, with nobody to ask: the scheduler's graph for its last
 * known CIB, with `have-quorum=0`, already obeys `no-quorum-policy`; of it this node carries out what concerns itself and
 * takes something down (stop, demote), in the graph's order. Actions of others are left out, and what was ordered through
 * them stays ordered. Nothing is ever started or promoted this way. With the policy `fence` the node ends itself.
 *
 * Contract at the edge: the stages go to the executor (`stop-locally`), whose results are kept and written once the store is
 * back. They are made when quorum is lost, from the view of that moment.
 */
import type { NodeName } from '../base/index.ts'
import type { ActionId, GraphAction, ResourceAction, TransitionGraph } from '../transition/index.ts'

export type NoQuorumReaction = 'follow-the-graph' | 'fence-self'

export function noQuorumReaction(policy: string): NoQuorumReaction {
  return policy === 'fence' || policy === 'suicide' ? 'fence-self' : 'follow-the-graph'
}

/**
 * Stops and demotes of one node, in stages: what is in one stage may go at the same time, what a later one has waits for it.
 * An order between two of them that leads through actions of others is kept.
 */
export function localStopStages(graph: TransitionGraph, self: NodeName): readonly (readonly ResourceAction[])[] {
  const byId = new Map(graph.actions.map((action) => [action.id, action]))
  let left = graph.actions.filter((action): action is ResourceAction => isLocalStop(action, self))
  const kept = new Set(left.map(({ id }) => id))
  const inputs = new Map(left.map((action) => [action.id, keptInputs(action, kept, byId)]))
  const stages: (readonly ResourceAction[])[] = []
  const staged = new Set<ActionId>()
  while (left.length > 0) {
    const free = left.filter(({ id }) => (inputs.get(id) ?? []).every((input) => staged.has(input)))
    // A loop would be a bug of the scheduler; here it must not keep anything running.
    const stage = free.length > 0 ? free : left
    stages.push(stage)
    for (const { id } of stage) staged.add(id)
    left = left.filter(({ id }) => !staged.has(id))
  }
  return stages
}

function isLocalStop(action: GraphAction, self: NodeName): boolean {
  if (action.kind !== 'resource' || action.node !== self) return false
  return action.operation === 'stop' || action.operation === 'demote'
}

function keptInputs(
  action: GraphAction,
  kept: ReadonlySet<ActionId>,
  byId: ReadonlyMap<ActionId, GraphAction>,
): readonly ActionId[] {
  const found = new Set<ActionId>()
  const seen = new Set<ActionId>()
  const open = [...action.inputs]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    if (kept.has(id)) found.add(id)
    else open.push(...(byId.get(id)?.inputs ?? []))
  }
  return [...found].sort((a, b) => a - b)
}

/**
 * A resource that can be started or promoted only with another one is not, when that other one turns out to be impossible
 * to start or promote: placement had counted on it.
 */
import { findAction, type PlannedAction } from '../draft/action.ts'
import { below, isReplicated, type PlannedResource, replicasOf, topOf } from '../draft/planned-resource.ts'
import type { Applying } from './applying.ts'

const INFINITY = 1_000_000

/** `look` applies the orderings of an action at once: what can be found out about it now may block more. */
type Look = (action: PlannedAction) => void

export function blockColocated(applying: Applying, action: PlannedAction, look: Look): void {
  const { rsc, task } = action
  if (!rsc || (task !== 'start' && task !== 'promote') || applying.stateOf(action).runnable) return
  const primary = topOf(rsc, { throughBundles: true })
  if (canReachRole(applying, primary, task)) return
  const { colocationsByPrimary, tree } = applying.draft
  for (const { dependent, dependentRole, primaryRole, score } of colocationsByPrimary.get(primary.id) ?? []) {
    if (score < INFINITY || (task === 'promote' && primaryRole !== 'Promoted')) continue
    const blocked = tree.byId.get(dependent)
    const blockedTask = dependentRole === 'Promoted' ? 'promote' : 'start'
    if (blocked) block(applying, { rsc: blocked, task: blockedTask, cause: rsc }, look)
  }
}

/** One part that can, or has no need to, is enough for what is colocated with the whole. */
function canReachRole(applying: Applying, primary: PlannedResource, task: string): boolean {
  return partsOf(primary).some((part) => {
    const action = findAction(applying.draft, part, { task })
    return !action || applying.stateOf(action).runnable
  })
}

const partsOf = (rsc: PlannedResource): readonly PlannedResource[] => (isReplicated(rsc) ? replicasOf(rsc) : below(rsc))

interface Blocked {
  readonly rsc: PlannedResource
  readonly task: string
  readonly cause: PlannedResource
}

function block(applying: Applying, { rsc, task, cause }: Blocked, look: Look): void {
  for (const action of applying.draft.withTask(rsc, task)) {
    const state = applying.stateOf(action)
    if (!state.runnable || action.task !== task) continue
    state.runnable = false
    if (state.reason === undefined) {
      state.reason = `colocation with ${cause.id}`
      state.cause = { kind: 'colocation', resource: cause.id }
    }
    blockColocated(applying, action, look)
    applying.lookAgain(action)
    look(action)
  }
  for (const part of below(rsc)) block(applying, { rsc: part, task, cause }, look)
}

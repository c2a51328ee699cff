/**
 * A resource that can be started or promoted only with another one is not, when that other one turns out to be impossible
 * to start or promote: placement had counted on it.
 */
import { findAction, type PlannedAction } from '../draft/action.ts'
import { below, isReplicated, replicasOf, topOf, type Unit } from '../draft/unit.ts'
import type { Settling } from './settling.ts'

const INFINITY = 1_000_000

/** `look` settles an action at once: what can be found out about it now may block more. */
type Look = (action: PlannedAction) => void

export function blockColocated(settling: Settling, action: PlannedAction, look: Look): void {
  const { unit, task } = action
  if (!unit || (task !== 'start' && task !== 'promote') || settling.stateOf(action).runnable) return
  const primary = topOf(unit, { throughBundles: true })
  if (canReachRole(settling, primary, task)) return
  const { colocationsByPrimary, tree } = settling.draft
  for (const { dependent, dependentRole, primaryRole, score } of colocationsByPrimary.get(primary.id) ?? []) {
    if (score < INFINITY || (task === 'promote' && primaryRole !== 'Promoted')) continue
    const blocked = tree.byId.get(dependent)
    const blockedTask = dependentRole === 'Promoted' ? 'promote' : 'start'
    if (blocked) block(settling, { unit: blocked, task: blockedTask, cause: unit }, look)
  }
}

/** One part that can, or has no need to, is enough for what is colocated with the whole. */
function canReachRole(settling: Settling, primary: Unit, task: string): boolean {
  return partsOf(primary).some((part) => {
    const action = findAction(settling.draft, part, { task })
    return !action || settling.stateOf(action).runnable
  })
}

const partsOf = (unit: Unit): readonly Unit[] => (isReplicated(unit) ? replicasOf(unit) : below(unit))

interface Blocked {
  readonly unit: Unit
  readonly task: string
  readonly cause: Unit
}

function block(settling: Settling, { unit, task, cause }: Blocked, look: Look): void {
  for (const action of settling.draft.withTask(unit, task)) {
    const state = settling.stateOf(action)
    if (!state.runnable || action.task !== task) continue
    state.runnable = false
    if (state.reason === undefined) {
      state.reason = `colocation with ${cause.id}`
      state.cause = { kind: 'colocation', resource: cause.id }
    }
    blockColocated(settling, action, look)
    settling.lookAgain(action)
    look(action)
  }
  for (const part of below(unit)) block(settling, { unit: part, task, cause }, look)
}

/**
 * A resource that can be started or promoted only with another one is not, when that other one turns out to be impossible
 * to start or promote: placement had counted on it.
 */
import { operationKey, type PlannedAction } from './action.ts'
import type { Plan } from './plan.ts'
import type { Settling } from './settling.ts'
import { below, type Unit } from './unit.ts'

const INFINITY = 1_000_000

export function blockColocated(settling: Settling, action: PlannedAction): void {
  const { unit, task } = action
  if (!unit || action.runnable || (task !== 'start' && task !== 'promote')) return
  // What is colocated with a group is so with all of its members.
  for (const primary of unit.parent?.kind === 'group' ? [unit, unit.parent] : [unit]) {
    for (const { dependent, dependentRole, primaryRole, score } of mandatoryWith(settling.plan, primary)) {
      if (score < INFINITY) continue
      if (task === 'promote' && primaryRole !== 'Promoted') continue
      const blocked = settling.plan.tree.byId.get(dependent)
      if (blocked) block(settling, blocked, dependentRole === 'Promoted' ? 'promote' : 'start', primary)
    }
  }
}

function mandatoryWith(plan: Plan, primary: Unit): Plan['assignment']['colocations'] {
  return plan.colocationsByPrimary.get(primary.id) ?? []
}

function block(settling: Settling, unit: Unit, task: string, cause: Unit): void {
  for (const action of unit.actionsByKey.get(operationKey(unit.id, task)) ?? []) {
    if (!action.runnable || action.task !== task) continue
    action.runnable = false
    action.reason ??= `colocation with ${cause.id}`
    blockColocated(settling, action)
    settling.work.addWithFollowers(action)
  }
  for (const part of below(unit)) block(settling, part, task, cause)
}

/**
 * A resource that can be started or promoted only with another one is not, when that other one turns out to be impossible
 * to start or promote: placement had counted on it.
 */
import { findAction, operationKey, type PlannedAction } from '../action.ts'
import { below, isReplicated, replicasOf, topOf, type Unit } from '../unit.ts'
import type { Settling } from './state.ts'

const INFINITY = 1_000_000

export function blockColocated(settling: Settling, action: PlannedAction): void {
  const { unit, task } = action
  if (!unit || action.runnable || (task !== 'start' && task !== 'promote')) return
  const primary = topOf(unit, { throughBundles: true })
  if (canReachRole(primary, task)) return
  for (const colocation of settling.plan.colocationsByPrimary.get(primary.id) ?? []) {
    const { dependent, dependentRole, primaryRole, score } = colocation
    if (score < INFINITY || (task === 'promote' && primaryRole !== 'Promoted')) continue
    const blocked = settling.plan.tree.byId.get(dependent)
    if (blocked)
      block(settling, { unit: blocked, task: dependentRole === 'Promoted' ? 'promote' : 'start', cause: unit })
  }
}

/** One part that can, or has no need to, is enough for what is colocated with the whole. */
function canReachRole(primary: Unit, task: string): boolean {
  return partsOf(primary).some((part) => findAction(part, { task })?.runnable !== false)
}

const partsOf = (unit: Unit): readonly Unit[] => (isReplicated(unit) ? replicasOf(unit) : below(unit))

interface Blocked {
  readonly unit: Unit
  readonly task: string
  readonly cause: Unit
}

function block(settling: Settling, { unit, task, cause }: Blocked): void {
  for (const action of unit.actionsByKey.get(operationKey(unit.id, task)) ?? []) {
    if (!action.runnable || action.task !== task) continue
    action.runnable = false
    if (action.reason === undefined) {
      action.reason = `colocation with ${cause.id}`
      action.cause = { kind: 'colocation', resource: cause.id }
    }
    blockColocated(settling, action)
    settling.work.addWithFollowers(action)
  }
  for (const part of below(unit)) block(settling, { unit: part, task, cause })
}

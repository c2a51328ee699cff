/**
 * Live migration: `migrate_to` on the source, `migrate_from` on the target, then a stop on the source; the start turns into
 * a point in the order. Whatever cannot be done that way falls back to stop and start (Pacemaker Explained, "Migrating").
 */
import type { NodeStatus } from '../../../status/index.ts'
import type { PlannedAction } from '../action.ts'
import { isUnclean, obtain, orderTasks, type Plan, targetOf } from '../draft.ts'
import { rule } from '../relation.ts'
import type { PrimitiveUnit } from '../unit.ts'

export function mayMigrate(plan: Plan, unit: PrimitiveUnit, current: NodeStatus): boolean {
  const { state, meta } = unit.resource
  const target = targetOf(plan, unit)
  if (!meta.allowMigrate || !state.migratable || !unit.assigned.managed) return false
  if (state.failed || state.pending?.operation === 'start') return false
  return target !== undefined && !isUnclean(plan, current) && !isUnclean(plan, target)
}

interface Migration {
  readonly current: NodeStatus
  readonly target: NodeStatus
  /** The first half was done by an earlier transition. */
  readonly continues: boolean
}

export function migrate(plan: Plan, unit: PrimitiveUnit, { current, target, continues }: Migration): void {
  const start = obtain(plan, { unit, task: 'start', node: target, optional: true })
  const stop = obtain(plan, { unit, task: 'stop', node: current, optional: true })
  const to = continues ? undefined : obtain(plan, { unit, task: 'migrate_to', node: current, optional: true })
  const from = obtain(plan, { unit, task: 'migrate_from', node: target, optional: true })
  for (const action of [start, stop, from, ...(to ? [to] : [])]) action.migratable = true
  start.pseudo = true
  const first = to ?? from
  first.needs = start.needs
  const then = (before: string, after: string, rules: number): void =>
    orderTasks(plan, { unit, task: before }, { unit, task: after }, rules)
  if (to) {
    then('monitor', 'migrate_to', rule.ordered)
    then('migrate_to', 'migrate_from', rule.ordered | rule.unmigratableThenBlocks)
  }
  then('migrate_from', 'stop', rule.ordered | rule.unmigratableThenBlocks)
  then('migrate_from', 'start', rule.ordered | rule.firstElseThen | rule.unmigratableThenBlocks)
  for (const half of to ? [to, from] : [from]) nameEnds(half, current, target)
  // An interrupted first half must be recognised later; a connection records none, since it migrates without its agent.
  if (to && unit.resource.connectionOf === undefined) to.meta.set('record-pending', 'true')
}

function nameEnds(action: PlannedAction, source: NodeStatus, target: NodeStatus): void {
  action.meta.set('migrate_source', source.name)
  action.meta.set('migrate_target', target.name)
}

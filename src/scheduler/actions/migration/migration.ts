/**
 * Live migration: `migrate_to` on the source, `migrate_from` on the target, then a stop on the source; the start turns into
 * a point in the order. Whatever cannot be done that way falls back to stop and start (Pacemaker Explained, "Migrating").
 */
import type { NodeStatus } from '../../../status/index.ts'
import { type Drafting, isUnclean, type Ordering } from '../draft/draft.ts'
import { obtain } from '../draft/obtain.ts'
import { rule } from '../draft/relation.ts'
import { targetOf } from '../draft/setting.ts'
import type { PrimitiveUnit } from '../draft/unit.ts'

export function mayMigrate(draft: Drafting, unit: PrimitiveUnit, current: NodeStatus): boolean {
  const { state, meta } = unit.resource
  const target = targetOf(draft, unit)
  if (!meta.allowMigrate || !state.migratable || !unit.assigned.managed) return false
  if (state.failed || state.pending?.operation === 'start') return false
  return target !== undefined && !isUnclean(draft, current) && !isUnclean(draft, target)
}

interface Migration {
  readonly current: NodeStatus
  readonly target: NodeStatus
  /** The first half was done by an earlier transition. */
  readonly continues: boolean
}

export function migrate(draft: Ordering, unit: PrimitiveUnit, { current, target, continues }: Migration): void {
  const start = obtain(draft, { unit, task: 'start', node: target, optional: true })
  const stop = obtain(draft, { unit, task: 'stop', node: current, optional: true })
  const to = continues ? undefined : obtain(draft, { unit, task: 'migrate_to', node: current, optional: true })
  const from = obtain(draft, { unit, task: 'migrate_from', node: target, optional: true })
  for (const action of [start, stop, from, ...(to ? [to] : [])]) action.migratable = true
  start.pseudo = true
  const first = to ?? from
  first.needs = start.needs
  const then = (before: string, after: string, rules: number): void =>
    draft.orders.addTasks({ unit, task: before }, { unit, task: after }, rules)
  then('monitor', to ? 'migrate_to' : 'migrate_from', rule.ordered)
  if (to) {
    then('migrate_to', 'migrate_from', rule.ordered | rule.unmigratableThenBlocks)
  }
  then('migrate_from', 'stop', rule.ordered | rule.unmigratableThenBlocks)
  then('migrate_from', 'start', rule.ordered | rule.firstElseThen | rule.unmigratableThenBlocks)
  for (const half of to ? [to, from] : [from]) half.migration = { source: current.name, target: target.name }
  // An interrupted first half must be recognised later; a connection records none, since it migrates without its agent.
  if (to && unit.resource.connectionOf === undefined) to.meta.set('record-pending', 'true')
}

/**
 * Live migration: `migrate_to` on the source, `migrate_from` on the target, then a stop on the source; the start turns into
 * a point in the order. Whatever cannot be done that way falls back to stop and start (Pacemaker Explained, "Migrating").
 */
import type { NodeStatus } from '../../../status/index.ts'
import { type Drafting, isUnclean, type Ordering } from '../draft/draft.ts'
import { findOrCreateAction } from '../draft/find-or-create-action.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { rule } from '../draft/relation.ts'
import { targetOf } from '../draft/setting.ts'

export function mayMigrate(draft: Drafting, rsc: PlannedPrimitive, current: NodeStatus): boolean {
  const { state, meta } = rsc.resource
  const target = targetOf(draft, rsc)
  if (!meta.allowMigrate || !state.migratable || !rsc.assigned.managed) return false
  if (state.failed || state.pending?.operation === 'start') return false
  return target !== undefined && !isUnclean(draft, current) && !isUnclean(draft, target)
}

interface Migration {
  readonly current: NodeStatus
  readonly target: NodeStatus
  /** The first half was done by an earlier transition. */
  readonly continues: boolean
}

export function migrate(draft: Ordering, rsc: PlannedPrimitive, { current, target, continues }: Migration): void {
  const start = findOrCreateAction(draft, { rsc, task: 'start', node: target, optional: true })
  const stop = findOrCreateAction(draft, { rsc, task: 'stop', node: current, optional: true })
  const to = continues
    ? undefined
    : findOrCreateAction(draft, { rsc, task: 'migrate_to', node: current, optional: true })
  const from = findOrCreateAction(draft, { rsc, task: 'migrate_from', node: target, optional: true })
  for (const action of [start, stop, from, ...(to ? [to] : [])]) action.migratable = true
  start.pseudo = true
  const first = to ?? from
  first.needs = start.needs
  const then = (before: string, after: string, rules: number): void =>
    draft.orders.addTasks({ rsc, task: before }, { rsc, task: after }, rules)
  then('monitor', to ? 'migrate_to' : 'migrate_from', rule.ordered)
  if (to) {
    then('migrate_to', 'migrate_from', rule.ordered | rule.unmigratableThenBlocks)
  }
  then('migrate_from', 'stop', rule.ordered | rule.unmigratableThenBlocks)
  then('migrate_from', 'start', rule.ordered | rule.firstElseThen | rule.unmigratableThenBlocks)
  for (const half of to ? [to, from] : [from]) half.migration = { source: current.name, target: target.name }
  // An interrupted first half must be recognised later; a connection records none, since it migrates without its agent.
  if (to && rsc.resource.connectionOf === undefined) to.meta.set('record-pending', 'true')
}

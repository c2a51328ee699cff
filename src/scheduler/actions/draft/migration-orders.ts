/**
 * What an order between two resources means for a live migration of the second: it begins when what it depends on is up
 * on the target, and when what must stop before it has stopped.
 */
import { isRecurring } from './action.ts'
import type { Order, Side } from './order.ts'
import { isWithin, type PlannedResource } from './planned-resource.ts'
import { type Rules, rule } from './relation.ts'

const isMigratable = ({ kind, resource }: PlannedResource): boolean => kind !== 'bundle' && resource.meta.allowMigrate

/** An action that is named itself stands for what its resource does under that name, wherever it does it. */
const taskOf = ({ task, action }: Side): string | undefined =>
  task ?? (action && !isRecurring(action) ? action.task : undefined)

export function migrationOrders({ first, follower }: Order): readonly Order[] {
  const from = first.rsc
  const to = follower.rsc
  if (!from || !to || from === to || !isMigratable(to)) return []
  if (isWithin(from, to) || isWithin(to, from)) return []
  const make = (task: string, half: 'migrate_to' | 'migrate_from', rules: Rules): Order => ({
    first: { rsc: from, task },
    follower: { rsc: to, task: half },
    rules,
  })
  const unlessMigrating = rule.ordered | (isMigratable(from) ? rule.unlessFirstMigrates : 0)
  const isContinued = to.kind === 'primitive' && to.resource.state.partialMigration !== undefined
  switch (`${taskOf(first)} ${taskOf(follower)}`) {
    case 'start start':
      return [
        // A whole migrates by its parts, which are not waited for one by one.
        ...(isMigratable(from) && from.kind === 'primitive' ? [make('migrate_from', 'migrate_to', rule.ordered)] : []),
        make('start', 'migrate_to', unlessMigrating),
      ]
    case 'stop stop':
      return [
        make('stop', 'migrate_to', unlessMigrating),
        ...(isContinued ? [make('stop', 'migrate_from', unlessMigrating)] : []),
      ]
    case 'promote start':
      return [make('promote', 'migrate_to', rule.ordered)]
    case 'demote stop':
      return [
        make('demote', 'migrate_to', rule.ordered),
        ...(isContinued ? [make('demote', 'migrate_from', rule.ordered)] : []),
      ]
    default:
      return []
  }
}

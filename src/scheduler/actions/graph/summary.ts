/**
 * The transition in an administrator's words: "Move web (alpha -> beta) due to node availability". One line for each node
 * that is fenced and each resource that changes, with the reason that planning gave.
 */
import type { Role } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { type ActionCause, actionsWithKey, operationKey, type PlannedAction, sameNode } from '../action.ts'
import { activeNodes, nodeNamed, type Plan, targetOf } from '../draft.ts'
import { type PrimitiveUnit, roleRank, type Unit } from '../unit.ts'

export interface TransitionChange {
  readonly what: string
  readonly subject: string
  /** `alpha -> beta`, `Unpromoted -> Promoted alpha`; none for nodes. */
  readonly details?: string
  readonly reason?: string
  /** What the reason says, as data. */
  readonly cause?: ActionCause
  readonly blocked: boolean
}

export function summarize(plan: Plan): readonly TransitionChange[] {
  return [...nodeChanges(plan), ...plan.tree.ordered.flatMap((unit) => resourceChanges(plan, unit))]
}

export function describeChange(change: TransitionChange): string {
  const { what, subject, details, reason, blocked } = change
  if (details === undefined) return `${what} ${subject}${reason === undefined ? '' : ` '${reason}'`}`
  const why = reason === undefined ? (blocked ? '  blocked' : '') : `  due to ${reason}${blocked ? ' (blocked)' : ''}`
  return `${what.padEnd(8)}   ${subject}   ( ${details} )${why}`
}

function nodeChanges(plan: Plan): readonly TransitionChange[] {
  return plan.actions.toReversed().flatMap(({ unit, optional, task, node, meta, reason, runnable }) => {
    if (unit || optional || !node || task !== 'stonith') return []
    const container = node.kind === 'guest' && node.container ? ` (resource: ${node.container})` : ''
    return [
      {
        what: `Fence (${meta.get('stonith_action')})`,
        subject: `${node.name}${container}`,
        ...(reason !== undefined && { reason }),
        blocked: !runnable,
      },
    ]
  })
}

function resourceChanges(plan: Plan, unit: Unit): readonly TransitionChange[] {
  switch (unit.kind) {
    case 'primitive':
      return primitiveChanges(plan, unit)
    case 'group':
      return unit.members.flatMap((member) => primitiveChanges(plan, member))
    case 'clone':
      return unit.instances.flatMap((instance) => resourceChanges(plan, instance))
    case 'bundle':
      return unit.replicas.flatMap(({ ip, container, remote, child }) =>
        [ip, container, remote, child].flatMap((part) => (part ? primitiveChanges(plan, part) : [])),
      )
  }
}

interface Facts {
  readonly plan: Plan
  readonly unit: PrimitiveUnit
  readonly current: NodeStatus | undefined
  readonly next: NodeStatus | undefined
  readonly role: Role
  readonly nextRole: Role
  readonly isMoving: boolean
  readonly start: PlannedAction | undefined
  readonly stop: PlannedAction | undefined
}

function primitiveChanges(plan: Plan, unit: PrimitiveUnit): readonly TransitionChange[] {
  const next = targetOf(plan, unit)
  const current = currentNodeOf(plan, unit)
  if (!current && (unit.resource.orphan || !next)) return []
  if (!unit.assigned.managed) return []
  const facts: Facts = {
    plan,
    unit,
    current,
    next,
    role: current && unit.role === 'Stopped' ? 'Started' : unit.role,
    nextRole: unit.assigned.nextRole,
    isMoving: current !== undefined && next !== undefined && !sameNode(current, next),
    start: operation(unit, 'start', next),
    stop: undefined,
  }
  const stop = stopOf(facts)
  return facts.role === facts.nextRole ? sameRole({ ...facts, stop }) : otherRole({ ...facts, stop })
}

function currentNodeOf(plan: Plan, unit: PrimitiveUnit): NodeStatus | undefined {
  const nodes = activeNodes(plan, unit)
  const { partialMigration } = unit.resource.state
  return nodes.find(({ name }) => name === partialMigration?.source) ?? nodes[0]
}

const operation = (unit: PrimitiveUnit, task: string, node: NodeStatus | undefined): PlannedAction | undefined =>
  actionsWithKey(unit, operationKey(unit.id, task), node)[0]

function stopOf({ unit, start, current }: Facts): PlannedAction | undefined {
  const found = operation(unit, 'stop', start?.runnable ? current : undefined)
  return found ?? (unit.stopsUnexpected ? operation(unit, 'stop', undefined) : undefined)
}

function sameRole(facts: Facts): readonly TransitionChange[] {
  const { unit, next, start, stop, isMoving, current } = facts
  const { failed } = unit.resource.state
  if (!next) return []
  const migration = operation(unit, 'migrate_from', next)
  if (migration?.runnable) return [change(facts, 'Migrate', { action: start })]
  if (unit.reloads) return [change(facts, 'Reload', { action: start })]
  if (!start || start.optional) {
    const promote = operation(unit, 'promote', next)
    const demote = operation(unit, 'demote', next)
    if (!demote || !promote || demote.optional || promote.optional) return []
    return [change(facts, 'Re-promote', { action: promote, source: demote })]
  }
  if (!start.runnable) {
    const source = stop?.reason === undefined ? start : stop
    return [change(facts, 'Stop', { action: stop, source, to: undefined })]
  }
  if (isMoving && current) return [change(facts, failed ? 'Recover' : 'Move', { action: stop })]
  if (failed) return [change(facts, 'Recover', { action: stop, to: undefined })]
  return [change(facts, 'Restart', { action: start })]
}

function otherRole(facts: Facts): readonly TransitionChange[] {
  const { plan, unit, next, start, stop, isMoving, role, nextRole } = facts
  const { failed, mustStop } = unit.resource.state
  if (stop && (nextRole === 'Stopped' || (start && !start.runnable))) {
    return unit.resource.state.active.map(({ node }) => {
      const own = operation(unit, 'stop', nodeNamed(plan, node))
      const source = own?.reason === undefined ? start : own
      return change({ ...facts, current: nodeNamed(plan, node) }, 'Stop', { action: own, source, to: undefined })
    })
  }
  if (stop && failed && mustStop) return [change(facts, 'Recover', { action: stop, source: start })]
  if (isMoving) return [change(facts, 'Move', { action: stop })]
  if (unit.reloads) return [change(facts, 'Reload', { action: start })]
  if (stop && !stop.optional) return [change(facts, 'Restart', { action: start })]
  if (role === 'Promoted') return [change(facts, 'Demote', { action: operation(unit, 'demote', next) })]
  if (nextRole === 'Promoted') return [change(facts, 'Promote', { action: operation(unit, 'promote', next) })]
  if (role === 'Stopped') return [change(facts, 'Start', { action: start })]
  return []
}

interface Told {
  readonly action: PlannedAction | undefined
  /** The action whose reason is shown, where it is another one. */
  readonly source?: PlannedAction | undefined
  readonly to?: undefined
}

function change(facts: Facts, what: string, told: Told): TransitionChange {
  const from = facts.current
  const to = 'to' in told ? undefined : facts.next
  const { reason, cause } = told.source ?? told.action ?? {}
  return {
    what,
    subject: facts.unit.id,
    details: detailsOf(facts, from, to),
    ...(reason !== undefined && { reason }),
    ...(cause !== undefined && { cause }),
    blocked: told.action?.runnable === false,
  }
}

function detailsOf({ role, nextRole }: Facts, from: NodeStatus | undefined, to: NodeStatus | undefined): string {
  const named = roleRank(role) > roleRank('Started') || roleRank(nextRole) > roleRank('Unpromoted')
  const sameRole = role === nextRole
  if (!from) return named ? `${role} -> ${nextRole} ${to?.name}` : `${to?.name}`
  if (!to) return named ? `${role} ${from.name}` : from.name
  if (sameRole && sameNode(from, to)) return named ? `${role} ${from.name}` : from.name
  if (sameRole) return named ? `${from.name} -> ${to.name} ${role}` : `${from.name} -> ${to.name}`
  if (sameNode(from, to)) return `${role} -> ${nextRole} ${from.name}`
  return `${role} ${from.name} -> ${nextRole} ${to.name}`
}

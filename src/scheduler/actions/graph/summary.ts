/**
 * The transition in an administrator's words: "Move web (alpha -> beta) due to node availability". One line for each node
 * that is fenced and each resource that changes, with the reason that planning gave.
 */
import { type Role, roleRank } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { type AppliedOrderings, isReloaded } from '../apply-orderings/applied-orderings.ts'
import { type ActionCause, type ActionState, actionsWithTask, sameNode } from '../draft/action.ts'
import { currentNode } from '../draft/current-node.ts'
import type { PlannedPrimitive, PlannedResource } from '../draft/planned-resource.ts'
import { activeNodes, targetOf } from '../draft/setting.ts'

export interface TransitionChange {
  readonly what: string
  readonly subject: string
  /** `alpha -> beta`, `Unpromoted -> Promoted alpha`; none for nodes. */
  readonly details?: string
  /** What the details say, as data; none for nodes. */
  readonly place?: ChangePlace
  readonly reason?: string
  /** What the reason says, as data. */
  readonly cause?: ActionCause
  readonly blocked: boolean
}

export interface ChangePlace {
  /** Where it is, and where it will be if that is told. */
  readonly from?: string
  readonly to?: string
  /** Only where roles are told: one of them is more than Started. */
  readonly roles?: { readonly now: Role; readonly next: Role }
}

export function summarize(applied: AppliedOrderings): readonly TransitionChange[] {
  return [...nodeChanges(applied), ...applied.tree.ordered.flatMap((rsc) => resourceChanges(applied, rsc))]
}

/** A line each, those of resources in columns that are as wide as crm_simulate makes them. */
export function describeChanges(changes: readonly TransitionChange[]): readonly string[] {
  const inColumns = changes.filter(({ details }) => details !== undefined)
  const widths = {
    subject: inColumns.reduce((width, { subject }) => (subject.length > width ? subject.length + 2 : width), 5),
    details: inColumns.reduce((width, { details = '' }) => Math.max(width, details.length), 5),
  }
  return changes.map((change) => describeChange(change, widths))
}

function describeChange(
  { what, subject, details, reason, blocked }: TransitionChange,
  widths: { readonly subject: number; readonly details: number },
): string {
  if (details === undefined) return `${what} ${subject}${reason === undefined ? '' : ` '${reason}'`}`
  const why = reason === undefined ? (blocked ? '  blocked' : '') : `  due to ${reason}${blocked ? ' (blocked)' : ''}`
  return `${what.padEnd(8)}   ${subject.padEnd(widths.subject)}   ( ${details.padStart(widths.details)} )${why}`
}

function nodeChanges(applied: AppliedOrderings): readonly TransitionChange[] {
  const fencing = applied.actions.filter(({ rsc, task }) => !rsc && task === 'stonith')
  return fencing.reverse().flatMap((action) => {
    const { node, meta } = action
    if (!node) return []
    const { optional, reason, runnable } = applied.stateOf(action)
    if (optional) return []
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

function resourceChanges(applied: AppliedOrderings, rsc: PlannedResource): readonly TransitionChange[] {
  switch (rsc.kind) {
    case 'primitive':
      return primitiveChanges(applied, rsc)
    case 'group':
      return rsc.members.flatMap((member) => primitiveChanges(applied, member))
    case 'clone':
      return rsc.instances.flatMap((instance) => resourceChanges(applied, instance))
    case 'bundle':
      return rsc.replicas.flatMap(({ ip, container, remote, child }) =>
        [ip, container, remote, child].flatMap((part) => (part ? primitiveChanges(applied, part) : [])),
      )
  }
}

/** What the words for a change depend on. */
interface Facts {
  readonly applied: AppliedOrderings
  readonly rsc: PlannedPrimitive
  readonly current: NodeStatus | undefined
  readonly next: NodeStatus | undefined
  readonly role: Role
  readonly nextRole: Role
  readonly isMoving: boolean
  readonly start: State | undefined
  readonly stop: State | undefined
}

type State = Readonly<ActionState>

function primitiveChanges(applied: AppliedOrderings, rsc: PlannedPrimitive): readonly TransitionChange[] {
  const next = targetOf(applied, rsc)
  const current = currentNode(applied, rsc)
  if (!current && (rsc.resource.orphan || !next)) return []
  if (!rsc.assigned.managed) return []
  const start = operation(applied, rsc, 'start', next)
  const facts: Facts = {
    applied,
    rsc,
    current,
    next,
    role: current && rsc.role === 'Stopped' ? 'Started' : rsc.role,
    nextRole: applied.destinationOf(rsc).nextRole,
    isMoving: current !== undefined && next !== undefined && !sameNode(current, next),
    start,
    stop: stopOf(applied, rsc, start?.runnable ? current : undefined),
  }
  const table = facts.role === facts.nextRole ? sameRole : otherRole
  return table.find((row) => row.when(facts))?.tell(facts) ?? []
}

/** Of several, the one that was planned first: what the history asks for comes before what leads elsewhere. */
function operation(
  applied: AppliedOrderings,
  rsc: PlannedPrimitive,
  task: string,
  node: NodeStatus | undefined,
): State | undefined {
  const action = actionsWithTask(applied, rsc, task, node).at(-1)
  return action && applied.stateOf(action)
}

function stopOf(applied: AppliedOrderings, rsc: PlannedPrimitive, node: NodeStatus | undefined): State | undefined {
  const found = operation(applied, rsc, 'stop', node)
  return found ?? (applied.keptWhereExpected.has(rsc) ? operation(applied, rsc, 'stop', undefined) : undefined)
}

interface Row {
  readonly when: (facts: Facts) => boolean
  readonly tell: (facts: Facts) => readonly TransitionChange[]
}

const hasFailed = ({ rsc }: Facts): boolean => rsc.resource.state.failed

const isMoving = (facts: Facts): boolean => facts.isMoving

const reloads = ({ applied, rsc }: Facts): boolean => isReloaded(applied, rsc)

const cannotStart = ({ start }: Facts): boolean => start?.runnable === false

const next = ({ applied, rsc, next: node }: Facts, task: string): State | undefined =>
  operation(applied, rsc, task, node)

/** For a resource that keeps its role, or would; the first row that fits. */
const sameRole: readonly Row[] = [
  { when: (facts) => !facts.next, tell: () => [] },
  {
    when: (facts) => next(facts, 'migrate_from')?.runnable === true,
    tell: (facts) => [change(facts, 'Migrate', { operation: facts.start })],
  },
  { when: reloads, tell: (facts) => [change(facts, 'Reload', { operation: facts.start })] },
  {
    when: (facts) => facts.start?.optional !== false,
    tell: (facts) => {
      const promote = next(facts, 'promote')
      const demote = next(facts, 'demote')
      if (!demote || !promote || demote.optional || promote.optional) return []
      return [change(facts, 'Re-promote', { operation: promote, source: demote })]
    },
  },
  {
    when: cannotStart,
    tell: (facts) => [
      change(facts, 'Stop', { operation: facts.stop, source: whyStopped(facts.stop, facts), stays: true }),
    ],
  },
  {
    when: (facts) => facts.isMoving && hasFailed(facts),
    tell: (facts) => [change(facts, 'Recover', { operation: facts.stop })],
  },
  { when: isMoving, tell: (facts) => [change(facts, 'Move', { operation: facts.stop })] },
  { when: hasFailed, tell: (facts) => [change(facts, 'Recover', { operation: facts.stop, stays: true })] },
  { when: () => true, tell: (facts) => [change(facts, 'Restart', { operation: facts.start })] },
]

/** For a resource that changes its role; the first row that fits. */
const otherRole: readonly Row[] = [
  { when: (facts) => facts.stop !== undefined && (facts.nextRole === 'Stopped' || cannotStart(facts)), tell: stops },
  {
    when: (facts) => facts.stop !== undefined && hasFailed(facts) && facts.rsc.resource.state.mustStop,
    tell: (facts) => [change(facts, 'Recover', { operation: facts.stop, source: facts.start })],
  },
  { when: isMoving, tell: (facts) => [change(facts, 'Move', { operation: facts.stop })] },
  { when: reloads, tell: (facts) => [change(facts, 'Reload', { operation: facts.start })] },
  {
    when: ({ stop }) => stop?.optional === false,
    tell: (facts) => [change(facts, 'Restart', { operation: facts.start })],
  },
  {
    when: ({ role }) => role === 'Promoted',
    tell: (facts) => [change(facts, 'Demote', { operation: next(facts, 'demote') })],
  },
  {
    when: ({ nextRole }) => nextRole === 'Promoted',
    tell: (facts) => [change(facts, 'Promote', { operation: next(facts, 'promote') })],
  },
  { when: ({ role }) => role === 'Stopped', tell: (facts) => [change(facts, 'Start', { operation: facts.start })] },
]

/** On every node that it is on. */
function stops(facts: Facts): readonly TransitionChange[] {
  const { applied, rsc } = facts
  return activeNodes(applied, rsc).map((node) => {
    const stop = operation(applied, rsc, 'stop', node)
    return change({ ...facts, current: node }, 'Stop', {
      operation: stop,
      source: whyStopped(stop, facts),
      stays: true,
    })
  })
}

/** Without a reason of its own, a resource stops because it cannot start again. */
const whyStopped = (stop: State | undefined, { start }: Facts): State | undefined =>
  stop?.reason === undefined ? start : stop

interface Told {
  readonly operation: State | undefined
  /** The operation whose reason is shown, where it is another one. */
  readonly source?: State | undefined
  /** Only the node that it is on is named. */
  readonly stays?: boolean
}

function change(facts: Facts, what: string, { operation: own, source, stays = false }: Told): TransitionChange {
  const { reason, cause } = source ?? own ?? {}
  return {
    what,
    subject: facts.rsc.id,
    details: detailsOf(facts, facts.current, stays ? undefined : facts.next),
    place: placeOf(facts, facts.current, stays ? undefined : facts.next),
    ...(reason !== undefined && { reason }),
    ...(cause !== undefined && { cause }),
    blocked: own?.runnable === false,
  }
}

const tellsRoles = ({ role, nextRole }: Facts): boolean =>
  roleRank(role) > roleRank('Started') || roleRank(nextRole) > roleRank('Unpromoted')

function placeOf(facts: Facts, from: NodeStatus | undefined, to: NodeStatus | undefined): ChangePlace {
  return {
    ...(from && { from: from.name }),
    ...(to && { to: to.name }),
    ...(tellsRoles(facts) && { roles: { now: facts.role, next: facts.nextRole } }),
  }
}

function detailsOf(facts: Facts, from: NodeStatus | undefined, to: NodeStatus | undefined): string {
  const { role, nextRole } = facts
  const named = tellsRoles(facts)
  const sameRole = role === nextRole
  if (!from) return named ? `${role} -> ${nextRole} ${to?.name}` : `${to?.name}`
  if (!to) return named ? `${role} ${from.name}` : from.name
  if (sameRole && sameNode(from, to)) return named ? `${role} ${from.name}` : from.name
  if (sameRole) return named ? `${from.name} -> ${to.name} ${role}` : `${from.name} -> ${to.name}`
  if (sameNode(from, to)) return `${role} -> ${nextRole} ${from.name}`
  return `${role} ${from.name} -> ${nextRole} ${to.name}`
}

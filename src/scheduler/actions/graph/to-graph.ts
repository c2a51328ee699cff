/**
 * What is settled as a transition graph: the actions that are needed and can run, each with what it waits for. What is not
 * managed stays out of it, but for its monitors.
 */
import type { GraphAction, TransitionGraph } from '../../../transition/index.ts'
import { isRecurring, type PlannedAction } from '../draft/action.ts'
import { isUnclean } from '../draft/draft.ts'
import { isReachable } from '../draft/runnable.ts'
import type { Setting } from '../draft/setting.ts'
import type { CloneUnit, Unit } from '../draft/unit.ts'
import { graphAction } from './graph-action.ts'
import { inputsOf, type Outcome } from './inputs.ts'

export function toGraph(outcome: Outcome): TransitionGraph {
  const { settled } = outcome
  const inputs = inputsOf(outcome)
  const actions: GraphAction[] = []
  const shown = new Set<PlannedAction>()
  const awaited = new Map<number, PlannedAction>()
  const show = (action: PlannedAction): void => {
    if (shown.has(action) || !isShown(outcome, action)) return
    shown.add(action)
    const firsts = inputs(action).map(({ first }) => first)
    for (const first of firsts) awaited.set(first.id, first)
    const ids = firsts.map(({ id }) => id).sort((a, b) => a - b)
    actions.push(graphAction(outcome, action, ids))
  }
  for (const unit of settled.tree.ordered) showUnit(outcome, unit, show)
  const told = maintenanceUpdate(outcome)
  if (told) actions.push(told)
  // What belongs to no resource, and the points of bundles: latest first, like a resource's own.
  for (const action of settled.actions.toReversed()) show(action)
  const absent = [...awaited.values()]
    .filter((action) => !shown.has(action))
    .sort((a, b) => a.id - b.id)
    .map((action) => graphAction(outcome, action, []))
  return { actions, absent, attributes: graphAttributes(outcome) }
}

/** Remote and guest nodes do not read the CIB: they are told whether they are in maintenance, those that are down for when they come back. */
function maintenanceUpdate({ settled, notices }: Outcome): GraphAction | undefined {
  const changed = settled.nodeList.filter(
    ({ kind, maintenance, recordedMaintenance }) => kind !== 'member' && maintenance !== recordedMaintenance,
  )
  if (changed.length === 0) return undefined
  const key = 'maintenance_nodes'
  const maintenance = changed.map((node) => ({ id: node.id, isInMaintenance: node.maintenance }))
  const nothing = { inputs: [], attributes: {}, priority: 0, downed: [] }
  return { kind: 'pseudo', id: notices.lastId + 1, operation: key, key, ...nothing, maintenance }
}

type Show = (action: PlannedAction) => void

function showUnit(outcome: Outcome, unit: Unit, show: Show): void {
  switch (unit.kind) {
    case 'primitive':
      showOwn(outcome, unit, show)
      return
    case 'group':
      showOwn(outcome, unit, show)
      for (const member of unit.members) showOwn(outcome, member, show)
      return
    case 'clone':
      showClone(outcome, unit, show)
      return
    case 'bundle':
      if (unit.child) showClone(outcome, unit.child, show)
      for (const { ip, container, remote } of unit.replicas) {
        for (const part of [ip, container, remote]) if (part) showOwn(outcome, part, show)
      }
  }
}

function showClone(outcome: Outcome, clone: CloneUnit, show: Show): void {
  for (const instance of clone.instances) showUnit(outcome, instance, show)
  showOwn(outcome, clone, show)
}

function showOwn({ settled, notices }: Outcome, unit: Unit, show: Show): void {
  for (const action of notices.ofUnit(unit).toReversed()) show(action)
  for (const action of settled.ofUnit(unit).toReversed()) show(action)
}

function isShown({ settled, notices }: Outcome, action: PlannedAction): boolean {
  const { optional, runnable, alwaysInGraph, pseudo } = notices.stateOf(action)
  if (!runnable || (optional && !alwaysInGraph)) return false
  const { unit, task, node, onDc } = action
  if (unit && !isManaged(settled, unit) && task !== 'monitor' && !isRecurring(action)) return false
  if (pseudo || task === 'stonith' || task === 'do_shutdown') return true
  if (!node) return false
  if (onDc) return true
  // On a node that is going to be fenced nothing is even ended; a guest is fenced by its container's stop.
  return isReachable(node) && (node.kind === 'guest' || !isUnclean(settled, node))
}

const isManaged = ({ assignment }: Setting, unit: Unit): boolean =>
  unit.kind === 'primitive' ? unit.assigned.managed : assignment.collectives.get(unit.id)?.managed !== false

function graphAttributes({ settled }: Outcome): Readonly<Record<string, string>> {
  const { options, recheckAt } = settled.status
  const { raw, startFailureIsFatal, migrationLimit, batchLimit } = options
  return {
    'cluster-delay': raw.get('cluster-delay') ?? '60s',
    'fencing-timeout': raw.get('fencing-timeout') ?? raw.get('stonith-timeout') ?? '60s',
    'failed-stop-offset': 'INFINITY',
    'failed-start-offset': startFailureIsFatal ? 'INFINITY' : '1',
    'batch-limit': String(batchLimit),
    transition_id: '1',
    ...(migrationLimit >= 0 && raw.has('migration-limit') && { 'migration-limit': String(migrationLimit) }),
    ...(recheckAt !== undefined && { 'recheck-by': String(recheckAt) }),
  }
}

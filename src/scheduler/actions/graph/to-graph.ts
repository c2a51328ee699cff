/**
 * What came of the orderings as a transition graph: the actions that are needed and can run, each with what it waits for. What is not
 * managed stays out of it, but for its monitors.
 */
import type { GraphAction, TransitionGraph } from '../../../transition/index.ts'
import { isRecurring, type PlannedAction } from '../draft/action.ts'
import { isUnclean } from '../draft/draft.ts'
import type { PlannedClone, PlannedResource } from '../draft/planned-resource.ts'
import { isReachable } from '../draft/runnable.ts'
import type { Setting } from '../draft/setting.ts'
import { graphAction } from './graph-action.ts'
import { inputsOf, type Outcome } from './inputs.ts'

export function toGraph(outcome: Outcome): TransitionGraph {
  const { applied } = outcome
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
  for (const rsc of applied.tree.ordered) showResource(outcome, rsc, show)
  const told = maintenanceUpdate(outcome)
  if (told) actions.push(told)
  // What belongs to no resource, and the points of bundles: latest first, like a resource's own.
  for (const action of applied.actions.toReversed()) show(action)
  const absent = [...awaited.values()]
    .filter((action) => !shown.has(action))
    .sort((a, b) => a.id - b.id)
    .map((action) => graphAction(outcome, action, []))
  return { actions, absent, attributes: graphAttributes(outcome) }
}

/** Remote and guest nodes do not read the CIB: they are told whether they are in maintenance, those that are down for when they come back. */
function maintenanceUpdate({ applied, notifyActions }: Outcome): GraphAction | undefined {
  const changed = applied.nodeList.filter(
    ({ kind, maintenance, recordedMaintenance }) => kind !== 'member' && maintenance !== recordedMaintenance,
  )
  if (changed.length === 0) return undefined
  const key = 'maintenance_nodes'
  const maintenance = changed.map((node) => ({ id: node.id, isInMaintenance: node.maintenance }))
  const nothing = { inputs: [], attributes: {}, priority: 0, downed: [] }
  return { kind: 'pseudo', id: notifyActions.lastId + 1, operation: key, key, ...nothing, maintenance }
}

type Show = (action: PlannedAction) => void

function showResource(outcome: Outcome, rsc: PlannedResource, show: Show): void {
  switch (rsc.kind) {
    case 'primitive':
      showOwn(outcome, rsc, show)
      return
    case 'group':
      showOwn(outcome, rsc, show)
      for (const member of rsc.members) showOwn(outcome, member, show)
      return
    case 'clone':
      showClone(outcome, rsc, show)
      return
    case 'bundle':
      if (rsc.child) showClone(outcome, rsc.child, show)
      for (const { ip, container, remote } of rsc.replicas) {
        for (const part of [ip, container, remote]) if (part) showOwn(outcome, part, show)
      }
  }
}

function showClone(outcome: Outcome, clone: PlannedClone, show: Show): void {
  for (const instance of clone.instances) showResource(outcome, instance, show)
  showOwn(outcome, clone, show)
}

function showOwn({ applied, notifyActions }: Outcome, rsc: PlannedResource, show: Show): void {
  for (const action of notifyActions.ofResource(rsc).toReversed()) show(action)
  for (const action of applied.ofResource(rsc).toReversed()) show(action)
}

function isShown({ applied, notifyActions }: Outcome, action: PlannedAction): boolean {
  const { optional, runnable, alwaysInGraph, pseudo } = notifyActions.stateOf(action)
  if (!runnable || (optional && !alwaysInGraph)) return false
  const { rsc, task, node, onDc } = action
  if (rsc && !isManaged(applied, rsc) && task !== 'monitor' && !isRecurring(action)) return false
  if (pseudo || task === 'stonith' || task === 'do_shutdown') return true
  if (!node) return false
  if (onDc) return true
  // On a node that is going to be fenced nothing is even ended; a guest is fenced by its container's stop.
  return isReachable(node) && (node.kind === 'guest' || !isUnclean(applied, node))
}

const isManaged = ({ assignment }: Setting, rsc: PlannedResource): boolean =>
  rsc.kind === 'primitive' ? rsc.assigned.managed : assignment.collectives.get(rsc.id)?.managed !== false

function graphAttributes({ applied }: Outcome): Readonly<Record<string, string>> {
  const { options, recheckAt } = applied.status
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

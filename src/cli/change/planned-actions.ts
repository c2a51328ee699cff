/**
 * The actions that a change will cause: the scheduler's graph for the edited CIB, less what it would do anyway. A stop and a
 * start of one resource are told as what they amount to: a restart or a move.
 */
import { utcOffsetAt } from '../../base/index.ts'
import type { XmlElement } from '../../cib/index.ts'
import { type Schedule, simulate } from '../../scheduler/index.ts'
import type { GraphAction, TransitionGraph } from '../../transition/index.ts'
import { secondsOf } from '../host/host-time.ts'
import { md5 } from '../host/md5.ts'
import { decide } from './decide.ts'

export type PlannedKind =
  | 'start'
  | 'stop'
  | 'restart'
  | 'move'
  | 'migrate'
  | 'promote'
  | 'demote'
  | 'reload'
  | 'fence'
  | 'shutdown'

export interface PlannedAction {
  readonly kind: PlannedKind
  readonly resource?: string
  readonly node: string
  /** Where it moves from. */
  readonly from?: string
  /** One line for people. */
  readonly text: string
}

const told = new Set(['start', 'stop', 'promote', 'demote', 'reload', 'reload-agent', 'migrate_to', 'migrate_from'])

interface Step {
  readonly resource: string
  readonly operation: string
  readonly node: string
}

export function plannedActions(before: XmlElement, after: XmlElement, now: Date): readonly PlannedAction[] {
  return plannedActionsBetween(decide(before, now), decide(after, now))
}

export function plannedActionsBetween(was: Schedule, is: Schedule, next: Schedule = is): readonly PlannedAction[] {
  const anyway = new Set(keysOf(was.graph))
  const planned = next === is ? is.graph.actions : [...is.graph.actions, ...next.graph.actions]
  const fresh = planned.filter((action) => !anyway.has(keyOf(action)))
  return [...fencings(fresh), ...resourceActions(fresh.flatMap(stepOf))]
}

/** What is decided once failures that the change makes void are cleared: the transition that clears them places nothing by it. */
export function decidedOnceCleared(is: Schedule, after: XmlElement, now: Date): Schedule {
  const clears = is.graph.actions.some(({ operation }) => operation === 'clear_failcount')
  return clears ? decide(afterwards(after, now), now) : is
}

/** The CIB as it will be once everything that is to be done has been done. */
export function afterwards(cib: XmlElement, now: Date): XmlElement {
  const seconds = secondsOf(now)
  const question = { cib, now: seconds, md5, utcOffsetAt, showScores: false, keepsResult: true, clearsFailures: true }
  return simulate(question).result()
}

export function printPlannedActions(actions: readonly PlannedAction[]): string {
  return actions.map(({ text }) => `  * ${text}\n`).join('')
}

function keysOf(graph: TransitionGraph): readonly string[] {
  return graph.actions.map(keyOf)
}

function keyOf(action: GraphAction): string {
  const node = action.kind === 'pseudo' ? '' : (action.node ?? '')
  return `${action.kind} ${action.key} ${action.operation} ${node}`
}

function fencings(actions: readonly GraphAction[]): readonly PlannedAction[] {
  return actions.flatMap((action): readonly PlannedAction[] => {
    if (action.kind !== 'cluster' || action.node === undefined) return []
    if (action.operation === 'stonith') return [{ kind: 'fence', node: action.node, text: `fence ${action.node}` }]
    if (action.operation === 'do_shutdown')
      return [{ kind: 'shutdown', node: action.node, text: `stop the cluster on ${action.node}` }]
    return []
  })
}

/** Stops that fencing implies are pseudo actions in the graph; what they stop is not told again. */
function stepOf(action: GraphAction): readonly Step[] {
  if (action.kind !== 'resource' || action.intervalMs !== 0 || !told.has(action.operation)) return []
  return [{ resource: action.resource, operation: action.operation, node: action.node }]
}

function resourceActions(steps: readonly Step[]): readonly PlannedAction[] {
  const resources = [...new Set(steps.map(({ resource }) => resource))]
  return resources.flatMap((resource) =>
    actionsOf(
      resource,
      steps.filter((step) => step.resource === resource),
    ),
  )
}

function actionsOf(resource: string, steps: readonly Step[]): readonly PlannedAction[] {
  const nodesOf = (...operations: readonly string[]): readonly string[] =>
    steps.filter(({ operation }) => operations.includes(operation)).map(({ node }) => node)
  const [starts, stops] = [nodesOf('start'), nodesOf('stop')]
  const [migrationSource] = nodesOf('migrate_to')
  const [migrationTarget] = nodesOf('migrate_from')
  if (migrationSource !== undefined && migrationTarget !== undefined)
    return [
      {
        kind: 'migrate',
        resource,
        node: migrationTarget,
        from: migrationSource,
        text: `migrate ${resource} live from ${migrationSource} to ${migrationTarget}`,
      },
    ]
  const [start] = starts
  const [stop] = stops
  const single = starts.length === 1 && stops.length === 1 && start !== undefined && stop !== undefined
  const runs: readonly PlannedAction[] =
    single && start === stop
      ? [{ kind: 'restart', resource, node: start, text: `restart ${resource} on ${start}` }]
      : single
        ? [{ kind: 'move', resource, node: start, from: stop, text: `move ${resource} from ${stop} to ${start}` }]
        : [
            ...stops.map((node) => plain('stop', resource, node)),
            ...starts.map((node) => plain('start', resource, node)),
          ]
  return [
    ...nodesOf('demote').map((node) => plain('demote', resource, node)),
    ...runs,
    ...nodesOf('promote').map((node) => plain('promote', resource, node)),
    ...nodesOf('reload', 'reload-agent').map((node) => plain('reload', resource, node)),
  ]
}

function plain(
  kind: 'start' | 'stop' | 'promote' | 'demote' | 'reload',
  resource: string,
  node: string,
): PlannedAction {
  return { kind, resource, node, text: `${kind} ${resource} on ${node}` }
}

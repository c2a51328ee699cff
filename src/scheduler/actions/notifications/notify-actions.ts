/**
 * The notify operations of clones with `notify=true`, made once it is known what will happen: each instance that hears of a
 * change is told between the two points around it, with the facts of all changes. What changes itself is told them as well.
 */
import type { NodeStatus } from '../../../status/index.ts'
import type { AppliedOrderings } from '../apply-orderings/applied-orderings.ts'
import { type ActionState, isRecurring, notifyKey, type PlannedAction } from '../draft/action.ts'
import type { Change, NotificationBoundary } from '../draft/boundary.ts'
import { isUnclean } from '../draft/draft.ts'
import { operationMeta } from '../draft/operation.ts'
import {
  type PlannedClone,
  type PlannedPrimitive,
  type PlannedResource,
  primitivesOf,
} from '../draft/planned-resource.ts'
import { verdictOn } from '../draft/runnable.ts'
import { notifiedInstances } from './notified-instances.ts'
import { type NotifyEntries, notifyMeta } from './notify-meta.ts'

type Facts = ReadonlyMap<string, string>

export interface NotifyActions {
  /** The highest number of an action so far. */
  readonly lastId: number
  readonly ofResource: (rsc: PlannedResource) => readonly PlannedAction[]
  /** The state of any action, notify actions among them. */
  readonly stateOf: (action: PlannedAction) => Readonly<ActionState>
  /** What an action waits for besides its own relations: points for notify actions, notify actions for points. */
  readonly awaited: (action: PlannedAction) => readonly PlannedAction[]
  /** What an action is told besides its own meta-attributes. */
  readonly told: (action: PlannedAction) => Facts
}

export function notify(applied: AppliedOrderings): NotifyActions {
  const writing = new Writing(applied)
  for (const { boundary, told } of applied.afterFencing) {
    for (const { rsc, node } of told) writing.tellAfter(rsc, node, { boundary, facts: noFacts })
  }
  for (const clone of clonesOf(applied.tree.ordered)) {
    const boundaries = applied.boundaries.get(clone)
    if (boundaries) tellInstances(applied, writing, { clone, boundaries: Object.values(boundaries) })
  }
  return writing.finish()
}

const noFacts: Facts = new Map()

const clonesOf = (resources: readonly PlannedResource[]): readonly PlannedClone[] =>
  resources.flatMap((rsc) => (rsc.kind === 'clone' ? [rsc] : rsc.kind === 'bundle' && rsc.child ? [rsc.child] : []))

interface Telling {
  readonly clone: PlannedClone
  readonly boundaries: readonly NotificationBoundary[]
}

function tellInstances(applied: AppliedOrderings, writing: Writing, { clone, boundaries }: Telling): void {
  const all = happenings(applied, clone)
  const facts = notifyMeta(applied, clone, all)
  const primitives = primitivesOf(clone)
  for (const primitive of primitives) {
    for (const action of applied.ofResource(primitive)) {
      if (!applied.stateOf(action).optional && action.node && changeOf(action)) writing.tellItself(action, facts)
    }
  }
  const { stateOf } = applied
  for (const boundary of boundaries) {
    const { change } = boundary
    // A stop that fencing implies is announced although nothing is executed.
    if (change !== 'stop' && all[change].length === 0) continue
    for (const rsc of primitives) {
      const told = { change, stateOf, isUnclean: (node: NodeStatus) => isUnclean(applied, node) }
      for (const { node, hears } of notifiedInstances(applied, rsc, told)) {
        if (hears.pre) writing.tellBefore(rsc, node, { boundary, facts })
        if (hears.post) writing.tellAfter(rsc, node, { boundary, facts })
      }
    }
  }
}

const changes: Readonly<Record<string, Change>> = { start: 'start', stop: 'stop', promote: 'promote', demote: 'demote' }

const changeOf = ({ task }: PlannedAction): Change | undefined => changes[task]

function happenings(applied: AppliedOrderings, clone: PlannedClone): NotifyEntries {
  const all: NotifyEntries = {
    active: [],
    inactive: [],
    promoted: [],
    unpromoted: [],
    start: [],
    stop: [],
    promote: [],
    demote: [],
  }
  for (const rsc of primitivesOf(clone)) {
    const active = rsc.resource.state.active[0]
    const entry = { resource: rsc.id, node: active && applied.nodes.get(active.node) }
    if (rsc.role === 'Stopped') all.inactive.push(entry)
    else all.active.push(entry)
    if (rsc.role === 'Promoted') all.promoted.push(entry)
    if (rsc.role === 'Unpromoted') all.unpromoted.push(entry)
    for (const action of applied.ofResource(rsc)) {
      const change = changeOf(action)
      if (change && action.node && isHappening(applied, action, action.node)) {
        all[change].push({ resource: rsc.id, node: action.node })
      }
    }
  }
  return all
}

/** What stops with its node happens as well, even if that node cannot be fenced. */
function isHappening(applied: AppliedOrderings, action: PlannedAction, node: NodeStatus): boolean {
  const { optional, runnable } = applied.stateOf(action)
  return !optional && (runnable || (action.task === 'stop' && node.kind !== 'guest' && isUnclean(applied, node)))
}

interface Message {
  readonly boundary: NotificationBoundary
  readonly facts: Facts
}

interface Written {
  readonly action: PlannedAction & { priority: number }
  readonly meta: Map<string, string>
  readonly state: ActionState
}

const INFINITY = 1_000_000

/** The notify actions while they are written. Whoever is told the same twice on a node is told once. */
class Writing {
  readonly #applied: AppliedOrderings
  readonly #byKey = new Map<string, Written>()
  readonly #byResource = new Map<PlannedResource, Written[]>()
  readonly #awaited = new Map<PlannedAction, PlannedAction[]>()
  readonly #told = new Map<PlannedAction, Facts>()
  #id: number

  constructor(applied: AppliedOrderings) {
    this.#applied = applied
    this.#id = applied.actions.length
  }

  tellItself(action: PlannedAction, facts: Facts): void {
    this.#told.set(action, facts)
  }

  tellBefore(rsc: PlannedPrimitive, node: NodeStatus, { boundary, facts }: Message): void {
    this.#write(rsc, node, { point: boundary.pre, done: boundary.preDone, facts })
  }

  /** Monitors start again only after everyone heard of the change. */
  tellAfter(rsc: PlannedPrimitive, node: NodeStatus, { boundary, facts }: Message): void {
    const { post, postDone } = boundary
    const written = this.#write(rsc, node, { point: post, done: postDone, facts })
    if (written) written.action.priority = INFINITY
    if (!postDone) return
    for (const monitor of this.#applied.ofResource(rsc)) {
      if (isRecurring(monitor) && monitor.cancels === undefined) this.#await(monitor, postDone)
    }
  }

  finish(): NotifyActions {
    const nothing: readonly PlannedAction[] = []
    const byResource = new Map(
      [...this.#byResource].map(([rsc, written]) => [rsc, written.map(({ action }) => action)]),
    )
    const states = new Map<PlannedAction, ActionState>()
    for (const { action, state } of this.#byKey.values()) states.set(action, state)
    return {
      lastId: this.#id,
      ofResource: (rsc) => byResource.get(rsc) ?? nothing,
      stateOf: (action) => states.get(action) ?? this.#applied.stateOf(action),
      awaited: (action) => this.#awaited.get(action) ?? nothing,
      told: (action) => this.#told.get(action) ?? noFacts,
    }
  }

  #await(action: PlannedAction, first: PlannedAction): void {
    const known = this.#awaited.get(action)
    if (known) known.push(first)
    else this.#awaited.set(action, [first])
  }

  #write(
    rsc: PlannedPrimitive,
    node: NodeStatus,
    {
      point,
      done,
      facts,
    }: Pick<Message, 'facts'> & { point?: PlannedAction | undefined; done?: PlannedAction | undefined },
  ): Written | undefined {
    if (!point || !done || !node.online) return undefined
    const { optional, runnable } = this.#applied.stateOf(point)
    if (!runnable) return undefined
    const written = this.#notifyAction(rsc, node, point)
    if (!optional && rsc.assigned.managed) written.state.optional = false
    // A stop that is implied by fencing was announced already, as that.
    for (const [name, value] of point.meta) {
      if (name.startsWith('notify_') && !written.meta.has(name)) written.meta.set(name, value)
    }
    for (const [name, value] of facts) written.meta.set(name, value)
    this.#await(written.action, point)
    this.#await(done, written.action)
    return written
  }

  #notifyAction(rsc: PlannedPrimitive, node: NodeStatus, point: PlannedAction): Written {
    const key = notifyKey(rsc.id, point.meta.get('notify_type') ?? '', point.meta.get('notify_operation') ?? '')
    const known = this.#byKey.get(`${key} ${node.name}`)
    if (known) return known
    this.#id++
    const meta = operationMeta(this.#applied.status, rsc, 'notify', 0)
    const action: Written['action'] = {
      id: this.#id,
      rsc,
      key,
      task: 'notify',
      cancels: undefined,
      intervalMs: 0,
      node,
      abortsMigration: false,
      onDc: false,
      minRunnable: undefined,
      priority: 0,
      expectedRc: undefined,
      migration: undefined,
      meta,
      before: [],
      after: [],
    }
    const verdict = verdictOn(this.#applied, rsc, { ...action, needs: 'nothing' })
    const state = {
      optional: true,
      runnable: verdict.kind === 'fine',
      pseudo: false,
      migratable: false,
      alwaysInGraph: false,
      reason: undefined,
      cause: undefined,
    }
    const written: Written = { action, meta, state }
    this.#byKey.set(`${key} ${node.name}`, written)
    const ofResource = this.#byResource.get(rsc)
    if (ofResource) ofResource.push(written)
    else this.#byResource.set(rsc, [written])
    return written
  }
}

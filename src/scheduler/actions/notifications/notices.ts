/**
 * The notify operations of clones with `notify=true`, made once it is known what will happen: each instance that hears of a
 * change is told between the two points around it, with the facts of all changes. What changes itself is told them as well.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { type ActionState, isRecurring, notifyKey, type PlannedAction } from '../draft/action.ts'
import type { Change, NotificationBoundary } from '../draft/boundary.ts'
import { isUnclean } from '../draft/draft.ts'
import { operationMeta } from '../draft/operation.ts'
import { verdictOn } from '../draft/runnable.ts'
import { type CloneUnit, type PrimitiveUnit, primitivesOf, type Unit } from '../draft/unit.ts'
import type { Settled } from '../settling/settled.ts'
import { type Happenings, notificationFacts } from './facts.ts'
import { listeners } from './listeners.ts'

type Facts = ReadonlyMap<string, string>

export interface Notices {
  /** The highest number of an action so far. */
  readonly lastId: number
  readonly ofUnit: (unit: Unit) => readonly PlannedAction[]
  /** The state of any action, notices among them. */
  readonly stateOf: (action: PlannedAction) => Readonly<ActionState>
  /** What an action waits for besides its own relations: points for notices, notices for points. */
  readonly awaited: (action: PlannedAction) => readonly PlannedAction[]
  /** What an action is told besides its own meta-attributes. */
  readonly told: (action: PlannedAction) => Facts
}

export function notify(settled: Settled): Notices {
  const writing = new Writing(settled)
  for (const { boundary, told } of settled.afterFencing) {
    for (const { unit, node } of told) writing.tellAfter(unit, node, { boundary, facts: noFacts })
  }
  for (const clone of clonesOf(settled.tree.ordered)) {
    const boundaries = settled.boundaries.get(clone)
    if (boundaries) tellInstances(settled, writing, { clone, boundaries: Object.values(boundaries) })
  }
  return writing.finish()
}

const noFacts: Facts = new Map()

const clonesOf = (units: readonly Unit[]): readonly CloneUnit[] =>
  units.flatMap((unit) => (unit.kind === 'clone' ? [unit] : unit.kind === 'bundle' && unit.child ? [unit.child] : []))

interface Telling {
  readonly clone: CloneUnit
  readonly boundaries: readonly NotificationBoundary[]
}

function tellInstances(settled: Settled, writing: Writing, { clone, boundaries }: Telling): void {
  const all = happenings(settled, clone)
  const facts = notificationFacts(settled, clone, all)
  const primitives = primitivesOf(clone)
  for (const primitive of primitives) {
    for (const action of settled.ofUnit(primitive)) {
      if (!settled.stateOf(action).optional && action.node && changeOf(action)) writing.tellItself(action, facts)
    }
  }
  const { stateOf } = settled
  for (const boundary of boundaries) {
    const { change } = boundary
    // A stop that fencing implies is announced although nothing is executed.
    if (change !== 'stop' && all[change].length === 0) continue
    for (const unit of primitives) {
      const told = { change, stateOf, isUnclean: (node: NodeStatus) => isUnclean(settled, node) }
      for (const { node, hears } of listeners(settled, unit, told)) {
        if (hears.pre) writing.tellBefore(unit, node, { boundary, facts })
        if (hears.post) writing.tellAfter(unit, node, { boundary, facts })
      }
    }
  }
}

const changes: Readonly<Record<string, Change>> = { start: 'start', stop: 'stop', promote: 'promote', demote: 'demote' }

const changeOf = ({ task }: PlannedAction): Change | undefined => changes[task]

function happenings(settled: Settled, clone: CloneUnit): Happenings {
  const all: Happenings = {
    active: [],
    inactive: [],
    promoted: [],
    unpromoted: [],
    start: [],
    stop: [],
    promote: [],
    demote: [],
  }
  for (const unit of primitivesOf(clone)) {
    const active = unit.resource.state.active[0]
    const entry = { resource: unit.id, node: active && settled.nodes.get(active.node) }
    if (unit.role === 'Stopped') all.inactive.push(entry)
    else all.active.push(entry)
    if (unit.role === 'Promoted') all.promoted.push(entry)
    if (unit.role === 'Unpromoted') all.unpromoted.push(entry)
    for (const action of settled.ofUnit(unit)) {
      const change = changeOf(action)
      if (change && action.node && isHappening(settled, action, action.node)) {
        all[change].push({ resource: unit.id, node: action.node })
      }
    }
  }
  return all
}

/** What stops with its node happens as well, even if that node cannot be fenced. */
function isHappening(settled: Settled, action: PlannedAction, node: NodeStatus): boolean {
  const { optional, runnable } = settled.stateOf(action)
  return !optional && (runnable || (action.task === 'stop' && node.kind !== 'guest' && isUnclean(settled, node)))
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

/** The notices while they are written. Whoever is told the same twice on a node is told once. */
class Writing {
  readonly #settled: Settled
  readonly #byKey = new Map<string, Written>()
  readonly #byUnit = new Map<Unit, Written[]>()
  readonly #awaited = new Map<PlannedAction, PlannedAction[]>()
  readonly #told = new Map<PlannedAction, Facts>()
  #id: number

  constructor(settled: Settled) {
    this.#settled = settled
    this.#id = settled.actions.length
  }

  tellItself(action: PlannedAction, facts: Facts): void {
    this.#told.set(action, facts)
  }

  tellBefore(unit: PrimitiveUnit, node: NodeStatus, { boundary, facts }: Message): void {
    this.#write(unit, node, { point: boundary.pre, done: boundary.preDone, facts })
  }

  /** Monitors start again only after everyone heard of the change. */
  tellAfter(unit: PrimitiveUnit, node: NodeStatus, { boundary, facts }: Message): void {
    const { post, postDone } = boundary
    const written = this.#write(unit, node, { point: post, done: postDone, facts })
    if (written) written.action.priority = INFINITY
    if (!postDone) return
    for (const monitor of this.#settled.ofUnit(unit)) {
      if (isRecurring(monitor) && monitor.cancels === undefined) this.#await(monitor, postDone)
    }
  }

  finish(): Notices {
    const nothing: readonly PlannedAction[] = []
    const byUnit = new Map([...this.#byUnit].map(([unit, written]) => [unit, written.map(({ action }) => action)]))
    const states = new Map<PlannedAction, ActionState>()
    for (const { action, state } of this.#byKey.values()) states.set(action, state)
    return {
      lastId: this.#id,
      ofUnit: (unit) => byUnit.get(unit) ?? nothing,
      stateOf: (action) => states.get(action) ?? this.#settled.stateOf(action),
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
    unit: PrimitiveUnit,
    node: NodeStatus,
    {
      point,
      done,
      facts,
    }: Pick<Message, 'facts'> & { point?: PlannedAction | undefined; done?: PlannedAction | undefined },
  ): Written | undefined {
    if (!point || !done || !node.online) return undefined
    const { optional, runnable } = this.#settled.stateOf(point)
    if (!runnable) return undefined
    const written = this.#notice(unit, node, point)
    if (!optional && unit.assigned.managed) written.state.optional = false
    // A stop that is implied by fencing was announced already, as that.
    for (const [name, value] of point.meta) {
      if (name.startsWith('notify_') && !written.meta.has(name)) written.meta.set(name, value)
    }
    for (const [name, value] of facts) written.meta.set(name, value)
    this.#await(written.action, point)
    this.#await(done, written.action)
    return written
  }

  #notice(unit: PrimitiveUnit, node: NodeStatus, point: PlannedAction): Written {
    const key = notifyKey(unit.id, point.meta.get('notify_type') ?? '', point.meta.get('notify_operation') ?? '')
    const known = this.#byKey.get(`${key} ${node.name}`)
    if (known) return known
    this.#id++
    const meta = operationMeta(this.#settled.status, unit, 'notify', 0)
    const action: Written['action'] = {
      id: this.#id,
      unit,
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
    const verdict = verdictOn(this.#settled, unit, { ...action, needs: 'nothing' })
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
    const ofUnit = this.#byUnit.get(unit)
    if (ofUnit) ofUnit.push(written)
    else this.#byUnit.set(unit, [written])
    return written
  }
}

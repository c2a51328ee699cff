/**
 * Clones with `notify=true` tell every instance before (`pre`) and after (`post`) one of them starts, stops, is promoted or
 * demoted, and what else happens ("Clone Resource Agent Requirements" in Pacemaker Explained). The boundaries are ordering
 * points made with the clone's own; the instances' notify operations are made last, when it is known what will happen.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { findAction, isRecurring, notifyKey, operationKey, type PlannedAction } from '../action.ts'
import { activeNodes, isUnclean, obtain, type Plan, targetOf } from '../draft.ts'
import { relate, rule } from '../relation.ts'
import {
  type CloneUnit,
  type NotificationBoundary,
  type PrimitiveUnit,
  primitivesOf,
  topOf,
  type Unit,
} from '../unit.ts'
import { type Happenings, notificationFacts } from './facts.ts'

const INFINITY = 1_000_000

/** Orders notifications around an action: pre, confirmed, the action, its end, post, confirmed. */
export function boundNotifications(
  plan: Plan,
  clone: CloneUnit,
  task: string,
  around: { readonly action?: PlannedAction; readonly done?: PlannedAction },
): NotificationBoundary | undefined {
  if (!clone.resource.notify) return undefined
  return boundary(plan, clone, task, around)
}

function boundary(
  plan: Plan,
  unit: Unit,
  task: string,
  { action, done }: { readonly action?: PlannedAction; readonly done?: PlannedAction },
): NotificationBoundary {
  const pre = action && notifyPoint(plan, unit, { action, task, when: 'pre', name: 'notify' })
  const preDone = action && notifyPoint(plan, unit, { action, task, when: 'confirmed-pre', name: 'notified' })
  if (pre && preDone) {
    relate(pre, preDone, rule.ordered)
    relate(preDone, action, rule.ordered)
  }
  const post = done && notifyPoint(plan, unit, { action: done, task, when: 'post', name: 'notify' })
  const postDone = done && notifyPoint(plan, unit, { action: done, task, when: 'confirmed-post', name: 'notified' })
  if (post && postDone) {
    for (const point of [post, postDone]) {
      point.priority = INFINITY
      point.runnable = done.runnable
    }
    relate(done, post, rule.firstImpliesThen)
    relate(post, postDone, rule.firstImpliesThen)
    relate(preDone, post, rule.ordered)
  }
  return {
    task,
    ...(pre && { pre }),
    ...(preDone && { preDone }),
    ...(post && { post }),
    ...(postDone && { postDone }),
  }
}

interface Point {
  readonly action: PlannedAction
  readonly task: string
  readonly when: string
  readonly name: string
}

function notifyPoint(plan: Plan, unit: Unit, { action, task, when, name }: Point): PlannedAction {
  const key = notifyKey(unit.id, when, action.task)
  const point = obtain(plan, { unit, key, task: name, optional: action.optional })
  point.pseudo = true
  point.runnable = true
  point.meta.set('notify_key_type', when)
  point.meta.set('notify_key_operation', action.task)
  point.meta.set('notify_type', when.replace('confirmed-', ''))
  point.meta.set('notify_operation', task)
  return point
}

/** One kind of change is confirmed to all before the next is announced. */
export function orderBoundaries(
  first: NotificationBoundary | undefined,
  follower: NotificationBoundary | undefined,
): void {
  relate(first?.postDone, follower?.pre, rule.ordered)
}

/** Makes the notify operations of all instances, once nothing changes any more. */
export function planNotifications(plan: Plan, clone: CloneUnit): void {
  const { start, stop, promote, demote } = clone.boundaries
  for (const bounds of [start, stop, promote, demote]) {
    if (!bounds) continue
    const happenings = collect(plan, clone, true)
    const facts = notificationFacts(plan, clone, happenings)
    for (const primitive of primitivesOf(clone)) {
      for (const action of primitive.actions) {
        if (!action.optional && action.node && isChange(action)) tell(action, facts)
      }
      notifyInstance(plan, primitive, bounds, { all: happenings, facts })
    }
  }
}

function collect(plan: Plan, clone: Unit, withActions: boolean): Happenings {
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
    const entry = { resource: unit.id, node: activeNodes(plan, unit)[0] }
    const { role } = unit
    if (role === 'Stopped') all.inactive.push(entry)
    else all.active.push(entry)
    if (role === 'Promoted') all.promoted.push(entry)
    if (role === 'Unpromoted') all.unpromoted.push(entry)
    if (withActions) for (const action of unit.actions) noteAction(plan, unit, action, all)
  }
  return all
}

function noteAction(plan: Plan, unit: PrimitiveUnit, action: PlannedAction, all: Happenings): void {
  const { node, task } = action
  if (action.optional || !node) return
  const isLost = node.kind !== 'guest' && isUnclean(plan, node)
  if (!action.runnable && !(task === 'stop' && isLost)) return
  if (task === 'start' || task === 'stop' || task === 'promote' || task === 'demote') {
    all[task].push({ resource: unit.id, node })
  }
}

interface Told {
  readonly all: Happenings
  readonly facts: ReadonlyMap<string, string>
}

const isChange = ({ task }: PlannedAction): boolean =>
  task === 'start' || task === 'stop' || task === 'promote' || task === 'demote'

function tell(action: PlannedAction, facts: ReadonlyMap<string, string>): void {
  for (const [name, value] of facts) action.meta.set(name, value)
}

function notifyInstance(plan: Plan, unit: PrimitiveUnit, bounds: NotificationBoundary, { all, facts }: Told): void {
  const { task } = bounds
  if ((task === 'start' || task === 'promote' || task === 'demote') && all[task].length === 0) return
  if (unit.role !== 'Stopped' && (task === 'stop' || task === 'demote')) {
    for (const node of activeNodes(plan, unit)) notifyDown(plan, unit, { bounds, facts }, node)
  }
  const target = targetOf(plan, unit)
  if (unit.assigned.nextRole === 'Stopped' || !target || (task !== 'start' && task !== 'promote')) return
  const start = findAction(unit, { key: operationKey(unit.id, 'start') })
  // It is not going to be there to hear anything.
  if (start && !start.optional && !start.runnable) return
  if (task !== 'start' || !start || start.optional)
    notify(plan, unit, { node: target, point: bounds.pre, done: bounds.preDone, facts })
  notifyPost(plan, unit, { bounds, facts }, target)
}

interface Announced {
  readonly bounds: NotificationBoundary
  readonly facts: ReadonlyMap<string, string>
}

function notifyDown(plan: Plan, unit: PrimitiveUnit, announced: Announced, node: NodeStatus): void {
  const { bounds, facts } = announced
  const stop = findAction(unit, { key: operationKey(unit.id, 'stop'), node })
  // A node that is being fenced hears nothing.
  if (stop?.pseudo && (isUnclean(plan, node) || node.requiresReset)) return
  notify(plan, unit, { node, point: bounds.pre, done: bounds.preDone, facts })
  if (bounds.task === 'demote' || !stop || stop.optional) notifyPost(plan, unit, announced, node)
}

interface Notification {
  readonly node: NodeStatus
  readonly point: PlannedAction | undefined
  readonly done: PlannedAction | undefined
  readonly facts: ReadonlyMap<string, string>
}

function notify(
  plan: Plan,
  unit: PrimitiveUnit,
  { node, point, done, facts }: Notification,
): PlannedAction | undefined {
  if (!point || !done || !node.online || !point.runnable) return undefined
  const when = point.meta.get('notify_type') ?? ''
  const task = point.meta.get('notify_operation') ?? ''
  const action = obtain(plan, {
    unit,
    key: notifyKey(unit.id, when, task),
    task: 'notify',
    node,
    optional: point.optional,
  })
  // A stop that is implied by fencing was announced already, as that.
  for (const [name, value] of point.meta) {
    if (name.startsWith('notify_') && !action.meta.has(name)) action.meta.set(name, value)
  }
  tell(action, facts)
  relate(point, action, rule.ordered)
  relate(action, done, rule.ordered)
  return action
}

/** Monitors start again only after everyone heard of the change. */
function notifyPost(plan: Plan, unit: PrimitiveUnit, { bounds, facts }: Announced, node: NodeStatus): void {
  const action = notify(plan, unit, { node, point: bounds.post, done: bounds.postDone, facts })
  if (action) action.priority = INFINITY
  if (!bounds.postDone) return
  for (const monitor of unit.actions) {
    if (isRecurring(monitor) && monitor.task !== 'cancel') relate(bounds.postDone, monitor, rule.ordered)
  }
}

/** Instances elsewhere are told of a stop that fencing implies, once the fencing is done. */
export function notifyAfterFencing(plan: Plan, unit: PrimitiveUnit, fencing: PlannedAction): void {
  const bounds = boundary(plan, unit, 'stop', { done: fencing })
  const all = collect(plan, unit, false)
  const facts = new Map<string, string>()
  for (const primitive of primitivesOf(topOf(unit))) {
    notifyInstance(plan, primitive, bounds, { all, facts })
  }
}

/**
 * The ordering points of groups, clones and bundles: `start` before the first member starts, `running` after the last did,
 * and so on. They are needed when something below them is.
 */
import type { PlannedAction } from '../action.ts'
import { obtain, type Plan, resourcePoint } from '../draft.ts'
import { boundNotifications, orderBoundaries } from '../notifications/notifications.ts'
import {
  type BundleUnit,
  type CloneUnit,
  type GroupUnit,
  isActive,
  primitivesOf,
  replicasOf,
  topOf,
  type Unit,
} from '../unit.ts'
import { planRoleChanges } from './role-changes.ts'

const INFINITY = 1_000_000

export function planActions(plan: Plan, unit: Unit): void {
  switch (unit.kind) {
    case 'primitive':
      planRoleChanges(plan, unit)
      break
    case 'group':
      planGroup(plan, unit)
      break
    case 'clone':
      planClone(plan, unit)
      break
    case 'bundle':
      planBundle(plan, unit)
      break
  }
}

function planGroup(plan: Plan, group: GroupUnit): void {
  for (const member of group.members) planRoleChanges(plan, member)
  const top = topOf(group)
  const names = ['start', 'running', 'stop', 'stopped']
  if (top.kind === 'clone' && top.resource.promotable) names.push('demote', 'demoted', 'promote', 'promoted')
  for (const task of names) {
    const action = obtain(plan, { unit: group, task, optional: true })
    action.pseudo = true
    action.runnable = true
  }
}

function planClone(plan: Plan, clone: CloneUnit): void {
  planInstances(plan, clone)
  if (clone.resource.promotable) planPromotion(plan, clone)
}

function planBundle(plan: Plan, bundle: BundleUnit): void {
  for (const { ip, container, remote } of bundle.replicas) {
    if (ip) planRoleChanges(plan, ip)
    planRoleChanges(plan, container)
    if (remote) planRoleChanges(plan, remote)
  }
  planInstances(plan, bundle)
  if (!bundle.child) return
  planClone(plan, bundle.child)
  if (!bundle.child.resource.promotable) return
  for (const task of ['promote', 'promoted', 'demote', 'demoted']) {
    const action = resourcePoint(plan, bundle, task, { optional: true, runnable: true })
    if (task.endsWith('ed')) action.priority = INFINITY
  }
}

interface Changes {
  starting: boolean
  stopping: boolean
  active: boolean
  restarting: boolean
}

function planInstances(plan: Plan, unit: CloneUnit | BundleUnit): void {
  const changes: Changes = { starting: false, stopping: false, active: false, restarting: false }
  for (const instance of replicasOf(unit)) {
    if (unit.kind === 'clone') planActions(plan, instance)
    for (const primitive of primitivesOf(instance)) {
      if (isActive(primitive)) changes.active = true
      noteChanges(primitive.actions, changes)
    }
  }
  const start = resourcePoint(plan, unit, 'start', { optional: !changes.starting, runnable: true })
  const runnable = changes.active || changes.starting
  const running = resourcePoint(plan, unit, 'running', { optional: !changes.starting, runnable })
  running.priority = INFINITY
  const stop = resourcePoint(plan, unit, 'stop', { optional: !changes.stopping, runnable: true })
  const stopped = resourcePoint(plan, unit, 'stopped', { optional: !changes.stopping, runnable: true })
  stopped.priority = INFINITY
  if (!changes.restarting) stop.migratable = true
  if (unit.kind === 'clone') {
    unit.boundaries.start = boundNotifications(plan, unit, 'start', { action: start, done: running })
    unit.boundaries.stop = boundNotifications(plan, unit, 'stop', { action: stop, done: stopped })
    orderBoundaries(unit.boundaries.stop, unit.boundaries.start)
  }
}

/** A stop that fencing implies counts like one that is executed. */
function noteChanges(actions: readonly PlannedAction[], changes: Changes): void {
  let starting = false
  let stopping = false
  for (const { task, optional, runnable, pseudo } of actions) {
    if (optional) continue
    if (task === 'start' && runnable) starting = true
    if (task === 'stop' && (runnable || pseudo)) stopping = true
  }
  changes.starting ||= starting
  changes.stopping ||= stopping
  changes.restarting ||= starting && stopping
}

function planPromotion(plan: Plan, clone: CloneUnit): void {
  let promoting = false
  let demoting = false
  for (const primitive of primitivesOf(clone)) {
    for (const { task, optional } of primitive.actions) {
      if (optional) continue
      if (task === 'promote') promoting = true
      if (task === 'demote') demoting = true
    }
  }
  const promote = resourcePoint(plan, clone, 'promote', { optional: !promoting, runnable: true })
  const promoted = resourcePoint(plan, clone, 'promoted', { optional: !promoting, runnable: true })
  promoted.priority = INFINITY
  const demote = resourcePoint(plan, clone, 'demote', { optional: !demoting, runnable: true })
  const demoted = resourcePoint(plan, clone, 'demoted', { optional: !demoting, runnable: true })
  demoted.priority = INFINITY
  const { boundaries } = clone
  boundaries.promote = boundNotifications(plan, clone, 'promote', { action: promote, done: promoted })
  boundaries.demote = boundNotifications(plan, clone, 'demote', { action: demote, done: demoted })
  orderBoundaries(boundaries.start, boundaries.promote)
  orderBoundaries(boundaries.stop, boundaries.promote)
  orderBoundaries(boundaries.demote, boundaries.promote)
  orderBoundaries(boundaries.demote, boundaries.start)
  orderBoundaries(boundaries.demote, boundaries.stop)
}

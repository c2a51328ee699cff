/**
 * The ordering points of groups, clones and bundles: `start` before the first member starts, `running` after the last did,
 * and so on. They are needed when something below them is.
 */
import { type Drafting, type Ordering, ordersOf } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { obtain, resourcePoint } from '../draft/obtain.ts'
import type { Order } from '../draft/order.ts'
import {
  type BundleUnit,
  type CloneUnit,
  type GroupUnit,
  isActive,
  primitivesOf,
  replicasOf,
  topOf,
  type Unit,
} from '../draft/unit.ts'
import { bindNotifications, type Changing } from '../notifications/boundaries.ts'
import { draftRoleChanges } from './role-changes.ts'

const INFINITY = 1_000_000

/** What every resource needs to get to its role and place, in the order in which resources are worked on. */
export const draftWays = (draft: Drafting): readonly Order[] =>
  ordersOf(draft, (step) => {
    for (const unit of draft.tree.ordered) draftActionsOf(step, unit)
  })

function draftActionsOf(draft: Ordering, unit: Unit): void {
  switch (unit.kind) {
    case 'primitive':
      draftRoleChanges(draft, unit)
      break
    case 'group':
      draftGroup(draft, unit)
      break
    case 'clone':
      draftClone(draft, unit)
      break
    case 'bundle':
      draftBundle(draft, unit)
      break
  }
}

function draftGroup(draft: Ordering, group: GroupUnit): void {
  for (const member of group.members) draftRoleChanges(draft, member)
  const top = topOf(group)
  const names = ['start', 'running', 'stop', 'stopped']
  if (top.kind === 'clone' && top.resource.promotable) names.push('demote', 'demoted', 'promote', 'promoted')
  for (const task of names) {
    const action = obtain(draft, { unit: group, task, optional: true })
    action.pseudo = true
    action.runnable = true
  }
}

function draftClone(draft: Ordering, clone: CloneUnit): void {
  const { notify, promotable } = clone.resource
  const restart = draftInstances(draft, clone)
  if (notify) bindNotifications(draft, clone, restart)
  if (!promotable) return
  const roles = draftPromotion(draft, clone)
  if (notify) bindNotifications(draft, clone, roles)
}

function draftBundle(draft: Ordering, bundle: BundleUnit): void {
  for (const { ip, container, remote } of bundle.replicas) {
    if (ip) draftRoleChanges(draft, ip)
    draftRoleChanges(draft, container)
    if (remote) draftRoleChanges(draft, remote)
  }
  draftInstances(draft, bundle)
  if (!bundle.child) return
  draftClone(draft, bundle.child)
  if (!bundle.child.resource.promotable) return
  for (const task of ['promote', 'promoted', 'demote', 'demoted']) {
    const action = resourcePoint(draft, bundle, task, { optional: true, runnable: true })
    if (task.endsWith('ed')) action.priority = INFINITY
  }
}

interface Changes {
  starting: boolean
  stopping: boolean
  active: boolean
  restarting: boolean
}

/** The points of starting and stopping, each with that of being done with it. */
function draftInstances(draft: Ordering, unit: CloneUnit | BundleUnit): Changing {
  const changes: Changes = { starting: false, stopping: false, active: false, restarting: false }
  for (const instance of replicasOf(unit)) {
    if (unit.kind === 'clone') draftActionsOf(draft, instance)
    for (const primitive of primitivesOf(instance)) {
      if (isActive(primitive)) changes.active = true
      noteChanges(draft.ofUnit(primitive), changes)
    }
  }
  const start = resourcePoint(draft, unit, 'start', { optional: !changes.starting, runnable: true })
  const runnable = changes.active || changes.starting
  const running = resourcePoint(draft, unit, 'running', { optional: !changes.starting, runnable })
  running.priority = INFINITY
  const stop = resourcePoint(draft, unit, 'stop', { optional: !changes.stopping, runnable: true })
  const stopped = resourcePoint(draft, unit, 'stopped', { optional: !changes.stopping, runnable: true })
  stopped.priority = INFINITY
  if (!changes.restarting) stop.migratable = true
  return { start: { action: start, done: running }, stop: { action: stop, done: stopped } }
}

/** A stop that fencing implies counts like one that is executed. */
function noteChanges(actions: readonly DraftAction[], changes: Changes): void {
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

function draftPromotion(draft: Drafting, clone: CloneUnit): Changing {
  let promoting = false
  let demoting = false
  for (const primitive of primitivesOf(clone)) {
    for (const { task, optional } of draft.ofUnit(primitive)) {
      if (optional) continue
      if (task === 'promote') promoting = true
      if (task === 'demote') demoting = true
    }
  }
  const promote = resourcePoint(draft, clone, 'promote', { optional: !promoting, runnable: true })
  const promoted = resourcePoint(draft, clone, 'promoted', { optional: !promoting, runnable: true })
  promoted.priority = INFINITY
  const demote = resourcePoint(draft, clone, 'demote', { optional: !demoting, runnable: true })
  const demoted = resourcePoint(draft, clone, 'demoted', { optional: !demoting, runnable: true })
  demoted.priority = INFINITY
  return { promote: { action: promote, done: promoted }, demote: { action: demote, done: demoted } }
}

/**
 * The ordering points of groups, clones and bundles: `start` before the first member starts, `running` after the last did,
 * and so on. They are needed when something below them is.
 */
import { type Drafting, type Ordering, ordersOf } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { findOrCreateAction, resourcePoint } from '../draft/find-or-create-action.ts'
import type { Order } from '../draft/order.ts'
import {
  isActive,
  type PlannedBundle,
  type PlannedClone,
  type PlannedGroup,
  type PlannedResource,
  primitivesOf,
  replicasOf,
  topOf,
} from '../draft/planned-resource.ts'
import { bindNotifications, type Changing } from '../notifications/boundaries.ts'
import { draftRoleChanges } from './role-changes.ts'

const INFINITY = 1_000_000

/** What every resource needs to get to its role and place, in the order in which resources are worked on. */
export const draftResourceActions = (draft: Drafting): readonly Order[] =>
  ordersOf(draft, (step) => {
    for (const rsc of draft.tree.ordered) draftActionsOf(step, rsc)
  })

function draftActionsOf(draft: Ordering, rsc: PlannedResource): void {
  switch (rsc.kind) {
    case 'primitive':
      draftRoleChanges(draft, rsc)
      break
    case 'group':
      draftGroup(draft, rsc)
      break
    case 'clone':
      draftClone(draft, rsc)
      break
    case 'bundle':
      draftBundle(draft, rsc)
      break
  }
}

function draftGroup(draft: Ordering, group: PlannedGroup): void {
  for (const member of group.members) draftRoleChanges(draft, member)
  const top = topOf(group)
  const names = ['start', 'running', 'stop', 'stopped']
  if (top.kind === 'clone' && top.resource.promotable) names.push('demote', 'demoted', 'promote', 'promoted')
  for (const task of names) {
    const action = findOrCreateAction(draft, { rsc: group, task, optional: true })
    action.pseudo = true
    action.runnable = true
  }
}

function draftClone(draft: Ordering, clone: PlannedClone): void {
  const { notify, promotable } = clone.resource
  const restart = draftInstances(draft, clone)
  if (notify) bindNotifications(draft, clone, restart)
  if (!promotable) return
  const roles = draftPromotion(draft, clone)
  if (notify) bindNotifications(draft, clone, roles)
}

function draftBundle(draft: Ordering, bundle: PlannedBundle): void {
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
function draftInstances(draft: Ordering, rsc: PlannedClone | PlannedBundle): Changing {
  const changes: Changes = { starting: false, stopping: false, active: false, restarting: false }
  for (const instance of replicasOf(rsc)) {
    if (rsc.kind === 'clone') draftActionsOf(draft, instance)
    for (const primitive of primitivesOf(instance)) {
      if (isActive(primitive)) changes.active = true
      noteChanges(draft.ofResource(primitive), changes)
    }
  }
  const start = resourcePoint(draft, rsc, 'start', { optional: !changes.starting, runnable: true })
  const runnable = changes.active || changes.starting
  const running = resourcePoint(draft, rsc, 'running', { optional: !changes.starting, runnable })
  running.priority = INFINITY
  const stop = resourcePoint(draft, rsc, 'stop', { optional: !changes.stopping, runnable: true })
  const stopped = resourcePoint(draft, rsc, 'stopped', { optional: !changes.stopping, runnable: true })
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

function draftPromotion(draft: Drafting, clone: PlannedClone): Changing {
  let promoting = false
  let demoting = false
  for (const primitive of primitivesOf(clone)) {
    for (const { task, optional } of draft.ofResource(primitive)) {
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

/**
 * Nodes that must be fenced, and nodes that are shutting down: their actions, what fencing implies for the resources there,
 * and the order among them ("Fencing" in Pacemaker Explained; options concurrent-fencing, priority-fencing-delay).
 */

import { isTrue } from '../../../cib/index.ts'
import { type NodeStatus, primitivesIn } from '../../../status/index.ts'
import { findAction, sameNode } from '../draft/action.ts'
import { type Drafting, isUnclean } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { fenceAction, findOrCreateAction } from '../draft/find-or-create-action.ts'
import { isBundled, type PlannedPrimitive, topOf } from '../draft/planned-resource.ts'
import { relate, rule } from '../draft/relation.ts'
import { canFence } from '../draft/setting.ts'
import { bindAfterFencing } from '../notifications/boundaries.ts'

export function draftFencing(draft: Drafting): void {
  const primitives = draft.tree.primitives
  const hasManaged = [...draft.assignment.primitives.values()].some(({ managed }) => managed)
  const done: Down = { dc: undefined, fencing: [], shutdowns: [] }
  for (const node of draft.nodeList) planNode(draft, primitives, { node, hasManaged, done })
  orderDc(draft, done)
}

interface Down {
  dc: DraftAction | undefined
  readonly fencing: DraftAction[]
  readonly shutdowns: DraftAction[]
}

interface NodePlan {
  readonly node: NodeStatus
  readonly hasManaged: boolean
  readonly done: Down
}

function planNode(
  draft: Drafting,
  primitives: readonly PlannedPrimitive[],
  { node, hasManaged, done }: NodePlan,
): void {
  if (node.kind === 'guest') {
    if ((node.requiresReset || draft.fencing.has(node.name)) && hasManaged && canFence(draft, node)) {
      fenceGuest(draft, primitives, node)
    }
    return
  }
  if (hasManaged && isUnclean(draft, node) && canFence(draft, node)) {
    const reason = node.fencingReasons[0] ?? draft.fencing.get(node.name)?.[0] ?? 'node is unclean'
    const action = fenceAction(draft, node, { optional: false, reason })
    orderAroundFencing(draft, primitives, action)
    // The node's fail counts go with it.
    for (const rsc of primitives)
      for (const clear of actionsOn(draft, rsc, 'clear_failcount', node)) clear.runnable = false
    if (node.isDc) done.dc = action
    else done.fencing.push(action)
    return
  }
  if (!node.shutdown || !node.online || node.kind !== 'member') return
  const action = shutdownAction(draft, node)
  if (node.isDc) done.dc = action
  else done.shutdowns.push(action)
}

/** The DC goes last, so that there are no more elections than necessary. */
function orderDc(draft: Drafting, { dc, fencing, shutdowns }: Down): void {
  const { concurrentFencing } = draft.status.options
  if (!concurrentFencing) {
    fencing.forEach((action, index) => {
      relate(fencing[index - 1], action, rule.ordered)
    })
  }
  if (!dc) return
  // A stop may wait for the DC's fencing and a shutdown for that stop, so shutdowns do not come before it.
  if (dc.task === 'do_shutdown') for (const action of shutdowns) relate(action, dc, rule.ordered)
  for (const action of concurrentFencing ? fencing : fencing.slice(-1)) relate(action, dc, rule.ordered)
}

function shutdownAction(draft: Drafting, node: NodeStatus): DraftAction {
  const action = findOrCreateAction(draft, {
    rsc: undefined,
    task: 'do_shutdown',
    key: `do_shutdown-${node.name}`,
    node,
    optional: false,
  })
  action.meta.set('op_no_wait', 'true')
  for (const stop of draft.actions) {
    if (stop.task !== 'stop' || !sameNode(stop.node, node) || stop.rsc?.kind !== 'primitive') continue
    const { assigned, resource } = stop.rsc
    if (resource.state.maintenance || node.maintenance || (!assigned.managed && !assigned.blocked)) continue
    stop.optional = false
    relate(stop, action, rule.ordered | rule.unrunnableFirstBlocks)
  }
  return action
}

/** A guest is fenced by the recovery of its container; a point in the order stands for it. */
function fenceGuest(draft: Drafting, primitives: readonly PlannedPrimitive[], node: NodeStatus): void {
  const container = node.container === undefined ? undefined : draft.tree.byId.get(node.container)
  const connection = node.connection === undefined ? undefined : draft.tree.byId.get(node.connection)
  const stop = container && findAction(draft, container, { task: 'stop' })
  const start = container && findAction(draft, container, { task: 'start' })
  const action = fenceAction(draft, node, {
    action: start ? 'reboot' : 'off',
    optional: false,
    reason: 'guest is unclean',
  })
  action.pseudo = true
  action.runnable = true
  if (stop?.pseudo && stop.node) {
    // The stop of the container is itself implied by the fencing of its host.
    const host = fenceAction(draft, stop.node, { optional: false })
    relate(host, action, rule.unrunnableFirstBlocks | rule.firstImpliesThen)
  } else if (stop) {
    relate(stop, action, rule.unrunnableFirstBlocks | rule.firstImpliesThen)
  } else {
    relate(connection && findAction(draft, connection, { task: 'stop' }), action, rule.ordered)
  }
  orderAroundFencing(draft, primitives, action)
}

/** Starts wait for the fencing, stops on the node are implied by it. */
function orderAroundFencing(draft: Drafting, primitives: readonly PlannedPrimitive[], fencing: DraftAction): void {
  const { node } = fencing
  if (!node) return
  for (const rsc of primitives) {
    if (!rsc.assigned.managed) continue
    orderStarts(draft, rsc, fencing, node)
    orderStops(draft, rsc, fencing, node)
    orderDemotes(draft, rsc, fencing, node)
  }
}

function orderStarts(draft: Drafting, rsc: PlannedPrimitive, fencing: DraftAction, target: NodeStatus): void {
  for (const action of draft.ofResource(rsc)) {
    if (action.needs === 'fencing') {
      relate(fencing, action, rule.ordered)
    } else if (
      action.needs === 'quorum' &&
      action.task === 'start' &&
      rsc.assigned.scoreOn(target.name) !== undefined &&
      !isKnownOn(rsc, target)
    ) {
      // Nobody knows whether it runs there, so it is not started before the node is surely down.
      relate(fencing, action, rule.ordered | rule.unrunnableFirstBlocks)
    }
  }
}

/** Instances of an anonymous clone are alike, so what is known of one holds for all. */
function isKnownOn({ resource, parent }: PlannedPrimitive, { name }: NodeStatus): boolean {
  if (resource.state.knownOn.has(name)) return true
  if (parent?.kind !== 'clone' || parent.resource.unique) return false
  return primitivesIn(parent.resource).some(({ state }) => state.knownOn.has(name))
}

const isOrderImplied = (rsc: PlannedPrimitive, target: NodeStatus): boolean => {
  const { requires } = rsc.resource.meta
  return requires === 'fencing' || requires === 'unfencing' || target.kind === 'guest'
}

function orderStops(draft: Drafting, rsc: PlannedPrimitive, fencing: DraftAction, target: NodeStatus): void {
  const stops = actionsOn(draft, rsc, 'stop', target)
  const isOrdered = isOrderImplied(rsc, target)
  const parentStop = stops.length > 0 && isOrdered ? findAction(draft, topOf(rsc), { task: 'stop' }) : undefined
  for (const stop of stops) {
    stop.pseudo = true
    stop.runnable = true
    if (isOrdered) {
      // In a bundle the order of the whole suffices; more would make a loop.
      if (!isBundled(rsc)) relate(fencing, stop, rule.guestAllowed)
      relate(fencing, parentStop, rule.guestAllowed)
    }
    if (isTrue(rsc.resource.meta.raw.get('notify'))) bindAfterFencing(draft, rsc, fencing)
  }
}

function orderDemotes(draft: Drafting, rsc: PlannedPrimitive, fencing: DraftAction, target: NodeStatus): void {
  for (const demote of actionsOn(draft, rsc, 'demote', target)) {
    if (demote.node?.online && !isUnclean(draft, target) && !rsc.resource.state.failed) continue
    demote.pseudo = true
    demote.runnable = true
    if (!isBundled(rsc) && isOrderImplied(rsc, target)) relate(fencing, demote, rule.guestAllowed | rule.ordered)
  }
}

const actionsOn = (draft: Drafting, rsc: PlannedPrimitive, task: string, node: NodeStatus): readonly DraftAction[] =>
  draft.withTask(rsc, task).filter((action) => sameNode(action.node, node))

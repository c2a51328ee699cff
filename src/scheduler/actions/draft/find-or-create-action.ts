/** How actions come into the draft: each once for its key and node, judged by itself, needed once anyone needs it. */
import type { NodeStatus } from '../../../status/index.ts'
import { operationKey } from './action.ts'
import { deviceDigests } from './device-digests.ts'
import { type Drafting, nameIn } from './draft.ts'
import { type DraftAction, DraftedAction } from './draft-action.ts'
import { operationMeta, requirementOf } from './operation.ts'
import type { PlannedPrimitive, PlannedResource } from './planned-resource.ts'
import { priorityDelayMs } from './priority-delay.ts'
import { verdictOn } from './runnable.ts'
import { canFence } from './setting.ts'

export interface ActionRequest {
  readonly rsc: PlannedResource | undefined
  readonly task: string
  readonly key?: string
  readonly intervalMs?: number
  readonly node?: NodeStatus | undefined
  readonly optional: boolean
  readonly minRunnable?: number
}

/** The action with this key on this node: the one that exists, or a new one. One that is needed once stays needed. */
export function findOrCreateAction(draft: Drafting, wanted: ActionRequest): DraftAction {
  const { rsc, node, optional } = wanted
  const existing = rsc && draft.latestFor(rsc, nameOf(rsc, wanted), node)
  // One that was asked for without a node is the one for the first node that is named.
  if (existing && node) existing.node ??= node
  const action = existing ?? create(draft, wanted)
  if (!optional) action.optional = false
  if (rsc?.kind === 'primitive') {
    // What is not managed is left alone; recurring monitors go on all the same.
    if (action.node && !rsc.assigned.managed && action.intervalMs === 0) action.optional = true
    if (!action.pseudo) judge(draft, rsc, action)
  }
  return action
}

const nameOf = (rsc: PlannedResource, { key, task, intervalMs }: ActionRequest): string =>
  key === undefined && !intervalMs ? task : nameIn(rsc, key ?? operationKey(rsc.id, task, intervalMs))

const quorumReasons = { 'no-quorum': 'no quorum', 'quorum-freeze': 'quorum freeze' } as const

function judge(draft: Drafting, rsc: PlannedPrimitive, action: DraftAction): void {
  const verdict = verdictOn(draft, rsc, action)
  switch (verdict.kind) {
    case 'fine':
      action.runnable = true
      if (!verdict.forgets) return
      action.reason = undefined
      action.cause = undefined
      return
    case 'impossible':
      action.runnable = false
      if (verdict.cause === undefined) return
      action.reason = quorumReasons[verdict.cause]
      action.cause = { kind: verdict.cause }
      return
    case 'needs-fencing':
      action.runnable = false
      if (action.node) requireFencing(draft, action.node, verdict.reason)
  }
}

function create(draft: Drafting, wanted: ActionRequest): DraftAction {
  const { rsc, task, intervalMs = 0 } = wanted
  const key = wanted.key ?? operationKey(rsc?.id ?? '', task, intervalMs)
  const action = new DraftedAction({
    id: draft.actions.length + 1,
    rsc,
    key,
    task,
    intervalMs,
    node: wanted.node,
    needs: rsc?.kind === 'primitive' ? requirementOf(rsc, task) : 'nothing',
    optional: wanted.optional,
    minRunnable: wanted.minRunnable,
    metaOf: () => (rsc ? operationMeta(draft.status, rsc, task, intervalMs) : new Map()),
  })
  draft.add(action, rsc ? nameOf(rsc, wanted) : task)
  return action
}

/** A guest is fenced by what becomes of its container, for which there is no action of its own yet. */
export function requireFencing(draft: Drafting, node: NodeStatus, reason: string): void {
  const reasons = draft.fencing.get(node.name)
  if (reasons) reasons.push(reason)
  else draft.fencing.set(node.name, [reason])
  if (node.kind !== 'guest') fenceAction(draft, node, { optional: true, reason })
}

interface Fencing {
  /** The cluster's fencing-action where none is given. */
  readonly action?: string
  readonly optional: boolean
  readonly reason?: string | undefined
}

/**
 * Fencing as an action: one for each node and kind (`off`, `on`, `reboot`). It may be drafted early and stay optional, to be
 * needed only once something turns out to depend on it.
 */
export function fenceAction(draft: Drafting, node: NodeStatus, fencing: Fencing): DraftAction {
  const kind = fencing.action ?? draft.status.options.fencingAction
  const key = `stonith-${node.name}-${kind}`
  let action = draft.points.get(key)
  if (!action) {
    action = findOrCreateAction(draft, { rsc: undefined, task: 'stonith', key, node, optional: true })
    action.meta.set('on_node', node.name)
    action.meta.set('on_node_uuid', node.id)
    action.meta.set('stonith_action', kind)
    draft.points.set(key, action)
    if (draft.status.unfencingEnabled) noteDevices(draft, node, action)
  }
  if (draft.status.options.priorityFencingDelayMs > 0 && node.lost)
    action.meta.set('priority_fencing_delay', String(priorityDelayMs(draft, node) / 1000))
  if (!fencing.optional && canFence(draft, node)) action.optional = false
  if (fencing.reason !== undefined) giveReason(action, fencing.reason)
  return action
}

/** A later and more telling reason replaces an earlier one only where that is asked for. */
export function giveReason(action: DraftAction, reason: string, options = { overwrite: false }): void {
  if (action.reason !== undefined && !options.overwrite) return
  action.reason = reason
  action.cause = undefined
}

/** An ordering point without a resource: the same one whenever it is asked for. */
export function point(draft: Drafting, key: string, minRunnable?: number): DraftAction {
  const existing = draft.points.get(key)
  if (existing) return existing
  const action = create(draft, {
    rsc: undefined,
    key,
    task: key,
    optional: true,
    ...(minRunnable !== undefined && { minRunnable }),
  })
  action.pseudo = true
  draft.points.set(key, action)
  return action
}

/** An ordering point of a group, clone or bundle. */
export function resourcePoint(
  draft: Drafting,
  rsc: PlannedResource,
  task: string,
  state: { readonly optional: boolean; readonly runnable: boolean },
): DraftAction {
  const action = findOrCreateAction(draft, { rsc, task, optional: state.optional })
  action.pseudo = true
  action.runnable = state.runnable
  return action
}

/** The history of a member's own devices tells of changes; a remote or guest node has no devices. */
function noteDevices(draft: Drafting, node: NodeStatus, action: DraftAction): void {
  const { all, secure, isOutdated } = deviceDigests(draft, node)
  if (all !== '') action.meta.set('digests-all', all)
  if (secure !== '') action.meta.set('digests-secure', secure)
  const unfences = action.meta.get('stonith_action') === 'on'
  if (isOutdated && unfences && node.kind !== 'member' && canFence(draft, node)) action.optional = false
}

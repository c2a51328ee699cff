/**
 * The draft of a transition: every action that may take place, each judged by itself, and what relates them. The parts of
 * planning write into one `Drafting`, which nobody sees but them; what comes out is a `Draft`, which does not change any more.
 * An action exists once for each key and node.
 */
import { defined, type NodeName } from '../../base/index.ts'
import type { NodeStatus } from '../../status/index.ts'
import { type ActionIndex, type ActionState, actionsWithKey, operationKey, type PlannedAction } from './action.ts'
import type { FencingNews, NotificationBoundaries } from './notifications/boundaries.ts'
import { operationMeta, requirementOf } from './operation.ts'
import { OrderList } from './orders/order.ts'
import type { Related } from './relation.ts'
import { verdictOn } from './runnable.ts'
import type { Setting } from './setting.ts'
import type { CloneUnit, PrimitiveUnit, Unit } from './unit.ts'

/** An action while it is drafted. */
export interface DraftAction extends ActionState, Related<DraftAction> {
  readonly id: number
  readonly unit: Unit | undefined
  readonly key: string
  task: string
  cancels: string | undefined
  readonly intervalMs: number
  node: NodeStatus | undefined
  /** What must be given before: quorum, fencing of every node that may still run the resource, nothing. */
  needs: 'nothing' | 'quorum' | 'fencing'
  /** The operation's parameters changed: it must be set up again. */
  reschedule: boolean
  abortsMigration: boolean
  readonly onDc: boolean
  readonly minRunnable: number | undefined
  priority: number
  expectedRc: number | undefined
  readonly meta: Map<string, string>
}

export interface Draft extends Setting, ActionIndex<PlannedAction> {
  readonly actions: readonly PlannedAction[]
  /** How many relations there are; the number of each is below. */
  readonly relations: number
  /** The state of an action by itself. */
  readonly draftedState: (action: PlannedAction) => Readonly<ActionState>
  /** Nodes that planning itself found in need of fencing, with reasons; the status's own are not in here. */
  readonly fencing: ReadonlyMap<NodeName, readonly string[]>
  /** Active on several nodes, of which the one where it belongs keeps it. */
  readonly keptWhereExpected: ReadonlySet<PrimitiveUnit>
  /** The points around which the instances of notified clones are told what happens, in the order of the telling. */
  readonly boundaries: ReadonlyMap<CloneUnit, NotificationBoundaries>
  readonly afterFencing: readonly FencingNews[]
}

export interface Drafting extends Setting, ActionIndex<DraftAction> {
  readonly actions: DraftAction[]
  /** Orders that follow from what is drafted; those of the configuration are known before. */
  readonly orders: OrderList
  /** Ordering points that belong to no resource, and fencing actions, by key. */
  readonly points: Map<string, DraftAction>
  readonly fencing: Map<NodeName, string[]>
  readonly keptWhereExpected: Set<PrimitiveUnit>
  readonly boundaries: Map<CloneUnit, NotificationBoundaries<DraftAction>>
  readonly afterFencing: FencingNews<DraftAction>[]
  readonly add: (action: DraftAction) => void
}

export function startDraft(setting: Setting): Drafting {
  const actions: DraftAction[] = []
  const byUnit: DraftAction[][] = Array.from({ length: setting.tree.size }, () => [])
  const byKey: Map<string, DraftAction[]>[] = Array.from({ length: setting.tree.size }, () => new Map())
  return {
    ...setting,
    actions,
    orders: new OrderList(),
    points: new Map(),
    fencing: new Map([...setting.assignment.fencing].map(([node, reasons]) => [node, [...reasons]])),
    keptWhereExpected: new Set(),
    boundaries: new Map(),
    afterFencing: [],
    ofUnit: ({ index }) => byUnit[index] ?? none,
    withKey: ({ index }, key) => byKey[index]?.get(key) ?? none,
    add: (action) => {
      actions.push(action)
      if (!action.unit) return
      byUnit[action.unit.index]?.push(action)
      const keys = byKey[action.unit.index]
      const same = keys?.get(action.key)
      if (same) same.push(action)
      else keys?.set(action.key, [action])
    },
  }
}

const none: readonly DraftAction[] = []

/** Hands over what was drafted, to be changed no more. */
export function finishDraft(drafting: Drafting): Draft {
  let relations = 0
  for (const { after } of drafting.actions) {
    for (const relation of after) {
      relation.number = relations
      relations++
    }
  }
  const { actions } = drafting
  const draftedState: Draft['draftedState'] = ({ id }) => defined(actions[id - 1], `action ${id}`)
  return { ...drafting, relations, draftedState }
}

export interface Wanted {
  readonly unit: Unit | undefined
  readonly task: string
  readonly key?: string
  readonly intervalMs?: number
  readonly node?: NodeStatus | undefined
  readonly optional: boolean
  readonly minRunnable?: number
}

/** The action with this key on this node: the one that exists, or a new one. One that is needed once stays needed. */
export function obtain(draft: Drafting, wanted: Wanted): DraftAction {
  const { unit, node, optional } = wanted
  const key = wanted.key ?? operationKey(unit?.id ?? '', wanted.task, wanted.intervalMs)
  const existing = unit && actionsWithKey(draft, unit, key, node)[0]
  // One that was asked for without a node is the one for the first node that is named.
  if (existing && node) existing.node ??= node
  const action = existing ?? create(draft, { ...wanted, key })
  if (!optional) action.optional = false
  if (unit?.kind === 'primitive') {
    // What is not managed is left alone; recurring monitors go on all the same.
    if (action.node && !unit.assigned.managed && action.intervalMs === 0) action.optional = true
    if (!action.pseudo) judge(draft, unit, action)
  }
  return action
}

const quorumReasons = { 'no-quorum': 'no quorum', 'quorum-freeze': 'quorum freeze' } as const

function judge(draft: Drafting, unit: PrimitiveUnit, action: DraftAction): void {
  const verdict = verdictOn(draft, unit, action)
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

function create(draft: Drafting, wanted: Wanted & { readonly key: string }): DraftAction {
  const { unit, key, task, node, optional, intervalMs = 0, minRunnable } = wanted
  const action: DraftAction = {
    id: draft.actions.length + 1,
    unit,
    key,
    task,
    cancels: undefined,
    intervalMs,
    node,
    needs: unit?.kind === 'primitive' ? requirementOf(unit, task) : 'nothing',
    optional,
    runnable: true,
    pseudo: false,
    migratable: false,
    alwaysInGraph: false,
    reschedule: false,
    abortsMigration: false,
    onDc: task === 'lrm_delete',
    minRunnable,
    priority: 0,
    expectedRc: undefined,
    reason: undefined,
    cause: undefined,
    meta: unit ? operationMeta(draft.status, unit, task, intervalMs) : new Map(),
    before: [],
    after: [],
  }
  draft.add(action)
  return action
}

export function requireFencing(draft: Drafting, node: NodeStatus, reason: string): void {
  const reasons = draft.fencing.get(node.name)
  if (reasons) reasons.push(reason)
  else draft.fencing.set(node.name, [reason])
}

export const isUnclean = (draft: Pick<Draft, 'fencing'>, node: NodeStatus): boolean =>
  node.unclean || draft.fencing.has(node.name)

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
    unit: undefined,
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
  unit: Unit,
  task: string,
  state: { readonly optional: boolean; readonly runnable: boolean },
): DraftAction {
  const action = obtain(draft, { unit, task, optional: state.optional })
  action.pseudo = true
  action.runnable = state.runnable
  return action
}

/** What travels with an action in the graph: meta-attributes of operation, clone and notification, and the agent's parameters. */
import { parseDurationMs } from '../../base/index.ts'
import type { PlannedAction } from './action.ts'
import { findOperation, timeoutMs } from './operation.ts'
import { parametersOf } from './parameters.ts'
import type { Plan } from './plan.ts'
import { type CloneUnit, type PrimitiveUnit, topOf } from './unit.ts'

/** Told to the controller by other means, or nobody's business. */
const untold = new Set(['timeout', 'id', 'interval-origin', 'start-delay', 'description', 'interval', 'requires'])

export function actionAttributes(plan: Plan, action: PlannedAction): Readonly<Record<string, string>> {
  const { unit, node, intervalMs } = action
  const meta = new Map<string, string>()
  if (!unit) {
    for (const [name, value] of action.meta) meta.set(name, value)
    if (action.task !== 'stonith' && action.task !== 'do_shutdown') meta.set('timeout', '20000')
    else if (node) nameNode(meta, action)
    return prefixed(meta)
  }
  for (const [name, value] of action.meta) if (!untold.has(name)) meta.set(name, value)
  meta.set('timeout', String(unit.kind === 'primitive' ? timeoutMs(action.meta) : 20_000))
  const delay = parseDurationMs(action.meta.get('start-delay') ?? '')
  if (delay) meta.set('start_delay', String(delay))
  if (intervalMs > 0) meta.set('interval', String(intervalMs))
  if (action.cancels !== undefined) meta.set('operation', action.cancels)
  if (action.expectedRc !== undefined) meta.set('op_target_rc', String(action.expectedRc))
  if (node && !action.pseudo) nameNode(meta, action)
  const clone = unit.kind === 'clone' ? unit : cloneAround(unit)
  if (clone) for (const [name, value] of cloneMeta(clone, unit)) meta.set(name, value)
  return { ...prefixed(meta), ...(unit.kind === 'primitive' ? parameters(plan, unit, action) : {}) }
}

function nameNode(meta: Map<string, string>, { node }: PlannedAction): void {
  if (!node) return
  meta.set('on_node', node.name)
  meta.set('on_node_uuid', node.id)
}

function cloneAround(unit: Parameters<typeof topOf>[0]): CloneUnit | undefined {
  const top = topOf(unit)
  return top.kind === 'clone' ? top : undefined
}

function cloneMeta(clone: CloneUnit, unit: { readonly kind: string }): readonly (readonly [string, string])[] {
  const { cloneMax, cloneNodeMax, unique, notify, promotable, promotedMax, promotedNodeMax } = clone.resource
  const pairs: [string, string][] = [
    ['clone_max', String(cloneMax)],
    ['clone_node_max', String(cloneNodeMax)],
    ['globally_unique', String(unique)],
    ['notify', String(notify)],
  ]
  if (unit.kind === 'primitive' && 'resource' in unit) {
    const { instance } = (unit as PrimitiveUnit).resource
    if (instance) pairs.push(['clone', String(instance.number)])
  }
  if (promotable) {
    for (const name of ['promoted', 'master']) {
      pairs.push([`${name}_max`, String(promotedMax)], [`${name}_node_max`, String(promotedNodeMax)])
    }
  }
  return pairs
}

function parameters(plan: Plan, unit: PrimitiveUnit, action: PlannedAction): Readonly<Record<string, string>> {
  const definition = findOperation(unit.resource, action.cancels ?? action.task, action.intervalMs)
  const own = definition ? plan.status.operationParameters(definition, action.node?.name) : new Map<string, string>()
  return parametersOf(plan, unit, { node: action.node?.name, own })
}

/** Dashes are underscores in the names of the environment that agents see. */
function prefixed(meta: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...meta].map(([name, value]) => [`CRM_meta_${name.replaceAll('-', '_')}`, value]))
}

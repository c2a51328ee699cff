/** What travels with an action in the graph: meta-attributes of operation, clone and notification, and the agent's parameters. */
import { parseDurationMs } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import type { AppliedOrderings } from '../apply-orderings/applied-orderings.ts'
import { isRecurring, type PlannedAction } from '../draft/action.ts'
import { findOperation, timeoutMs } from '../draft/operation.ts'
import { parametersOf } from '../draft/parameters.ts'
import { type PlannedClone, type PlannedPrimitive, type PlannedResource, topOf } from '../draft/planned-resource.ts'
import { activeNodes, primitiveNamed, targetOf } from '../draft/setting.ts'
import type { Outcome } from './inputs.ts'

/** Told to the controller by other means, or nobody's business. */
const untold = new Set([
  'timeout',
  'id',
  'interval-origin',
  'start-delay',
  'description',
  'interval',
  'requires',
  'name',
])

export function actionAttributes(
  { applied, notifyActions }: Outcome,
  action: PlannedAction,
): Readonly<Record<string, string>> {
  const { rsc, node } = action
  const meta = new Map<string, string>()
  if (!rsc) {
    for (const [name, value] of action.meta) meta.set(name, value)
    if (node && (action.task === 'stonith' || action.task === 'do_shutdown')) nameNode(meta, node)
    return prefixed(meta)
  }
  for (const [name, value] of action.meta) if (!untold.has(name)) meta.set(name, value)
  if (action.migration) {
    meta.set('migrate_source', action.migration.source)
    meta.set('migrate_target', action.migration.target)
  }
  for (const [name, value] of notifyActions.told(action)) meta.set(name, value)
  addOperation(action, rsc, meta)
  if (node && !notifyActions.stateOf(action).pseudo) nameNode(meta, node)
  const clone = rsc.kind === 'clone' ? rsc : cloneAround(rsc)
  if (clone) for (const [name, value] of cloneMeta(clone, rsc)) meta.set(name, value)
  if (rsc.kind !== 'primitive') return prefixed(meta)
  addSurroundings(applied, action, rsc, meta)
  return { ...prefixed(meta), ...parameters(applied, rsc, action) }
}

function addOperation(action: PlannedAction, rsc: PlannedResource, meta: Map<string, string>): void {
  meta.set('timeout', String(timeoutMs(action.meta)))
  const delay = parseDurationMs(action.meta.get('start-delay') ?? '')
  if (delay !== undefined) meta.set('start_delay', String(delay))
  const written = rsc.kind === 'primitive' ? rsc.resource.operations : []
  const definition = written.find(
    ({ name, intervalMs }) => name === (action.cancels ?? action.task) && intervalMs === action.intervalMs,
  )
  if (definition) meta.set('name', definition.name)
  if (isRecurring(action)) meta.set('interval', String(action.intervalMs))
  if (action.cancels !== undefined) meta.set('operation', action.cancels)
  if (action.expectedRc !== undefined) meta.set('op_target_rc', String(action.expectedRc))
}

function nameNode(meta: Map<string, string>, { name, id }: NodeStatus): void {
  meta.set('on_node', name)
  meta.set('on_node_uuid', id)
}

/** Containers and the guests in them: who runs in what, and on which host. */
function addSurroundings(
  applied: AppliedOrderings,
  action: PlannedAction,
  rsc: PlannedPrimitive,
  meta: Map<string, string>,
): void {
  const { raw } = rsc.resource.meta
  const guest = raw.get('remote-node')
  if (guest !== undefined) meta.set('remote_node', guest)
  if (rsc.container) meta.set('container', rsc.container.id)
  // What is cancelled goes through the connection that there is, wherever that leads.
  if (action.node?.kind !== 'guest' || action.cancels !== undefined) return
  const host = hostOf(applied, action, action.node)
  if (!host) return
  meta.set('physical_host', host.name)
  const target = raw.get('container-attribute-target')
  if (target !== undefined) meta.set('container_attribute_target', target)
}

const goingDown = new Set(['stop', 'stopped', 'demote', 'demoted'])

/** What goes down does so on the guest's present host, what comes up on its next. */
function hostOf(applied: AppliedOrderings, { task, meta }: PlannedAction, guest: NodeStatus): NodeStatus | undefined {
  const container = primitiveNamed(applied, guest.container)
  if (!container) return undefined
  const named = task === 'notify' ? (meta.get('notify_operation') ?? '') : task
  return goingDown.has(named) ? activeNodes(applied, container)[0] : targetOf(applied, container)
}

function cloneAround(rsc: PlannedResource): PlannedClone | undefined {
  const top = topOf(rsc)
  return top.kind === 'clone' ? top : undefined
}

function cloneMeta(clone: PlannedClone, rsc: PlannedResource): readonly (readonly [string, string])[] {
  const { cloneMax, cloneNodeMax, unique, notify, promotable, promotedMax, promotedNodeMax } = clone.resource
  const pairs: [string, string][] = [
    ['clone_max', String(cloneMax)],
    ['clone_node_max', String(cloneNodeMax)],
    ['globally_unique', String(unique)],
    ['notify', String(notify)],
  ]
  const instance = rsc.kind === 'primitive' ? rsc.resource.instance : undefined
  if (instance) pairs.push(['clone', String(instance.number)])
  if (promotable) {
    for (const name of ['promoted', 'master']) {
      pairs.push([`${name}_max`, String(promotedMax)], [`${name}_node_max`, String(promotedNodeMax)])
    }
  }
  return pairs
}

function parameters(
  applied: AppliedOrderings,
  rsc: PlannedPrimitive,
  action: PlannedAction,
): Readonly<Record<string, string>> {
  const definition = findOperation(rsc.resource, action.cancels ?? action.task, action.intervalMs)
  const own = definition ? applied.status.operationParameters(definition, action.node?.name) : new Map<string, string>()
  const external = externalAddress(rsc)
  return {
    ...parametersOf(applied, rsc, { node: action.node?.name, own }),
    ...(external !== undefined && { pcmk_external_ip: external }),
  }
}

/** What runs in a bundle with addresses is told the one by which the world reaches it. */
function externalAddress({ replica }: PlannedPrimitive): string | undefined {
  if (replica?.as !== 'child') return undefined
  const own = replica.bundle.replicas.find(({ number }) => number === replica.number)
  return own?.ip?.resource.parametersOn(undefined).get('ip')
}

/** Dashes are underscores in the names of the environment that agents see. */
function prefixed(meta: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...meta].map(([name, value]) => [`CRM_meta_${name.replaceAll('-', '_')}`, value]))
}

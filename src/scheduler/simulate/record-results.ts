/**
 * Writes the results of played actions into the CIB's status section, as the nodes and the DC would have: operations into
 * the history, and nothing of a node that was fenced.
 */
import {
  childElement,
  childElements,
  element,
  formatTransitionKey,
  type XmlElement,
  type XmlNode,
} from '../../cib/index.ts'
import type { ClusterAction, ResourceAction } from '../../transition/index.ts'
import type { PlayedAction } from './play.ts'

export function recordResults(cib: XmlElement, played: readonly PlayedAction[], now: number): XmlElement {
  const status = childElement(cib, 'status') ?? element('status')
  const states = new Map<string, NodeState>()
  const others: XmlNode[] = []
  for (const child of status.children) {
    const uname = child.kind === 'element' && child.name === 'node_state' ? (child.attributes.uname ?? '') : undefined
    if (child.kind === 'element' && uname !== undefined) {
      states.set(uname === '' ? (child.attributes.id ?? '') : uname, { state: child, changes: [] })
    } else others.push(child)
  }
  for (const result of played) {
    const { action } = result
    if (action.kind === 'cluster') recordCluster(states, action)
    else if (action.kind === 'resource') recordOperation(states, result, action)
  }
  const recorded = element('status', status.attributes, [
    ...[...states.values()].map((node) => withChanges(node, now)),
    ...others,
  ])
  return {
    ...cib,
    children: childElement(cib, 'status')
      ? cib.children.map((child) => (child === status ? recorded : child))
      : [...cib.children, recorded],
  }
}

interface NodeState {
  state: XmlElement
  /** Results by the order in which they came about. */
  changes: { readonly action: ResourceAction; readonly exitCode: number; readonly failed: boolean }[]
}

/** A fenced node is down, and what it ran is gone. */
function recordCluster(states: Map<string, NodeState>, { operation, node, attributes, resource }: ClusterAction): void {
  const known = node === undefined ? undefined : states.get(node)
  if (operation === 'lrm_delete' && known && resource !== undefined) {
    known.state = withoutHistory(known.state, resource)
    return
  }
  if (operation !== 'stonith' || node === undefined || attributes.CRM_meta_stonith_action === 'on') return
  const before = known?.state.attributes ?? { id: attributes.CRM_meta_on_node_uuid ?? node, uname: node }
  states.set(node, {
    state: element('node_state', {
      ...before,
      in_ccm: 'false',
      crmd: 'offline',
      join: 'down',
      expected: 'down',
    }),
    changes: [],
  })
}

function withoutHistory(state: XmlElement, resource: string): XmlElement {
  const without = (parent: XmlElement): XmlElement => ({
    ...parent,
    children: parent.children
      .filter(
        (child) => !(child.kind === 'element' && child.name === 'lrm_resource' && child.attributes.id === resource),
      )
      .map((child) => (child.kind === 'element' ? without(child) : child)),
  })
  return without(state)
}

const unrecorded = new Set(['delete', 'cancel', 'notify', 'meta-data'])

function recordOperation(states: Map<string, NodeState>, result: PlayedAction, action: ResourceAction): void {
  if (unrecorded.has(action.operation)) return
  let known = states.get(action.node)
  if (!known) {
    known = { state: element('node_state', newState(action)), changes: [] }
    states.set(action.node, known)
  }
  known.changes.push({ action, exitCode: result.exitCode, failed: result.failed })
}

function newState({ node, nodeId, routerNode }: ResourceAction): Readonly<Record<string, string>> {
  return routerNode === undefined
    ? { id: nodeId, uname: node }
    : { id: node, uname: node, remote_node: 'true', in_ccm: 'true' }
}

function withChanges({ state, changes }: NodeState, now: number): XmlElement {
  if (changes.length === 0) return state
  const lrm = childElement(state, 'lrm') ?? element('lrm', { id: state.attributes.id ?? '' })
  const resources = childElement(lrm, 'lrm_resources') ?? element('lrm_resources')
  const histories = historiesById(childElements(resources, 'lrm_resource'))
  for (const { action, exitCode, failed } of changes) {
    const name = recordedName(histories, action)
    const [only, another] = histories.get(name) ?? []
    // Where a resource has two histories, a result is neither's: it gets one of its own.
    const entry = only === undefined || another !== undefined ? newHistory(name, action) : only
    const changed = withOperation(entry, operationElement(entry, { name, action, exitCode, failed, now }))
    const others = (histories.get(name) ?? []).filter((other) => other !== entry)
    histories.set(name, [...others, changed])
  }
  const newResources: XmlElement = { ...resources, children: [...histories.values()].flat() }
  return withChild(state, withChild(lrm, newResources))
}

type Histories = Map<string, readonly XmlElement[]>

function historiesById(entries: readonly XmlElement[]): Histories {
  const histories: Histories = new Map()
  for (const entry of entries) {
    const id = entry.attributes.id ?? ''
    histories.set(id, [...(histories.get(id) ?? []), entry])
  }
  return histories
}

function withChild(parent: XmlElement, child: XmlElement): XmlElement {
  const others = parent.children.filter((other) => !(other.kind === 'element' && other.name === child.name))
  return { ...parent, children: [...others, child] }
}

/** An instance goes on under the name that the node has for it. */
function recordedName(histories: Histories, { resource, longId }: ResourceAction): string {
  return longId !== undefined && histories.has(longId) ? longId : resource
}

function newHistory(id: string, { agent }: ResourceAction): XmlElement {
  return element('lrm_resource', {
    id,
    class: agent.class,
    ...(agent.provider !== undefined && { provider: agent.provider }),
    type: agent.type,
  })
}

interface Recorded {
  readonly name: string
  readonly action: ResourceAction
  readonly exitCode: number
  readonly failed: boolean
  readonly now: number
}

function operationElement(entry: XmlElement, { name, action, exitCode, failed, now }: Recorded): XmlElement {
  const { operation, intervalMs, attributes } = action
  const recordedAs = operation === 'reload-agent' && !failed ? 'start' : operation
  const callId =
    1 + Math.max(0, ...childElements(entry, 'lrm_rsc_op').map((op) => Number(op.attributes['call-id'] ?? 0)))
  const status = failed ? 4 : 0
  const key = formatTransitionKey({
    action: action.id,
    transition: -1,
    expectedExitCode: Number(attributes.CRM_meta_op_target_rc ?? 0),
    uuid: 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
  })
  const id = failed
    ? `${name}_last_failure_0`
    : intervalMs > 0
      ? `${name}_${operation}_${intervalMs}`
      : `${name}_last_0`
  return element('lrm_rsc_op', {
    id,
    operation_key: `${name}_${recordedAs}_${intervalMs}`,
    operation: recordedAs,
    crm_feature_set: '3.20.1',
    'transition-key': key,
    'transition-magic': `${status}:${exitCode};${key}`,
    'exit-reason': '',
    on_node: action.node,
    'call-id': String(callId),
    'rc-code': String(exitCode),
    'op-status': String(status),
    interval: String(intervalMs),
    'last-rc-change': String(now),
    'exec-time': '0',
    'queue-time': '0',
    ...migrationEnds(attributes),
  })
}

function migrationEnds(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { CRM_meta_migrate_source: source, CRM_meta_migrate_target: target } = attributes
  return source === undefined || target === undefined ? {} : { migrate_source: source, migrate_target: target }
}

function withOperation(entry: XmlElement, operation: XmlElement): XmlElement {
  const others = entry.children.filter(
    (child) => !(child.kind === 'element' && child.attributes.id === operation.attributes.id),
  )
  return { ...entry, children: [...others, operation] }
}

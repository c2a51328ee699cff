/**
 * Writes the results of played actions into the CIB's status section, as the nodes and the DC would have: operations into
 * the history, and nothing of a node that was fenced.
 */
import {
  childElement,
  childElements,
  element,
  type Md5,
  operationDigests,
  type XmlElement,
  type XmlNode,
} from '../../cib/index.ts'
import type { ClusterAction, ResourceAction } from '../../transition/index.ts'
import { isCounted, withChild, withFailureCounted, withoutFailures } from './count-failure.ts'
import { newHistory, type RecordedOperation, withOperation } from './operation-record.ts'
import { type PlayedAction, playedName } from './play.ts'
import { partsOf, withUpdates } from './updates.ts'

export interface Circumstances {
  /** Seconds since the epoch. */
  readonly now: number
  readonly startFailureIsFatal: boolean
  /** The names by which the status knows primitives. */
  readonly knownNames: ReadonlySet<string>
  /** Left out where nobody will look whether parameters changed since: digests take time. */
  readonly md5?: Md5
  /** Failures that a transition clears are gone, as in the cluster. crm_simulate leaves them. */
  readonly clearsFailures?: boolean
}

export function recordResults(
  cib: XmlElement,
  played: readonly PlayedAction[],
  circumstances: Circumstances,
): XmlElement {
  const status = childElement(cib, 'status') ?? element('status')
  const states = new Map<string, NodeState>()
  const places = status.children.map((child) => {
    if (child.kind !== 'element' || child.name !== 'node_state') return child
    const uname = child.attributes.uname ?? ''
    const node: NodeState = { state: child, changes: [] }
    states.set(uname === '' ? (child.attributes.id ?? '') : uname, node)
    return node
  })
  let updates = 0
  for (const result of played) {
    const { action } = result
    if (action.kind === 'cluster') updates += recordCluster(states, action, circumstances)
    else if (action.kind === 'resource') updates += recordOperation(states, result, action)
  }
  const known = new Set<XmlNode | NodeState>(places)
  const added = [...states.values()].filter((node) => !known.has(node))
  const recorded = element(
    'status',
    status.attributes,
    [...places, ...added].map((place) => ('state' in place ? withChanges(place, circumstances) : place)),
  )
  const children = childElement(cib, 'status')
    ? cib.children.map((child) => (child === status ? recorded : child))
    : [...cib.children, recorded]
  return withUpdates({ ...cib, children }, updates)
}

interface NodeState {
  state: XmlElement
  /** Results by the order in which they came about. */
  changes: { readonly action: ResourceAction; readonly exitCode: number; readonly failed: boolean }[]
}

/** A fenced node is down, and what it ran is gone. Answers how many changes of the CIB that takes. */
function recordCluster(states: Map<string, NodeState>, action: ClusterAction, circumstances: Circumstances): number {
  const { operation, node, resource } = action
  const known = node === undefined ? undefined : states.get(node)
  if (operation === 'clear_failcount' && known && resource !== undefined && circumstances.clearsFailures === true) {
    known.state = withoutFailures(known.state, resource)
    return 1
  }
  if (operation === 'lrm_delete' && known && resource !== undefined) {
    known.state = withoutHistory(known.state, resource)
    return 1
  }
  if (operation !== 'stonith' || node === undefined) return 0
  const { attributes } = action
  if (attributes.CRM_meta_stonith_action === 'on') return 0
  const before = known?.state.attributes ?? { id: attributes.CRM_meta_on_node_uuid ?? node, uname: node }
  // A node that was never seen gets a state first.
  const more = known === undefined ? 1 : partsOf(known.state)
  const fenced = known ?? { state: element('node_state', before), changes: [] }
  states.set(node, fenced)
  fenced.changes = []
  fenced.state = element('node_state', {
    ...before,
    in_ccm: 'false',
    crmd: 'offline',
    join: 'down',
    expected: 'down',
    'crm-debug-origin': 'simulate_fencing_action',
  })
  return 1 + more
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

const unrecorded = new Set(['delete', 'meta-data'])

/** Answers how many changes of the CIB that takes. */
function recordOperation(states: Map<string, NodeState>, result: PlayedAction, action: ResourceAction): number {
  if (unrecorded.has(action.operation)) return 0
  const isNew = !states.has(action.node)
  let known = states.get(action.node)
  if (!known) {
    known = { state: element('node_state', newState(action)), changes: [] }
    states.set(action.node, known)
  }
  known.changes.push({ action, exitCode: result.exitCode, failed: result.failed })
  return isNew ? 2 : 1
}

function newState({ node, nodeId, routerNode }: ResourceAction): Readonly<Record<string, string>> {
  return routerNode === undefined
    ? { id: nodeId, uname: node }
    : { id: node, uname: node, remote_node: 'true', in_ccm: 'true' }
}

function withChanges({ state, changes }: NodeState, circumstances: Circumstances): XmlElement {
  const { startFailureIsFatal, knownNames } = circumstances
  if (changes.length === 0) return state
  const lrm = childElement(state, 'lrm') ?? element('lrm', { id: state.attributes.id ?? '' })
  const resources = childElement(lrm, 'lrm_resources') ?? element('lrm_resources')
  const histories = historiesById(childElements(resources, 'lrm_resource'))
  let counted = state
  for (const { action, exitCode, failed } of changes) {
    // An instance goes on in the history that the node has for it; its new entries have its own name all the same.
    const name =
      [playedName(action, knownNames), action.longId].find((known) => histories.has(known ?? '')) ?? action.resource
    const recorded = recordedOperation({ action, exitCode, failed, circumstances })
    const [only, another] = histories.get(name) ?? []
    // Where a resource has two histories, a result is neither's: it gets one of its own.
    const entry = only === undefined || another !== undefined ? newHistory(name, action.agent) : only
    const others = (histories.get(name) ?? []).filter((other) => other !== entry)
    histories.set(name, [...others, withOperation(entry, recorded)])
    if (failed && isCounted(recorded)) counted = withFailureCounted(counted, { ...recorded, name, startFailureIsFatal })
  }
  const newResources: XmlElement = { ...resources, children: [...histories.values()].flat() }
  return withChild(counted, withChild(lrm, newResources))
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

function recordedOperation(about: {
  readonly action: ResourceAction
  readonly exitCode: number
  readonly failed: boolean
  readonly circumstances: Circumstances
}): RecordedOperation {
  const { action, exitCode, failed, circumstances } = about
  const { operation, intervalMs, node, migration, attributes } = action
  return {
    name: action.resource,
    operation: operation === 'reload-agent' && !failed ? 'start' : operation,
    intervalMs,
    node,
    exitCode,
    expectedExitCode: action.expectedExitCode ?? 0,
    ...(failed && { exitReason: 'User-injected result' }),
    ...(migration && { migration }),
    ...(operation === 'notify' && {
      notification: {
        type: attributes.CRM_meta_notify_type ?? '',
        operation: attributes.CRM_meta_notify_operation ?? '',
      },
    }),
    ...(circumstances.md5 && { digest: digestOf(action, circumstances.md5) }),
    now: circumstances.now,
  }
}

function digestOf({ attributes, intervalMs }: ResourceAction, md5: Md5): string {
  const parameters = Object.fromEntries(Object.entries(attributes).filter(([name]) => !name.startsWith('CRM_meta_')))
  const recurringTimeoutMs = intervalMs > 0 ? Number(attributes.CRM_meta_timeout) : undefined
  return operationDigests({ parameters, ...(recurringTimeoutMs !== undefined && { recurringTimeoutMs }) }, md5).all
}

/**
 * The status section as text became values (Pacemaker Explained, "Status – Here be dragons"): for each `node_state` its
 * membership, its transient attributes and its operations, read once and indexed by name.
 */
import { type NodeName, nodeName } from '../base/index.ts'
import { type Agent, childElement, childElements, type XmlElement } from '../cib/index.ts'
import { sortByAge } from './age.ts'
import type { HistoryEntry } from './cluster-status.ts'

export interface RecordedNode {
  readonly id: string
  readonly name: NodeName
  /** Attributes of the `node_state` element. */
  readonly attributes: Readonly<Record<string, string>>
  readonly transient: ReadonlyMap<string, string>
  /** What the node offers until it restarts. */
  readonly transientUtilization: ReadonlyMap<string, string>
  /** In the order of the document. */
  readonly resources: readonly RecordedResource[]
  /** The same by their names in the history. */
  readonly resourcesByName: ReadonlyMap<string, RecordedResource>
}

export interface RecordedResource {
  readonly id: string
  readonly agent?: Agent
  readonly container?: string
  /** Seconds since the epoch. */
  readonly shutdownLock?: number
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[]
}

/** `nameOf` finds a node's name by the id of its state, which may lack the name. */
export function readRecords(
  status: XmlElement | undefined,
  nameOf: (id: string) => NodeName | undefined,
): ReadonlyMap<NodeName, RecordedNode> {
  const recorded = new Map<NodeName, RecordedNode>()
  for (const state of status === undefined ? [] : childElements(status, 'node_state')) {
    const { id = '', uname } = state.attributes
    const name = uname === undefined ? nameOf(id) : nodeName(uname)
    if (name === undefined || recorded.has(name)) continue
    const resources = readResources(childElement(state, 'lrm'))
    const transient = childElement(state, 'transient_attributes')
    recorded.set(name, {
      id,
      name,
      attributes: state.attributes,
      transient: readTransientPairs(transient, 'instance_attributes'),
      transientUtilization: readTransientPairs(transient, 'utilization'),
      resources,
      resourcesByName: new Map(resources.map((resource) => [resource.id, resource] as const)),
    })
  }
  return recorded
}

/** Of several sets the later one wins, as among permanent attributes. */
function readTransientPairs(
  parent: XmlElement | undefined,
  kind: 'instance_attributes' | 'utilization',
): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  if (parent === undefined) return values
  for (const set of [...childElements(parent, kind)].reverse())
    for (const { attributes } of childElements(set, 'nvpair'))
      if (attributes.name !== undefined && attributes.value !== undefined && !values.has(attributes.name))
        values.set(attributes.name, attributes.value)
  return values
}

function readResources(lrm: XmlElement | undefined): readonly RecordedResource[] {
  const resources: RecordedResource[] = []
  for (const list of lrm === undefined ? [] : childElements(lrm, 'lrm_resources'))
    for (const element of childElements(list, 'lrm_resource')) {
      const { id, container, 'shutdown-lock': shutdownLock } = element.attributes
      if (id === undefined) continue
      const agent = readAgent(element)
      resources.push({
        id,
        entries: readEntries(element),
        ...(agent === undefined ? {} : { agent }),
        ...(container === undefined ? {} : { container }),
        ...(shutdownLock === undefined ? {} : { shutdownLock: integer(shutdownLock) ?? 0 }),
      })
    }
  return resources
}

/** Notifications tell nothing of the state, and have no call ids to be placed by. */
function readEntries({ children }: XmlElement): readonly HistoryEntry[] {
  const entries = children.flatMap((child) =>
    child.kind === 'element' && child.name === 'lrm_rsc_op' && child.attributes.operation !== 'notify'
      ? [readEntry(child)]
      : [],
  )
  return sortByAge(entries)
}

function readAgent({ attributes }: XmlElement): Agent | undefined {
  const { class: agentClass, provider, type } = attributes
  if (agentClass === undefined || type === undefined) return undefined
  return { class: agentClass, type, ...(provider === undefined ? {} : { provider }) }
}

function readEntry({ attributes }: XmlElement): HistoryEntry {
  const id = attributes.id ?? ''
  const { migrate_source: source, migrate_target: target } = attributes
  // There may be a hundred thousand of these: one shape, filled in one go.
  return {
    id,
    key: attributes.operation_key ?? id,
    operation: attributes.operation ?? '',
    intervalMs: integer(attributes.interval) ?? 0,
    callId: integer(attributes['call-id']) ?? -1,
    exitCode: integer(attributes['rc-code']) ?? -1,
    status: integer(attributes['op-status']) ?? -1,
    expectedExitCode: expectedExitCode(attributes['transition-key']),
    lastChange: integer(attributes['last-rc-change']),
    exitReason: attributes['exit-reason'] ?? '',
    migrateSource: source === undefined ? undefined : nodeName(source),
    migrateTarget: target === undefined ? undefined : nodeName(target),
    attributes,
  }
}

/** `ACTION:TRANSITION:EXPECTED:UUID`; before 0.6 without the expected exit code. */
function expectedExitCode(transitionKey: string | undefined): number | undefined {
  if (transitionKey === undefined) return undefined
  const first = transitionKey.indexOf(':')
  const second = transitionKey.indexOf(':', first + 1)
  const third = second < 0 ? -1 : transitionKey.indexOf(':', second + 1)
  if (third < 0 || transitionKey.includes(':', third + 1)) return undefined
  if (integer(transitionKey) === undefined || integer(transitionKey.slice(first + 1, second)) === undefined)
    return undefined
  return integer(transitionKey.slice(second + 1, third))
}

function integer(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number.parseInt(text, 10)
  return Number.isNaN(value) ? undefined : value
}

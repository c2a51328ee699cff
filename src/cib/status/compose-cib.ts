/**
 * One CIB from the configuration and the records of the state, as `cluster cib` prints it and as Pacemaker's own tools
 * read it. `splitCib` is the way back.
 */
import type { NodeName } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement, type XmlNode } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { parseBoolean, present } from '../values/attribute-text.ts'
import { featureSet, pacemakerVersion, schemaName } from './feature-set.ts'
import type {
  NodeStateRecord,
  OperationRecord,
  ShutdownLockRecord,
  TicketRecord,
  TransientAttributeRecord,
} from './records.ts'

export interface CibParts {
  /** A `configuration` element, or a whole `cib` whose attributes are kept and whose status is replaced. */
  readonly configuration: XmlElement
  readonly numUpdates?: number
  readonly haveQuorum?: boolean
  /** It had quorum once: only a loss of it asks for `no-quorum-policy=fence`. */
  readonly hadQuorum?: boolean
  /** Some node feeds a watchdog: a fact, whatever is written (Pacemaker Explained, `have-watchdog`). */
  readonly haveWatchdog?: boolean
  /** The id of the DC's node. */
  readonly dcId?: string
  readonly nodeStates?: readonly NodeStateRecord[]
  readonly operations?: readonly OperationRecord[]
  readonly transientAttributes?: readonly TransientAttributeRecord[]
  readonly tickets?: readonly TicketRecord[]
  readonly shutdownLocks?: readonly ShutdownLockRecord[]
}

export function composeCib(parts: CibParts): XmlElement {
  const written = withWatchdog(configurationElement(parts.configuration), parts.haveWatchdog)
  // Composed by a node that runs: its version counts, not that of whoever wrote the option.
  const configuration = parts.dcId === undefined ? written : withPair(written, 'dc-version', pacemakerVersion)
  const versions =
    parts.configuration.name === 'cib'
      ? parts.configuration.attributes
      : { crm_feature_set: featureSet, 'validate-with': schemaName }
  const attributes = {
    ...versions,
    ...present({
      admin_epoch: versions.admin_epoch ?? '0',
      epoch: versions.epoch ?? '0',
      num_updates: parts.numUpdates?.toString() ?? versions.num_updates ?? '0',
      'have-quorum': parts.haveQuorum === undefined ? undefined : parts.haveQuorum ? '1' : '0',
      ...(parts.hadQuorum === true ? { 'no-quorum-panic': '1' } : {}),
      'dc-uuid': parts.dcId,
    }),
  }
  return element('cib', attributes, [configuration, composeStatus(parts, configuration)])
}

/** A watchdog is told where it is not written, too. */
function withWatchdog(configuration: XmlElement, haveWatchdog: boolean | undefined): XmlElement {
  if (haveWatchdog === undefined) return configuration
  const isWritten = propertySets(configuration).some((set) => pairsNamed(set, 'have-watchdog').length > 0)
  return isWritten || haveWatchdog
    ? withPair(configuration, 'have-watchdog', String(haveWatchdog), !isWritten)
    : configuration
}

/** A cluster option has this value wherever it is written, or where it is added. The same element where nothing changes. */
function withPair(configuration: XmlElement, name: string, value: string, isAdded = false): XmlElement {
  const sets = propertySets(configuration)
  const pairs = sets.flatMap((set) => pairsNamed(set, name))
  if (!isAdded && pairs.every(({ attributes }) => attributes.value === value)) return configuration
  const told = sets.map((set, index) => {
    const own = new Set<XmlNode>(pairsNamed(set, name))
    const others = set.children.filter((child) => !own.has(child))
    if (index > 0) return { ...set, children: others }
    const id = pairs[0]?.attributes.id ?? `${set.attributes.id ?? 'options'}-${name}`
    return { ...set, children: [...others, element('nvpair', { id, name, value })] }
  })
  const replaced = new Map<XmlNode, XmlNode>(sets.map((set, index) => [set, told[index] ?? set]))
  const swap = (children: readonly XmlNode[]): readonly XmlNode[] =>
    children.map((child) => replaced.get(child) ?? child)
  const section = childElement(configuration, 'crm_config')
  if (section) replaced.set(section, { ...section, children: swap(section.children) })
  return { ...configuration, children: swap(configuration.children) }
}

function propertySets(configuration: XmlElement): readonly XmlElement[] {
  const section = childElement(configuration, 'crm_config')
  return section === undefined ? [] : childElements(section, 'cluster_property_set')
}

const pairsNamed = (set: XmlElement, name: string): readonly XmlElement[] =>
  childElements(set, 'nvpair').filter(({ attributes }) => attributes.name === name)

function composeStatus(parts: CibParts, configuration: XmlElement): XmlElement {
  const states = new Map((parts.nodeStates ?? []).map((state) => [state.node, state]))
  const operations = groupBy(parts.operations ?? [], ({ node }) => node)
  const attributes = groupBy(parts.transientAttributes ?? [], ({ node }) => node)
  const locks = groupBy(parts.shutdownLocks ?? [], ({ node }) => node)
  const nodes = new Set([...states.keys(), ...operations.keys(), ...attributes.keys(), ...locks.keys()])
  const tickets = (parts.tickets ?? []).map(ticketElement)
  return element('status', {}, [
    ...[...nodes].map((node) => {
      const state = states.get(node)
      const id = state?.id ?? configuredNodeId(configuration, node)
      return element('node_state', nodeStateAttributes(node, id, state), [
        ...transientElements(id, attributes.get(node) ?? []),
        ...historyElements(id, operations.get(node) ?? [], locks.get(node) ?? []),
      ])
    }),
    ...(tickets.length === 0 ? [] : [element('tickets', {}, tickets)]),
  ])
}

/** Remote nodes are known by their name, cluster nodes by the id of their `node` element. */
function configuredNodeId(configuration: XmlElement, node: NodeName): string {
  const nodes = childElement(configuration, 'nodes')
  const found = nodes && childElements(nodes, 'node').find(({ attributes }) => attributes.uname === node)
  return found?.attributes.id ?? node
}

function nodeStateAttributes(
  node: NodeName,
  id: string,
  state: NodeStateRecord | undefined,
): Readonly<Record<string, string>> {
  if (state === undefined) return { id, uname: node }
  // A remote node has no controller of its own: only its membership says something.
  if (parseBoolean(state.attributes?.remote_node) === true)
    return { id, uname: node, in_ccm: String(state.inCcm), ...state.attributes }
  return {
    id,
    uname: node,
    in_ccm: String(state.inCcm),
    crmd: state.crmd,
    join: state.join,
    expected: state.expected,
    ...present({ reason: state.reason, term: state.term?.toString() }),
    ...state.attributes,
  }
}

function transientElements(nodeId: string, records: readonly TransientAttributeRecord[]): readonly XmlElement[] {
  if (records.length === 0) return []
  const sets = [...groupBy(records, ({ set }) => set)].map(([set, pairs]) => {
    const setId = set === '' ? `status-${nodeId}` : set
    return element(
      'instance_attributes',
      { id: xmlId(setId) },
      pairs.map(({ name, value }) => element('nvpair', { id: xmlId(`${setId}-${name}`), name, value })),
    )
  })
  return [element('transient_attributes', { id: nodeId }, sets)]
}

function historyElements(
  nodeId: string,
  operations: readonly OperationRecord[],
  locks: readonly ShutdownLockRecord[],
): readonly XmlElement[] {
  if (operations.length === 0 && locks.length === 0) return []
  const lockOf = new Map(locks.map((lock) => [lock.resource, lock]))
  const byResource = groupBy(operations, ({ resource }) => resource)
  const resources = [...new Set([...byResource.keys(), ...lockOf.keys()])].flatMap((resource) => {
    const records = byResource.get(resource) ?? []
    const lock = lockOf.get(resource)
    const agent = records[0]?.agent ?? lock?.agent
    if (agent === undefined) return []
    const attributes = {
      id: resource,
      type: agent.type,
      class: agent.class,
      ...present({
        provider: agent.provider,
        container: records.find(({ container }) => container !== undefined)?.container,
        'shutdown-lock': lock?.since.toString(),
      }),
    }
    const results = records.map((record) => element('lrm_rsc_op', { id: record.recordId, ...record.attributes }))
    return [element('lrm_resource', attributes, results)]
  })
  return [element('lrm', { id: nodeId }, [element('lrm_resources', {}, resources)])]
}

function ticketElement(ticket: TicketRecord): XmlElement {
  return element('ticket_state', {
    id: ticket.id,
    granted: String(ticket.granted),
    ...present({ standby: ticket.standby?.toString(), 'last-granted': ticket.lastGranted?.toString() }),
    ...ticket.attributes,
  })
}

/** Whatever is not allowed in an XML id becomes a dot, as in `status-1-.health-disk`. */
export function xmlId(text: string): string {
  const allowed = text.replace(/[^\p{L}\p{N}_.-]/gu, '.')
  return /^[\p{L}_]/u.test(allowed) ? allowed : `_${allowed}`
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/**
 * The records of a whole CIB, for the import of an existing cluster's and for simulation from a file. Missing attributes of
 * a node state read as absent from the cluster, which is how Pacemaker takes them.
 */
import { type NodeName, nodeName, resourceId } from '../../base/index.ts'
import type { Agent } from '../configuration.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { parseBoolean, present } from '../values/attribute-text.ts'
import type {
  NodeStateRecord,
  OperationRecord,
  ShutdownLockRecord,
  TicketRecord,
  TransientAttributeRecord,
} from './records.ts'

export interface SplitCib {
  /** The `cib` element with its configuration alone. */
  readonly configuration: XmlElement
  readonly nodeStates: readonly NodeStateRecord[]
  readonly operations: readonly OperationRecord[]
  readonly transientAttributes: readonly TransientAttributeRecord[]
  readonly tickets: readonly TicketRecord[]
  readonly shutdownLocks: readonly ShutdownLockRecord[]
}

export function splitCib(cib: XmlElement): SplitCib {
  const status = childElement(cib, 'status') ?? element('status')
  const configuration = configurationElement(cib)
  const states = childElements(status, 'node_state')
    .filter(({ attributes }) => attributes.id !== undefined)
    .map((state) => ({ state, node: nodeOf(state, configuration), histories: historiesOf(state) }))
  return {
    configuration: element('cib', cib.attributes, [configuration]),
    nodeStates: states.filter(({ state }) => wasSeen(state)).map(({ state, node }) => splitNodeState(state, node)),
    operations: states.flatMap(({ node, histories }) => histories.flatMap((history) => splitHistory(history, node))),
    transientAttributes: states.flatMap(({ state, node }) => splitTransientAttributes(state, node)),
    tickets: childElements(status, 'tickets').flatMap((tickets) =>
      childElements(tickets, 'ticket_state').flatMap(splitTicket),
    ),
    shutdownLocks: states.flatMap(({ node, histories }) => histories.flatMap((history) => splitLock(history, node))),
  }
}

/** Old states have no `uname`: the node's definition knows it. */
function nodeOf(state: XmlElement, configuration: XmlElement): NodeName {
  const { id, uname } = state.attributes
  const nodes = childElement(configuration, 'nodes') ?? element('nodes')
  const configured = childElements(nodes, 'node').find(({ attributes }) => attributes.id === id)
  return nodeName(uname ?? configured?.attributes.uname ?? id ?? '')
}

function historiesOf(state: XmlElement): readonly XmlElement[] {
  return childElements(state, 'lrm').flatMap((lrm) =>
    childElements(lrm, 'lrm_resources').flatMap((resources) => childElements(resources, 'lrm_resource')),
  )
}

/** A state without a word on membership belongs to a node that was never seen: it has no record. */
function wasSeen({ attributes }: XmlElement): boolean {
  return attributes.in_ccm !== undefined || attributes.remote_node !== undefined
}

function splitNodeState({ attributes }: XmlElement, node: NodeName): NodeStateRecord {
  const { id, uname, in_ccm: inCcm, crmd, join, expected, reason, term, ...others } = attributes
  const hasOthers = Object.keys(others).length > 0
  return {
    node,
    id: id ?? '',
    inCcm: membership(inCcm),
    crmd: crmd === 'online' || Number(crmd) > 0 ? 'online' : 'offline',
    join: join === 'member' || join === 'pending' ? join : 'down',
    expected: expected === 'member' ? 'member' : 'down',
    ...present({
      reason,
      term: term === undefined ? undefined : Number(term),
      attributes: hasOthers ? others : undefined,
    }),
  }
}

/** A word, or since Pacemaker 2.1.7 the moment of joining in seconds since the epoch, 0 for never. */
function membership(text: string | undefined): boolean | number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds > 1) return seconds
  return parseBoolean(text) ?? false
}

function splitHistory(history: XmlElement, node: NodeName): readonly OperationRecord[] {
  const agent = agentOf(history)
  const { id: resource, container } = history.attributes
  if (agent === undefined || resource === undefined) return []
  return childElements(history, 'lrm_rsc_op').map((result) => {
    const { id: recordId, ...attributes } = result.attributes
    return {
      node,
      resource: resourceId(resource),
      agent,
      recordId: recordId ?? '',
      attributes,
      ...present({ container: container === undefined ? undefined : resourceId(container) }),
    }
  })
}

function splitLock(history: XmlElement, node: NodeName): readonly ShutdownLockRecord[] {
  const agent = agentOf(history)
  const { id: resource, 'shutdown-lock': since } = history.attributes
  if (agent === undefined || resource === undefined || since === undefined) return []
  return [{ node, resource: resourceId(resource), agent, since: Number(since) }]
}

function agentOf({ attributes }: XmlElement): Agent | undefined {
  const { class: agentClass, type, provider } = attributes
  return agentClass === undefined || type === undefined
    ? undefined
    : { class: agentClass, type, ...present({ provider }) }
}

function splitTransientAttributes(state: XmlElement, node: NodeName): readonly TransientAttributeRecord[] {
  const usual = `status-${state.attributes.id}`
  return childElements(state, 'transient_attributes').flatMap((attributes) =>
    childElements(attributes, 'instance_attributes').flatMap((set) => {
      const setId = set.attributes.id ?? usual
      return childElements(set, 'nvpair').flatMap((pair) => {
        const { name, value } = pair.attributes
        return name === undefined || value === undefined
          ? []
          : [{ node, set: setId === usual ? '' : setId, name, value }]
      })
    }),
  )
}

function splitTicket({ attributes }: XmlElement): readonly TicketRecord[] {
  const { id, granted, standby, 'last-granted': lastGranted, ...others } = attributes
  if (id === undefined) return []
  return [
    {
      id,
      granted: parseBoolean(granted) ?? false,
      ...present({
        standby: parseBoolean(standby),
        lastGranted: lastGranted === undefined ? undefined : Number(lastGranted),
        attributes: Object.keys(others).length > 0 ? others : undefined,
      }),
    },
  ]
}

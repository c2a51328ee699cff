/** The graph as Pacemaker's `transition_graph` document: one synapse for each action, with what must be done before. */
import { defined } from '../base/index.ts'
import { element, printXml, type XmlElement } from '../cib/index.ts'
import type { ActionId, GraphAction, TransitionGraph } from './graph.ts'

export function printGraphXml(graph: TransitionGraph): string {
  const byId = new Map([...graph.actions, ...(graph.absent ?? [])].map((action) => [action.id, action]))
  return printXml(
    element(
      'transition_graph',
      graph.attributes,
      graph.actions.map((action, index) => synapse(action, index, byId)),
    ),
  )
}

function synapse(action: GraphAction, index: number, byId: ReadonlyMap<ActionId, GraphAction>): XmlElement {
  const priority = action.priority > 0 ? { priority: String(action.priority) } : {}
  const triggers = action.inputs.map((id) =>
    element('trigger', {}, [actionElement(defined(byId.get(id), `action ${id}`), [])]),
  )
  return element('synapse', { id: String(index), ...priority }, [
    element('action_set', {}, [actionElement(action, details(action))]),
    element('inputs', {}, triggers),
  ])
}

const elementNames = { resource: 'rsc_op', cluster: 'crm_event', pseudo: 'pseudo_event' } as const

function actionElement(action: GraphAction, children: readonly XmlElement[]): XmlElement {
  const { kind, id, operation, key, internalKey } = action
  const isCibOnly = kind === 'cluster' && operation === 'lrm_delete'
  const attributes: Record<string, string> = {
    ...(isCibOnly && { mode: 'cib' }),
    id: String(id),
    operation,
    operation_key: key,
  }
  if (internalKey !== undefined) attributes.internal_operation_key = internalKey
  if (kind !== 'pseudo' && action.routerNode !== undefined) attributes.router_node = action.routerNode
  if (action.node !== undefined && (kind !== 'pseudo' || operation === 'stonith')) {
    attributes.on_node = action.node
    attributes.on_node_uuid = action.nodeId ?? action.node
  }
  return element(elementNames[kind], attributes, children)
}

function details(action: GraphAction): readonly XmlElement[] {
  const children: XmlElement[] = []
  if (action.kind !== 'pseudo' && action.resource !== undefined && action.agent) {
    const { class: agentClass, provider, type } = action.agent
    children.push(
      element('primitive', {
        id: action.resource,
        ...(action.longId !== undefined && { 'long-id': action.longId }),
        class: agentClass,
        ...(provider !== undefined && { provider }),
        type,
      }),
    )
  }
  children.push(attributesElement(action.attributes))
  if (action.downed.length > 0) {
    children.push(
      element(
        'downed',
        {},
        action.downed.map((id) => element('node', { id })),
      ),
    )
  }
  if (action.kind === 'pseudo' && action.maintenance) {
    const nodes = action.maintenance.map(({ id, isInMaintenance }) =>
      element('node', { id, node_in_maintenance: isInMaintenance ? '1' : '0' }),
    )
    children.push(element('maintenance', {}, nodes))
  }
  return children
}

/** A name that begins with a digit is none in XML, so such parameters are elements. */
function attributesElement(attributes: Readonly<Record<string, string>>): XmlElement {
  const isName = ([name]: [string, string]): boolean => !/^\d/.test(name)
  const entries = Object.entries(attributes)
  const parameters = entries.filter((entry) => !isName(entry)).map(([name, value]) => element('param', { name, value }))
  return element('attributes', Object.fromEntries(entries.filter(isName)), parameters)
}

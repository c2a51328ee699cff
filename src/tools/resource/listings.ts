/** crm_resource's listings: what there is, what was done with it, how it is configured, which constraints it has. */
import { childElement, childElements, element, findResource, printXml, type XmlElement } from '../../cib/index.ts'
import {
  type ClusterStatus,
  isActive,
  isConnectionAgent,
  type PrimitiveResource,
  primitivesIn,
  printPrimitive,
  printResourceList,
  type Resource,
} from '../../status/index.ts'
import { knowsNode } from '../attributes/known-nodes.ts'
import { exitCodes } from '../exit-codes.ts'
import { descriptionsIn } from '../monitor/facts.ts'
import { statusWord } from '../monitor/outcome-words.ts'
import { ctime } from '../monitor/times.ts'
import { resourceElement } from '../monitor/xml.ts'
import { optionValue } from '../options.ts'
import { printed, type ToolReply } from '../reply.ts'
import { findResource as findResourceStatus, findStatus, shownId, statusOf } from '../status-of.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { impliedElement } from './implied.ts'
import { noNode } from './moves.ts'
import { withTemplate } from './with-template.ts'

const noneFound = 'crm_resource: Error performing operation: No such object\n'

/** Ids of all primitives, instances of clones with their number. */
export function listRaw(world: ToolWorld): ToolReply {
  const ids = statusOf(world).resources.flatMap(idsIn)
  if (ids.length === 0)
    return {
      exitCode: exitCodes.noSuchObject,
      output: '',
      errors: `NO resources configured\n\n${noneFound}`,
      xml: [],
    }
  const items = ids.map((id) => element('item', { name: 'resource' }, [{ kind: 'text', text: id }]))
  return printed(ids.map((id) => `${id}\n`).join(''), [
    element('list', { name: 'resource names', count: String(ids.length) }, items),
  ])
}

/** Of a bundle, the containers with what belongs to them come before what runs inside. */
function idsIn(resource: Resource): readonly string[] {
  if (resource.kind !== 'bundle') return primitivesIn(resource).map(({ id }) => String(id))
  const around = resource.replicas.flatMap(({ container, ip, remote }) => [container, ip, remote])
  const inside = resource.replicas.map(({ child }) => child)
  return [...around, ...inside].flatMap((one) => (one === undefined ? [] : [String(one.id)]))
}

export function listResources(world: ToolWorld): ToolReply {
  const status = statusOf(world)
  const how = { tellsPending: true, tellsInactive: true, hidesNodes: true, descriptions: descriptionsIn(world.cib()) }
  const list = printResourceList({ ...status, ...how })
  const told = list.length === 0 ? ['* No resources'] : list
  const text = ['Full List of Resources:', ...told.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('')
  const reply = printed(text, [
    element(
      'resources',
      {},
      status.resources.map((one) => resourceElement(status, one)),
    ),
  ])
  return status.resources.length > 0 ? reply : { ...reply, exitCode: exitCodes.noSuchObject, errors: noneFound }
}

/** The operations that nodes have recorded; `activeOnly` those since a resource was last started, where it was not stopped after that. */
export function listOperations(call: ParsedCall, activeOnly: boolean, world: ToolWorld): ToolReply {
  const node = optionValue(call.given, 'node')
  const wanted = optionValue(call.given, 'resource')
  if (node !== undefined && !knowsNode(world, node)) return noNode(node)
  const status = statusOf(world)
  const states = childElements(childElement(world.cib(), 'status') ?? element('status'), 'node_state')
  const entries = states
    .filter(({ attributes }) => node === undefined || attributes.uname === node)
    .flatMap((state) => historyOf(state, activeOnly))
    .filter(({ resource }) => wanted === undefined || resource.attributes.id === wanted)
    .map((entry) => ({ ...entry, primitive: findStatus(status, entry.resource.attributes.id ?? '')[0] }))
  return printed(
    entries.map((entry) => operationLine(status, entry)).join(''),
    entries.length === 0 ? [] : [element('operations', {}, entries.map(operationElement))],
  )
}

interface HistoryLine {
  readonly node: string
  readonly resource: XmlElement
  readonly operation: XmlElement
}

type Told = HistoryLine & { readonly primitive: PrimitiveResource | undefined }

function historyOf(state: XmlElement, activeOnly: boolean): readonly HistoryLine[] {
  const lrm = childElement(state, 'lrm')
  const resources = lrm && childElement(lrm, 'lrm_resources')
  const node = state.attributes.uname ?? ''
  return (resources === undefined ? [] : childElements(resources, 'lrm_resource')).flatMap((resource) => {
    const operations = childElements(resource, 'lrm_rsc_op').toSorted(
      (a, b) => Number(a.attributes['call-id']) - Number(b.attributes['call-id']),
    )
    return (activeOnly ? sinceStart(operations) : operations).map((operation) => ({ node, resource, operation }))
  })
}

/** Where no start is recorded, a change of role or a probe that found it stands for one. */
function sinceStart(operations: readonly XmlElement[]): readonly XmlElement[] {
  const last = (is: (attributes: XmlElement['attributes'], index: number) => boolean): number =>
    operations.findLastIndex(({ attributes }, index) => is(attributes, index))
  const stop = last(({ operation, 'op-status': done }) => operation === 'stop' && done === '0')
  const start = last(({ operation }) => operation === 'start' || operation === 'migrate_from')
  const role = last(({ operation }) => operation === 'promote' || operation === 'demote')
  const found = operations.findIndex(
    ({ attributes }, index) =>
      index > stop && attributes.operation === 'monitor' && ['0', '8'].includes(attributes['rc-code'] ?? ''),
  )
  const from = [start, role, found].find((index) => index >= 0) ?? -1
  return from < stop ? [] : operations.slice(Math.max(from, 0))
}

function operationLine(status: ClusterStatus, { node, resource, operation, primitive }: Told): string {
  const { attributes } = operation
  const { id = '', class: agentClass, provider, type } = resource.attributes
  const changed = attributes['last-rc-change']
  const when =
    changed === undefined ? '' : `, last-rc-change='${ctime(Number(changed))}', exec=${attributes['exec-time'] ?? 0}ms`
  const how = statusWord(attributes['op-status'])
  const line =
    primitive === undefined
      ? `${id}\t(${[agentClass, provider, type].filter(Boolean).join(':')}):\t Stopped`
      : printPrimitive({ ...status, tellsPending: true, tellsInactive: true, hidesNodes: true }, primitive)
  return `${line}: ${attributes.operation_key ?? attributes.id} (node=${node}, call=${attributes['call-id']}, rc=${attributes['rc-code']}${when}): ${how}\n`
}

function operationElement({ node, resource, operation, primitive }: Told): XmlElement {
  const { attributes } = operation
  const { id = '', class: agentClass = '', provider = '', type = '' } = resource.attributes
  const changed = attributes['last-rc-change']
  return element('operation', {
    op: attributes.operation_key ?? attributes.id ?? '',
    node,
    call: attributes['call-id'] ?? '',
    rc: attributes['rc-code'] ?? '',
    status: statusWord(attributes['op-status']),
    rsc: primitive ? shownId(primitive) : id,
    agent: `${agentClass}:${provider}:${type}`,
    ...(changed === undefined
      ? {}
      : { 'last-rc-change': ctime(Number(changed)), 'exec-time': attributes['exec-time'] ?? '0' }),
  })
}

/** `raw`: as it is written, without what a template adds. Shown is the state of the instance that was asked for. */
export function queryXml(
  { id: resource, shown: instance }: { readonly id: string; readonly shown: string },
  raw: boolean,
  world: ToolWorld,
): ToolReply {
  const configuration = world.configuration()
  const written = findResource(configuration, resource)
  const status = statusOf(world)
  const state = findResourceStatus(status, instance)
  const isImplied = state?.kind === 'primitive' && state.implicit && written === undefined
  const found = isImplied
    ? impliedElement(status, state)
    : written === undefined || raw
      ? written
      : withTemplate(configuration, written)
  const lines = stateLines(status, instance).map((line) => `${line}\n`)
  const text = found === undefined ? '' : printXml(asInstance(found, state))
  const shown = [
    ...(state === undefined || !primitivesIn(state).some(toldIn(status, state))
      ? []
      : [resourceElement(status, state, toldIn(status, state))]),
    ...(found === undefined ? [] : [element('xml', {}, [{ kind: 'text', text, asCdata: true } as const])]),
  ]
  return printed(`${lines.join('')}Resource XML:\n${text}`, [element('resource_config', {}, shown)])
}

/** Pacemaker writes the number of an instance into its copy of the definition, and shows that. */
function asInstance(written: XmlElement, state: Resource | undefined): XmlElement {
  const first = state?.kind === 'group' ? state.members[0] : state
  const number = first?.kind === 'primitive' ? first.instance?.number : undefined
  if (number === undefined) return written
  const numbered = (one: XmlElement): XmlElement => ({
    ...one,
    attributes: { ...one.attributes, clone: String(number) },
    children: one.children.map((child) =>
      child.kind === 'element' && child.name === 'primitive' ? numbered(child) : child,
    ),
  })
  return numbered(written)
}

/** Of what holds others, what is active; a replica is told of as a whole. */
function toldIn(status: ClusterStatus, state: Resource): (one: PrimitiveResource) => boolean {
  return (one) => state.kind === 'primitive' || state.kind === 'bundle' || isActive(status, one)
}

/** As in the list of resources, without its titles. */
function stateLines(status: ClusterStatus, id: string): readonly string[] {
  const found = findResourceStatus(status, id)
  const told = { ...status, tellsPending: true, tellsInactive: false }
  if (found === undefined) return []
  if (found.kind === 'primitive') return found.implicit && isConnectionAgent(found) ? [] : [printPrimitive(told, found)]
  const list = printResourceList({ ...told, resources: [found] })
  const lines = list.slice(1).map((line) => line.replace(/^ *\* /, ''))
  return lines.filter((line) => !line.startsWith('Resource Group: '))
}

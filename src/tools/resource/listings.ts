/** crm_resource's listings: what there is, where it runs, what was done with it, which constraints it has. */
import { childElement, childElements, element, findResource, printXml, type XmlElement } from '../../cib/index.ts'
import { type PrimitiveResource, primitivesIn, printClusterStatus, printPrimitive } from '../../status/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { statusWord } from '../monitor/facts.ts'
import { agentText, findStatus, shownId, statusOf } from '../monitor/status-of.ts'
import { ctime } from '../monitor/times.ts'
import { resourceElement } from '../monitor/xml.ts'
import { hasOption, optionValue } from '../options.ts'
import { printed, type ToolReply } from '../reply.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

const noneFound = 'crm_resource: Error performing operation: No such object\n'

/** Ids of all primitives, instances of clones with their number. */
export function listRaw(world: ToolWorld): ToolReply {
  const ids = statusOf(world)
    .resources.flatMap(primitivesIn)
    .map(({ id }) => String(id))
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

export function listResources(world: ToolWorld): ToolReply {
  const status = statusOf(world)
  const text = printClusterStatus(status).split('\n\n').at(-1) ?? ''
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^ {2}/, ''))
    .map((line) => (line === '* Full List of Resources:' ? 'Full List of Resources:' : line))
    // A resource alone is listed without its node.
    .map((line) => line.replace(/^( *\* .*\t Started) \S+$/, '$1'))
  const reply = printed(lines.join('\n'), [
    element(
      'resources',
      {},
      status.resources.map((one) => resourceElement(status, one)),
    ),
  ])
  return status.resources.length > 0 ? reply : { ...reply, exitCode: exitCodes.noSuchObject, errors: noneFound }
}

export function locate({ given }: ParsedCall, resource: string, world: ToolWorld): ToolReply {
  const quiet = hasOption(given, 'quiet')
  const places = findStatus(statusOf(world), resource).flatMap(({ state }) => state.active)
  const lines = places.map(({ node, role }) =>
    quiet ? `${node}\n` : `resource ${resource} is running on: ${node}${role === 'Promoted' ? ' Promoted' : ''}\n`,
  )
  const nodes = places.map(({ node, role }) =>
    element('node', role === 'Promoted' ? { state: 'promoted' } : {}, [{ kind: 'text', text: node }]),
  )
  const xml = [element('nodes', { resource }, nodes)]
  if (lines.length > 0) return printed(lines.join(''), xml)
  return { exitCode: exitCodes.ok, output: '', errors: quiet ? '' : `resource ${resource} is NOT running\n`, xml }
}

/** The operations that nodes have recorded; `activeOnly` those since a resource was last started, where it was not stopped after that. */
export function listOperations(call: ParsedCall, activeOnly: boolean, world: ToolWorld): ToolReply {
  const node = optionValue(call.given, 'node')
  const wanted = optionValue(call.given, 'resource')
  const status = statusOf(world)
  const states = childElements(childElement(world.cib(), 'status') ?? element('status'), 'node_state')
  const entries = states
    .filter(({ attributes }) => node === undefined || attributes.uname === node)
    .flatMap((state) => historyOf(state, activeOnly))
    .filter(({ resource }) => wanted === undefined || resource.attributes.id === wanted)
    .map((entry) => ({ ...entry, primitive: findStatus(status, entry.resource.attributes.id ?? '')[0] }))
  return printed(
    entries.map(operationLine).join(''),
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

function operationLine({ node, resource, operation, primitive }: Told): string {
  const { attributes } = operation
  const { id = '', class: agentClass, provider, type } = resource.attributes
  const agent = primitive ? agentText(primitive) : [agentClass, provider, type].filter(Boolean).join(':')
  const changed = attributes['last-rc-change']
  const when =
    changed === undefined ? '' : `, last-rc-change='${ctime(Number(changed))}', exec=${attributes['exec-time'] ?? 0}ms`
  const role = primitive?.state.role ?? 'Stopped'
  const how = statusWord(attributes['op-status'])
  return `${primitive ? shownId(primitive) : id}\t(${agent}):\t ${role}: ${attributes.operation_key ?? attributes.id} (node=${node}, call=${attributes['call-id']}, rc=${attributes['rc-code']}${when}): ${how}\n`
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

export function queryXml(resource: string, world: ToolWorld): ToolReply {
  const found = findResource(world.configuration(), resource)
  const status = statusOf(world)
  const lines = findStatus(status, resource).map(
    (one) => `${printPrimitive({ ...status, tellsPending: true, tellsInactive: true }, one)}\n`,
  )
  const text = found === undefined ? '' : printXml(found)
  const top = status.resources.find(({ id }) => id === resource)
  const shown = [
    ...(top === undefined ? [] : [resourceElement(status, top)]),
    ...(found === undefined ? [] : [element('xml', {}, [{ kind: 'text', text } as const])]),
  ]
  return printed(`${lines.join('')}Resource XML:\n${text}`, [element('resource_config', {}, shown)])
}

/** Whether it is active on a node: what people ask before they do something by hand. */
export function activeOn(resource: string, primitives: readonly PrimitiveResource[], node: string | undefined): string {
  const active = primitives.some(({ state }) => state.active.some((place) => node === undefined || place.node === node))
  const where = node === undefined ? '' : ` on host ${node}`
  return `Resource ${resource} is ${active ? 'running' : 'not running'}${where}\n`
}

/** Of every resource, or of the primitives that are active on a node. */
export function whatRuns(node: string | undefined, world: ToolWorld): ToolReply {
  const { resources } = statusOf(world)
  const lines =
    node === undefined
      ? resources.map((one) => activeOn(String(one.id), primitivesIn(one), undefined))
      : resources
          .flatMap(primitivesIn)
          .filter(({ state }) => state.active.some((place) => place.node === node))
          .map(({ id }) => `Resource ${id} is running on host ${node}\n`)
  return printed(lines.join(''), [])
}

export function constraintsText(resource: string, world: ToolWorld): string {
  const section = childElement(childElement(world.configuration(), 'configuration') ?? element('x'), 'constraints')
  const all = section === undefined ? [] : childElements(section)
  const locations = all.filter(({ name, attributes }) => name === 'rsc_location' && attributes.rsc === resource)
  const withIt = all.filter(({ name, attributes }) => name === 'rsc_colocation' && attributes['with-rsc'] === resource)
  const ofIt = all.filter(({ name, attributes }) => name === 'rsc_colocation' && attributes.rsc === resource)
  const part = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  * ${line}\n`).join('')}`
  return [
    part(
      'Locations:',
      locations.map(({ attributes: a }) => `Node ${a.node} (score=${a.score}, id=${a.id}, rsc=${a.rsc})`),
    ),
    part(
      `Resources ${resource} is colocated with:`,
      ofIt.map(({ attributes: a }) => `${a['with-rsc']} (score=${a.score}, id=${a.id})`),
    ),
    part(
      `Resources colocated with ${resource}:`,
      withIt.map(({ attributes: a }) => `${a.rsc} (score=${a.score}, id=${a.id})`),
    ),
  ].join('')
}

/**
 * crm_mon in XML (crm_mon(8), API version 2). Agents find their line with grep, so that the order of the attributes and one
 * line an element are part of the contract: `<resource id=… role=… active=… orphaned=… failed=…>`.
 */
import { element, printXml, type XmlElement } from '../cib/index.ts'
import type { MonitorNode, MonitorPrimitive, MonitorResource, MonitorStatus } from './monitor-status.ts'
import { hasOption, type OptionSpec, optionValue, parseOptions } from './options.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'

const flags = (...names: readonly string[]): OptionSpec => ({ names, value: 'none' })
const valued = (...names: readonly string[]): OptionSpec => ({ names, value: 'required' })

const options: readonly OptionSpec[] = [
  flags('one-shot', '1'),
  flags('as-xml', 'X'),
  valued('output-as'),
  flags('inactive', 'r'),
  flags('group-by-node', 'n'),
  flags('show-node-attributes', 'A'),
  flags('failcounts', 'f'),
  flags('operations', 'o'),
  flags('timing-details', 't'),
  flags('tickets', 'c'),
  flags('show-detail', 'R'),
  flags('brief', 'b'),
  flags('pending', 'j'),
  flags('neg-locations', 'L'),
  valued('include', 'I'),
  valued('exclude', 'U'),
  valued('fence-history', 'm'),
  valued('resource'),
  valued('node'),
  flags('quiet', 'Q'),
  flags('no-bans'),
]

export async function crmMon(call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const parsed = parseOptions(options, call.arguments)
  if (!parsed.ok) return refused(exitCodes.usage, `crm_mon: ${parsed.reports.join('; ')}`)
  const given = parsed.value
  if (!hasOption(given, 'as-xml') && optionValue(given, 'output-as') !== 'xml')
    return refused(
      exitCodes.unimplemented,
      "crm_mon: only --output-as=xml is there; for people there is 'systole status'.",
    )
  const status = await world.status()
  const request = [call.tool, ...call.arguments].join(' ')
  return printed(`<?xml version="1.0"?>\n${printXml(resultElement(status, request))}`)
}

export function resultElement(status: MonitorStatus, request: string): XmlElement {
  return element('pacemaker-result', { 'api-version': '2.25', request }, [
    summary(status),
    element('nodes', {}, status.nodes.map(nodeElement)),
    element('resources', {}, status.resources.map(resourceElement)),
    element('node_attributes', {}, [...status.attributes].map(attributesElement)),
    ...(status.failures.length === 0 ? [] : [element('failures', {}, status.failures.map(failureElement))]),
    element('status', { code: '0', message: 'OK' }),
  ])
}

function summary({ dc, quorate, options: cluster, nodes, resources }: MonitorStatus): XmlElement {
  const primitives = resources.flatMap(primitivesOf)
  const disabled = primitives.filter(({ targetRole }) => targetRole === 'Stopped').length
  const blocked = primitives.filter((primitive) => primitive.blocked).length
  return element('summary', {}, [
    element('stack', { type: 'systole' }),
    element(
      'current_dc',
      dc === undefined
        ? { present: 'false' }
        : { present: 'true', version: dc.version, name: dc.name, id: dc.id, with_quorum: String(quorate) },
    ),
    element('nodes_configured', { number: String(nodes.length) }),
    element('resources_configured', {
      number: String(primitives.length),
      disabled: String(disabled),
      blocked: String(blocked),
    }),
    element('cluster_options', cluster),
  ])
}

function nodeElement(node: MonitorNode): XmlElement {
  return element('node', {
    name: node.name,
    id: node.id,
    online: String(node.online),
    standby: String(node.standby),
    standby_onfail: String(node.standbyOnFail),
    maintenance: String(node.maintenance),
    pending: String(node.pending),
    unclean: String(node.unclean),
    health: node.health,
    feature_set: node.featureSet,
    shutdown: String(node.shutdown),
    expected_up: String(node.expectedUp),
    is_dc: String(node.isDc),
    resources_running: String(node.resourcesRunning),
    type: node.type,
  })
}

function resourceElement(resource: MonitorResource): XmlElement {
  switch (resource.kind) {
    case 'primitive':
      return primitiveElement(resource)
    case 'group':
      return element(
        'group',
        {
          id: resource.id,
          number_resources: String(resource.members.length),
          maintenance: String(resource.maintenance),
          managed: String(resource.managed),
          disabled: String(resource.disabled),
        },
        resource.members.map(primitiveElement),
      )
    case 'clone':
      return element(
        'clone',
        {
          id: resource.id,
          multi_state: String(resource.promotable),
          unique: String(resource.unique),
          maintenance: String(resource.maintenance),
          managed: String(resource.managed),
          disabled: String(resource.disabled),
          failed: String(resource.failed),
          failure_ignored: String(resource.failureIgnored),
        },
        resource.members.map(resourceElement),
      )
    case 'bundle':
      return element(
        'bundle',
        {
          id: resource.id,
          type: resource.type,
          image: resource.image,
          unique: String(resource.unique),
          maintenance: String(resource.maintenance),
          managed: String(resource.managed),
          failed: String(resource.failed),
        },
        resource.replicas.map(({ id, resources }) => element('replica', { id }, resources.map(primitiveElement))),
      )
  }
}

function primitiveElement(resource: MonitorPrimitive): XmlElement {
  return element(
    'resource',
    {
      id: resource.id,
      resource_agent: resource.agent,
      role: resource.role,
      ...(resource.targetRole === undefined ? {} : { target_role: resource.targetRole }),
      active: String(resource.active),
      orphaned: String(resource.orphaned),
      blocked: String(resource.blocked),
      maintenance: String(resource.maintenance),
      managed: String(resource.managed),
      failed: String(resource.failed),
      failure_ignored: String(resource.failureIgnored),
      nodes_running_on: String(resource.nodes.length),
      ...(resource.pending === undefined ? {} : { pending: resource.pending }),
    },
    resource.nodes.map(({ name, id }) => element('node', { name, id, cached: 'true' })),
  )
}

function attributesElement([node, attributes]: readonly [string, ReadonlyMap<string, string>]): XmlElement {
  return element(
    'node',
    { name: node },
    [...attributes].map(([name, value]) => element('attribute', { name, value })),
  )
}

function failureElement(failure: MonitorStatus['failures'][number]): XmlElement {
  const { key, node, exitStatus, exitReason, exitCode, call, status } = failure
  return element('failure', {
    op_key: key,
    node,
    exitstatus: exitStatus,
    exitreason: exitReason,
    exitcode: String(exitCode),
    call,
    status,
  })
}

/** The primitives of a resource, instances of clones included. */
export function primitivesOf(resource: MonitorResource): readonly MonitorPrimitive[] {
  switch (resource.kind) {
    case 'primitive':
      return [resource]
    case 'group':
      return resource.members
    case 'clone':
      return resource.members.flatMap(primitivesOf)
    case 'bundle':
      return resource.replicas.flatMap(({ resources }) => resources)
  }
}

/** crm_resource: asks for resources and changes them (crm_resource(8)). */
import { nodeName, parseDurationMs } from '../../base/index.ts'
import { findResource } from '../../cib/index.ts'
import { knowsNode } from '../attributes/known-nodes.ts'
import { conforming } from '../cib/conforming.ts'
import { descendants, removed, sectionOf } from '../cib/tree.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import {
  always,
  flag,
  type GivenOption,
  hasOption,
  lastOf,
  type OptionSpec,
  optionValue,
  plainWords,
  valued,
} from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { findStatus, knowsResource, statusOf } from '../status-of.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { agentActions, isAboutAgent, onAgent, runsAgent } from './agent-actions.ts'
import { agentQuestions, answerForAgents, asksForAgents, asksForLists } from './agents.ts'
import { constraintsOf } from './constraints.ts'
import { digests } from './digests.ts'
import { listOperations, listRaw, listResources, queryXml } from './listings.ts'
import { locate } from './locate.ts'
import { clear, moveOrBan, noNode } from './moves.ts'
import { listedOptions } from './option-lists.ts'
import { deleteParameter, getParameter, getProperty, onElement, setParameter } from './parameters.ts'
import { restart } from './restart.ts'
import { whatRuns, whetherRuns } from './running.ts'

const options: readonly OptionSpec[] = [
  valued('resource,r', 'RESOURCE', 'The resource that is meant'),
  valued('node,N,H,host-uname', 'NODE', 'The node that is meant'),
  flag('list,L', 'All resources and their state. This is the default'),
  flag('list-raw,l', 'The ids of all primitives'),
  flag('locate,W', 'Where the resource runs'),
  flag('query-xml,q', 'The definition of the resource, with what its template adds'),
  flag('query-xml-raw,w', 'The definition of the resource, as it is written'),
  flag(
    'constraints,a',
    'Its locations and colocations, of the group, clone or bundle around it unless --force is given',
  ),
  flag('stack,A', 'These, and those of the resources with which it is colocated, and so on'),
  flag('why,Y', "Show whether the resource runs ('systole why' shows the reasons)"),
  flag('list-operations,O', 'The operations of what is active: since its last start'),
  flag('list-all-operations,o', 'All recorded operations of resources or nodes'),
  always('pending', 'operations that are under way are shown'),
  valued(
    'get-parameter,g',
    'NAME',
    'Show a parameter (with --meta a meta-attribute, with --utilization a utilization attribute)',
  ),
  valued('set-parameter,p', 'NAME', 'Set it (with --parameter-value)'),
  valued('delete-parameter,d', 'NAME', 'Delete it'),
  valued('get-property,G', 'NAME', "Show an attribute of the resource's element: class, type, provider"),
  valued('parameter-value,v', 'VALUE', 'The value to set'),
  flag('meta,m', 'Of meta-attributes'),
  flag('utilization,z', 'Of utilization attributes'),
  flag('element', "Of attributes of the resource's element: class, type, provider, description"),
  valued('set-name,s', 'ID', 'The XML id of the set of attributes'),
  valued('nvpair,i', 'ID', 'The XML id of the pair'),
  flag('move,M', 'Make the node the only preference; without one, ban the resource from where it is'),
  flag('ban,B', 'Keep the resource off a node, by default off that where it is'),
  flag('clear,U,un-move,un-ban', 'Take the constraints of --move and --ban away'),
  flag('expired,e', 'Only those whose lifetime is over (with --clear)'),
  valued('lifetime,u', 'DURATION', 'Until when the constraint holds, as an ISO 8601 duration'),
  flag('promoted,master', 'Only the promoted role (with --ban, --move, --clear)'),
  flag('cleanup,C', 'Clear failures, so that the resource is probed again'),
  flag('refresh,R', 'Clear the history, so that the resource is probed again'),
  flag('reprobe,P', 'Clear the history, so that the resource is probed again'),
  valued('operation,n', 'OPERATION', 'Of this operation (with --cleanup)'),
  valued('interval,I', 'TIME', 'The interval of the operation (with --cleanup)'),
  flag('fail,F', 'Record that the resource has failed (with --node)'),
  flag('delete,D', 'Delete the resource (with --resource-type)'),
  valued('resource-type,t', 'ELEMENT', 'primitive, group, clone or bundle'),
  flag('restart', 'Stop the resource and start it again (with --node the instance there)'),
  flag('list-standards', 'The classes of agents'),
  valued('list-agents', 'CLASS:PROVIDER', 'The installed agents'),
  flag('list-ocf-providers', 'The providers of OCF agents'),
  valued('list-ocf-alternatives', 'TYPE', 'The providers of an OCF agent'),
  valued(
    'list-options',
    'KIND',
    'The options that there are: of a primitive (primitive), or of all fence devices (fencing)',
  ),
  flag('all', 'Also show deprecated ones (with --list-options)'),
  valued('show-metadata', 'AGENT', "An agent's metadata: ocf:heartbeat:IPaddr2"),
  {
    ...valued(
      'validate',
      'LEVEL',
      'Let the agent check the configuration of the resource, or of --class, --provider, --agent and --option',
    ),
    value: 'inline',
  },
  valued('class', 'CLASS', 'The class of the agent (with --validate)'),
  valued('provider', 'PROVIDER', 'The provider of the agent (with --validate)'),
  valued('agent', 'TYPE', 'The type of the agent (with --validate)'),
  valued('option', 'NAME=VALUE', 'A parameter of the agent (with --validate)'),
  flag('force-start', 'Run the agent’s start on this host, outside the cluster'),
  flag('force-stop', 'Run its stop'),
  { ...valued('force-check', 'LEVEL', 'Run its monitor'), value: 'inline' },
  flag('force-promote', 'Run its promote'),
  flag('force-demote', 'Run its demote'),
  flag('digests', 'The hashes of its parameters on a node; words NAME=VALUE stand for what is configured'),
  flag('wait', 'Wait until the cluster has nothing left to do'),
  {
    ...valued('timeout,T', 'TIME', 'How long to wait; also for a daemon that says nothing, if shorter than 30s'),
    checked: 'time',
  },
  flag('force,f', 'Do what is dangerous; with --move, ban the present node too'),
  flag('quiet,Q', 'Only the values'),
  flag('recursive', 'Follow colocations (with --constraints; with --set-parameter --meta to what is placed with it)'),
]

const commands = [
  'list',
  'list-raw',
  'locate',
  'query-xml',
  'query-xml-raw',
  'constraints',
  'stack',
  'why',
  'list-operations',
  'list-all-operations',
  'get-parameter',
  'set-parameter',
  'delete-parameter',
  'get-property',
  'move',
  'ban',
  'clear',
  'cleanup',
  'refresh',
  'reprobe',
  'fail',
  'delete',
  'wait',
  'restart',
  'digests',
  ...agentQuestions,
  ...agentActions,
]

export const crmResource: Tool = {
  name: 'crm_resource',
  summary: 'Show and change resources',
  options,
  printsXml: true,
  xmlVersions: { 'resource-agent': '2.36' },
  needsTerminal: (given) => asksForAgents(given) || runsAgent(given),
  asksWhatIsInstalled: asksForLists,
  run: async (call, world) => await run(call, world),
}

const waitMs = 60 * 60_000

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  const command = lastOf(given, commands) ?? { name: 'list' }
  const resource = optionValue(given, 'resource')
  const words = plainWords(given)
  const wrong = wrongTogether(given, command.name)
  if (wrong !== undefined) return refused(exitCodes.usage, `crm_resource: ${wrong}`)
  if (hasOption(given, 'expired') && command.name !== 'clear')
    return refused(exitCodes.usage, 'crm_resource: --expired requires --clear or -U')
  if (words.length > 0 && !takesParameters(command.name)) return strayWords(words)
  // A number may be the level of a check.
  const unread = words.find((word) => !word.includes('=') && !/^\d+$/.test(word))
  if (unread !== undefined)
    return refused(exitCodes.usage, `crm_resource: Error parsing '${unread}' as a name=value pair`)
  const listed = optionValue(given, 'list-options')
  if (listed !== undefined) return listedOptions(call, listed)
  if (agentQuestions.includes(command.name)) return answerForAgents(call, command)
  if (agentActions.includes(command.name)) {
    if (resource === undefined && !(isAboutAgent(given) && hasOption(given, 'class')))
      return refused(exitCodes.usage, 'crm_resource: Must supply a resource id with -r')
    return await onAgent(call, command, world)
  }
  switch (command.name) {
    case 'wait': {
      const timeoutMs = parseDurationMs(optionValue(given, 'timeout') ?? '') ?? waitMs
      return (await world.settled(timeoutMs))
        ? printed('', [])
        : refused(exitCodes.timeout, 'crm_resource: the cluster is not idle.')
    }
    case 'list':
      return listResources(world)
    case 'list-raw':
      return listRaw(world)
    case 'why':
      return await why(call, { command, resource }, world)
    case 'list-operations':
    case 'list-all-operations':
      return listOperations(call, command.name === 'list-operations', world)
    case 'cleanup':
    case 'refresh':
    case 'reprobe':
      return await cleanUp(call, command.name !== 'cleanup', world)
    default:
      if (command.name === 'clear' && resource === undefined && hasOption(given, 'expired'))
        return await clear(call, undefined, world)
      if (resource === undefined) return refused(exitCodes.usage, 'crm_resource: Must supply a resource id with -r')
      return await onResource(call, { command, resource }, world)
  }
}

/** Options that name an agent are for agents, and not for one that a resource names already. */
function wrongTogether(given: readonly GivenOption[], command: string): string | undefined {
  const namesAgent = ['class', 'agent', 'provider'].some((name) => hasOption(given, name))
  const isForAgent = agentActions.includes(command)
  const hasResource = hasOption(given, 'resource')
  if (namesAgent && hasResource) return '--resource cannot be used with --class, --agent, and --provider'
  if (namesAgent && !isForAgent)
    return '--class, --agent, and --provider can only be used with --validate and --force-*'
  const options = given.filter(({ name }) => name === 'option')
  if (options.some(({ value = '' }) => !value.includes('='))) return 'Error parsing option --option'
  if (options.length > 0 && (hasResource || command !== 'validate'))
    return '--option must be used with --validate and without -r'
  return undefined
}

async function why(
  call: ParsedCall,
  { command, resource }: { readonly command: GivenOption; readonly resource: string | undefined },
  world: ToolWorld,
): Promise<ToolReply> {
  const node = optionValue(call.given, 'node')
  if (node !== undefined && !knowsNode(world, node)) return noNode(node)
  return resource === undefined ? whatRuns(node, world) : await onResource(call, { command, resource }, world)
}

/** `name=value` stands for a parameter of the agent. */
function takesParameters(command: string): boolean {
  return command === 'digests' || agentActions.includes(command)
}

function strayWords(words: readonly string[]): ToolReply {
  const listed = words.map((word, index) => `[${index + 1} of ${words.length}] ${word}`)
  const sentence = ['crm_resource: non-option ARGV-elements:', ...listed].join('\n')
  return { ...refused(exitCodes.usage, sentence), said: [`${sentence}\n`] }
}

function notFound(resource: string): ToolReply {
  return refused(
    exitCodes.noSuchObject,
    `crm_resource: Resource '${resource}' not found\nError performing operation: No such object`,
  )
}

/** By any name that the status has for it. Of a unique clone's instances there is none without its number. */
function isKnown(resource: string, world: ToolWorld): boolean {
  return knowsResource(statusOf(world), resource)
}

/** What is asked of the definition rather than of an instance. */
const onDefinition: readonly string[] = [
  'query-xml',
  'query-xml-raw',
  'get-parameter',
  'set-parameter',
  'delete-parameter',
  'get-property',
]

/** Of several kinds of attributes, the last that was named. */
function setKindOf(given: readonly GivenOption[]): string | undefined {
  return lastOf(given, ['meta', 'utilization', 'element'])?.name
}

/** What is for all instances of a clone. */
const ofWhole: readonly string[] = ['move', 'ban', 'clear', 'restart']

async function onResource(
  call: ParsedCall,
  asked: { readonly command: GivenOption; readonly resource: string },
  world: ToolWorld,
): Promise<ToolReply> {
  const { command, resource } = asked
  const isThere = onDefinition.includes(command.name) && findResource(world.configuration(), resource) !== undefined
  if (command.name === 'delete') return await remove(call, resource, world)
  if (!isThere && !isKnown(resource, world)) return notFound(resource)
  const id = resource.replace(/:\d+$/, '')
  if (id !== resource && ofWhole.includes(command.name))
    return refused(
      exitCodes.invalidParameter,
      `crm_resource: Cannot operate on clone resource instance '${resource}'\nError performing operation: Invalid parameter`,
    )
  if (setKindOf(call.given) === 'element' && /-parameter$/.test(command.name))
    return await onElement(call, id, command, world)
  switch (command.name) {
    case 'get-parameter':
      return getParameter(call, id, command.value ?? '', world)
    case 'set-parameter':
      return await setParameter(call, resource, command.value ?? '', world)
    case 'delete-parameter':
      return await deleteParameter(call, resource, command.value ?? '', world)
    case 'get-property':
      return getProperty(id, command.value ?? '', world)
    case 'locate':
      return locate(call, resource, world)
    case 'query-xml':
    case 'query-xml-raw':
      return queryXml({ id, shown: resource }, command.name === 'query-xml-raw', world)
    case 'constraints':
    case 'stack':
      return constraintsOf(call, resource, world)
    case 'digests':
      return digests(call, resource, world)
    case 'why':
      return whetherRuns(resource, optionValue(call.given, 'node'), world)
    case 'restart':
      return await restart(call, id, world)
    case 'move':
    case 'ban':
      return await moveOrBan(call, { kind: command.name, resource: id }, world)
    case 'clear':
      return await clear(call, id, world)
    default:
      return await fail(call, resource, world)
  }
}

async function fail(call: ParsedCall, resource: string, world: ToolWorld): Promise<ToolReply> {
  const node = optionValue(call.given, 'node')
  if (node === undefined) return refused(exitCodes.usage, 'crm_resource: Must supply a node name with -N')
  if (!knowsNode(world, node)) return noNode(node)
  if (!world.isCluster)
    return refused(
      exitCodes.notConnected,
      'crm_resource: Error connecting to the controller: Connection refused\nError performing operation: Not connected',
    )
  const found = findStatus(statusOf(world), resource)
  const there = found.find(({ state }) => state.active.some((place) => place.node === node)) ?? found[0]
  const isPrimitive = found.length === 1 || found.every(({ configuredId }) => configuredId === there?.configuredId)
  if (there === undefined || !isPrimitive)
    return refused(exitCodes.usage, `crm_resource: ${resource} is not a primitive resource: name one of its members.`)
  const recorded = await world.fail({ resource: there.state.historyName ?? there.configuredId, node: nodeName(node) })
  return recorded
    ? printed('', [])
    : refused(
        exitCodes.noSuchObject,
        `crm_resource: ${node} has not run ${resource}, so that it cannot have failed there.`,
      )
}

/** An element with this id among the resources, of whatever kind was named; having none is no mistake. */
async function remove(call: ParsedCall, id: string, world: ToolWorld): Promise<ToolReply> {
  const type = optionValue(call.given, 'resource-type')
  if (type === undefined) return refused(exitCodes.usage, 'crm_resource: You need to specify a resource type with -t')
  const refusal = await world.edit(
    conforming((cib) => {
      const resources = sectionOf(cib, 'resources')
      const found =
        resources && descendants(resources).find(({ name, attributes }) => name === type && attributes.id === id)
      return found === undefined ? cib : removed(cib, found)
    }),
    { command: commandLine(call) },
  )
  return refusal ?? printed('', [])
}

async function cleanUp(call: ParsedCall, refresh: boolean, world: ToolWorld): Promise<ToolReply> {
  const resource = optionValue(call.given, 'resource')
  const node = optionValue(call.given, 'node')
  const operation = optionValue(call.given, 'operation')
  const intervalMs = parseDurationMs(optionValue(call.given, 'interval') ?? '')
  if (node !== undefined && !knowsNode(world, node)) return noNode(node)
  if (resource !== undefined && !isKnown(resource, world)) return notFound(resource)
  await world.cleanUp({
    refresh,
    ...(resource === undefined ? {} : { resource }),
    ...(node === undefined ? {} : { node: nodeName(node) }),
    ...(operation === undefined ? {} : { operation }),
    ...(intervalMs === undefined ? {} : { intervalMs }),
  })
  const where = node === undefined ? 'all nodes' : node
  // The history in a file stays: nothing could be probed anew.
  if (!world.isCluster)
    return printed(
      `Dry run: skipping clean-up of ${resource === undefined ? '' : `${resource} on `}${where} due to CIB_file\n`,
      [],
    )
  if (hasOption(call.given, 'quiet')) return printed('', [])
  return printed(`Cleaned up ${resource ?? 'all resources'} on ${where}\n`, [])
}

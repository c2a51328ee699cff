/**
 * crm_resource in the forms that agents and deployment tools use (crm_resource(8)): parameters, meta-attributes and utilization
 * read and written, where a resource runs, bans, the operations of a node, waiting.
 */
import { nodeName, parseDurationMs } from '../base/index.ts'
import {
  banNode,
  childElement,
  childElements,
  clearCliConstraints,
  describeEditReport,
  type EditResult,
  findResource,
  updateResource,
} from '../cib/index.ts'
import { nodeState, pairValue } from './attributes.ts'
import { primitivesOf } from './crm-mon.ts'
import { type GivenOption, hasOption, lastOf, type OptionSpec, optionValue, parseOptions } from './options.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'

const options: readonly OptionSpec[] = [
  { names: ['resource', 'r'], value: 'required' },
  { names: ['node', 'N', 'H', 'host-uname'], value: 'required' },
  { names: ['quiet', 'Q'], value: 'none' },
  { names: ['meta', 'm'], value: 'none' },
  { names: ['utilization', 'z'], value: 'none' },
  { names: ['get-parameter', 'g'], value: 'required' },
  { names: ['set-parameter', 'p'], value: 'required' },
  { names: ['delete-parameter', 'd'], value: 'required' },
  { names: ['parameter-value', 'v'], value: 'required' },
  { names: ['locate', 'W'], value: 'none' },
  { names: ['ban', 'B'], value: 'none' },
  { names: ['clear', 'U', 'un-move', 'un-ban'], value: 'none' },
  { names: ['cleanup', 'C'], value: 'none' },
  { names: ['list-operations', 'O'], value: 'none' },
  { names: ['wait'], value: 'none' },
  { names: ['timeout', 'T'], value: 'required' },
  { names: ['force', 'f'], value: 'none' },
  { names: ['verbose', 'V'], value: 'none' },
]

const commands = [
  'get-parameter',
  'set-parameter',
  'delete-parameter',
  'locate',
  'ban',
  'clear',
  'cleanup',
  'list-operations',
  'wait',
]

const waitMs = 60 * 60_000

export async function crmResource(call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const parsed = parseOptions(options, call.arguments)
  if (!parsed.ok) return refused(exitCodes.usage, `crm_resource: ${parsed.reports.join('; ')}`)
  const given = parsed.value
  const command = lastOf(given, commands)
  if (command?.name === 'wait') {
    const timeoutMs = parseDurationMs(optionValue(given, 'timeout') ?? '') ?? waitMs
    return (await world.settled(timeoutMs))
      ? printed('')
      : refused(exitCodes.timeout, 'crm_resource: the cluster is not idle.')
  }
  if (command?.name === 'list-operations') return listOperations(given, world)
  const resource = optionValue(given, 'resource')
  if (command === undefined || resource === undefined)
    return refused(exitCodes.usage, 'crm_resource: a resource and a command are needed.')
  if (!findResource(world.configuration(), resource.replace(/:\d+$/, '')))
    return refused(
      exitCodes.noSuchObject,
      `crm_resource: Resource '${resource}' not found\nError performing operation: No such object`,
    )
  return await onResource(call, given, { command, resource }, world)
}

async function onResource(
  call: ToolCall,
  given: readonly GivenOption[],
  asked: { readonly command: GivenOption; readonly resource: string },
  world: ToolWorld,
): Promise<ToolReply> {
  const { command, resource } = asked
  const id = resource.replace(/:\d+$/, '')
  const node = optionValue(given, 'node')
  const text = [call.tool, ...call.arguments].join(' ')
  switch (command.name) {
    case 'get-parameter':
      return getParameter(given, id, command.value ?? '', world)
    case 'set-parameter':
    case 'delete-parameter': {
      const value = command.name === 'set-parameter' ? (optionValue(given, 'parameter-value') ?? '') : ''
      const values = { [command.value ?? '']: value }
      const change = { id, force: true, [setOf(given)]: values }
      return reply(await world.edit((cib) => updateResource(cib, change), text))
    }
    case 'locate':
      return await locate(resource, hasOption(given, 'quiet'), world)
    case 'ban':
      return reply(await world.edit((cib) => banNode(cib, { resource: id, node: node ?? world.localNode }), text))
    case 'clear':
      return reply(
        await world.edit(
          (cib) => clearCliConstraints(cib, { resource: id, ...(node === undefined ? {} : { node }) }),
          text,
        ),
      )
    default:
      await world.cleanUp(resource, node === undefined ? undefined : nodeName(node))
      return printed('')
  }
}

function setOf(given: readonly GivenOption[]): 'parameters' | 'meta' | 'utilization' {
  if (hasOption(given, 'utilization')) return 'utilization'
  return hasOption(given, 'meta') ? 'meta' : 'parameters'
}

const elementOf = {
  parameters: 'instance_attributes',
  meta: 'meta_attributes',
  utilization: 'utilization',
} as const

/** What is written in the resource itself; a missing name is told but is no failure. */
function getParameter(given: readonly GivenOption[], id: string, name: string, world: ToolWorld): ToolReply {
  const value = pairValue(findResource(world.configuration(), id), elementOf[setOf(given)], name)
  if (value !== undefined) return printed(`${value}\n`)
  return { exitCode: exitCodes.ok, output: '', errors: `Attribute '${name}' not found for '${id}'\n` }
}

async function locate(resource: string, quiet: boolean, world: ToolWorld): Promise<ToolReply> {
  const { resources } = await world.status()
  const found = resources.flatMap((top) => {
    const all = primitivesOf(top)
    return top.id === resource ? all : all.filter(({ id }) => id === resource || id.replace(/:\d+$/, '') === resource)
  })
  const lines = found.flatMap(({ nodes, role }) =>
    nodes.map(({ name }) =>
      quiet ? `${name}\n` : `resource ${resource} is running on: ${name}${role === 'Promoted' ? ' Promoted' : ' '}\n`,
    ),
  )
  if (lines.length > 0) return printed(lines.join(''))
  return { exitCode: exitCodes.ok, output: '', errors: quiet ? '' : `resource ${resource} is NOT running\n` }
}

function listOperations(given: readonly GivenOption[], world: ToolWorld): ToolReply {
  const node = optionValue(given, 'node')
  const nodes = node === undefined ? world.nodes().map(({ name }) => name) : [node]
  const lines = nodes.flatMap((name) => {
    const lrm = childElement(
      nodeState(world.cib(), name) ?? { kind: 'element', name: '', attributes: {}, children: [] },
      'lrm',
    )
    const resources = lrm && childElement(lrm, 'lrm_resources')
    return (resources === undefined ? [] : childElements(resources, 'lrm_resource')).flatMap(
      ({ attributes, children }) =>
        childElements({ kind: 'element', name: '', attributes, children }, 'lrm_rsc_op').map((operation) => {
          const { class: kind, provider, type, id } = attributes
          const agent = [kind, provider, type].filter((part) => part !== undefined).join(':')
          const { operation_key: key, 'call-id': callId, 'rc-code': code, 'op-status': status } = operation.attributes
          const how = status === '0' ? 'complete' : status === '-1' ? 'pending' : 'Error'
          return `${id}\t(${agent}):\t${key ?? operation.attributes.id} (node=${name}, call=${callId}, rc=${code}): ${how}\n`
        }),
    )
  })
  return printed(lines.join(''))
}

function reply(result: EditResult): ToolReply {
  if (result.ok) return printed('')
  return refused(exitCodes.configuration, `crm_resource: ${result.reports.map(describeEditReport).join(' ')}`)
}

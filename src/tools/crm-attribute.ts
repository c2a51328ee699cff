/**
 * crm_attribute and crm_master: reads and writes transient and permanent node attributes, utilization, promotion scores,
 * cluster options and defaults (crm_attribute(8)). Agents read the output and the exit code, so that both are Pacemaker's:
 * 105 for what is not there.
 */
import { type NodeName, nodeName } from '../base/index.ts'
import {
  describeEditReport,
  type EditResult,
  setClusterOptions,
  setDefaults,
  setNodeAttributes,
  type XmlElement,
} from '../cib/index.ts'
import { incremented, nodeElement, pairValue, section } from './attributes.ts'
import { type GivenOption, hasOption, lastOf, type OptionSpec, optionValue, parseOptions } from './options.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'

const options: readonly OptionSpec[] = [
  { names: ['name', 'n', 'attr-name'], value: 'required' },
  { names: ['query', 'G', 'get-value'], value: 'none' },
  { names: ['update', 'v', 'attr-value'], value: 'required' },
  { names: ['delete', 'D', 'delete-attr'], value: 'none' },
  { names: ['node', 'N', 'U', 'uname', 'node-uname'], value: 'required' },
  { names: ['type', 't'], value: 'required' },
  { names: ['lifetime', 'l'], value: 'required' },
  { names: ['utilization', 'z'], value: 'none' },
  { names: ['promotion', 'p'], value: 'optional' },
  { names: ['quiet', 'q', 'Q'], value: 'none' },
  { names: ['default', 'd'], value: 'required' },
  { names: ['set-name', 's'], value: 'required' },
  { names: ['id', 'i', 'attr-id'], value: 'required' },
  { names: ['pattern', 'P'], value: 'none' },
  { names: ['verbose', 'V'], value: 'none' },
  { names: ['inhibit-policy-engine', '!'], value: 'none' },
]

/** crm_master is a wrapper that names the score of the calling resource. */
const masterOptions: readonly OptionSpec[] = [
  ...options.filter(({ names }) => names[0] !== 'promotion' && names[0] !== 'name'),
  { names: ['resource', 'r'], value: 'required' },
]

type Scope =
  | { readonly kind: 'status'; readonly node: NodeName }
  | { readonly kind: 'nodes'; readonly node: NodeName; readonly utilization: boolean }
  | { readonly kind: 'crm_config' | 'rsc_defaults' | 'op_defaults' | 'tickets' }

interface Asked {
  readonly tool: string
  readonly scope: Scope
  readonly name: string
  readonly command:
    | { readonly kind: 'query' }
    | { readonly kind: 'update'; readonly value: string }
    | { readonly kind: 'delete' }
  readonly quiet: boolean
  readonly setName?: string
  readonly fallback?: string
}

export async function crmAttribute(call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const asked = readAsked(call, world)
  if ('exitCode' in asked) return asked
  switch (asked.command.kind) {
    case 'query':
      return query(asked, world)
    case 'update':
      return await write(asked, asked.command.value, call, world)
    case 'delete':
      return await remove(asked, call, world)
  }
}

function readAsked(call: ToolCall, world: ToolWorld): Asked | ToolReply {
  const master = call.tool === 'crm_master'
  const parsed = parseOptions(master ? masterOptions : options, call.arguments)
  if (!parsed.ok) return refused(exitCodes.usage, `${call.tool}: ${parsed.reports.join('; ')}`)
  const given = parsed.value
  const name = nameOf(given, call, master)
  if (name === undefined)
    return refused(
      exitCodes.usage,
      `${call.tool}: the name of an attribute is needed (--name, or --promotion for a score).`,
    )
  const scope = scopeOf(given, call, world, master || hasOption(given, 'promotion'))
  if (scope === undefined) return refused(exitCodes.usage, `${call.tool}: '${optionValue(given, 'type')}' is no type.`)
  if ('node' in scope && !world.knowsNode(scope.node))
    return refused(exitCodes.noSuchObject, `${call.tool}: Could not map name=${scope.node} to a UUID`)
  const setName = optionValue(given, 'set-name')
  const fallback = optionValue(given, 'default')
  return {
    tool: call.tool,
    scope,
    name,
    command: commandOf(given),
    quiet: hasOption(given, 'quiet'),
    ...(setName === undefined ? {} : { setName }),
    ...(fallback === undefined ? {} : { fallback }),
  }
}

/** The last command counts; without any it is a query. */
function commandOf(given: readonly GivenOption[]): Asked['command'] {
  const last = lastOf(given, ['query', 'update', 'delete'])
  if (last?.name === 'update') return { kind: 'update', value: last.value ?? '' }
  return last?.name === 'delete' ? { kind: 'delete' } : { kind: 'query' }
}

/** Promotion scores of anonymous clones are kept without the number of the instance. */
function nameOf(given: readonly GivenOption[], call: ToolCall, master: boolean): string | undefined {
  if (!master && !hasOption(given, 'promotion')) return optionValue(given, 'name')
  const resource = optionValue(given, master ? 'resource' : 'promotion') ?? call.resource
  return resource === undefined ? undefined : `master-${resource}`
}

function scopeOf(
  given: readonly GivenOption[],
  call: ToolCall,
  world: ToolWorld,
  promotion: boolean,
): Scope | undefined {
  const type = optionValue(given, 'type')
  const lifetime = optionValue(given, 'lifetime')
  const named = optionValue(given, 'node')
  const node = nodeName(named === undefined || named === 'auto' ? (call.onNode ?? world.localNode) : named)
  const forever = lifetime === 'forever'
  if (hasOption(given, 'utilization')) return { kind: 'nodes', node, utilization: true }
  if (type === 'crm_config' || type === 'rsc_defaults' || type === 'op_defaults' || type === 'tickets')
    return { kind: type }
  if (type === 'status' || (lifetime !== undefined && !forever)) return { kind: 'status', node }
  if (type === 'nodes' || forever) return { kind: 'nodes', node, utilization: false }
  if (type !== undefined) return undefined
  if (promotion) return { kind: 'status', node }
  return named === undefined ? { kind: 'crm_config' } : { kind: 'nodes', node, utilization: false }
}

function query(asked: Asked, world: ToolWorld): ToolReply {
  const value = valueNow(asked, world) ?? asked.fallback
  if (value === undefined) return notThere(asked)
  return printed(asked.quiet ? `${value}\n` : `scope=${asked.scope.kind}  name=${asked.name} value=${value}\n`)
}

function valueNow(asked: Asked, world: ToolWorld): string | undefined {
  const { scope, name } = asked
  return scope.kind === 'status' ? world.transient(scope.node).get(name) : writtenValue(asked, world.configuration())
}

function writtenValue({ scope, name, setName }: Asked, cib: XmlElement): string | undefined {
  switch (scope.kind) {
    case 'nodes':
      return pairValue(nodeElement(cib, scope.node), scope.utilization ? 'utilization' : 'instance_attributes', name)
    case 'crm_config':
      return pairValue(section(cib, scope.kind), 'cluster_property_set', name)
    case 'rsc_defaults':
    case 'op_defaults':
      return pairValue(section(cib, scope.kind), 'meta_attributes', name, setName)
    case 'status':
    case 'tickets':
      return undefined
  }
}

function notThere(asked: Asked): ToolReply {
  return refused(exitCodes.noSuchObject, `${asked.tool}: Error performing operation: No such device or address`)
}

async function write(asked: Asked, value: string, call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const { scope, name } = asked
  if (scope.kind === 'status') {
    await world.setAttribute({ node: scope.node, set: '', name, value })
    return printed('')
  }
  const result = await world.edit(
    (cib) => change(asked, cib, incremented(name, value, writtenValue(asked, cib))),
    text(call),
  )
  return edited(asked, result)
}

async function remove(asked: Asked, call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const { scope, name } = asked
  const before = valueNow(asked, world)
  // What is not there needs no deleting, and Pacemaker's tools agree.
  if (before === undefined) return printed('')
  if (scope.kind === 'status') await world.setAttribute({ node: scope.node, set: '', name })
  else {
    const reply = edited(asked, await world.edit((cib) => change(asked, cib, ''), text(call)))
    if (reply.exitCode !== exitCodes.ok) return reply
  }
  const what = scope.kind === 'crm_config' ? 'crm_config option' : `${scope.kind} attribute`
  return printed(asked.quiet ? '' : `Deleted ${what}: name=${name}\n`)
}

function change({ scope, name }: Asked, cib: XmlElement, value: string): EditResult {
  const values = { [name]: value }
  switch (scope.kind) {
    case 'nodes':
      return setNodeAttributes(cib, {
        nodes: [scope.node],
        kind: scope.utilization ? 'utilization' : 'instance_attributes',
        values,
      })
    case 'rsc_defaults':
    case 'op_defaults':
      return setDefaults(cib, { of: scope.kind === 'rsc_defaults' ? 'resource' : 'operation', values, force: true })
    case 'crm_config':
    case 'status':
    case 'tickets':
      return setClusterOptions(cib, { values, force: true })
  }
}

function edited(asked: Asked, result: EditResult): ToolReply {
  if (result.ok) return printed('')
  return refused(exitCodes.configuration, `${asked.tool}: ${result.reports.map(describeEditReport).join(' ')}`)
}

function text(call: ToolCall): string {
  return [call.tool, ...call.arguments].join(' ')
}

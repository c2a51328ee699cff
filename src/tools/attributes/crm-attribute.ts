/**
 * crm_attribute: reads and writes transient and permanent node attributes, utilization, promotion scores, cluster options and
 * defaults (crm_attribute(8)). Agents read the output and the exit code, so that both are Pacemaker's: 105 for what is not there.
 */
import { expandValue } from '../../attributes/index.ts'
import { type NodeName, nodeName, type Pattern, readPattern } from '../../base/index.ts'
import { clusterOptions, element, formatScore, parseScore, type XmlElement } from '../../cib/index.ts'
import { withoutHolds } from '../../holds/index.ts'
import { conforming } from '../cib/conforming.ts'
import { tellingOfEffect } from '../cib/without-effect.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { listOptions } from '../option-list.ts'
import {
  always,
  flag,
  type GivenOption,
  hasOption,
  lastOf,
  notDone,
  type OptionSpec,
  optionValue,
  valued,
} from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import { pacemakerVersion } from '../version.ts'
import type { ToolWorld } from '../world.ts'
import { knowsNode } from './known-nodes.ts'
import { deletePairs, findPairs, type PairQuery, type PairScope, writePair } from './pairs.ts'

/** Common to crm_attribute and its wrappers, crm_master and crm_standby. */
export const attributeOptions: readonly OptionSpec[] = [
  flag('query,G,get-value', 'Show the value. This is the default'),
  valued('update,v,attr-value', 'VALUE', 'Set the value; value++ and value+=N count up'),
  flag('delete,D,delete-attr', 'Delete it'),
  valued('node,N,U,uname,node-uname', 'NODE', 'Of this node, instead of the one where the command runs'),
  valued('lifetime,l', 'LIFETIME', 'Until when it holds: reboot or forever'),
  flag('quiet,q,Q', 'Print only the value'),
  valued('id,i,attr-id', 'ID', 'The XML id of the pair'),
  valued('set-name,s', 'ID', 'The XML id of the set that it is in'),
  valued('default,d', 'VALUE', 'Printed where nothing is set'),
]

const options: readonly OptionSpec[] = [
  valued('name,n,attr-name', 'NAME', 'The name of the attribute or option. A query without one shows all'),
  {
    ...valued('promotion,p', 'RESOURCE', 'The promotion score of a resource, by default of the agent that calls'),
    value: 'optional',
  },
  valued(
    'pattern,P',
    'PATTERN',
    'All whose name this regular expression finds (with a query, or transient attributes)',
  ),
  ...attributeOptions,
  valued(
    'type,t',
    'SECTION',
    'Where it is: crm_config, nodes, status, rsc_defaults, op_defaults, or (of a CIB in a file) tickets',
  ),
  flag('utilization,z', 'A utilization attribute of the node'),
  valued('list-options,L', 'TYPE', 'List the options of a type: cluster'),
  flag('all,a', 'With --list-options: deprecated ones, too'),
  valued(
    'wait,W',
    'UNTIL',
    'no, local or cluster: the answer comes once the value is there on this node, whichever is asked for',
  ),
  always('score', 'value++ and value+=N count up'),
  notDone('inhibit-policy-engine,!', 'the cluster looks at every change'),
]

export const crmAttribute: Tool = {
  name: 'crm_attribute',
  summary: 'Read and write node attributes, cluster options and defaults',
  options,
  printsXml: true,
  xmlVersions: { 'resource-agent': '2.36' },
  run: (call, world) => {
    const listed = lastOf(call.given, ['query', 'update', 'delete', 'list-options'])
    if (listed?.name === 'list-options')
      return listed.value === 'cluster' ? listClusterOptions(call) : wrongList(listed)
    const until = optionValue(call.given, 'wait')
    if (until !== undefined && !['no', 'local', 'cluster'].includes(until))
      return refused(exitCodes.usage, "crm_attribute: --wait= must be one of 'no', 'local', 'cluster'")
    const asked = readAsked(call, world)
    return 'exitCode' in asked ? asked : answer(asked, call, world)
  },
}

function listClusterOptions(call: ParsedCall): ToolReply {
  const list = {
    name: 'cluster-options',
    title: 'Pacemaker cluster options',
    description:
      'Also known as properties: they are about the whole cluster, and stand in the sets of the section crm_config.',
    options: clusterOptions,
  }
  return listOptions(list, { all: hasOption(call.given, 'all') })
}

function wrongList({ value }: GivenOption): ToolReply {
  return refused(exitCodes.usage, `crm_attribute: Invalid --list-options value '${value}'. Allowed values: cluster`)
}

export interface AttributeQuestion extends PairQuery {
  readonly tool: string
  readonly command:
    | { readonly kind: 'query' }
    | { readonly kind: 'update'; readonly value: string }
    | { readonly kind: 'delete' }
  readonly quiet: boolean
  /** Instead of a name. */
  readonly pattern?: Pattern
  readonly fallback?: string
}

function readAsked(call: ParsedCall, world: ToolWorld): AttributeQuestion | ToolReply {
  const { given } = call
  const promotion = hasOption(given, 'promotion')
  // Without a value it is the agent's own.
  const resource = optionValue(given, 'promotion') || call.resource
  if (promotion && resource === undefined)
    return refused(
      exitCodes.usage,
      'crm_attribute: -p/--promotion must be called from an OCF resource agent or with a resource ID specified',
    )
  const pattern = optionValue(given, 'pattern')
  const name = promotion ? promotionScoreName(resource ?? '') : optionValue(given, 'name')
  if (name !== undefined && pattern !== undefined)
    return refused(exitCodes.usage, 'crm_attribute: Error: --name and --pattern cannot be used at the same time')
  const scope = scopeOf(given, call, world, promotion)
  // A file keeps what Pacemaker's tools put there; on a cluster nothing would read it.
  if (scope?.kind === 'tickets' && world.isCluster && commandOf(given).kind === 'query')
    return notThere('crm_attribute')
  if (scope?.kind === 'tickets' && world.isCluster)
    return refused(
      exitCodes.unimplemented,
      'crm_attribute: the attributes of a ticket are crm_ticket’s: crm_ticket --ticket TICKET --set-attr NAME --attr-value VALUE.',
    )
  const node = targetNode(optionValue(given, 'node'), call, world)
  if (scope === undefined && !knowsNode(world, node))
    return refused(exitCodes.noSuchObject, `crm_attribute: Could not map name=${node} to a UUID`)
  if (scope === undefined)
    return refused(exitCodes.protocol, 'crm_attribute: Error performing operation: No message of desired type')
  return question(call, world, { scope, ...(name === undefined ? {} : { name }) })
}

/** Promotion scores of anonymous clones are kept without the number of the instance, as their history is. */
export function promotionScoreName(resource: string): string {
  return `master-${resource}`
}

/** What the options that all three wrappers share ask of an attribute. */
export function question(
  call: ParsedCall,
  world: ToolWorld,
  about: { readonly scope: PairScope; readonly name?: string },
): AttributeQuestion | ToolReply {
  const { given } = call
  const { scope, name } = about
  const command = commandOf(given)
  const written = optionValue(given, 'pattern')
  const read = written === undefined ? undefined : readPattern(written)
  if (read?.ok === false)
    return refused(
      exitCodes.noSuchObject,
      `crm_attribute: '${written}' is not a regular expression: ${read.reports.join(', ')}.`,
    )
  const pattern = read?.value
  if (name === undefined && pattern === undefined && command.kind !== 'query')
    return refused(
      exitCodes.usage,
      `crm_attribute: Error: must specify attribute name or pattern to ${command.kind === 'update' ? 'update' : 'delete'}`,
    )
  // Of the cluster's options no node is asked.
  const node = 'node' in scope ? scope.node : isOfNoNode(scope) ? undefined : optionValue(given, 'node')
  if (node !== undefined && !knowsNode(world, node))
    return refused(exitCodes.noSuchObject, `crm_attribute: Could not map name=${node} to a UUID`)
  const set = optionValue(given, 'set-name')
  const id = optionValue(given, 'id')
  const fallback = optionValue(given, 'default')
  return {
    tool: 'crm_attribute',
    ...about,
    command,
    quiet: hasOption(given, 'quiet'),
    ...(pattern === undefined ? {} : { pattern }),
    ...(set === undefined ? {} : { set }),
    ...(id === undefined ? {} : { id }),
    ...(fallback === undefined ? {} : { fallback }),
  }
}

const isOfNoNode = ({ kind }: PairScope): boolean => kind === 'crm_config' || kind === 'tickets'

/** Both are recorded state. */
const isInStatus = ({ kind }: PairScope): boolean => kind === 'status' || kind === 'tickets'

/** The last command counts; without any it is a query. */
function commandOf(given: readonly GivenOption[]): AttributeQuestion['command'] {
  const last = lastOf(given, ['query', 'update', 'delete'])
  if (last?.name === 'update') return { kind: 'update', value: last.value ?? '' }
  return last?.name === 'delete' ? { kind: 'delete' } : { kind: 'query' }
}

function scopeOf(
  given: readonly GivenOption[],
  call: ParsedCall,
  world: ToolWorld,
  promotion: boolean,
): PairScope | undefined {
  const type = optionValue(given, 'type')
  const lifetime = optionValue(given, 'lifetime')
  const named = optionValue(given, 'node')
  const node = targetNode(named, call, world)
  const forever = lifetime === 'forever'
  if (lifetime !== undefined && !forever && lifetime !== 'reboot') return undefined
  if (hasOption(given, 'utilization')) return { kind: 'nodes', node, utilization: true }
  if (type === 'crm_config' || type === 'rsc_defaults' || type === 'op_defaults' || type === 'tickets')
    return { kind: type }
  // A lifetime may be given as a type.
  if (type === 'status' || type === 'reboot' || (lifetime !== undefined && !forever)) return { kind: 'status', node }
  if (type === 'nodes' || type === 'forever' || forever) return { kind: 'nodes', node, utilization: false }
  if (type !== undefined) return undefined
  if (promotion) return { kind: 'status', node }
  // What a pattern changes on a node is transient.
  if (named !== undefined && hasOption(given, 'pattern') && commandOf(given).kind !== 'query')
    return { kind: 'status', node }
  return named === undefined ? { kind: 'crm_config' } : { kind: 'nodes', node, utilization: false }
}

/** The named node; else the one that the calling agent works for; else this one. */
export function targetNode(named: string | undefined, call: ParsedCall, world: ToolWorld): NodeName {
  const isNamed = named !== undefined && named !== 'auto' && named !== 'localhost'
  return nodeName(isNamed ? named : (call.onNode ?? world.localNode))
}

export async function answer(asked: AttributeQuestion, call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  switch (asked.command.kind) {
    case 'query':
      return query(asked, world)
    case 'update':
      return await update(asked, asked.command.value, call, world)
    case 'delete':
      return await remove(asked, call, world)
  }
}

interface Value {
  readonly id?: string
  readonly name: string
  readonly value: string
}

function query(asked: AttributeQuestion, world: ToolWorld): ToolReply {
  const found = valuesNow(asked, world)
  const missing = asked.fallback === undefined || asked.name === undefined ? [] : [asked.fallback]
  const values = found.length > 0 ? found : missing.map((value) => ({ name: asked.name ?? '', value }))
  if (values.length === 0) return notThere(asked.tool)
  const { kind } = asked.scope
  const id = asked.id === undefined ? '' : ` id=${asked.id}`
  const lines = values.map(({ name, value }) =>
    asked.quiet ? `${value}\n` : `scope=${kind}${id} name=${name} value=${value}\n`,
  )
  return printed(
    lines.join(''),
    values.map(({ name, value }) =>
      element('attribute', { name, value, ...(asked.id === undefined ? {} : { id: asked.id }), scope: kind }),
    ),
  )
}

function valuesNow(asked: AttributeQuestion, world: ToolWorld): readonly Value[] {
  const { scope, name, pattern } = asked
  const isMeant = (one: string): boolean => pattern?.test(one) ?? (name === undefined || one === name)
  if (scope.kind === 'status' && asked.id === undefined && asked.set === undefined)
    return [...world.transient(scope.node)].flatMap(([one, value]) => (isMeant(one) ? [{ name: one, value }] : []))
  const found = configured(asked, cibFor(asked, world))
  const own = scope.kind === 'crm_config' && found.length === 0 ? ownOption(name, world) : undefined
  return own === undefined ? found : [own]
}

/** What Pacemaker's daemons write into the configuration and tools ask for: here it is answered and not kept. */
function ownOption(name: string | undefined, world: ToolWorld): Value | undefined {
  if (!world.isCluster) return undefined
  if (name === 'dc-version') return { name, value: pacemakerVersion }
  return name === 'cluster-infrastructure' ? { name, value: 'systole' } : undefined
}

const cibFor = ({ scope }: AttributeQuestion, world: ToolWorld): XmlElement =>
  isInStatus(scope) ? world.cib() : world.configuration()

function configured(asked: AttributeQuestion, cib: XmlElement) {
  return findPairs(cib, asked).filter(({ name }) => asked.pattern?.test(name) ?? true)
}

function notThere(tool: string): ToolReply {
  return refused(exitCodes.noSuchObject, `${tool}: Error performing operation: No such device or address`)
}

/** Transient attributes of a running cluster are the attribute manager's, which keeps them apart from the CIB. */
function isTransient(
  asked: AttributeQuestion,
  world: ToolWorld,
): asked is AttributeQuestion & {
  readonly scope: { readonly kind: 'status'; readonly node: NodeName }
} {
  return asked.scope.kind === 'status' && world.isCluster
}

async function update(asked: AttributeQuestion, value: string, call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { name = '', scope } = asked
  if (isTransient(asked, world)) {
    const names = asked.pattern === undefined ? [name] : valuesNow(asked, world).map((found) => found.name)
    for (const one of names) await world.setAttribute({ node: asked.scope.node, set: '', name: one, value })
    return printed('', [])
  }
  // What is held beside the configuration is not what is written.
  const there = configured(asked, withoutHolds(cibFor(asked, world)))
  if (asked.pattern === undefined && there.length > 1) return ambiguous(asked, there)
  const names = asked.pattern === undefined ? [name] : there.map((found) => found.name)
  const { change, told } = tellingOfEffect(
    asked.tool,
    conforming((cib) =>
      names.reduce((current, one) => {
        const pair = { ...asked, name: one }
        return writePair(current, pair, counted(findPairs(current, pair)[0]?.value, value))
      }, cib),
    ),
  )
  const changed = there.filter((found) => counted(found.value, value) !== found.value)
  const refusal = await world.edit(change, {
    command: commandLine(call),
    whole: isInStatus(scope),
    // What a pattern finds is written one after the other.
    ...(asked.pattern === undefined ? {} : { steps: () => changed.length }),
  })
  return refusal ?? told(printed('', []))
}

/** In the CIB a sum is a number, whatever was added; what is added and no score counts as much as it begins with. */
function counted(before: string | undefined, written: string): string {
  const [, added] = /^value\+=(.*)$/s.exec(written) ?? []
  const known = added === undefined || parseScore(added) !== undefined
  const asked = known ? written : `value+=${/^[+-]?\d+/.exec(added)?.[0] ?? '0'}`
  const value = before === undefined ? written : expandValue(before, asked)
  const isSum = value !== written && parseScore(value) !== undefined
  return isSum && /INFINITY$/.test(value) ? formatScore(parseScore(value) ?? 0).replace('INFINITY', '1000000') : value
}

function ambiguous(asked: AttributeQuestion, found: readonly Required<Value>[]): ToolReply {
  const lines = found.map(({ id, value }) => `  Value: ${value} \t(id=${id})\n`)
  return {
    exitCode: exitCodes.multiple,
    output: '',
    errors: `Multiple attributes match name=${asked.name}\n${lines.join('')}Error setting ${asked.name}: choose one with --id or --set-name.\n`,
  }
}

async function remove(asked: AttributeQuestion, call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  if (isTransient(asked, world)) {
    for (const { name } of valuesNow(asked, world)) await world.setAttribute({ node: asked.scope.node, set: '', name })
    return printed('', [])
  }
  const before = configured(asked, cibFor(asked, world))
  // What is not there needs no deleting, and Pacemaker's tools agree.
  if (before.length === 0) return printed('', [])
  const names = asked.pattern === undefined ? [asked.name] : before.map((found) => found.name)
  const deleted = (cib: XmlElement): XmlElement =>
    names.reduce((current, name) => deletePairs(current, name === undefined ? asked : { ...asked, name }), cib)
  const refusal = await world.edit(deleted, {
    command: commandLine(call),
    whole: isInStatus(asked.scope),
    ...(asked.pattern === undefined ? {} : { steps: () => before.length }),
  })
  if (refusal !== undefined) return refusal
  const what = `${asked.scope.kind} ${isOfNoNode(asked.scope) ? 'option' : 'attribute'}`
  const lines = before.map(({ id, name }) => `Deleted ${what}: id=${id} name=${name}\n`)
  return printed(asked.quiet ? '' : lines.join(''), [])
}

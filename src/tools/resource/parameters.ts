/** crm_resource --get-parameter, --set-parameter, --delete-parameter, --get-property: what is written in a resource itself. */
import { expandValue } from '../../attributes/index.ts'
import { childElements, element, findResource, type XmlElement } from '../../cib/index.ts'
import { listPlacement } from '../../scheduler/index.ts'
import { primitivesIn, type Resource } from '../../status/index.ts'
import { conforming } from '../cib/conforming.ts'
import { appended, descendants, removed, replaced } from '../cib/tree.ts'
import { tellingOfEffect } from '../cib/without-effect.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { findResource as findStatusOf, statusOf } from '../monitor/status-of.ts'
import { type GivenOption, hasOption, optionValue } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

type SetKind = 'instance_attributes' | 'meta_attributes' | 'utilization'

function setKind(given: readonly GivenOption[]): SetKind {
  if (hasOption(given, 'utilization')) return 'utilization'
  return hasOption(given, 'meta') ? 'meta_attributes' : 'instance_attributes'
}

interface Meant {
  readonly id: string
  readonly kind: SetKind
  readonly name: string
  readonly set?: string
  readonly pairId?: string
}

function meant(given: readonly GivenOption[], id: string, name: string): Meant {
  const set = optionValue(given, 'set-name')
  const pairId = optionValue(given, 'nvpair')
  return {
    id,
    kind: setKind(given),
    name,
    ...(set === undefined ? {} : { set }),
    ...(pairId === undefined ? {} : { pairId }),
  }
}

function findPair(cib: XmlElement, { id, kind, name, set, pairId }: Meant): XmlElement | undefined {
  const resource = findResource(cib, id)
  const sets = resource === undefined ? [] : childElements(resource, kind)
  return sets
    .filter(({ attributes }) => set === undefined || attributes.id === set)
    .flatMap((one) => childElements(one, 'nvpair'))
    .find(({ attributes }) => attributes.name === name && (pairId === undefined || attributes.id === pairId))
}

/** As it holds, with what is inherited and the defaults. A missing name is told but is no failure. */
export function getParameter({ given }: ParsedCall, id: string, name: string, world: ToolWorld): ToolReply {
  const found = findStatusOf(statusOf(world), id)
  const nodes = new Set(found && primitivesIn(found).flatMap(({ state }) => state.active.map(({ node }) => node)))
  const warning =
    nodes.size > 1 ? `${id} is active on more than one node, returning the default value for ${name}\n` : ''
  const what = meant(given, id, name)
  const isChosen = what.set !== undefined || what.pairId !== undefined
  const held = found === undefined || isChosen ? undefined : valuesThatHold(found, what.kind)
  const value = held === undefined ? findPair(world.configuration(), what)?.attributes.value : held.get(name)
  if (value === undefined) {
    const errors = `${warning}Attribute '${name}' not found for '${found?.id ?? id}'\n`
    return { exitCode: exitCodes.ok, output: '', errors, xml: [] }
  }
  const item = element('item', { name }, [{ kind: 'text', text: value }])
  const reply = printed(`${value}\n`, [element('list', { name: 'attributes', count: '1' }, [item])])
  return { ...reply, errors: warning }
}

/** Undefined where what is written is all that there is. */
function valuesThatHold(resource: Resource, kind: SetKind): ReadonlyMap<string, string> | undefined {
  if (kind === 'meta_attributes') return resource.meta.raw
  if (kind === 'utilization' || resource.kind !== 'primitive') return undefined
  const [place, another] = resource.state.active
  return resource.parametersOn(another === undefined ? place?.node : undefined)
}

/** Class, type and provider: attributes of the resource's own element. */
export function getProperty(id: string, name: string, world: ToolWorld): ToolReply {
  const value = findResource(world.configuration(), id)?.attributes[name]
  return value === undefined
    ? { exitCode: exitCodes.ok, output: '', errors: `Attribute '${name}' not found for '${id}'\n`, xml: [] }
    : printed(`${value}\n`, [element('property', { name, value })])
}

export async function setParameter(call: ParsedCall, id: string, name: string, world: ToolWorld): Promise<ToolReply> {
  const value = optionValue(call.given, 'parameter-value')
  if (value === undefined || value === '')
    return refused(exitCodes.usage, 'crm_resource: You need to supply a value with the -v option')
  const { target, told } = holderOf(call, id, name, world)
  const isRecursive = hasOption(call.given, 'recursive') && hasOption(call.given, 'meta')
  const targets = isRecursive ? withDependents(target, world) : [target]
  let lines: readonly string[] = []
  const effect = tellingOfEffect(
    call.tool,
    conforming((before) => {
      lines = []
      return targets.reduce((cib, one) => {
        const { next, line } = written(cib, meant(call.given, one, name), value)
        lines = [...lines, line]
        return next
      }, before)
    }),
  )
  const refusal = await world.edit(effect.change, { command: commandLine(call) })
  return refusal ?? effect.told(printed(hasOption(call.given, 'quiet') ? '' : [told, ...lines].join(''), []))
}

function written(cib: XmlElement, what: Meant, value: string): { readonly next: XmlElement; readonly line: string } {
  const there = findPair(cib, what)
  const text = expandValue(there?.attributes.value, value)
  const [next, set] = there
    ? [replaced(cib, there, { ...there, attributes: { ...there.attributes, value: text } }), '']
    : added(cib, what, text)
  const pairId = there?.attributes.id ?? what.pairId ?? `${set}-${what.name}`
  const inSet = set === '' ? '' : ` set=${set}`
  return { next, line: `Set '${what.id}' option: id=${pairId}${inSet} name=${what.name} value=${text}\n` }
}

/** What is placed with it, and with that, by colocations that attract. */
function withDependents(resource: string, world: ToolWorld): readonly string[] {
  const { byDependent } = listPlacement(statusOf(world))
  const met = new Set([resource])
  for (const one of met)
    for (const { primary, dependent, score } of byDependent) if (primary === one && score > 0) met.add(dependent)
  return [...met]
}

/** A meta-attribute of a clone's only member is the clone's: --force sets it where it was asked for. */
function holderOf(
  { given }: ParsedCall,
  id: string,
  name: string,
  world: ToolWorld,
): { readonly target: string; readonly told: string } {
  const here = { target: id, told: '' }
  if (!hasOption(given, 'meta') || hasOption(given, 'force')) return here
  const cib = world.configuration()
  if (findPair(cib, meant(given, id, name)) !== undefined) return here
  const resource = findResource(cib, id)
  const parent = descendants(cib).find(
    (one) =>
      (one.name === 'clone' || one.name === 'master' || one.name === 'bundle') &&
      one.children.some((child) => child === resource),
  )
  const parentId = parent?.attributes.id
  if (parentId === undefined) return here
  const doing = hasOption(given, 'delete-parameter') ? 'delete' : 'update'
  return {
    target: parentId,
    told: `Performing ${doing} of '${name}' on '${parentId}', the parent of '${optionValue(given, 'resource') ?? id}'\n`,
  }
}

/** In the set of that name, by default the one with the conventional id: others may hold under a rule only. */
function added(cib: XmlElement, { id, kind, name, set, pairId }: Meant, value: string): readonly [XmlElement, string] {
  const resource = findResource(cib, id)
  if (resource === undefined) return [cib, '']
  const sets = childElements(resource, kind)
  const setId = set ?? `${id}-${kind}`
  const pair = element('nvpair', { id: pairId ?? `${setId}-${name}`, name, value })
  const holder = sets.find(({ attributes }) => attributes.id === setId)
  const next = holder
    ? replaced(cib, holder, appended(holder, pair))
    : replaced(cib, resource, appended(resource, element(kind, { id: setId }, [pair])))
  return [next, setId]
}

export async function deleteParameter(
  call: ParsedCall,
  id: string,
  name: string,
  world: ToolWorld,
): Promise<ToolReply> {
  const { target, told } = holderOf(call, id, name, world)
  const what = meant(call.given, target, name)
  const before = findPair(world.configuration(), what)
  if (before === undefined) return printed(hasOption(call.given, 'quiet') ? '' : told, [])
  const refusal = await world.edit(
    conforming((cib) => {
      const pair = findPair(cib, what)
      return pair === undefined ? cib : removed(cib, pair)
    }),
    { command: commandLine(call) },
  )
  const line = `Deleted '${target}' option: id=${before.attributes.id} name=${name}\n`
  return refusal ?? printed(hasOption(call.given, 'quiet') ? '' : `${told}${line}`, [])
}

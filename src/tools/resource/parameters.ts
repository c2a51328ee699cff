/** crm_resource --get-parameter, --set-parameter, --delete-parameter, --get-property: what is written in a resource itself. */
import { expandValue } from '../../attributes/index.ts'
import { childElements, element, findResource, sameDocument, type XmlElement } from '../../cib/index.ts'
import { listPlacement } from '../../scheduler/index.ts'
import { primitivesIn, type Resource } from '../../status/index.ts'
import { conforming } from '../cib/conforming.ts'
import { appended, descendants, removed, replaced } from '../cib/tree.ts'
import { tellingOfEffect } from '../cib/without-effect.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { type GivenOption, hasOption, optionValue } from '../options.ts'
import { failedWith, printed, refused, type ToolReply } from '../reply.ts'
import { findResource as findStatusOf, statusOf } from '../status-of.ts'
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

function findPair(cib: XmlElement, what: Meant): XmlElement | undefined {
  return findPairs(cib, what)[0]
}

function findPairs(cib: XmlElement, { id, kind, name, set, pairId }: Meant): readonly XmlElement[] {
  const resource = findResource(cib, id)
  const sets = resource === undefined ? [] : childElements(resource, kind)
  return sets
    .filter(({ attributes }) => set === undefined || attributes.id === set)
    .flatMap((one) => childElements(one, 'nvpair'))
    .filter(({ attributes }) => attributes.name === name && (pairId === undefined || attributes.id === pairId))
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
  if (value === undefined) return notThere(id, name)
  const item = element('item', { name }, [{ kind: 'text', text: value }])
  return printed(`${value}\n`, [element('list', { name: 'properties', count: '1' }, [item])])
}

const notThere = (id: string, name: string): ToolReply => ({
  exitCode: exitCodes.ok,
  output: '',
  errors: `Attribute '${name}' not found for '${id}'\n`,
  xml: [],
})

/** `--element`: the same attributes, read, written and deleted as parameters are. */
export async function onElement(
  call: ParsedCall,
  id: string,
  command: GivenOption,
  world: ToolWorld,
): Promise<ToolReply> {
  const name = command.value ?? ''
  const held = findResource(world.configuration(), id)
  if (held === undefined) return failedWith('crm_resource', exitCodes.noSuchObject)
  if (command.name === 'get-parameter') {
    const value = held.attributes[name]
    if (value === undefined) return notThere(id, name)
    const item = element('item', { name }, [{ kind: 'text', text: value }])
    return printed(`${value}\n`, [element('list', { name: 'attributes', count: '1' }, [item])])
  }
  const isDeleted = command.name === 'delete-parameter'
  const value = isDeleted ? undefined : optionValue(call.given, 'parameter-value')
  if (!isDeleted && (value === undefined || value === ''))
    return refused(exitCodes.usage, 'crm_resource: You need to supply a value with the -v option')
  // Another id would be another resource, to which nothing refers.
  if (name === 'id') return failedWith('crm_resource', exitCodes.noSuchObject)
  if (!isAttributeOf(held, name, value)) return failedWith('crm_resource', exitCodes.configuration)
  const refusal = await world.edit(
    conforming((cib) => {
      const found = findResource(cib, id)
      if (found === undefined) return failedWith('crm_resource', exitCodes.noSuchObject)
      const { [name]: _, ...others } = found.attributes
      return replaced(cib, found, { ...found, attributes: value === undefined ? others : { ...others, [name]: value } })
    }),
    // To write what is there, or to delete what is not, is a change all the same.
    { command: commandLine(call), counts: 'epoch' },
  )
  const line = value === undefined ? `Deleted attribute: ${name}\n` : `Set attribute: name=${name} value=${value}\n`
  return refusal ?? printed(hasOption(call.given, 'quiet') ? '' : line, [])
}

const classes: readonly string[] = ['ocf', 'lsb', 'service', 'systemd', 'stonith', 'heartbeat', 'nagios', 'upstart']

/** What the schema lets a resource's element have. */
function isAttributeOf({ name: kind, attributes }: XmlElement, name: string, value: string | undefined): boolean {
  if (name === 'description') return true
  if (value === undefined && attributes[name] === undefined) return true
  if (kind !== 'primitive' || !['class', 'provider', 'type', 'template'].includes(name)) return false
  const next = { ...attributes, [name]: value }
  const isClass = next.class === undefined || classes.includes(next.class)
  const isWhole = next.template !== undefined || (next.class !== undefined && next.type !== undefined)
  return isClass && isWhole && (next.class !== 'ocf' || next.provider !== undefined)
}

export async function setParameter(call: ParsedCall, id: string, name: string, world: ToolWorld): Promise<ToolReply> {
  const value = optionValue(call.given, 'parameter-value')
  if (value === undefined || value === '')
    return refused(exitCodes.usage, 'crm_resource: You need to supply a value with the -v option')
  const holders = holdersOf(call, id, name, world)
  if ('exitCode' in holders) return holders
  const isRecursive = hasOption(call.given, 'recursive') && hasOption(call.given, 'meta')
  const targets = isRecursive ? holders.targets.flatMap((one) => withDependents(one, world)) : holders.targets
  let lines: readonly string[] = []
  let changes = 0
  const effect = tellingOfEffect(
    call.tool,
    conforming((before) => {
      lines = []
      changes = 0
      return targets.reduce((cib, one) => {
        const { next, line } = written(cib, meant(call.given, one, name), value)
        lines = [...lines, line]
        if (!sameDocument(cib, next)) changes++
        return next
      }, before)
    }),
  )
  const refusal = await world.edit(effect.change, { command: commandLine(call), steps: () => changes })
  return refusal ?? effect.told(printed(hasOption(call.given, 'quiet') ? '' : [holders.told, ...lines].join(''), []))
}

function written(cib: XmlElement, what: Meant, value: string): { readonly next: XmlElement; readonly line: string } {
  const there = findPair(cib, what)
  const text = expandValue(there?.attributes.value, value)
  const [next, set] = there
    ? [replaced(cib, there, { ...there, attributes: { ...there.attributes, value: text } }), '']
    : added(cib, what, text)
  const pairId = there?.attributes.id ?? what.pairId ?? `${set}-${what.name}`
  const shownSet = what.set ?? set
  const inSet = shownSet === '' ? '' : ` set=${shownSet}`
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

interface Holders {
  readonly targets: readonly string[]
  readonly told: string
}

/**
 * Who holds what is set or deleted: without --force a meta-attribute of a clone's only member is the clone's, unless the member has it
 * already, and members of a group or a bundle that have it are changed with the group.
 */
function holdersOf(call: ParsedCall, resource: string, name: string, world: ToolWorld): Holders | ToolReply {
  const { given } = call
  const cib = world.configuration()
  const id = resource.replace(/:\d+$/, '')
  const own = (one: string): readonly XmlElement[] => findPairs(cib, meant(given, one, name))
  const here = { targets: [id], told: '' }
  if (findResource(cib, id) === undefined) return failedWith('crm_resource', exitCodes.noSuchObject)
  if (own(id).length > 1) return ambiguous(name, own(id))
  if (hasOption(given, 'force')) return here
  if (!hasOption(given, 'meta')) return alreadyMeta(call, id, name, world) ?? here
  const doing = hasOption(given, 'delete-parameter') ? 'delete' : 'update'
  const parent = parentOf(cib, id)
  const isCloned = parent?.name === 'clone' || parent?.name === 'master'
  if (parent !== undefined && (isCloned || parent.name === 'bundle') && (own(id).length === 0 || id !== resource)) {
    // The clone that a bundle has around its resource is in no configuration.
    if (!isCloned) return failedWith('crm_resource', exitCodes.noSuchObject)
    const parentId = parent.attributes.id ?? ''
    return {
      targets: [parentId],
      told: `Performing ${doing} of '${name}' on '${parentId}', the parent of '${resource}'\n`,
    }
  }
  const found = findResource(cib, id)
  const children = found === undefined ? [] : childElements(found, 'primitive')
  const having = children.flatMap((child) =>
    own(child.attributes.id ?? '').length > 0 ? [child.attributes.id ?? ''] : [],
  )
  if (having.length === 0 || isCloned) return here
  if (found?.name === 'group' || found?.name === 'bundle') return { targets: [...having, id], told: '' }
  const [child = id] = having
  return {
    targets: [child],
    told: `A value for '${name}' already exists in child '${child}', performing ${doing} on that instead of '${id}'\n`,
  }
}

function parentOf(cib: XmlElement, id: string): XmlElement | undefined {
  const resource = findResource(cib, id)
  return descendants(cib).find(
    ({ name, children }) => name !== 'resources' && resource !== undefined && children.includes(resource),
  )
}

/** A parameter with the name of a meta-attribute is most often one that somebody forgot `--meta` for. */
function alreadyMeta({ given }: ParsedCall, id: string, name: string, world: ToolWorld): ToolReply | undefined {
  if (hasOption(given, 'utilization') || hasOption(given, 'delete-parameter')) return undefined
  const cib = world.configuration()
  const parent = parentOf(cib, id)
  const outer = parent && (parentOf(cib, parent.attributes.id ?? '') ?? parent)
  const top = outer?.attributes.id ?? id
  const pair = findPair(cib, { id: top, kind: 'meta_attributes', name })
  if (pair === undefined) return undefined
  const pairId = pair.attributes.id ?? ''
  return refused(
    exitCodes.multiple,
    `WARNING: There is already a meta attribute for '${top}' called '${name}' (id=${pairId})\n         Delete '${pairId}' first or use the force option to override\ncrm_resource: Error performing operation: Multiple items match request`,
  )
}

function ambiguous(name: string, pairs: readonly XmlElement[]): ToolReply {
  const lines = pairs.map(({ attributes: { value, id } }) => `  Value: ${value} \t(id=${id})\n`)
  return {
    ...failedWith('crm_resource', exitCodes.multiple),
    output: `Multiple attributes match name=${name}\n${lines.join('')}\n`,
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
  const holders = holdersOf(call, id, name, world)
  if ('exitCode' in holders) return holders
  const before = holders.targets.flatMap((target) => {
    const pair = findPair(world.configuration(), meant(call.given, target, name))
    return pair === undefined ? [] : [{ target, pairId: pair.attributes.id ?? '' }]
  })
  const refusal =
    before.length === 0
      ? undefined
      : await world.edit(
          conforming((cib) =>
            before.reduce((current, { target }) => {
              const pair = findPair(current, meant(call.given, target, name))
              return pair === undefined ? current : removed(current, pair)
            }, cib),
          ),
          { command: commandLine(call), steps: () => before.length },
        )
  const set = optionValue(call.given, 'set-name')
  const inSet = set === undefined ? '' : ` set=${set}`
  const lines = before.map(({ target, pairId }) => `Deleted '${target}' option: id=${pairId}${inSet} name=${name}\n`)
  return refusal ?? printed(hasOption(call.given, 'quiet') ? '' : [holders.told, ...lines].join(''), [])
}

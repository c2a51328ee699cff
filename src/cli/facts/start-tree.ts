/** The resources of a configuration as what starts: members of groups one by one, a clone and a bundle each as one. */
import { type Configuration, childrenOf, type NvSet, parseBoolean, type ResourceDefinition } from '../../cib/index.ts'

/** A resource that starts, or one that is promoted after it has started. */
export interface Start {
  /** `db`, or `db promote`. */
  readonly id: string
  readonly resource: string
  readonly action: 'start' | 'promote'
  /** `external`: what DNS is asked for; nobody here starts it. */
  readonly kind: 'primitive' | 'clone' | 'bundle' | 'external'
  /** The group or bundle that it is part of. */
  readonly within?: string
  /** From 1; undefined in a loop, and behind one. */
  readonly wave?: number
}

export type WaitReason = 'order' | 'group' | 'bundle' | 'promotion' | 'gate'

export interface Wait {
  readonly first: string
  readonly next: string
  readonly because: WaitReason
  /** It waits only if both happen at the same time. */
  readonly optional: boolean
  /** Of an order: it needs one of those that it waits for. */
  readonly any?: true
  readonly constraint?: string
  /** Of a gate: how many members of which service. */
  readonly needs?: { readonly service: string; readonly min: number }
}

export interface StartTree {
  readonly starts: readonly Start[]
  /** Those inside of groups and bundles. */
  readonly waits: readonly Wait[]
  readonly fenceDevices: ReadonlySet<string>
  /** What an id in a constraint stands for: a resource, the members of a tag, the primitives of a template. Nothing where it is unknown. */
  readonly expand: (id: string) => readonly string[]
  /** What waits, where the resource is to wait. */
  readonly firstOf: (resource: string) => readonly string[]
  /** What is waited for, where the resource is waited for. */
  readonly lastOf: (resource: string) => readonly string[]
}

interface Ends {
  readonly first: readonly string[]
  readonly last: readonly string[]
}

interface Building {
  readonly starts: Start[]
  readonly waits: Wait[]
  readonly ends: Map<string, Ends>
  readonly fenceDevices: Set<string>
}

export function startTreeOf(configuration: Configuration): StartTree {
  const building: Building = { starts: [], waits: [], ends: new Map(), fenceDevices: new Set() }
  for (const definition of configuration.resources) add(definition, building)
  const { ends } = building
  const lists = listsOf(configuration)
  return {
    ...building,
    expand: (id) => (ends.has(id) ? [id] : (lists.get(id) ?? []).filter((member) => ends.has(member))),
    firstOf: (resource) => ends.get(resource)?.first ?? [],
    lastOf: (resource) => ends.get(resource)?.last ?? [],
  }
}

/** Tags, and templates as those that are made of them. */
function listsOf({ tags, resources }: Configuration): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, readonly string[]>(tags.map(({ id, members }) => [id, members]))
  for (const [id, { template }] of resourceIndexOf(resources))
    if (template !== undefined) lists.set(template, [...(lists.get(template) ?? []), id])
  return lists
}

function add(definition: ResourceDefinition, building: Building, within?: string): Ends {
  const part = within === undefined ? {} : { within }
  const one = (kind: Start['kind'], id: string): Ends => {
    building.starts.push({ id, resource: id, action: 'start', kind, ...part })
    return { first: [id], last: [id] }
  }
  const ends = ((): Ends => {
    switch (definition.kind) {
      case 'primitive':
        if (definition.agent.class === 'stonith') building.fenceDevices.add(definition.id)
        return one('primitive', definition.id)
      case 'group':
        return addGroup(definition, building)
      case 'clone': {
        if (definition.child.kind === 'group') return add(definition.child, building)
        const own = one('clone', definition.id)
        building.ends.set(definition.child.id, own)
        return own
      }
      case 'bundle': {
        const own = one('bundle', definition.id)
        if (definition.child === undefined) return own
        const inside = add(definition.child, building, definition.id)
        for (const next of inside.first)
          building.waits.push({ first: definition.id, next, because: 'bundle', optional: false })
        return { first: own.first, last: inside.last }
      }
    }
  })()
  building.ends.set(definition.id, ends)
  return ends
}

function addGroup(group: Extract<ResourceDefinition, { kind: 'group' }>, building: Building): Ends {
  for (const member of group.members) add(member, building, group.id)
  const ids = group.members.map(({ id }) => String(id))
  if (isFalse(group.meta, 'ordered')) return { first: ids, last: ids }
  ids.slice(1).forEach((next, index) => {
    const first = ids[index]
    if (first !== undefined) building.waits.push({ first, next, because: 'group', optional: false })
  })
  return { first: ids.slice(0, 1), last: ids.slice(-1) }
}

const isFalse = (sets: readonly NvSet[], wanted: string): boolean =>
  sets.some(({ pairs }) => pairs.some(({ name, value }) => name === wanted && parseBoolean(value) === false))

interface Known {
  readonly template?: string
}

export const resourceIndex = ({ resources }: Configuration): ReadonlyMap<string, Known> => resourceIndexOf(resources)

function resourceIndexOf(resources: readonly ResourceDefinition[]): ReadonlyMap<string, Known> {
  const index = new Map<string, Known>()
  const visit = (definition: ResourceDefinition): void => {
    index.set(
      definition.id,
      definition.kind === 'primitive' && definition.template !== undefined ? { template: definition.template } : {},
    )
    childrenOf(definition).forEach(visit)
  }
  resources.forEach(visit)
  return index
}

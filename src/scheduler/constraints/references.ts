/**
 * What the ids in constraints mean: a resource, a template (all primitives made from it) or a tag (all its members). The inside of
 * an anonymous clone has a name only where some node's history uses it for an instance, and then it means the clone ("Tags",
 * "Templates", "Clones").
 */
import { type Configuration, primitiveDefinitions, type ResourceSet } from '../../cib/index.ts'
import { type Entry, type ResourceTree, topBelowBundle } from '../resources/tree.ts'

export interface References {
  /** The resource that an id means; undefined where there is none. */
  readonly resource: (id: string) => Entry | undefined
  /** The ids that a template or a tag stands for; undefined where the id is neither. */
  readonly members: (id: string) => readonly string[] | undefined
  /** The same with the resource itself where the id is one: what a member of a resource set stands for. */
  readonly expand: (id: string) => readonly string[]
  /** Resource sets with what their members stand for, tags in tags included; as they are written where one of these is nothing. */
  readonly expandSets: (sets: readonly ResourceSet[]) => readonly ResourceSet[]
  /** The resources, as far as the first id that is none: what a constraint says ends there. */
  readonly untilUnknown: (ids: readonly string[]) => readonly Entry[]
}

/** The first set with a member that does not exist ends a constraint about sets: how many come before it. */
export function completeSets(references: References, sets: readonly ResourceSet[]): number {
  const incomplete = sets.findIndex(({ members }) => references.untilUnknown(members).length < members.length)
  return incomplete < 0 ? sets.length : incomplete
}

export function indexReferences(configuration: Configuration, tree: ResourceTree): References {
  const named = new Map<string, Entry>()
  for (const top of tree.top) index(top, named)
  const lists = new Map<string, string[]>()
  for (const template of configuration.templates) lists.set(template.id, [])
  for (const primitive of configuration.resources.flatMap(primitiveDefinitions))
    if (primitive.template !== undefined) lists.get(primitive.template)?.push(primitive.id)
  for (const tag of configuration.tags) {
    const known = lists.get(tag.id)
    if (known === undefined) lists.set(tag.id, [...tag.members])
    else known.push(...tag.members)
  }
  for (const [id, members] of lists) if (members.length === 0) lists.delete(id)
  const expand = (id: string): readonly string[] => (named.has(id) ? [id] : (lists.get(id) ?? [id]))
  /** A tag that is in itself is nothing. One that was expanded is not expanded again: tags in tags would make sets as long as one likes. */
  const expandWholly = (id: string, done: Set<string>, within: readonly string[] = []): readonly string[] => {
    const members = named.has(id) || within.includes(id) ? undefined : lists.get(id)
    if (members === undefined) return [id]
    if (done.has(id)) return []
    done.add(id)
    return members.flatMap((member) => expandWholly(member, done, [...within, id]))
  }
  return {
    resource: (id) => named.get(id),
    members: (id) => (named.has(id) ? undefined : lists.get(id)),
    expand,
    expandSets: (sets) => {
      const expanded = sets.map((set) => {
        const done = new Set<string>()
        return { ...set, members: set.members.flatMap((id) => expandWholly(id, done)) }
      })
      return expanded.every(({ members }) => members.every((id) => named.has(id))) ? expanded : sets
    },
    untilUnknown: (ids) => {
      const found = ids.map((id) => named.get(id))
      const end = found.indexOf(undefined)
      return (end < 0 ? found : found.slice(0, end)).flatMap((entry) => entry ?? [])
    },
  }
}

/** The first that has the name, in the order in which resources are looked at. */
function index(entry: Entry, named: Map<string, Entry>): void {
  if (!named.has(entry.id)) named.set(entry.id, entry)
  const recorded = entry.kind === 'primitive' ? entry.resource.state.historyName : undefined
  if (recorded !== undefined && !named.has(recorded)) named.set(recorded, topBelowBundle(entry))
  for (const member of entry.members) index(member, named)
}

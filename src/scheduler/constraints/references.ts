/**
 * What the ids in constraints mean: a resource, a template (all primitives made from it) or a tag (all its members). A
 * constraint that names the inside of an anonymous clone means the clone ("Tags", "Templates", "Clones").
 */
import { type Configuration, primitiveDefinitions } from '../../cib/index.ts'
import { type Entry, type ResourceTree, topBelowBundle } from '../tree.ts'

export interface References {
  /** The resource that an id means; undefined where there is none. */
  readonly resource: (id: string) => Entry | undefined
  /** The same, but the inside of a clone has no name here: only the clone itself, or one numbered instance. */
  readonly exactly: (id: string) => Entry | undefined
  /** The ids that a template or a tag stands for; undefined where the id is neither. */
  readonly members: (id: string) => readonly string[] | undefined
  /** The same with the resource itself where the id is one: what a member of a resource set stands for. */
  readonly expand: (id: string) => readonly string[]
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
  return {
    resource: (id) => named.get(id),
    exactly: (id) => {
      const found = named.get(id)
      return found?.id === id || found?.parent?.kind === 'bundle' ? found : undefined
    },
    members: (id) => (named.has(id) ? undefined : lists.get(id)),
    expand: (id) => (named.has(id) ? [id] : (lists.get(id) ?? [id])),
  }
}

/** By exact id first; the name without an instance number means everything around it. */
function index(entry: Entry, named: Map<string, Entry>): void {
  if (!named.has(entry.id)) named.set(entry.id, entry)
  const base = entry.id.replace(/:\d+$/, '')
  if (base !== entry.id && !named.has(base)) named.set(base, topBelowBundle(entry))
  for (const member of entry.members) index(member, named)
}

/** A CIB that may be changed in place: what mutations and the shrinking of a difference work on. Copied from the parsed document. */
import type { XmlElement } from '../../src/cib/index.ts'

export interface Tree {
  readonly kind: 'element'
  name: string
  attributes: Record<string, string>
  children: Tree[]
}

/** Comments and text mean nothing to the scheduler. */
export function toTree({ name, attributes, children }: XmlElement): Tree {
  return {
    kind: 'element',
    name,
    attributes: { ...attributes },
    children: children.flatMap((child) => (child.kind === 'element' ? [toTree(child)] : [])),
  }
}

export const tree = (name: string, attributes: Record<string, string> = {}, children: Tree[] = []): Tree => ({
  kind: 'element',
  name,
  attributes,
  children,
})

export function* descendants(root: Tree): Iterable<Tree> {
  for (const child of root.children) {
    yield child
    yield* descendants(child)
  }
}

export const allNamed = (root: Tree, ...names: readonly string[]): readonly Tree[] =>
  [...descendants(root)].filter(({ name }) => names.includes(name))

export const childNamed = (parent: Tree, name: string): Tree | undefined =>
  parent.children.find((child) => child.name === name)

/** The child of a name, made where it is missing. */
export function ensureChild(parent: Tree, name: string, attributes: Record<string, string> = {}): Tree {
  const found = childNamed(parent, name)
  if (found !== undefined) return found
  const made = tree(name, attributes)
  parent.children.push(made)
  return made
}

/** Sets a name to a value in the first set of a kind below an element, such as `meta_attributes`. */
export function setPair(owner: Tree, kind: string, name: string, value: string): void {
  const set = ensureChild(owner, kind, { id: newId(`${owner.attributes.id ?? owner.name}-${kind}`) })
  const known = set.children.find((child) => child.name === 'nvpair' && child.attributes.name === name)
  if (known === undefined) set.children.push(tree('nvpair', { id: newId(`${set.attributes.id}-${name}`), name, value }))
  else known.attributes.value = value
}

/** One that no CIB has; an id begins with a letter and knows no `#`. */
const newId = (text: string): string => `fuzz-${text.replace(/^fuzz-/, '').replaceAll(/[^\w.-]/g, '_')}`

export function removeFrom(root: Tree, gone: Tree): void {
  root.children = root.children.filter((child) => child !== gone)
  for (const child of root.children) removeFrom(child, gone)
}

export const configurationOf = (cib: Tree): Tree => ensureChild(cib, 'configuration')
export const statusOf = (cib: Tree): Tree => ensureChild(cib, 'status')

export const resourceKinds = ['primitive', 'group', 'clone', 'master', 'bundle'] as const

export function resourcesOf(cib: Tree, ...kinds: readonly string[]): readonly Tree[] {
  const section = childNamed(configurationOf(cib), 'resources')
  return section === undefined ? [] : allNamed(section, ...(kinds.length === 0 ? resourceKinds : kinds))
}

export const nodesOf = (cib: Tree): readonly Tree[] => {
  const section = childNamed(configurationOf(cib), 'nodes')
  return section === undefined ? [] : allNamed(section, 'node')
}

export const nodeStatesOf = (cib: Tree): readonly Tree[] => allNamed(statusOf(cib), 'node_state')

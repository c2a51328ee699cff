/** Resources one by one, each without those in it, and which is in which: a resource is the same wherever it is. */
import { childElements, type XmlElement } from '../document.ts'
import { isResourceElement } from './find.ts'

export interface PlacedResources {
  /** By id, outermost first. */
  readonly own: ReadonlyMap<string, XmlElement>
  /** The group, clone or bundle around it; empty for the section. */
  readonly parents: ReadonlyMap<string, string>
  readonly members: ReadonlyMap<string, readonly string[]>
  /** As they stand in the document. */
  readonly whole: ReadonlyMap<string, XmlElement>
}

export function flatResources(section: XmlElement | undefined): PlacedResources {
  const own = new Map<string, XmlElement>()
  const whole = new Map<string, XmlElement>()
  const parents = new Map<string, string>()
  const members = new Map<string, string[]>()
  const visit = (around: XmlElement, parent: string): void => {
    for (const child of childElements(around)) {
      if (!isResourceElement(child) && child.name !== 'template') continue
      const id = child.attributes.id ?? ''
      const isLeaf = !childElements(child).some(isResourceElement)
      own.set(id, isLeaf ? child : withoutMembers(child))
      whole.set(id, child)
      parents.set(id, parent)
      members.set(parent, [...(members.get(parent) ?? []), id])
      visit(child, id)
    }
  }
  if (section) visit(section, '')
  return { own, parents, members, whole }
}

const withoutMembers = (resource: XmlElement): XmlElement => ({
  ...resource,
  children: resource.children.filter((child) => child.kind !== 'element' || !isResourceElement(child)),
})

/** Put together again. What is as it was is the very element that it was; a group or clone without any member goes. */
export function unflattened(
  before: PlacedResources,
  own: ReadonlyMap<string, XmlElement>,
  orders: ReadonlyMap<string, readonly string[]>,
): readonly XmlElement[] {
  const build = (id: string): readonly XmlElement[] => {
    const resource = own.get(id)
    if (resource === undefined) return []
    const ids = orders.get(id) ?? []
    const inner = ids.flatMap(build)
    const isEmptied = ids.length > 0 || (before.members.get(id) ?? []).length > 0
    if (inner.length === 0) return isEmptied && holder.has(resource.name) ? [] : [resource]
    const was = before.whole.get(id)
    const wasInner = (was && childElements(was).filter(isResourceElement)) ?? []
    const isSame =
      resource === before.own.get(id) &&
      wasInner.length === inner.length &&
      inner.every((one, at) => one === wasInner[at])
    return [isSame && was ? was : { ...resource, children: withInner(resource, inner, was) }]
  }
  return (orders.get('') ?? []).flatMap(build)
}

const holder: ReadonlySet<string> = new Set(['group', 'clone', 'master'])

/** Members stand where they stood: before or after the options. */
function withInner(resource: XmlElement, inner: readonly XmlElement[], was: XmlElement | undefined) {
  const first = was?.children.find((child) => child.kind === 'element')
  const isFirst = first?.kind === 'element' && isResourceElement(first)
  return isFirst ? [...inner, ...resource.children] : [...resource.children, ...inner]
}

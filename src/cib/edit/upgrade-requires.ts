/**
 * What an operation requires was said in its sets, too, before the schema 3.0. It is a matter of the resource since (`withPresentSchema`), and goes
 * here. A set that was only that goes with it; where something else referred to that set, its first reference becomes a set of its own.
 */
import { childElements, type XmlElement, type XmlNode } from '../document.ts'
import { descendants, withChildren } from '../tree.ts'

const sets: readonly string[] = ['instance_attributes', 'meta_attributes']

export function withoutOperationsRequires(configuration: XmlElement): XmlElement {
  const emptied = new Map(
    descendants(configuration)
      .filter(({ name }) => name === 'op')
      .flatMap((op) => childElements(op))
      .filter((set) => sets.includes(set.name) && isOnlyRequires(set))
      .map((set) => [set.attributes.id ?? '', set] as const),
  )
  const inside = (parent: XmlElement): XmlElement =>
    withChildren(
      parent,
      parent.children.flatMap((child): readonly XmlNode[] => {
        if (child.kind !== 'element') return [child]
        const { 'id-ref': reference = '' } = child.attributes
        const meant = emptied.get(reference)
        if (parent.name === 'op' && sets.includes(child.name)) return withoutRequires(child)
        if (meant === undefined || meant.name !== child.name) return [inside(child)]
        emptied.delete(reference)
        return [ownSet(meant)]
      }),
    )
  return inside(configuration)
}

const isRequires = (child: XmlNode): boolean =>
  child.kind === 'element' && child.name === 'nvpair' && child.attributes.name === 'requires'

const isOnlyRequires = (set: XmlElement): boolean =>
  childElements(set).length > 0 && childElements(set).every(isRequires)

function withoutRequires(set: XmlElement): readonly XmlElement[] {
  if (!set.children.some(isRequires)) return [set]
  return isOnlyRequires(set)
    ? []
    : [
        withChildren(
          set,
          set.children.filter((child) => !isRequires(child)),
        ),
      ]
}

/** Ids as Pacemaker's upgrade makes them. */
function ownSet(set: XmlElement): XmlElement {
  const id = `_cibtr-2_${set.attributes.id}`
  return {
    ...set,
    attributes: { ...set.attributes, id },
    children: set.children.map((child) =>
      child.kind === 'element'
        ? { ...child, attributes: { ...child.attributes, id: `_${id}__${child.attributes.id}` } }
        : child,
    ),
  }
}

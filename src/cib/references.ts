/**
 * `id-ref`: an element that stands for another of the same name, written once and used in several places (Pacemaker
 * Explained, "Reusing parts of the configuration"). Readers ask here for the element that is meant.
 */
import { childElements, type XmlElement } from './document.ts'

export interface References {
  /** The element itself, or the one that its `id-ref` names; undefined where that does not exist. */
  readonly resolve: (element: XmlElement) => XmlElement | undefined
  /** The first element of a name with an id. */
  readonly find: (name: string, id: string) => XmlElement | undefined
}

export function indexReferences(root: XmlElement): References {
  const byNameAndId = new Map<string, XmlElement>()
  const visit = (element: XmlElement): void => {
    const id = element.attributes.id
    const key = `${element.name} ${id}`
    if (id !== undefined && !byNameAndId.has(key)) byNameAndId.set(key, element)
    childElements(element).forEach(visit)
  }
  visit(root)
  const find = (name: string, id: string): XmlElement | undefined => byNameAndId.get(`${name} ${id}`)
  return {
    find,
    resolve: (element) => {
      const reference = element.attributes['id-ref']
      return reference === undefined ? element : find(element.name, reference)
    },
  }
}

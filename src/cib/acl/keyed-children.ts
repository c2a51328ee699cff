import { childElements, type XmlElement } from '../document.ts'

/** Child elements under a key that names them: their name with the id; those without one are numbered. */
export function keyedChildren(parent: XmlElement): ReadonlyMap<string, XmlElement> {
  const children = new Map<string, XmlElement>()
  for (const child of childElements(parent)) {
    const { id, 'id-ref': reference } = child.attributes
    const key = `${child.name} ${id !== undefined ? `id ${id}` : reference !== undefined ? `ref ${reference}` : ''}`
    let unique = key
    for (let number = 2; children.has(unique); number++) unique = `${key} ${number}`
    children.set(unique, child)
  }
  return children
}

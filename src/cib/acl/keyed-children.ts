import { childElements, type XmlElement } from '../document.ts'

/**
 * Child elements under a key that names them: their name with the id; those without one are numbered. In a time that grows with their number, however many are alike:
 * whoever may change nothing may still push what he likes.
 */
export function keyedChildren(parent: XmlElement): ReadonlyMap<string, XmlElement> {
  const children = new Map<string, XmlElement>()
  const alike = new Map<string, number>()
  for (const child of childElements(parent)) {
    const { id, 'id-ref': reference } = child.attributes
    const key = `${child.name} ${id !== undefined ? `id ${id}` : reference !== undefined ? `ref ${reference}` : ''}`
    let number = (alike.get(key) ?? 0) + 1
    const numbered = (): string => (number === 1 ? key : `${key} ${number}`)
    while (children.has(numbered())) number++
    alike.set(key, number)
    children.set(numbered(), child)
  }
  return children
}

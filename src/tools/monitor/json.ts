/** The XML result as JSON: attributes are members, elements of one name are lists, as Pacemaker's own JSON has them. */
import { childElements, type XmlElement } from '../../cib/index.ts'

export type JsonObject = { readonly [name: string]: string | JsonObject | readonly (string | JsonObject)[] }

export function jsonOf(element: XmlElement): JsonObject | string {
  const children = childElements(element)
  const text = element.children.flatMap((child) => (child.kind === 'text' ? [child.text] : [])).join('')
  if (children.length === 0 && text !== '' && Object.keys(element.attributes).length === 0) return text
  const lists: Record<string, (string | JsonObject)[]> = {}
  for (const child of children) {
    const list = lists[child.name] ?? []
    list.push(jsonOf(child))
    lists[child.name] = list
  }
  return { ...element.attributes, ...(text === '' ? {} : { value: text }), ...lists }
}

/** Attributes as a CIB holds them: cluster options, permanent and transient node attributes, utilization. */
import { childElement, childElements, configurationElement, element, type XmlElement } from '../cib/index.ts'

/** The value of a name in the sets of an element; a set's id limits it to that set. */
export function pairValue(
  parent: XmlElement | undefined,
  kind: string,
  name: string,
  setId?: string,
): string | undefined {
  if (parent === undefined) return undefined
  return childElements(parent, kind)
    .filter(({ attributes }) => setId === undefined || attributes.id === setId)
    .flatMap((set) => childElements(set, 'nvpair'))
    .find(({ attributes }) => attributes.name === name)?.attributes.value
}

export function section(cib: XmlElement, name: string): XmlElement {
  return childElement(configurationElement(cib), name) ?? element(name)
}

export function nodeElement(cib: XmlElement, node: string): XmlElement | undefined {
  return childElements(section(cib, 'nodes'), 'node').find(({ attributes }) => attributes.uname === node)
}

export function nodeState(cib: XmlElement, node: string): XmlElement | undefined {
  const status = childElement(cib, 'status')
  return status && childElements(status, 'node_state').find(({ attributes }) => attributes.uname === node)
}

/** `NAME++` and `NAME+=N` count up from what is there; the name may be left out. */
export function incremented(name: string, value: string, before: string | undefined): string {
  const change = value.startsWith(name) ? value.slice(name.length) : value
  const match = /^(?:\+\+|\+=(\d+))$/.exec(change)
  return match ? String((Number(before ?? 0) || 0) + Number(match[1] ?? 1)) : value
}

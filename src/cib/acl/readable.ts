/**
 * A CIB as a user sees it: without what the user may not read. What encloses something readable is shown with its id alone, as the rest
 * would be no tree without it (Pacemaker's `xml_acl_filtered_copy` by its documented results).
 */
import type { XmlElement, XmlNode } from '../document.ts'
import { type Access, mayRead } from './access.ts'

export interface ReadableCib {
  readonly cib: XmlElement
  /** The element of the whole CIB that one of this stands for. An element with nothing hidden in it is that element. */
  readonly originOf: (shown: XmlElement) => XmlElement
}

/** Undefined where nothing of it may be read. */
export function readable(cib: XmlElement, access: Access): ReadableCib | undefined {
  const origins = new Map<XmlElement, XmlElement>()
  const shown = shownOf(cib, access, origins)
  return shown && { cib: shown, originOf: (element) => origins.get(element) ?? element }
}

function shownOf(element: XmlElement, access: Access, origins: Map<XmlElement, XmlElement>): XmlElement | undefined {
  const isReadable = mayRead(access.of(element))
  const children = element.children.flatMap((child): readonly XmlNode[] => {
    if (child.kind !== 'element') return isReadable ? [child] : []
    const shown = shownOf(child, access, origins)
    return shown === undefined ? [] : [shown]
  })
  if (
    isReadable &&
    children.length === element.children.length &&
    children.every((one, i) => one === element.children[i])
  )
    return element
  if (!isReadable && children.length === 0) return undefined
  const { id } = element.attributes
  const shown: XmlElement = {
    ...element,
    attributes: isReadable ? element.attributes : id === undefined ? {} : { id },
    children,
  }
  origins.set(shown, element)
  return shown
}

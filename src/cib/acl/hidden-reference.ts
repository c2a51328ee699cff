/**
 * A change must not refer to what its author may not read: the cluster resolves references, so that a password would come out under another name, in
 * another place, where it is hidden from nobody.
 */
import { childElements, type XmlElement } from '../document.ts'
import { type Access, mayReadAll } from './access.ts'
import { keyedChildren } from './keyed-children.ts'

/** The id that is referred to; references that were there before are their author's. */
export function firstHiddenReference(before: XmlElement, after: XmlElement, access: Access): string | undefined {
  const fresh = freshReferences(before, after)
  return fresh.size === 0 ? undefined : hiddenOne(after, fresh, access)
}

function freshReferences(before: XmlElement, after: XmlElement): ReadonlySet<string> {
  const found = new Set<string>()
  const look = (was: XmlElement | undefined, is: XmlElement): void => {
    if (was === is) return
    const reference = is.attributes['id-ref']
    if (reference !== undefined && reference !== was?.attributes['id-ref']) found.add(reference)
    const old = was === undefined ? new Map<string, XmlElement>() : keyedChildren(was)
    for (const [key, child] of keyedChildren(is)) look(old.get(key), child)
  }
  look(before, after)
  return found
}

function hiddenOne(element: XmlElement, ids: ReadonlySet<string>, access: Access): string | undefined {
  const { id } = element.attributes
  if (id !== undefined && ids.has(id) && !mayReadAll(element, access)) return id
  for (const child of childElements(element)) {
    const found = hiddenOne(child, ids, access)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * What somebody has made of the part of a CIB that was shown: the difference, made to the whole. What was hidden stays where it is. Whether the
 * difference may be made is another question (`forbidden.ts`): something new that has the name of something hidden takes its place here.
 */
import type { XmlElement, XmlNode } from '../document.ts'
import { keyedChildren } from './keyed-children.ts'
import type { ReadableCib } from './readable.ts'

export function applyToWhole({ cib: shown, originOf }: ReadableCib, pushed: XmlElement): XmlElement {
  const merged = (was: XmlElement, is: XmlElement): XmlElement => {
    const whole = originOf(was)
    // Nothing of it is hidden.
    if (whole === was) return is
    return {
      ...whole,
      attributes: attributesOf(whole, was, is),
      children: [...remarksOf(whole, was, is), ...childrenOf(whole, was, is)],
    }
  }
  const childrenOf = (whole: XmlElement, was: XmlElement, is: XmlElement): readonly XmlElement[] => {
    const [old, current] = [keyedChildren(was), keyedChildren(is)]
    // In the places of those that were shown, those that are left, in their new order.
    const left = [...current].filter(([key]) => old.has(key))
    const keyOfOrigin = new Map([...old].map(([key, child]) => [originOf(child), key]))
    let next = 0
    const kept = [...keyedChildren(whole)].flatMap(([ownKey, child]): readonly (readonly [string, XmlElement])[] => {
      const key = keyOfOrigin.get(child)
      if (key === undefined) return [[`hidden ${ownKey}`, child]]
      if (!current.has(key)) return []
      const [place, put] = left[next++] ?? [key, child]
      return [[place, merged(old.get(place) ?? put, put)]]
    })
    return withNew(kept, current, old)
  }
  return merged(shown, pushed)
}

/** What is new comes behind what stands before it, or first; what has the name of something hidden, in its place. */
function withNew(
  kept: readonly (readonly [string, XmlElement])[],
  current: ReadonlyMap<string, XmlElement>,
  old: ReadonlyMap<string, XmlElement>,
): readonly XmlElement[] {
  const list = new Map(kept)
  const names = new Map(kept.map(([key]) => [key, key]))
  const after = new Map<string | undefined, string>()
  let before: string | undefined
  for (const [key, child] of current) {
    if (!old.has(key)) {
      const hidden = `hidden ${key}`
      if (child.attributes.id !== undefined && list.has(hidden)) {
        list.set(hidden, child)
        names.set(hidden, key)
      } else after.set(before, key)
    }
    before = key
  }
  const newAfter = function* (place: string | undefined): Iterable<XmlElement> {
    for (let key = after.get(place); key !== undefined; key = after.get(key)) {
      const child = current.get(key)
      if (child !== undefined) yield child
    }
  }
  return [...newAfter(undefined), ...[...list].flatMap(([key, child]) => [child, ...newAfter(names.get(key))])]
}

function attributesOf(whole: XmlElement, was: XmlElement, is: XmlElement): XmlElement['attributes'] {
  const attributes = { ...whole.attributes }
  for (const name of new Set([...Object.keys(was.attributes), ...Object.keys(is.attributes)])) {
    const value = is.attributes[name]
    if (value === was.attributes[name]) continue
    if (value === undefined) delete attributes[name]
    else attributes[name] = value
  }
  return attributes
}

function remarksOf(whole: XmlElement, was: XmlElement, is: XmlElement): readonly XmlNode[] {
  const remarks = ({ children }: XmlElement): readonly XmlNode[] => children.filter(({ kind }) => kind !== 'element')
  const text = (element: XmlElement): string => JSON.stringify(remarks(element))
  return text(was) === text(is) ? remarks(whole) : remarks(is)
}

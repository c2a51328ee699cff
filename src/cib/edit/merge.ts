/**
 * Three configurations: what was read, what was made of it, and what runs now. The changes from the first to the second are
 * made to the third, element by element of each section; an element that somebody else has changed meanwhile is a conflict.
 */

import { failed, ok, type Result } from '../../base/index.ts'
import { childElement, childElements, element, printXml, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { editSection, withChildren } from '../tree.ts'

export interface MergeConflict {
  readonly section: string
  readonly id: string
}

export function mergeConfiguration(
  running: XmlElement,
  change: { readonly from: XmlElement; readonly to: XmlElement },
): Result<XmlElement, MergeConflict> {
  const [from, to] = [configurationElement(change.from), configurationElement(change.to)]
  const names = new Set([...childElements(from), ...childElements(to)].map(({ name }) => name))
  const conflicts: MergeConflict[] = []
  const merged = [...names].reduce((current, name) => {
    const sections = [from, to, configurationElement(current)].map((part) => childElement(part, name) ?? element(name))
    const [before = element(name), after = element(name), now = element(name)] = sections
    if (printXml(before) === printXml(after)) return current
    const children = mergeSection({ before, after, now }, (id) => conflicts.push({ section: name, id }))
    return editSection(current, name, (section) => withChildren(section, children))
  }, running)
  return conflicts.length > 0 ? failed(...conflicts) : ok(merged)
}

interface Sections {
  readonly before: XmlElement
  readonly after: XmlElement
  readonly now: XmlElement
}

/** In the new order where nobody else has touched the section; else in the running order, with what is new at the end. */
function mergeSection({ before, after, now }: Sections, conflict: (id: string) => void): readonly XmlElement[] {
  if (printXml(before) === printXml(now)) return childElements(after)
  const find = (section: XmlElement, key: string): XmlElement | undefined =>
    childElements(section).find((child) => keyOf(child) === key)
  const same = (a: XmlElement | undefined, b: XmlElement | undefined): boolean =>
    (a && printXml(a)) === (b && printXml(b))
  const kept = childElements(now).flatMap((child) => {
    const key = keyOf(child)
    const [was, wanted] = [find(before, key), find(after, key)]
    if (same(was, wanted)) return [child]
    if (!same(was, child) && !same(wanted, child)) conflict(key)
    return wanted ? [wanted] : []
  })
  const added = childElements(after).filter((child) => {
    const key = keyOf(child)
    if (find(now, key)) return false
    // Changed by one and removed by the other.
    if (find(before, key) && !same(find(before, key), child)) conflict(key)
    return find(before, key) === undefined
  })
  return [...kept, ...added]
}

const keyOf = ({ name, attributes }: XmlElement): string => attributes.id ?? name

/**
 * Elements that were written one by one (crmsh's configuration is a list of them) put into a configuration: an element that
 * is there under the same id is replaced where it stands, a new one goes to the end of its section. Groups and clones name what
 * is in them, and take it from wherever it is.
 */
import { failed } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { appended, editSection, replaceElement, withChildren } from '../tree.ts'
import { findResource, isResourceElement, missingResource, parentResource } from './find.ts'
import { type EditReport, type EditResult, edited } from './reports.ts'

export interface LoadedElement {
  readonly section: string
  readonly element: XmlElement
  /** Of a group or clone: the ids of what is in it, in order. */
  readonly members?: readonly string[]
}

export function loadElements(cib: XmlElement, elements: readonly LoadedElement[]): EditResult {
  const reports: EditReport[] = []
  const created: string[] = []
  const loaded = elements.reduce((current, item) => {
    const before = findSame(current, item)
    if (!before) created.push(item.element.attributes.id ?? '')
    if (item.members === undefined) return put(current, item, before)
    const taken = takeMembers(current, item.members, reports)
    // What is around may have moved with its members.
    const target = { ...item, element: appended(item.element, ...taken.members) }
    return put(taken.cib, target, findSame(taken.cib, item))
  }, cib)
  return reports.length > 0 ? failed(...reports) : edited(withoutEmptied(loaded, elements), { created })
}

function findSame(cib: XmlElement, { section, element: written }: LoadedElement): XmlElement | undefined {
  const { id } = written.attributes
  if (id === undefined) return undefined
  if (section === 'resources') {
    const found = findResource(cib, id)
    if (found) return found
  }
  const list = childElement(configurationElement(cib), section)
  return list && childElements(list).find(({ attributes }) => attributes.id === id)
}

/** A resource keeps its place, in a group, too. */
function put(
  cib: XmlElement,
  { section, element: written }: LoadedElement,
  before: XmlElement | undefined,
): XmlElement {
  if (before) return replaceElement(cib, before, [written])
  return editSection(cib, section, (found) => appended(found, written))
}

function takeMembers(
  cib: XmlElement,
  ids: readonly string[],
  reports: EditReport[],
): { readonly cib: XmlElement; readonly members: readonly XmlElement[] } {
  const members: XmlElement[] = []
  const without = ids.reduce((current, id) => {
    const found = findResource(current, id)
    if (found === undefined) {
      reports.push(missingResource(current, id))
      return current
    }
    members.push(found)
    return replaceElement(current, found, [])
  }, cib)
  return { cib: without, members }
}

/** Groups and clones whose members were all taken go, unless they were loaded themselves. */
function withoutEmptied(cib: XmlElement, elements: readonly LoadedElement[]): XmlElement {
  const own = new Set(elements.map((item) => item.element.attributes.id))
  const section = childElement(configurationElement(cib), 'resources') ?? element('resources')
  const isEmpty = (resource: XmlElement): boolean =>
    ['group', 'clone', 'master'].includes(resource.name) &&
    !own.has(resource.attributes.id) &&
    !childElements(resource).some(isResourceElement)
  const emptied = childElements(section)
    .flatMap((resource) => [...childElements(resource), resource])
    .filter(isEmpty)
  return emptied.reduce((current, resource) => {
    const parent = parentResource(current, resource)
    return replaceElement(
      current,
      parent && childElements(parent).filter(isResourceElement).length === 1 ? parent : resource,
      [],
    )
  }, cib)
}

/** The configuration with every section emptied but those named: what a load that replaces starts from. */
export function emptiedConfiguration(cib: XmlElement, kept: readonly string[]): XmlElement {
  const configuration = configurationElement(cib)
  const children = childElements(configuration).map((section) =>
    kept.includes(section.name) ? section : withChildren(section, []),
  )
  const empty = withChildren(configuration, children)
  return cib.name === 'configuration' ? empty : replaceElement(cib, configuration, [empty])
}

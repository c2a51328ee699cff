/**
 * Deleting resources with everything that refers to them: constraints, members of sets and tags, devices of fencing
 * levels, permissions. What is left empty by that goes as well, so that no reference dangles. The caller is told all of it.
 */

import { childElements, type XmlElement, type XmlNode } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { descendants, replaceElement, withAttributes, withChildren } from '../tree.ts'
import { splitWords } from '../values/attribute-text.ts'
import { childResources, findResource, missingResources, parentResource } from './find.ts'
import { type EditReport, type EditResult, edited, type Removed, unless } from './reports.ts'

export function deleteResources(cib: XmlElement, request: { readonly ids: readonly string[] }): EditResult {
  const reports: readonly EditReport[] = [
    ...(request.ids.length === 0 ? [{ code: 'nothing-given', what: 'resource' } as const] : []),
    ...missingResources(cib, request.ids),
  ]
  return unless(reports, () => {
    const removed: Removed[] = []
    const gone = new Set<string>()
    const withoutResources = request.ids.reduce((current, id) => removeResource(current, id, gone, removed), cib)
    return edited(removeReferences(withoutResources, gone, removed), { removed })
  })
}

/** Takes a resource away with its members, and the group or clone that has no other. */
function removeResource(cib: XmlElement, id: string, gone: Set<string>, removed: Removed[]): XmlElement {
  const resource = findResource(cib, id)
  // Named twice, or gone already with what it was in.
  if (resource === undefined) return cib
  const parent = parentResource(cib, resource)
  const lonely = parent !== undefined && parent.name !== 'bundle' && childResources(parent).length === 1
  if (parent && lonely) return removeResource(cib, parent.attributes.id ?? '', gone, removed)
  for (const part of [resource, ...descendants(resource)]) {
    const partId = part.attributes.id
    if (partId === undefined) continue
    gone.add(partId)
    if (part === resource || ['primitive', 'group'].includes(part.name))
      removed.push({ element: part.name, id: partId })
  }
  return replaceElement(cib, resource, [])
}

/** What refers to something that is gone goes with it. */
export function removeReferences(cib: XmlElement, gone: Set<string>, removed: Removed[]): XmlElement {
  let current = cib
  // Taking a tag away may leave a constraint on it without a subject, so look again until nothing changes.
  for (;;) {
    const next = configurationElement(current)
    const cleaned = cleanSections(next, gone, removed)
    if (cleaned === next) return current
    current = current === next ? cleaned : replaceElement(current, next, [cleaned])
  }
}

function cleanSections(configuration: XmlElement, gone: Set<string>, removed: Removed[]): XmlElement {
  return childElements(configuration).reduce((current, section) => {
    const clean = Object.hasOwn(cleaners, section.name) ? cleaners[section.name] : undefined
    if (clean === undefined) return current
    let changed = false
    const children = section.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element') return [child]
      const kept = clean(child, gone, removed)
      if (kept === child) return [child]
      changed = true
      if (kept !== undefined) return [kept]
      const id = child.attributes.id ?? ''
      gone.add(id)
      removed.push({ element: child.name, id })
      return []
    })
    return changed ? replaceElement(current, section, [withChildren(section, children)]) : current
  }, configuration)
}

/** The element as it is, changed, or undefined where nothing of it is left. */
type Cleaner = (item: XmlElement, gone: ReadonlySet<string>, removed: Removed[]) => XmlElement | undefined

const cleaners: Readonly<Record<string, Cleaner>> = {
  constraints: cleanConstraint,
  tags: (tag, gone, removed) => withoutMembers(tag, { member: 'obj_ref', gone, removed }),
  'fencing-topology': cleanLevel,
  acls: cleanRole,
}

const referenceAttributes = ['rsc', 'with-rsc', 'first', 'then']

function cleanConstraint(
  constraint: XmlElement,
  gone: ReadonlySet<string>,
  removed: Removed[],
): XmlElement | undefined {
  if (referenceAttributes.some((name) => gone.has(constraint.attributes[name] ?? ''))) return undefined
  const sets = childElements(constraint, 'resource_set')
  if (sets.length === 0) return constraint
  const cleaned = sets.map((set) => ({ set, kept: withoutMembers(set, { member: 'resource_ref', gone, removed }) }))
  if (cleaned.every(({ set, kept }) => set === kept)) return constraint
  if (cleaned.every(({ kept }) => kept === undefined)) return undefined
  for (const { set, kept } of cleaned)
    if (kept === undefined)
      removed.push({
        element: 'resource_set',
        id: set.attributes.id ?? '',
        from: constraint.attributes.id ?? '',
      })
  return cleaned.reduce((current, { set, kept }) => replaceElement(current, set, kept ? [kept] : []), constraint)
}

function withoutMembers(
  list: XmlElement,
  of: { readonly member: string; readonly gone: ReadonlySet<string>; readonly removed: Removed[] },
): XmlElement | undefined {
  const leaving = childElements(list, of.member).filter(({ attributes }) => of.gone.has(attributes.id ?? ''))
  if (leaving.length === 0) return list
  const children = list.children.filter((child) => !leaving.some((member) => member === child))
  if (!children.some((child) => child.kind === 'element')) return undefined
  for (const { attributes } of leaving)
    of.removed.push({ element: of.member, id: attributes.id ?? '', from: list.attributes.id ?? '' })
  return withChildren(list, children)
}

function cleanLevel(level: XmlElement, gone: ReadonlySet<string>, removed: Removed[]): XmlElement | undefined {
  const devices = splitWords(level.attributes.devices)
  const kept = devices.filter((device) => !gone.has(device))
  if (kept.length === devices.length) return level
  if (kept.length === 0) return undefined
  const from = level.attributes.id ?? ''
  for (const id of devices.filter((device) => gone.has(device))) removed.push({ element: 'device', id, from })
  return withAttributes(level, { devices: kept.join(',') })
}

function cleanRole(role: XmlElement, gone: ReadonlySet<string>, removed: Removed[]): XmlElement | undefined {
  const leaving = childElements(role, 'acl_permission').filter(({ attributes }) => gone.has(attributes.reference ?? ''))
  if (leaving.length === 0) return role
  for (const { attributes } of leaving)
    removed.push({ element: 'acl_permission', id: attributes.id ?? '', from: role.attributes.id ?? '' })
  return withChildren(
    role,
    role.children.filter((child) => !leaving.some((permission) => permission === child)),
  )
}

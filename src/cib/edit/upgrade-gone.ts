/**
 * What the schema 4.0 has no place for: resources of Nagios and Upstart and bundles of rkt, with the constraints that name them. What stood
 * in one of them and is referred to elsewhere moves to where it is referred to first.
 */
import { childElements, type XmlElement, type XmlNode } from '../document.ts'
import { descendants, withAttributes, withChildren } from '../tree.ts'
import { idPrefix } from './upgrade-pairs.ts'

const goneClasses: readonly (string | undefined)[] = ['nagios', 'upstart']

export function withoutGone(configuration: XmlElement): XmlElement {
  const gone = new Set(
    descendants(configuration)
      .filter(isGone)
      .map(({ attributes }) => attributes.id ?? ''),
  )
  const emptied = new Set(
    descendants(configuration).flatMap((one) => (isEmptied(one, gone) ? [one.attributes.id ?? ''] : [])),
  )
  return pruned(configuration, (child) => isGone(child) || namesGone(child, gone, emptied))
}

function isGone(resource: XmlElement): boolean {
  switch (resource.name) {
    case 'primitive':
      return goneClasses.includes(resource.attributes.class)
    case 'group':
    case 'clone':
    case 'master': {
      const inner = childElements(resource).filter(({ name }) => name === 'primitive' || name === 'group')
      return inner.length > 0 && inner.every(isGone)
    }
    case 'bundle':
      return childElements(resource, 'rkt').length > 0
    default:
      return false
  }
}

function isEmptied(set: XmlElement, gone: ReadonlySet<string>): boolean {
  const resources = set.name === 'resource_set' ? childElements(set, 'resource_ref') : []
  return resources.length > 0 && resources.every(({ attributes }) => gone.has(attributes.id ?? ''))
}

const namingAttributes = ['rsc', 'with-rsc', 'first', 'then']
const constraints = ['rsc_location', 'rsc_colocation', 'rsc_order', 'rsc_ticket']

function namesGone(child: XmlElement, gone: ReadonlySet<string>, emptied: ReadonlySet<string>): boolean {
  const { name, attributes } = child
  if (name === 'resource_ref') return gone.has(attributes.id ?? '')
  if (name === 'resource_set') return emptied.has(attributes.id ?? attributes['id-ref'] ?? '')
  if (!constraints.includes(name)) return false
  const resourceSets = childElements(child, 'resource_set')
  return (
    namingAttributes.some((attribute) => gone.has(attributes[attribute] ?? '')) ||
    (resourceSets.length > 0 && resourceSets.every((set) => namesGone(set, gone, emptied)))
  )
}

function pruned(parent: XmlElement, isOut: (child: XmlElement) => boolean): XmlElement {
  return withChildren(
    parent,
    parent.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element') return [child]
      return isOut(child) ? [] : [pruned(child, isOut)]
    }),
  )
}

/** Where the element that a reference stands for is gone, the first reference becomes that element. */
export function withReferredParts(before: XmlElement, after: XmlElement): XmlElement {
  const known = new Set(descendants(after).flatMap(({ attributes: { id } }) => id ?? []))
  const lost = new Map(
    descendants(before).flatMap((one) => {
      const { id } = one.attributes
      return id === undefined || known.has(id) ? [] : [[id, one] as const]
    }),
  )
  const restored = (parent: XmlElement): XmlElement =>
    withChildren(
      parent,
      parent.children.map((child) => {
        if (child.kind !== 'element') return child
        const id = child.attributes['id-ref']
        const part = id === undefined ? undefined : lost.get(id)
        if (id === undefined || part === undefined || part.name !== child.name) return restored(child)
        lost.delete(id)
        return restored(part)
      }),
    )
  return restored(after)
}

/** Permissions for what is gone permit nothing; those for a constraint that became several are for all of them. */
export function withPermissionsFor(
  configuration: XmlElement,
  splits: ReadonlyMap<string, readonly string[]>,
): XmlElement {
  const known = new Set(descendants(configuration).flatMap(({ attributes: { id } }) => id ?? []))
  const inside = (parent: XmlElement): XmlElement =>
    withChildren(
      parent,
      parent.children.map((child) => {
        if (child.kind !== 'element') return child
        const { reference } = child.attributes
        if (child.name !== 'acl_permission' || reference === undefined || known.has(reference)) return inside(child)
        const parts = splits.get(reference)?.map((id) => `@id = '${id}'`)
        const xpath = parts === undefined ? '/*[false()]' : `//*[${parts.join(' or ')}]`
        return withAttributes(child, { reference: undefined, xpath })
      }),
    )
  return inside(configuration)
}

/** An id that the upgrade makes. */
export const madeId = (...parts: readonly (string | number | undefined)[]): string => `${idPrefix}${parts.join('-')}`

/**
 * Access control lists of the schemas 1.x as those of today: permissions had an element for each kind, and a user could have permissions of
 * its own. Names are those of Pacemaker's upgrade: a user's own permissions become the role `auto-USER`.
 */
import { childElement, childElements, element, type XmlElement, type XmlNode } from '../document.ts'
import { withChildren } from '../tree.ts'

const kinds: readonly string[] = ['read', 'write', 'deny']

/** The `configuration` with them. */
export function withPresentAcls(configuration: XmlElement): XmlElement {
  const acls = childElement(configuration, 'acls')
  if (acls === undefined || !isOld(acls)) return configuration
  const present = withChildren(
    acls,
    acls.children.flatMap((child): readonly XmlNode[] => (child.kind === 'element' ? presentEntry(child) : [child])),
  )
  return withChildren(
    configuration,
    configuration.children.map((child) => (child === acls ? present : child)),
  )
}

const isOld = (acls: XmlElement): boolean =>
  childElements(acls).some(
    (entry) => entry.name === 'acl_user' || childElements(entry).some(({ name }) => kinds.includes(name)),
  )

function presentEntry(entry: XmlElement): readonly XmlElement[] {
  if (entry.name === 'acl_role') return [withChildren(entry, entry.children.map(permission))]
  if (entry.name !== 'acl_user') return [entry]
  const { id = '' } = entry.attributes
  const roles = childElements(entry, 'role_ref').map(({ attributes }) => element('role', { id: attributes.id ?? '' }))
  const own = childElements(entry).filter(({ name }) => kinds.includes(name))
  if (own.length === 0) return [element('acl_target', { id }, roles)]
  const role = `auto-${id}`
  return [
    element('acl_target', { id }, [...roles, element('role', { id: role })]),
    element('acl_role', { id: role }, own.map(permission)),
  ]
}

/** What it is about: a path, an element by its id, all elements of a name; perhaps one attribute of these. */
const places: Readonly<Record<string, string>> = {
  id: 'id',
  xpath: 'xpath',
  ref: 'reference',
  tag: 'object-type',
  attribute: 'attribute',
}

function permission(child: XmlNode): XmlNode {
  if (child.kind !== 'element' || !kinds.includes(child.name)) return child
  const { id = '', ...others } = child.attributes
  const about = Object.entries(others).flatMap(([name, value]) => {
    const place = places[name]
    return place === undefined ? [] : [[place, value] as const]
  })
  return element('acl_permission', { id, kind: child.name, ...Object.fromEntries(about) })
}

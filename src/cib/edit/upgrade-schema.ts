/**
 * A CIB of an older schema written as one of the newest, as Pacemaker's own upgrade does it: old names and places become those
 * of today, and nothing is decided otherwise than before.
 */
import { failed, ok, type Result } from '../../base/index.ts'
import { childElement, childElements, type XmlElement } from '../document.ts'
import { hasOldSchema, withPresentSchema } from '../old-schemas.ts'
import { schemaName } from '../status/feature-set.ts'

/** A CIB that is of the newest schema, or of a later one, stays as it is. The failure is a sentence. */
export function upgradeSchema(cib: XmlElement): Result<XmlElement, string> {
  const written = cib.attributes['validate-with'] ?? ''
  if (!/^pacemaker-\d+\.\d+$/.test(written))
    return failed(`A CIB of the schema '${written}' cannot be upgraded: its validate-with names none of Pacemaker's.`)
  if (written.localeCompare(schemaName, 'en', { numeric: true }) >= 0) return ok(cib)
  const configuration = childElement(cib, 'configuration')
  if (configuration !== undefined && hasOldAcls(configuration))
    return failed(
      `A CIB of the schema '${written}' with read, write and deny ACLs cannot be upgraded: delete the ACLs first and create them again afterwards.`,
    )
  const children = cib.children.map((child) =>
    child === configuration && hasOldSchema(cib) ? withoutRequires(withPresentSchema(configuration)) : child,
  )
  return ok({ ...cib, attributes: { ...cib.attributes, 'validate-with': schemaName }, children })
}

/** Permissions had an element for each kind before the schema 2.0. */
function hasOldAcls(configuration: XmlElement): boolean {
  const acls = childElement(configuration, 'acls')
  const kinds = ['read', 'write', 'deny']
  return (
    acls !== undefined && childElements(acls).some((one) => childElements(one).some(({ name }) => kinds.includes(name)))
  )
}

/** What operations required stands in the resource by now. */
function withoutRequires(element: XmlElement): XmlElement {
  const { requires: _, ...attributes } = element.attributes
  const children = element.children.map((child) => (child.kind === 'element' ? withoutRequires(child) : child))
  return { ...element, attributes: element.name === 'op' ? attributes : element.attributes, children }
}

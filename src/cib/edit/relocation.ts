/**
 * Bringing resources where they would be placed if none of them preferred to stay: what would be, and the constraints that bring them
 * there. These have the ids that pcs gives them (`pcs-relocate-web`) and end by themselves should nobody take them away.
 */
import { ok } from '../../base/index.ts'
import type { Role } from '../configuration.ts'
import type { XmlElement } from '../document.ts'
import { idSource } from '../schema/ids.ts'
import { replaceElement } from '../tree.ts'
import { constraintsOf, createLocation } from './constraints.ts'
import { childResources, findResource, missingResources } from './find.ts'
import { setNameValues } from './name-values.ts'
import { type EditResult, edited, unless } from './reports.ts'

export interface Relocation {
  readonly resource: string
  readonly node: string
  readonly role?: Role
}

const prefix = 'pcs-relocate-'

/** As the CIB would be if these resources, and what is in them, did not prefer to stay. */
export function withoutStickiness(cib: XmlElement, request: { readonly resources: readonly string[] }): EditResult {
  return unless(missingResources(cib, request.resources), () => {
    const ids = request.resources.flatMap((id) => idsBelow(findResource(cib, id)))
    const source = idSource(cib)
    return edited(
      [...new Set(ids)].reduce((current, id) => {
        const resource = findResource(current, id)
        if (resource === undefined) return current
        const change = {
          kind: 'meta_attributes',
          setId: `${id}-meta_attributes`,
          values: { 'resource-stickiness': '0' },
        } as const
        return replaceElement(current, resource, (found) => setNameValues(found, change, source))
      }, cib),
    )
  })
}

function idsBelow(resource: XmlElement | undefined): readonly string[] {
  return resource === undefined ? [] : [resource.attributes.id ?? '', ...childResources(resource).flatMap(idsBelow)]
}

/** `until` is the moment at which the constraints end, in ISO 8601. */
export function addRelocations(
  cib: XmlElement,
  request: { readonly relocations: readonly Relocation[]; readonly until: string },
): EditResult {
  return request.relocations.reduce<EditResult>(
    (result, { resource, node, role }) => {
      if (!result.ok) return result
      const made = createLocation(result.value.cib, {
        id: idSource(result.value.cib).free(`${prefix}${resource}`),
        resource: { by: 'id', id: resource },
        where: {
          by: 'rule',
          rule: {
            score: 1_000_000,
            booleanOp: 'and',
            conditions: [
              {
                kind: 'attribute',
                attribute: '#uname',
                operation: 'eq',
                value: node,
                type: 'string',
                valueSource: 'literal',
              },
              { kind: 'date', operation: 'lt', end: request.until },
            ],
            ...(role === undefined ? {} : { role }),
          },
        },
      })
      if (!made.ok) return made
      return ok({ ...made.value, created: [...result.value.created, ...made.value.created] })
    },
    ok({ cib, created: [], removed: [] }),
  )
}

export function clearRelocations(cib: XmlElement): EditResult {
  const leaving = constraintsOf(cib, 'rsc_location').filter(({ attributes }) => attributes.id?.startsWith(prefix))
  return edited(
    leaving.reduce((current, constraint) => replaceElement(current, constraint, []), cib),
    { removed: leaving.map(({ name, attributes }) => ({ element: name, id: attributes.id ?? '' })) },
  )
}

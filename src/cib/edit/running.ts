/**
 * What administrators ask of resources that are there: run or not (`target-role`), managed or not (`is-managed`). Both are
 * inherited, so that allowing something again looks at what is around and inside a resource as well.
 */

import { childElement, childElements, type XmlElement } from '../document.ts'
import { idSource } from '../schema/ids.ts'
import { descendants, replaceElement, withAttributes } from '../tree.ts'
import { findResource, isResourceElement, missingResources, parentResource } from './find.ts'
import { type NameValues, setNameValues } from './name-values.ts'
import { type EditResult, edited, unless } from './reports.ts'

export interface ResourceList {
  readonly ids: readonly string[]
}

/** Sets `target-role=Stopped` on the resources themselves. */
export function disableResources(cib: XmlElement, request: ResourceList): EditResult {
  return unless(missingResources(cib, request.ids), () =>
    edited(setMetaOf(cib, request.ids, { 'target-role': 'Stopped' })),
  )
}

/**
 * Takes `target-role` away from the resources, from a clone or bundle around them, and from what is in a clone or
 * bundle: where any of these is Stopped, the resource does not run. A disabled group keeps its other members' roles.
 */
export function enableResources(cib: XmlElement, request: ResourceList): EditResult {
  return unless(missingResources(cib, request.ids), () => {
    const ids = request.ids.flatMap((id) => {
      const resource = findResource(cib, id)
      if (resource === undefined) return []
      const parent = parentResource(cib, resource)
      const around = parent && parent.name !== 'group' ? [idOf(parent)] : []
      const inside = resource.name === 'group' ? [] : childElements(resource).filter(isResourceElement).map(idOf)
      return [id, ...around, ...inside]
    })
    return edited(setMetaOf(cib, ids, { 'target-role': '' }))
  })
}

export interface ManagedList extends ResourceList {
  /** Also switch the monitors off, or on again. */
  readonly monitors?: boolean
}

/** Sets `is-managed=false` on the primitives that the resources stand for, so that each can be managed again alone. */
export function unmanageResources(cib: XmlElement, request: ManagedList): EditResult {
  return unless(missingResources(cib, request.ids), () => {
    const primitives = primitivesOf(cib, request.ids)
    // A bundle has containers of its own besides what runs in them.
    const bundles = request.ids.filter((id) => findResource(cib, id)?.name === 'bundle')
    const unmanaged = setMetaOf(cib, [...bundles, ...primitives.map(idOf)], { 'is-managed': 'false' })
    return edited(request.monitors ? setMonitors(unmanaged, primitives.map(idOf), false) : unmanaged)
  })
}

/** Takes `is-managed` away from the resources, from what is around them and from what is inside. */
export function manageResources(cib: XmlElement, request: ManagedList): EditResult {
  return unless(missingResources(cib, request.ids), () => {
    const ids = request.ids.flatMap((id) => {
      const resource = findResource(cib, id)
      if (resource === undefined) return []
      return [id, ...aroundOf(cib, resource).map(idOf), ...descendants(resource).filter(isResourceElement).map(idOf)]
    })
    const managed = setMetaOf(cib, ids, { 'is-managed': '' })
    return edited(request.monitors ? setMonitors(managed, primitivesOf(managed, request.ids).map(idOf), true) : managed)
  })
}

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''

function aroundOf(cib: XmlElement, resource: XmlElement): readonly XmlElement[] {
  const parent = parentResource(cib, resource)
  return parent === undefined ? [] : [parent, ...aroundOf(cib, parent)]
}

function primitivesOf(cib: XmlElement, ids: readonly string[]): readonly XmlElement[] {
  const found = ids.flatMap((id) => {
    const resource = findResource(cib, id)
    return resource === undefined ? [] : [resource, ...descendants(resource)]
  })
  return [...new Set(found)].filter(({ name }) => name === 'primitive')
}

function setMetaOf(cib: XmlElement, ids: readonly string[], values: NameValues): XmlElement {
  const source = idSource(cib)
  return [...new Set(ids)].reduce((current, id) => {
    const resource = findResource(current, id)
    if (resource === undefined) return current
    return replaceElement(current, resource, (found) =>
      setNameValues(found, { kind: 'meta_attributes', setId: `${id}-meta_attributes`, values }, source),
    )
  }, cib)
}

/** Disabled monitors have `enabled=false`; enabling takes the attribute away. */
function setMonitors(cib: XmlElement, primitiveIds: readonly string[], enabled: boolean): XmlElement {
  return primitiveIds.reduce((current, id) => {
    const primitive = findResource(current, id)
    const operations = primitive && childElement(primitive, 'operations')
    const monitors = operations ? childElements(operations, 'op') : []
    return monitors
      .filter(({ attributes }) => attributes.name === 'monitor')
      .reduce(
        (inner, monitor) =>
          replaceElement(inner, monitor, (found) => withAttributes(found, { enabled: enabled ? undefined : 'false' })),
        current,
      )
  }, cib)
}

/** Clones and promotable clones: putting one around a resource, and taking it away again. */
import { failed, ok, type Result } from '../../base/index.ts'
import { childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { appended, descendants, editSection, replaceElement, withAttributes } from '../tree.ts'
import { parseBoolean } from '../values/attribute-text.ts'
import { removeReferences } from './delete-resource.ts'
import { badNewId, findResource, kindOf, missingResource, parentResource } from './find.ts'
import { removeFromGroup } from './groups.ts'
import { checkMeta } from './meta.ts'
import { type NameValues, setNameValues } from './name-values.ts'
import { type EditReport, type EditResult, edited, type Removed } from './reports.ts'

export interface ClonePlacement {
  /** `<resource>-clone` where none is given. */
  readonly cloneId?: string
  readonly promotable: boolean
  readonly cloneMeta: NameValues
  readonly force?: boolean
  /** Meta-attributes without a value are written, as pcs writes them. */
  readonly keepsEmpty?: boolean
}

/** A clone element around a resource that is not in the document, or not yet. */
export function cloneAround(
  resource: XmlElement,
  placement: ClonePlacement,
  ids: IdSource,
): Result<XmlElement, EditReport> {
  const inner = resource.attributes.id ?? ''
  const reports = [
    ...(placement.cloneId === undefined ? [] : badNewId(ids, placement.cloneId)),
    ...checkMeta('clone', placement.cloneMeta, placement.force),
    ...withoutInstances([resource], placement),
  ]
  if (reports.length > 0) return failed(...reports)
  const id = ids.free(placement.cloneId ?? `${inner}-clone`)
  const values = placement.promotable ? { promotable: 'true', ...placement.cloneMeta } : placement.cloneMeta
  const setId = `${id}-meta_attributes`
  return ok(
    setNameValues(
      element('clone', { id }, [resource]),
      { kind: 'meta_attributes', setId, values, keepsEmpty: placement.keepsEmpty },
      ids,
    ),
  )
}

export const isPromotable = ({ promotable, cloneMeta }: Pick<ClonePlacement, 'promotable' | 'cloneMeta'>): boolean =>
  promotable || parseBoolean(cloneMeta.promotable) === true

/** Only agents of the class ocf are promoted, and told which instance is meant. */
export function withoutInstances(
  cloned: readonly XmlElement[],
  placement: Pick<ClonePlacement, 'promotable' | 'cloneMeta'>,
): readonly EditReport[] {
  const codes = [
    ...(isPromotable(placement) ? (['cannot-be-promoted'] as const) : []),
    ...(parseBoolean(placement.cloneMeta['globally-unique']) ? (['cannot-be-unique'] as const) : []),
  ]
  const members = cloned.flatMap((one) => (one.name === 'group' ? childElements(one, 'primitive') : [one]))
  return members.flatMap(({ attributes: { id = '', class: agentClass, type = '' } }) =>
    agentClass === undefined || agentClass === 'ocf'
      ? []
      : codes.map((code) => ({ code, id, agentClass, agent: `${agentClass}:${type}` })),
  )
}

export interface CloneRequest extends ClonePlacement {
  readonly resource: string
  /** As pcs understands it, sets, tickets and tags go on naming the resource. */
  readonly keepsMembers?: boolean
}

/**
 * Puts a clone around a resource, which becomes the last one. Constraints and tags that named the resource name the clone from then on.
 * A member leaves its group for it; a group that has no other goes, unless something else names it.
 */
export function cloneResource(cib: XmlElement, request: CloneRequest): EditResult {
  const resource = findResource(cib, request.resource)
  if (resource === undefined) return failed(missingResource(cib, request.resource))
  if (resource.name !== 'primitive' && resource.name !== 'group')
    return failed({ code: 'wrong-kind', id: request.resource, kind: kindOf(resource), wanted: 'primitive or group' })
  const parent = parentResource(cib, resource)
  if (parent?.name === 'group') return cloneMember(cib, parent, request)
  if (parent !== undefined)
    return failed({
      code: 'already-inside',
      id: request.resource,
      kind: kindOf(parent),
      parent: parent.attributes.id ?? '',
    })
  const clone = cloneAround(resource, request, idSource(cib))
  if (!clone.ok) return clone
  const cloneId = clone.value.attributes.id ?? ''
  const cloned = editSection(replaceElement(cib, resource, []), 'resources', (section) =>
    appended(section, clone.value),
  )
  const named = request.keepsMembers ? namesOfConstraints : allNames
  return edited(renameReferences(cloned, { from: request.resource, to: cloneId, named }), { created: [cloneId] })
}

function cloneMember(cib: XmlElement, group: XmlElement, request: CloneRequest): EditResult {
  const groupId = group.attributes.id ?? ''
  const left = removeFromGroup(cib, { group: groupId, resources: [request.resource] })
  if (!left.ok) return left
  if (left.value.removed.some(({ id }) => id !== groupId))
    return failed({ code: 'last-of-group', id: request.resource, group: groupId })
  const cloned = cloneResource(left.value.cib, request)
  return cloned.ok ? edited(cloned.value.cib, { ...cloned.value, removed: left.value.removed }) : cloned
}

/** The member stands alone; its clone and its group go, with what names them. */
function withoutBoth(cib: XmlElement, clone: XmlElement, group: XmlElement, member: XmlElement): EditResult {
  const removed: Removed[] = [clone, group].map(({ name, attributes: { id = '' } }) => ({ element: name, id }))
  const moved = editSection(replaceElement(cib, clone, []), 'resources', (section) => appended(section, member))
  return edited(removeReferences(moved, new Set(removed.map(({ id }) => id)), removed), { removed })
}

/**
 * Takes a clone away and leaves its resource. Constraints and tags that named the clone name the resource from then on, so
 * that what was placed and ordered stays so.
 */
export function uncloneResource(
  cib: XmlElement,
  request: {
    readonly id: string
    /** As pcs does it: a member of a group that is not cloned is refused, and what named the clone goes with it. */
    readonly onlyCloned?: boolean
  },
): EditResult {
  const named = findResource(cib, request.id)
  if (named === undefined) return failed(missingResource(cib, request.id))
  const clone = isClone(named) ? named : parentResource(cib, named)
  // As pcs understands it: the member stands alone afterwards, and the others stay cloned.
  const group = clone?.name === 'group' ? clone : undefined
  const around = group && parentResource(cib, group)
  // The last member leaves nothing that could stay cloned.
  if (group && around && childElements(group, 'primitive').length === 1) return withoutBoth(cib, around, group, named)
  if (group !== undefined && (!request.onlyCloned || around !== undefined))
    return removeFromGroup(cib, { group: group.attributes.id ?? '', resources: [request.id], staysCloned: true })
  if (clone === undefined || !isClone(clone))
    return failed({ code: 'wrong-kind', id: request.id, kind: kindOf(named), wanted: 'clone' })
  const cloneId = clone.attributes.id ?? ''
  const inner = childElements(clone).filter(({ name }) => name === 'primitive' || name === 'group')
  const innerId = inner[0]?.attributes.id ?? ''
  const without = replaceElement(cib, clone, inner)
  if (request.onlyCloned === true) {
    const removed: Removed[] = [{ element: 'clone', id: cloneId }]
    const moved = editSection(replaceElement(cib, clone, []), 'resources', (section) => appended(section, ...inner))
    return edited(removeReferences(moved, new Set([cloneId]), removed), { removed })
  }
  return edited(renameReferences(without, { from: cloneId, to: innerId, named: allNames }), {
    removed: [{ element: 'clone', id: cloneId }],
  })
}

const isClone = ({ name }: XmlElement): boolean => name === 'clone' || name === 'master'

const referenceAttributes = ['rsc', 'with-rsc', 'first', 'then']

/** Which attributes of an element name a resource. */
type Naming = (element: XmlElement) => readonly string[]
const allNames: Naming = ({ name }) =>
  name === 'resource_ref' || name === 'obj_ref' ? ['id'] : name.startsWith('rsc_') ? referenceAttributes : []
const namesOfConstraints: Naming = ({ name }) =>
  ['rsc_location', 'rsc_order', 'rsc_colocation'].includes(name) ? referenceAttributes : []

function renameReferences(
  cib: XmlElement,
  { from, to, named }: { readonly from: string; readonly to: string; readonly named: Naming },
): XmlElement {
  return descendants(configurationElement(cib)).reduce((current, candidate) => {
    const changes = named(candidate)
      .filter((name) => candidate.attributes[name] === from)
      .map((name) => [name, to] as const)
    if (changes.length === 0) return current
    return replaceElement(current, candidate, [withAttributes(candidate, Object.fromEntries(changes))])
  }, cib)
}

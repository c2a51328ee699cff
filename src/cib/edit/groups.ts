/** Groups: putting primitives in, at a place, and taking them out. A group without members goes, with what refers to it. */
import { failed } from '../../base/index.ts'
import { element, type XmlElement } from '../document.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement, withChildren } from '../tree.ts'
import { deleteResources } from './delete-resource.ts'
import {
  badNewId,
  childResources,
  findResource,
  kindOf,
  missingResource,
  missingResources,
  parentResource,
} from './find.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export interface GroupPlacement {
  /** Refuse to move the last members of another group that something names: it would go, and what names it. */
  readonly keepsGroups?: boolean
  /** A group that is there, or a new one. */
  readonly group: string
  /** Put before or after this member; at the end otherwise. */
  readonly before?: string
  readonly after?: string
}

/** Adds primitives to a group, in the order given; members of another group move, and those of this one where a place is named. */
export function addToGroup(
  cib: XmlElement,
  request: GroupPlacement & { readonly resources: readonly string[] },
): EditResult {
  const twice = request.resources.filter((id, i) => request.resources.indexOf(id) !== i)
  const reports: readonly EditReport[] = [
    ...(request.resources.length === 0 ? [{ code: 'nothing-given', what: 'resource' } as const] : []),
    ...twice.map((id) => ({ code: 'given-twice', id }) as const),
    ...missingResources(cib, request.resources),
    ...request.resources.flatMap((id) => notMovable(cib, id)),
    ...(request.before === undefined && request.after === undefined ? membersAlready(cib, request) : []),
  ]
  return unless(reports, () => {
    const members = request.resources.flatMap((id) => findResource(cib, id) ?? [])
    const moved = takeOut(cib, members, request.group)
    const placed = placeInGroup(moved.cib, { placement: request, members, ids: idSource(cib), created: [] })
    if (!placed.ok) return placed
    const emptied = moved.emptied.filter((id) => id !== request.group)
    if (emptied.length === 0) return placed
    const cleaned = deleteResources(placed.value.cib, { ids: emptied })
    const isNamed =
      cleaned.ok && cleaned.value.removed.some(({ id, from }) => from !== undefined || !emptied.includes(id))
    const [last = ''] = emptied
    if (request.keepsGroups && isNamed)
      return failed({ code: 'nothing-left', id: last, kind: 'group', remove: 'resource ungroup' })
    return cleaned.ok ? edited(cleaned.value.cib, { ...placed.value, removed: cleaned.value.removed }) : cleaned
  })
}

/** Only primitives that stand alone or in a group can be moved into a group. */
function notMovable(cib: XmlElement, id: string): readonly EditReport[] {
  const resource = findResource(cib, id)
  if (resource === undefined) return []
  if (resource.name !== 'primitive') return [{ code: 'wrong-kind', id, kind: kindOf(resource), wanted: 'primitive' }]
  const parent = parentResource(cib, resource)
  if (parent === undefined || parent.name === 'group') return []
  return [{ code: 'already-inside', id, kind: kindOf(parent), parent: parent.attributes.id ?? '' }]
}

function membersAlready(
  cib: XmlElement,
  request: { readonly group: string; readonly resources: readonly string[] },
): readonly EditReport[] {
  const group = findResource(cib, request.group)
  if (group?.name !== 'group') return []
  const members = childResources(group).map(({ attributes }) => attributes.id)
  return request.resources
    .filter((id) => members.includes(id))
    .map((id) => ({ code: 'member-already', id, group: request.group }))
}

/** Takes primitives from where they are; reports the groups that have no other member. */
function takeOut(
  cib: XmlElement,
  members: readonly XmlElement[],
  target: string,
): { readonly cib: XmlElement; readonly emptied: readonly string[] } {
  const without = members.reduce((current, member) => replaceElement(current, member, []), cib)
  const groups = new Set(members.flatMap((member) => parentResource(cib, member)?.attributes.id ?? []))
  const emptied = [...groups].filter((id) => {
    const group = findResource(without, id)
    return id !== target && group !== undefined && childResources(group).length === 0
  })
  return { cib: without, emptied }
}

export function placeInGroup(
  cib: XmlElement,
  request: {
    readonly placement: GroupPlacement
    readonly members: readonly XmlElement[]
    readonly ids: IdSource
    readonly created: readonly string[]
  },
): EditResult {
  const { placement, members, ids, created } = request
  const group = findResource(cib, placement.group)
  const neighbour = placement.before ?? placement.after
  if (group === undefined) {
    const reports: readonly EditReport[] = [
      ...badNewId(ids, placement.group),
      ...(neighbour === undefined ? [] : [{ code: 'not-inside', id: neighbour, parent: placement.group } as const]),
    ]
    return unless(reports, () =>
      edited(
        editSection(cib, 'resources', (section) =>
          appended(section, element('group', { id: placement.group }, members)),
        ),
        { created: [...created, placement.group] },
      ),
    )
  }
  if (group.name !== 'group')
    return failed({ code: 'wrong-kind', id: placement.group, kind: kindOf(group), wanted: 'group' })
  const siblings = childResources(group)
  const beside = siblings.find(({ attributes }) => attributes.id === neighbour)
  if (neighbour !== undefined && beside === undefined)
    return failed({ code: 'not-inside', id: neighbour, parent: placement.group })
  const anchor = beside ?? siblings.at(-1)
  const at =
    anchor === undefined
      ? group.children.length
      : group.children.indexOf(anchor) + (placement.before === undefined ? 1 : 0)
  const children = [...group.children.slice(0, at), ...members, ...group.children.slice(at)]
  return edited(
    replaceElement(cib, group, (found) => withChildren(found, children)),
    { created },
  )
}

/**
 * Takes members out of a group, all of them where none is named. They become the last resources, but for the only member of a cloned
 * group, which takes its place in the clone.
 */
export function removeFromGroup(
  cib: XmlElement,
  request: {
    readonly group: string
    readonly resources: readonly string[]
    /** Members leave a cloned group, too, and stand outside the clone then. */
    readonly staysCloned?: boolean
  },
): EditResult {
  const group = findResource(cib, request.group)
  if (group === undefined) return failed(missingResource(cib, request.group))
  if (group.name !== 'group')
    return failed({ code: 'wrong-kind', id: request.group, kind: kindOf(group), wanted: 'group' })
  const members = childResources(group)
  const ids = request.resources.length === 0 ? members.map(({ attributes }) => attributes.id ?? '') : request.resources
  const strangers = ids.filter((id) => !members.some(({ attributes }) => attributes.id === id))
  const parent = parentResource(cib, group)
  const staying = members.filter(({ attributes }) => !ids.includes(attributes.id ?? ''))
  const leaving = members.filter((member) => !staying.includes(member))
  const reports: readonly EditReport[] = [
    ...strangers.map((id) => ({ code: 'not-inside', id, parent: request.group }) as const),
    // A clone of one primitive is what is left of a cloned group only if a single member leaves and none stays.
    ...(parent !== undefined && (staying.length > 0 ? !request.staysCloned : leaving.length > 1)
      ? [
          {
            code: 'must-leave-first',
            id: request.group,
            kind: kindOf(parent),
            parent: parent.attributes.id ?? '',
          } as const,
        ]
      : []),
  ]
  return unless(reports, () => {
    if (staying.length > 0) {
      const kept = replaceElement(cib, group, (found) => ({
        ...found,
        children: found.children.filter((child) => !leaving.some((member) => member === child)),
      }))
      return edited(atTheEnd(kept, leaving))
    }
    // The members go first where the group stands, so that deleting it takes nothing with it but its references.
    const emptied = {
      ...group,
      children: group.children.filter((child) => !leaving.some((member) => member === child)),
    }
    const dissolved =
      parent === undefined
        ? atTheEnd(replaceElement(cib, group, [emptied]), leaving)
        : replaceElement(cib, group, [...leaving, emptied])
    return deleteResources(dissolved, { ids: [request.group] })
  })
}

const atTheEnd = (cib: XmlElement, resources: readonly XmlElement[]): XmlElement =>
  editSection(cib, 'resources', (section) => appended(section, ...resources))

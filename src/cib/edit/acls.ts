/** Access control: roles with permissions, and the users and groups that have them. */
import { failed, similarWords } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement, withChildren } from '../tree.ts'
import { present } from '../values/attribute-text.ts'
import { badNewId } from './find.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export interface NewPermission {
  readonly kind: 'read' | 'write' | 'deny'
  readonly on: { readonly by: 'xpath'; readonly xpath: string } | { readonly by: 'id'; readonly id: string }
}

/** Whom a role is given to. */
export type AclSubject = 'user' | 'group'

export function createAclRole(
  cib: XmlElement,
  request: { readonly id: string; readonly description?: string; readonly permissions: readonly NewPermission[] },
): EditResult {
  const ids = idSource(cib)
  const reports = [...badNewId(ids, request.id), ...unknownReferences(ids, request.permissions)]
  return unless(reports, () => {
    ids.free(request.id)
    const permissions = request.permissions.map((permission) => permissionElement(request.id, permission, ids))
    const role = element('acl_role', present({ id: request.id, description: request.description }), permissions)
    return edited(
      editSection(cib, 'acls', (section) => appended(section, role)),
      { created: [request.id] },
    )
  })
}

/** Users and groups lose the role; with `emptyGo`, those that have no other go. */
export function deleteAclRole(
  cib: XmlElement,
  request: { readonly id: string; readonly emptyGo?: boolean },
): EditResult {
  const role = findIn(cib, 'acl_role', request.id)
  if (role === undefined) return failed(missing(cib, 'acl_role', request.id))
  const holders = ['acl_target', 'acl_group'].flatMap((name) => sectionElements(cib, name))
  const without = holders.reduce((current, holder) => {
    const roles = childElements(holder, 'role')
    const kept = roles.filter((reference) => idOf(reference) !== request.id)
    if (kept.length === roles.length) return current
    return replaceElement(current, holder, kept.length === 0 && request.emptyGo ? [] : [withChildren(holder, kept)])
  }, cib)
  return edited(replaceElement(without, role, []), { removed: [{ element: 'acl_role', id: request.id }] })
}

export function addAclPermissions(
  cib: XmlElement,
  request: { readonly role: string; readonly permissions: readonly NewPermission[] },
): EditResult {
  const role = findIn(cib, 'acl_role', request.role)
  // As with pcs, a role that is not there yet is made.
  if (role === undefined) return createAclRole(cib, { id: request.role, permissions: request.permissions })
  const ids = idSource(cib)
  return unless(unknownReferences(ids, request.permissions), () => {
    const made = request.permissions.map((permission) => permissionElement(request.role, permission, ids))
    return edited(
      replaceElement(cib, role, (found) => appended(found, ...made)),
      { created: made.map(idOf) },
    )
  })
}

export function deleteAclPermission(cib: XmlElement, request: { readonly id: string }): EditResult {
  const permissions = sectionElements(cib, 'acl_role').flatMap((role) => childElements(role, 'acl_permission'))
  const found = permissions.find((permission) => idOf(permission) === request.id)
  if (found === undefined)
    return failed({
      code: 'not-found',
      what: 'permission',
      id: request.id,
      similar: similarWords(request.id, permissions.map(idOf)),
    })
  return edited(replaceElement(cib, found, []), { removed: [{ element: 'acl_permission', id: request.id }] })
}

export function createAclSubject(
  cib: XmlElement,
  request: { readonly kind: AclSubject; readonly id: string; readonly roles: readonly string[] },
): EditResult {
  const { roles } = request
  const reports: readonly EditReport[] = [
    ...(request.kind === 'group' ? badNewId(idSource(cib), request.id) : badNewUser(cib, request.id)),
    ...missingRoles(cib, roles),
    ...roles.filter((id, i) => roles.indexOf(id) !== i).map((id) => ({ code: 'given-twice', id }) as const),
  ]
  return unless(reports, () =>
    edited(
      editSection(cib, 'acls', (section) =>
        appended(section, element(elementOf[request.kind], { id: request.id }, roles.map(roleReference))),
      ),
      { created: [request.id] },
    ),
  )
}

/** The id of a user is a name that the system gave, not an XML id: whatever else may have the same. */
function badNewUser(cib: XmlElement, id: string): readonly EditReport[] {
  return findIn(cib, 'acl_target', id) === undefined ? [] : [{ code: 'id-in-use', id, by: 'another user' }]
}

export function deleteAclSubject(
  cib: XmlElement,
  request: { readonly kind: AclSubject; readonly id: string },
): EditResult {
  const name = elementOf[request.kind]
  const found = findIn(cib, name, request.id)
  if (found === undefined) return failed(missing(cib, name, request.id))
  return edited(replaceElement(cib, found, []), { removed: [{ element: name, id: request.id }] })
}

export interface RoleAssignment {
  readonly role: string
  /** Looked for among users, then among groups, where it is not said. */
  readonly kind?: AclSubject
  readonly id: string
}

export function assignAclRole(cib: XmlElement, request: RoleAssignment): EditResult {
  const holder = findHolder(cib, request)
  const reports: readonly EditReport[] = [
    ...missingRoles(cib, [request.role]),
    ...(holder === undefined ? [missing(cib, elementOf[request.kind ?? 'user'], request.id)] : []),
    ...(holder && childElements(holder, 'role').some((role) => idOf(role) === request.role)
      ? [{ code: 'already-inside', id: request.role, kind: 'list of roles of', parent: request.id } as const]
      : []),
  ]
  return unless(reports, () =>
    edited(holder ? replaceElement(cib, holder, (found) => appended(found, roleReference(request.role))) : cib),
  )
}

export function unassignAclRole(
  cib: XmlElement,
  request: RoleAssignment & { readonly emptyGoes?: boolean },
): EditResult {
  const holder = findHolder(cib, request)
  if (holder === undefined) return failed(missing(cib, elementOf[request.kind ?? 'user'], request.id))
  const kept = childElements(holder, 'role').filter((role) => idOf(role) !== request.role)
  if (kept.length === childElements(holder, 'role').length)
    return failed({ code: 'not-inside', id: request.role, parent: request.id })
  return edited(replaceElement(cib, holder, kept.length === 0 && request.emptyGoes ? [] : [withChildren(holder, kept)]))
}

const elementOf = { user: 'acl_target', group: 'acl_group' } as const
const wordFor: Readonly<Record<string, string>> = { acl_role: 'role', acl_target: 'user', acl_group: 'group' }
const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''
const roleReference = (id: string): XmlElement => element('role', { id })

function findHolder(cib: XmlElement, { kind, id }: RoleAssignment): XmlElement | undefined {
  if (kind !== undefined) return findIn(cib, elementOf[kind], id)
  return findIn(cib, 'acl_target', id) ?? findIn(cib, 'acl_group', id)
}

function sectionElements(cib: XmlElement, name: string): readonly XmlElement[] {
  const section = childElement(configurationElement(cib), 'acls')
  return section === undefined ? [] : childElements(section, name)
}

function findIn(cib: XmlElement, name: string, id: string): XmlElement | undefined {
  return sectionElements(cib, name).find((candidate) => idOf(candidate) === id)
}

function missing(cib: XmlElement, name: string, id: string): EditReport {
  const known = sectionElements(cib, name).map(idOf)
  return { code: 'not-found', what: wordFor[name] ?? name, id, similar: similarWords(id, known) }
}

function missingRoles(cib: XmlElement, roles: readonly string[]): readonly EditReport[] {
  return roles.filter((id) => !findIn(cib, 'acl_role', id)).map((id) => missing(cib, 'acl_role', id))
}

function unknownReferences(ids: IdSource, permissions: readonly NewPermission[]): readonly EditReport[] {
  return permissions.flatMap(({ on }) =>
    on.by === 'id' && !ids.isTaken(on.id)
      ? [{ code: 'nothing-has-id', id: on.id, similar: similarWords(on.id, ids.all()) } as const]
      : [],
  )
}

function permissionElement(role: string, { kind, on }: NewPermission, ids: IdSource): XmlElement {
  const id = ids.free(`${role}-${kind}`)
  return element('acl_permission', {
    id,
    kind,
    ...(on.by === 'xpath' ? { xpath: on.xpath } : { reference: on.id }),
  })
}

/**
 * Which permission holds for each element of a CIB. A permission holds for the elements that it selects and for all in them, until one
 * that is nearer says something else: the most deeply nested match counts. Of several on the same element deny counts before write, and
 * write before read. Where none holds, nothing may be done.
 */
import { childElements, type XmlElement } from '../document.ts'
import type { AclPermission, PermissionKind } from './permissions.ts'

/** Finds elements by XPath; undefined where the path cannot be evaluated. */
export type SelectByXpath = (cib: XmlElement, xpath: string) => readonly XmlElement[] | undefined

export interface Access {
  /** What the nearest permission says; undefined where there is none. */
  of(element: XmlElement): PermissionKind | undefined
}

/** A deny that cannot be evaluated must not open what it was to close. */
export class UnreadablePermissionError extends Error {
  override readonly name = 'UnreadablePermissionError'
  constructor({ id, role }: AclPermission) {
    super(
      `The XPath of the permission ${id} in the role ${role} cannot be evaluated: an administrator must correct it.`,
    )
  }
}

export function accessTo(cib: XmlElement, permissions: readonly AclPermission[], select: SelectByXpath): Access {
  const marks = new Map<XmlElement, PermissionKind>()
  const mark = (element: XmlElement, kind: PermissionKind): void => {
    const known = marks.get(element)
    if (known === undefined || rank[kind] > rank[known]) marks.set(element, kind)
  }
  const byElement = permissions.filter(({ on }) => on.by === 'element')
  if (byElement.length > 0)
    visit(cib, (element) => {
      for (const { on, kind } of byElement) if (on.by === 'element' && fits(element, on)) mark(element, kind)
    })
  for (const permission of permissions) {
    if (permission.on.by !== 'xpath') continue
    const found = select(cib, permission.on.xpath)
    if (found === undefined && permission.kind === 'deny') throw new UnreadablePermissionError(permission)
    for (const element of found ?? []) mark(element, permission.kind)
  }
  return inherited(cib, marks)
}

const rank: Readonly<Record<PermissionKind, number>> = { read: 1, write: 2, deny: 3 }

function fits(
  { name, attributes }: XmlElement,
  on: { readonly name?: string; readonly id?: string; readonly attribute?: string },
): boolean {
  return (
    (on.name === undefined || on.name === name) &&
    (on.id === undefined || on.id === attributes.id) &&
    (on.attribute === undefined || attributes[on.attribute] !== undefined)
  )
}

function visit(element: XmlElement, see: (element: XmlElement) => void): void {
  see(element)
  for (const child of childElements(element)) visit(child, see)
}

function inherited(cib: XmlElement, marks: ReadonlyMap<XmlElement, PermissionKind>): Access {
  const known = new Map<XmlElement, PermissionKind>()
  const spread = (element: XmlElement, from: PermissionKind | undefined): void => {
    const kind = marks.get(element) ?? from
    if (kind !== undefined) known.set(element, kind)
    for (const child of childElements(element)) spread(child, kind)
  }
  spread(cib, undefined)
  return { of: (element) => known.get(element) }
}

export const mayRead = (kind: PermissionKind | undefined): boolean => kind === 'read' || kind === 'write'

/** Everything in the element, itself included, may be written. */
export function mayWriteAll(element: XmlElement, access: Access): boolean {
  return access.of(element) === 'write' && childElements(element).every((child) => mayWriteAll(child, access))
}

export function mayReadAll(element: XmlElement, access: Access): boolean {
  return mayRead(access.of(element)) && childElements(element).every((child) => mayReadAll(child, access))
}

/**
 * What the access control list of a configuration gives to a user: the permissions of the roles of the user and of the user's groups
 * (Pacemaker Explained, "Access Control Lists"). Both forms are read: `acl_target` with `acl_permission`, and `acl_user` with `read`,
 * `write` and `deny` as configurations before Pacemaker 1.1.12 have them.
 */

import { clusterOptionSets } from '../cluster-option-value.ts'
import type { Configuration } from '../configuration.ts'
import { childElement, childElements, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { parseBoolean } from '../values/attribute-text.ts'

export type PermissionKind = 'read' | 'write' | 'deny'

export interface AclPermission {
  readonly id: string
  readonly role: string
  readonly kind: PermissionKind
  readonly on:
    | { readonly by: 'xpath'; readonly xpath: string }
    /** All that are given must fit. */
    | { readonly by: 'element'; readonly name?: string; readonly id?: string; readonly attribute?: string }
}

export interface AclUser {
  readonly name: string
  /** Of the host. */
  readonly groups: readonly string[]
}

/** These may do all, whatever the list says. */
export const superusers: readonly string[] = ['root', 'hacluster']

/** Whether permissions count: `enable-acl`, in a set under a rule too, as what only sometimes holds must not open what is closed. */
export function aclIsOn({ options }: Pick<Configuration, 'options'>): boolean {
  const pair = clusterOptionSets(options)
    .flatMap(({ pairs }) => pairs)
    .find(({ name }) => name === 'enable-acl')
  return parseBoolean(pair?.value) ?? false
}

/** In the order of the document; undefined for a user whom neither target nor group names. */
export function permissionsOf(cib: XmlElement, user: AclUser): readonly AclPermission[] | undefined {
  const section = childElement(configurationElement(cib), 'acls')
  const holders = section === undefined ? [] : childElements(section).filter((holder) => isFor(holder, user))
  if (section === undefined || holders.length === 0) return undefined
  const roles = new Map(childElements(section, 'acl_role').map((role) => [role.attributes.id ?? '', role]))
  return holders.flatMap((holder) => [
    ...childElements(holder)
      .filter(({ name }) => name === 'role' || name === 'role_ref')
      .flatMap(({ attributes: { id = '' } }) => permissionsIn(roles.get(id))),
    // Older configurations give them to the user without a role.
    ...(holder.name === 'acl_user' ? permissionsIn(holder) : []),
  ])
}

/** Of somebody who has these roles and no entry in the configuration, as a token. A role that is gone gives nothing. */
export function permissionsOfRoles(cib: XmlElement, roles: readonly string[]): readonly AclPermission[] {
  const section = childElement(configurationElement(cib), 'acls')
  const known = section === undefined ? [] : childElements(section, 'acl_role')
  return roles.flatMap((role) => permissionsIn(known.find(({ attributes }) => attributes.id === role)))
}

function isFor({ name: element, attributes }: XmlElement, { name, groups }: AclUser): boolean {
  const named = attributes.name ?? attributes.id ?? ''
  if (element === 'acl_target') return named === name
  if (element === 'acl_user') return attributes.id === name
  return element === 'acl_group' && groups.includes(named)
}

function permissionsIn(holder: XmlElement | undefined): readonly AclPermission[] {
  if (holder === undefined) return []
  const role = holder.attributes.id ?? ''
  return childElements(holder).flatMap((permission): readonly AclPermission[] => {
    const { attributes } = permission
    const isNew = permission.name === 'acl_permission'
    const kind = isNew ? attributes.kind : permission.name
    if (kind !== 'read' && kind !== 'write' && kind !== 'deny') return []
    const on = selectorOf(attributes, isNew)
    return on === undefined ? [] : [{ id: attributes.id ?? '', role, kind, on }]
  })
}

function selectorOf(attributes: XmlElement['attributes'], isNew: boolean): AclPermission['on'] | undefined {
  if (attributes.xpath !== undefined) return { by: 'xpath', xpath: attributes.xpath }
  const name = isNew ? attributes['object-type'] : attributes.tag
  const id = isNew ? attributes.reference : attributes.ref
  const { attribute } = attributes
  // What selects nothing permits nothing.
  if (name === undefined && id === undefined && attribute === undefined) return undefined
  return {
    by: 'element',
    ...(name === undefined ? {} : { name }),
    ...(id === undefined ? {} : { id }),
    ...(attribute === undefined ? {} : { attribute }),
  }
}

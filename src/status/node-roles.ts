/**
 * What a node is there for: `db`, `haproxy`. A role is a node attribute `<role>-role` that is true, as OpenStack's installers write them, so
 * that location rules see roles, and an imported cluster has them already.
 */
import { parseBoolean } from '../cib/index.ts'
import type { NodeStatus } from './cluster-status.ts'

const suffix = '-role'

/** Other names than these are no roles: agents and remote nodes write attributes as well, and scripts use the names of roles. */
export const isRoleName = (role: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(role)

/** The node attribute that says it. */
export const roleAttribute = (role: string): string => `${role}${suffix}`

/** The role that an attribute of this name gives. */
export function roleIn(attribute: string): string | undefined {
  const role = attribute.endsWith(suffix) ? attribute.slice(0, -suffix.length) : ''
  return isRoleName(role) ? role : undefined
}

/** Sorted. An attribute that is true for a moment only, as a transient one is, counts as well. */
export const rolesOf = ({ attributes }: Pick<NodeStatus, 'attributes'>): readonly string[] =>
  [...attributes]
    .flatMap(([name, value]) => (parseBoolean(value) === true ? [roleIn(name)] : []))
    .filter((role) => role !== undefined)
    .toSorted()

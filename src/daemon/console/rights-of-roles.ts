/** Rights that roles of the access control lists give by themselves, whatever access control is set to. */
import { aclIsOn, childElement, childElements, configurationElement, permissionsOfRoles } from '../../cib/index.ts'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Rights } from '../access/rights.ts'

/** No roles: everything that an administrator may do, but to run jobs. */
export function rightsOfRoles(
  { user, roles, shown }: { readonly user: string; readonly roles: readonly string[]; readonly shown: string },
  configuration: ReplicatedConfiguration | undefined,
): Rights {
  if (roles.length === 0) return { kind: 'all', user, mayNameAnother: false }
  if (configuration === undefined)
    throw refuse(
      'roles-unknown',
      `This node has no configuration now and does not know the roles of ${shown}. Ask a node that has quorum.`,
    )
  const all = permissionsOfRoles(configuration.cib, roles)
  // While access control is off, nobody but root runs jobs.
  const mayRun = aclIsOn(configuration.typed)
  const permissions = mayRun ? all : all.filter(({ on }) => !(on.by === 'element' && on.name === 'job'))
  return { kind: 'limited', user, permissions }
}

export function refuseUnknownRoles(roles: readonly string[], configuration: ReplicatedConfiguration | undefined): void {
  const cib = configuration?.cib
  const section = cib && childElement(configurationElement(cib), 'acls')
  const known = section === undefined ? [] : childElements(section, 'acl_role').map(({ attributes }) => attributes.id)
  const unknown = roles.filter((role) => !known.includes(role))
  if (unknown.length > 0)
    throw refuse(
      'no-such-role',
      ...unknown.map((role) => `There is no role '${role}'. \`systole acl config\` lists the roles.`),
    )
}

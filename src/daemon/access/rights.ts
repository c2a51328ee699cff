/**
 * What a local user may do. root, hacluster and the user that the daemon runs as may do all. So may every other member of haclient while
 * access control is off (`enable-acl=false`); while it is on, they may do what their roles permit.
 */
import {
  type AclPermission,
  type AclUser,
  aclIsOn,
  type Configuration,
  permissionsOf,
  superusers,
  type XmlElement,
} from '../../cib/index.ts'
import { type CallerIdentity, refuse, type WebCaller } from '../../rpc/index.ts'
import type { HostUser, HostUsers } from './host-users.ts'

export type Rights = AllRights | LimitedRights

export interface AllRights {
  readonly kind: 'all'
  /** For the history. */
  readonly user: string
  /** Its own word about who acts is believed. */
  readonly mayNameAnother: boolean
}

export interface LimitedRights {
  readonly kind: 'limited'
  readonly user: string
  readonly permissions: readonly AclPermission[]
}

export interface LoggedIn {
  readonly kind: 'logged-in'
  readonly user: string
  /** He has shown a certificate, and may be a user of the access control lists alone. */
  readonly by?: 'certificate'
}

export interface AccessSources {
  readonly users: Pick<HostUsers, 'byId' | 'byName' | 'knownByName'>
  /** Of whoever has called the HTTPS API: of his token, or which user of this host has logged in. */
  readonly web?: (caller: WebCaller) => Rights | LoggedIn
  readonly ownUid: number
  /** Undefined where this node does not know it now. */
  readonly configuration: () => { readonly cib: XmlElement; readonly typed: Configuration } | undefined
  /** Access control was on in the last configuration that this node knew. */
  readonly wasOn: () => boolean
}

const root = 'root'
const haclient = 'haclient'

export const deniedCode = 'permission-denied'
/** Refusals that are about who asks. */
export const accessCodes: ReadonlySet<string> = new Set([
  deniedCode,
  'unknown-caller',
  'roles-unknown',
  'no-such-user',
  'no-role',
  'bad-permission',
])

export async function rightsOf(caller: CallerIdentity, sources: AccessSources): Promise<Rights> {
  if (caller.kind === 'web' && sources.web !== undefined) {
    const shown = sources.web(caller)
    return shown.kind === 'logged-in' ? await rightsOfLoggedIn(shown, sources) : shown
  }
  if (caller.kind !== 'user')
    throw refuse('unknown-caller', 'The daemon cannot identify the caller: this socket does not report credentials.')
  const { uid } = caller
  if (uid === 0) return { kind: 'all', user: 'root', mayNameAnother: true }
  const user = await sources.users.byId(uid)
  const who = { user, called: user?.name ?? `the user number ${uid}` }
  if (uid === sources.ownUid) return { kind: 'all', user: who.called, mayNameAnother: true }
  return rightsOfUser(who, sources)
}

/**
 * Of a user of this host who comes over the net: a member of haclient may do what he may on the host; anybody else only what access control gives to
 * his name or his groups. Nobody is root there, or acts for another.
 */
export async function rightsOfLoggedIn(
  { user: name, by }: Pick<LoggedIn, 'user' | 'by'>,
  sources: AccessSources,
): Promise<Rights> {
  const isOver = name === root || (by === 'certificate' && superusers.includes(name))
  const known = isOver ? undefined : await sources.users.knownByName(name)
  const user: HostUser | undefined = known ?? (by === 'certificate' && !isOver ? { name, groups: [] } : undefined)
  if (user === undefined || user.isRoot) throw refuse('no-such-user', `${name} cannot use the HTTPS API of this host.`)
  const configuration = sources.configuration()
  const isOn = configuration === undefined ? sources.wasOn() : aclIsOn(configuration.typed)
  if (!user.groups.includes(haclient) && !isOn)
    throw refuse(
      'no-role',
      `${name} is not a member of the group haclient of this host. While access control is disabled, only its members can use the cluster.`,
    )
  const rights = rightsOfUser({ user, called: name }, sources)
  return rights.kind === 'all' ? { ...rights, mayNameAnother: false } : rights
}

/** Of a user whom this host may not know: then the user is in no group. */
export async function rightsOfName(name: string, sources: AccessSources): Promise<Rights> {
  const user = await sources.users.byName(name)
  return rightsOfUser({ user: user ?? { name, groups: [] }, called: name }, sources)
}

export function rightsOfUser(
  { user, called }: { readonly user: AclUser | undefined; readonly called: string },
  sources: AccessSources,
): Rights {
  if (user !== undefined && superusers.includes(user.name))
    return { kind: 'all', user: user.name, mayNameAnother: true }
  const known = sources.configuration()
  if (known === undefined ? !sources.wasOn() : !aclIsOn(known.typed))
    return { kind: 'all', user: called, mayNameAnother: false }
  if (known === undefined)
    throw refuse(
      'roles-unknown',
      'Access control is enabled, but this node has no configuration yet and does not know the roles: only root and hacluster may do this until it has one.',
    )
  if (user === undefined)
    throw refuse(
      'no-such-user',
      `Access control is enabled, but ${called} has no name on this host and therefore no role.`,
    )
  const permissions = permissionsOf(known.cib, user)
  if (permissions !== undefined) return { kind: 'limited', user: user.name, permissions }
  throw refuse(
    'no-role',
    `Access control is enabled, but ${user.name} has no role. An administrator can assign one with \`systole acl user create ${user.name} <role>\`.`,
  )
}

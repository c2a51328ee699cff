/** What the command line asks about the HTTPS API and its tokens, and what load balancers ask of a node through it. */
import { type Handlers, type localService, refuse, type WebCaller } from '../../rpc/index.ts'
import { certificatePrefix, entryOf } from '../console/client-certificates.ts'
import { sessionPrefix } from '../console/sessions.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { configuredFile } from './configured-file.ts'
import { placeOf } from './relayed-calls.ts'

type ConsoleCalls =
  | 'getConsole'
  | 'changeConsole'
  | 'changeConsoleCertificate'
  | 'addApiClient'
  | 'listApiClients'
  | 'removeApiClient'
  | 'openCertificate'
  | 'createApiToken'
  | 'listApiTokens'
  | 'revokeApiToken'
  | 'whoAmI'
  | 'getPermission'
  | 'openSession'
  | 'closeSession'
  | 'getHealth'

export function consoleHandlers(daemon: Daemon): Pick<Handlers<typeof localService>, ConsoleCalls> {
  return {
    getConsole: async () => {
      return await Promise.resolve(daemon.api.console.status())
    },
    changeConsole: async (asked, { caller }) => {
      // It would end in the middle of its answer.
      if (caller.kind === 'web')
        throw refuse('by-itself', 'The HTTPS API does not open or close itself. Type it on the node.')
      return await daemon.api.console.change(asked)
    },
    changeConsoleCertificate: async (asked, { caller }) => {
      if (caller.kind !== 'user')
        throw refuse('by-itself', 'The HTTPS API does not change its certificate. Type it on the node.')
      // Files are looked at again as root, and so only for root.
      const { certificate, key } = asked
      const meant =
        caller.uid === 0
          ? asked
          : { ...(certificate === undefined ? {} : { certificate }), ...(key === undefined ? {} : { key }) }
      return await Promise.resolve(daemon.api.console.changeCertificate(meant))
    },
    ...clientHandlers(daemon),
    createApiToken: async ({ name, roles, validSeconds }, { caller }) => {
      configuredFile(daemon)
      if (caller.kind === 'web')
        throw refuse('by-token', 'A token does not make tokens: they could outlive its own end. Type it on a node.')
      const { user } = await daemon.access.rightsOf(caller)
      const made = await daemon.api.tokens.create({ name, roles, validSeconds }, user)
      return { token: made.token, validUntil: new Date(made.validUntil).toISOString() }
    },
    listApiTokens: async () => {
      configuredFile(daemon)
      const now = Date.now()
      const tokens = daemon.api.tokens.list().map(({ name, roles, createdAt, validUntil, by }) => ({
        name,
        roles,
        created: new Date(createdAt).toISOString(),
        validUntil: new Date(validUntil).toISOString(),
        createdBy: by,
        isValid: validUntil > now,
      }))
      return await Promise.resolve({ tokens })
    },
    revokeApiToken: async ({ name }, { caller }) => {
      configuredFile(daemon)
      await daemon.api.tokens.revoke(name, (await daemon.access.rightsOf(caller)).user)
      // Nobody gets in with what it has made.
      await daemon.joining.tokens.withdraw(({ by }) => by?.user === `token:${name}`)
      return {}
    },
    ...sessionHandlers(daemon),
    getHealth: async ({ resource }) => {
      const none = { started: daemon.running, quorate: false, member: false, active: '' }
      if (!daemon.running) return none
      const { node } = daemon
      const member = node.view.members.get(node.name)?.state === 'member'
      // Without quorum this node may be about to stop what it runs.
      const active = resource === undefined || !node.quorate ? '' : ((await node.activeHere()).get(resource) ?? '')
      return { ...none, quorate: node.quorate, member, active }
    },
  }
}

function clientHandlers(
  daemon: Daemon,
): Pick<Handlers<typeof localService>, 'addApiClient' | 'listApiClients' | 'removeApiClient' | 'openCertificate'> {
  return {
    addApiClient: async (asked, { caller }) => {
      configuredFile(daemon)
      if (caller.kind === 'web')
        throw refuse(
          'by-token',
          'The HTTPS API lets nobody in who could stay longer than the caller. Type it on a node.',
        )
      return entryOf(await daemon.api.clientCertificates.add(asked, (await daemon.access.rightsOf(caller)).user))
    },
    listApiClients: async () => {
      configuredFile(daemon)
      return await Promise.resolve({ clients: daemon.api.clientCertificates.list().map(entryOf) })
    },
    removeApiClient: async ({ name }, { caller }) => {
      configuredFile(daemon)
      await daemon.api.clientCertificates.remove(name, (await daemon.access.rightsOf(caller)).user)
      return {}
    },
    openCertificate: async (asked, { caller }) => {
      if (caller.kind !== 'web') throw refuse('not-here', 'Certificates are shown to the HTTPS API, and nowhere else.')
      return await Promise.resolve({ session: daemon.api.clientCertificates.open(asked, caller.from) })
    },
  }
}

/** Who calls, and how users of this host log in and out. */
function sessionHandlers(
  daemon: Daemon,
): Pick<Handlers<typeof localService>, 'whoAmI' | 'getPermission' | 'openSession' | 'closeSession'> {
  return {
    whoAmI: async (_, { caller }) => {
      const { user, kind } = await daemon.access.rightsOf(caller)
      const end = caller.kind === 'web' ? endOf(daemon, caller) : undefined
      return { user, limited: kind === 'limited', ...(end === undefined ? {} : { validUntil: end }) }
    },
    // What stands before every call has been passed; the rest is asked in local-calls.ts.
    getPermission: async () => await Promise.resolve({}),
    openSession: async (asked, { caller }) => {
      if (caller.kind !== 'web') throw refuse('not-here', 'Users log in at the HTTPS API, and nowhere else.')
      const { session, rights } = await daemon.api.logins.login(asked, caller)
      const { user, kind } = rights
      if (daemon.running) daemon.node.noteCall({ call: 'logIn', user, from: placeOf(caller) })
      return {
        session,
        user,
        limited: kind === 'limited',
        validUntil: endOf(daemon, { ...caller, token: session }) ?? '',
      }
    },
    closeSession: async (_, { caller }) => {
      if (caller.kind !== 'web' || !caller.token.startsWith(sessionPrefix))
        throw refuse('no-session', 'There is no session to end.')
      daemon.log.info('a user has logged out of the HTTPS API', {
        user: daemon.api.sessions.userOf(caller.token, performance.now()),
        from: placeOf(caller),
      })
      daemon.api.sessions.close(caller.token)
      return await Promise.resolve({})
    },
  }
}

/** When what he has shown ends at the latest. */
function endOf(daemon: Daemon, caller: WebCaller): string | undefined {
  const end = caller.token.startsWith(sessionPrefix)
    ? Date.now() + daemon.api.sessions.leftMs(caller.token, performance.now())
    : caller.token.startsWith(certificatePrefix)
      ? daemon.api.clientCertificates.endOf(caller)
      : daemon.api.tokens.endOf(caller)
  return end === undefined ? undefined : new Date(end).toISOString()
}

/**
 * What each call of the local API needs of a user with roles, while access control is on (docs/security.md has the table). A call that is not
 * in it does not compile.
 */
import { printable } from '../../base/index.ts'
import { isSecretName, textWithoutSecrets } from '../../cib/index.ts'
import {
  type CallContext,
  type Handlers,
  localService,
  type Messages,
  readMessage,
  refuse,
  type WebCaller,
} from '../../rpc/index.ts'
import { denied } from '../access/guarded-cib.ts'
import { mayRunJobs } from '../access/job-rights.ts'
import type { AllRights, LimitedRights } from '../access/rights.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { type LimitedHandlers, limitedHandlers, watch } from './limited-api.ts'
import { placeOf, refuseRelayed } from './relayed-calls.ts'

export type LocalHandlers = Handlers<typeof localService>

/**
 * `open`: whoever reaches the API, without a token; `anybody` who may use the socket, or has a token; `own part`: what the user's permissions leave of it, by a handler of its own (limited-api.ts);
 * `administration`: the permission to write the whole configuration; `job`: that to run commands as root on all nodes, which only root has, and roles that name it.
 */
export type Need = 'open' | 'anybody' | 'own part' | 'administration' | 'job'

export const localNeeds = {
  getCib: 'own part',
  pushConfiguration: 'own part',
  listConfigVersions: 'own part',
  getConfigVersion: 'own part',
  confirmChange: 'own part',
  getApplied: 'administration',
  getState: 'own part',
  watchState: 'own part',
  getMetrics: 'own part',
  readJournal: 'own part',
  readOperations: 'own part',
  setTransientAttribute: 'own part',
  deleteHistory: 'own part',
  setTicket: 'own part',
  fence: 'administration',
  confirmFencing: 'administration',
  cleanFencingHistory: 'administration',
  startCluster: 'administration',
  stopCluster: 'administration',
  enableCluster: 'administration',
  setupCluster: 'administration',
  createJoinToken: 'administration',
  listJoinTokens: 'administration',
  withdrawJoinTokens: 'administration',
  joinCluster: 'administration',
  addNode: 'administration',
  removeNode: 'administration',
  addLink: 'administration',
  updateLink: 'administration',
  removeLinks: 'administration',
  clearNode: 'administration',
  destroyCluster: 'administration',
  unblockQuorum: 'administration',
  setToken: 'administration',
  addWitness: 'administration',
  removeWitness: 'administration',
  replaceWitness: 'administration',
  joinAsWitness: 'administration',
  getWitnessHost: 'anybody',
  changeWitnessHost: 'administration',
  getCertificates: 'anybody',
  renewCertificate: 'administration',
  getPkiStatus: 'anybody',
  rotateAuthority: 'administration',
  acquireLock: 'administration',
  releaseLock: 'administration',
  listLocks: 'anybody',
  startRollout: 'job',
  changeRollout: 'job',
  listRollouts: 'job',
  planFleetRollout: 'job',
  getLifecycle: 'own part',
  triggerVersion: 'job',
  reportVersion: 'job',
  changeSetting: 'job',
  acquireHolds: 'own part',
  renewHolds: 'own part',
  releaseHolds: 'own part',
  listHolds: 'own part',
  runJob: 'job',
  listJobs: 'job',
  getJob: 'job',
  cancelJob: 'job',
  readJobOutput: 'job',
  copyFile: 'job',
  startPlay: 'job',
  changePlay: 'job',
  listPlays: 'job',
  getConsole: 'anybody',
  changeConsole: 'administration',
  changeConsoleCertificate: 'administration',
  addApiClient: 'administration',
  listApiClients: 'administration',
  removeApiClient: 'administration',
  openCertificate: 'open',
  addFleetCluster: 'administration',
  removeFleetCluster: 'administration',
  getFleet: 'own part',
  createApiToken: 'administration',
  listApiTokens: 'administration',
  revokeApiToken: 'administration',
  whoAmI: 'anybody',
  getPermission: 'anybody',
  openSession: 'open',
  closeSession: 'anybody',
  getHealth: 'open',
  testAlert: 'administration',
} as const satisfies Readonly<Record<keyof LocalHandlers, Need>>

type CallsWithUser = {
  [Call in keyof LocalHandlers]: Parameters<LocalHandlers[Call]>[0] extends { readonly user: string } ? Call : never
}[keyof LocalHandlers]

/** What `user` of a request means: the caller's own name, which is put there, or somebody else's. A call that is not in it does not compile. */
const userMeans = {
  pushConfiguration: 'who acts',
  acquireLock: 'who acts',
  releaseLock: 'who acts',
  startRollout: 'who acts',
  planFleetRollout: 'who acts',
  changeRollout: 'who acts',
  triggerVersion: 'who acts',
  reportVersion: 'who acts',
  changeSetting: 'who acts',
  acquireHolds: 'who acts',
  releaseHolds: 'who acts',
  runJob: 'who acts',
  cancelJob: 'who acts',
  copyFile: 'who acts',
  startPlay: 'who acts',
  changePlay: 'who acts',
  addApiClient: 'another',
  openSession: 'another',
} as const satisfies Readonly<Record<CallsWithUser, 'who acts' | 'another'>>

type AnyHandler = (...given: readonly unknown[]) => Promise<unknown>

export function guardLocal(daemon: Daemon, handlers: LocalHandlers): LocalHandlers {
  const answering = guarded(daemon, handlers, { onlyAsks: false })
  const judging = guarded(daemon, permitting, { onlyAsks: true })
  return {
    ...answering,
    getPermission: async (asked, context) => {
      const answer = await answering.getPermission(asked, context)
      await judge(judging, asked, context)
      return answer
    },
  }
}

const names = Object.keys(localService) as (keyof LocalHandlers)[]

/** Whoever comes to one of these has passed all that stands before the call. */
class PermittedError extends Error {
  override readonly name = 'PermittedError'
}
const permitting = Object.fromEntries(
  names.map((name) => [name, async () => await Promise.reject(new PermittedError(name))]),
) as unknown as LocalHandlers

/** Those of a user's own part that change something, and whose answer for users with roles ends in the handler for all. */
const judgedParts: ReadonlySet<string> = new Set([
  ...['pushConfiguration', 'setTransientAttribute', 'deleteHistory', 'setTicket', 'acquireHolds', 'releaseHolds'],
])

function isJudged(call: string): call is keyof typeof localNeeds {
  if (!Object.hasOwn(localNeeds, call)) return false
  const need: Need = localNeeds[call as keyof typeof localNeeds]
  return need === 'administration' || need === 'job' || judgedParts.has(call)
}

async function judge(
  judging: LocalHandlers,
  { call, request }: Messages['PermissionRequest'],
  context: CallContext,
): Promise<void> {
  if (!isJudged(call)) throw refuse('no-such-call', `There is no call '${printable(call)}' that needs a permission.`)
  const asked = requestIn(call, request)
  try {
    await (judging[call] as unknown as AnyHandler)(asked, context)
  } catch (error) {
    if (!(error instanceof PermittedError)) throw error
  }
}

function requestIn(call: keyof LocalHandlers, text: string): unknown {
  try {
    return readMessage(localService[call].request, Buffer.from(text, 'base64'))
  } catch {
    throw refuse('bad-message', `This is not a request of '${inWords(call)}'.`)
  }
}

function guarded(daemon: Daemon, handlers: LocalHandlers, { onlyAsks }: { readonly onlyAsks: boolean }): LocalHandlers {
  const calls = names.map((name) => {
    const handle = seenBy(daemon, handlers[name] as unknown as AnyHandler)
    const call: AnyHandler = async (request, ...rest) => {
      const need: Need = localNeeds[name]
      const { caller } = rest.at(-1) as CallContext
      if (caller.kind === 'web') refuseRelayed(daemon, name, caller)
      if (need === 'open' || (need === 'anybody' && caller.kind === 'user')) return await handle(request, ...rest)
      const rights = await daemon.access.rightsOf(caller)
      if (caller.kind === 'web' && !onlyAsks) noteWebCall(daemon, { call: name, user: rights.user, caller, request })
      if (need === 'anybody') return await handle(request, ...rest)
      if (need === 'job') {
        return await handle(byUser(name, mayRunJobs(rights), request), ...rest)
      }
      if (name === 'watchState' && rights.kind === 'all' && !rights.mayNameAnother) {
        const [send, context] = rest as [Parameters<LocalHandlers['watchState']>[1], CallContext]
        return await watch(daemon, handlers, { asked: request as Messages['Empty'], send, context })
      }
      if (rights.kind === 'all') return await handle(byUser(name, rights, request), ...rest)
      if (need === 'own part') {
        const own = limitedHandlers(daemon, handlers, rights, { onlyAsks })[
          name as keyof LimitedHandlers
        ] as unknown as AnyHandler
        return await seenBy(daemon, own)(request, ...rest)
      }
      await mayAdminister(daemon, rights, name)
      return await handle(byUser(name, { user: rights.user, mayNameAnother: false }, request), ...rest)
    }
    return [name, call] as const
  })
  return Object.fromEntries(calls) as unknown as LocalHandlers
}

/** What it writes is seen by the next call on this node. A call may begin or end this node's part in the cluster. */
function seenBy(daemon: Daemon, handle: AnyHandler): AnyHandler {
  return async (...given) =>
    daemon.running ? await daemon.node.seesOwnWrites(async () => await handle(...given)) : await handle(...given)
}

/** Reading is not noted: a dashboard does it many times a minute. What was changed of the configuration is in its history, with its command. */
function noteWebCall(
  daemon: Daemon,
  noted: {
    readonly call: keyof LocalHandlers
    readonly user: string
    readonly caller: WebCaller
    readonly request: unknown
  },
): void {
  const { call, user, request } = noted
  const { token } = noted.caller
  const from = placeOf(noted.caller)
  if (/^(?:get|list|watch|read|whoAmI)/.test(call)) return
  const { command } = request as Partial<Messages['PushRequest']>
  const hidden = command === undefined ? {} : { command: textWithoutSecrets(command, isSecretName) }
  const certificate = daemon.api.clientCertificates.subjectOf(token)
  const told = { call, user, from, ...(certificate === undefined ? {} : { certificate }), ...hidden }
  daemon.log.info('a call of the HTTPS API', told)
  if (daemon.running) daemon.node.noteCall(told)
}

/** The history names who asked; root may act for somebody (sudo). */
function byUser(
  call: keyof LocalHandlers,
  { user, mayNameAnother }: Pick<AllRights, 'user' | 'mayNameAnother'>,
  request: unknown,
): unknown {
  const named = (request as Partial<Messages['PushRequest']>).user
  const acts = (userMeans as Partial<Record<keyof LocalHandlers, string>>)[call] === 'who acts'
  return !acts || named === undefined || (mayNameAnother && named !== '') ? request : { ...(request as object), user }
}

/** `createJoinToken` is a name of ours. */
const inWords = (call: string): string => call.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

async function mayAdminister(daemon: Daemon, rights: LimitedRights, call: string): Promise<void> {
  const configuration = daemon.configuration
  const isPermitted =
    configuration !== undefined && (await daemon.access.guardedFor(rights).administers(configuration.cib))
  if (!isPermitted)
    throw denied(
      `'${inWords(call)}' changes more than the CIB and requires the permission 'write' on all of /cib/configuration, which ${rights.user} does not have.`,
    )
}

/** The calls of the local API that a user with roles gets answered in part: only what the user may read, only changes that the user may make. */
import { setImmediate as afterOthers } from 'node:timers/promises'
import { nodeName } from '../../base/index.ts'
import {
  childElement,
  configurationElement,
  findResource,
  hiddenValue,
  isSecretName,
  parseXml,
  printXml,
  secretNames,
  type XmlElement,
} from '../../cib/index.ts'
import { type ClusterView, cibOfView } from '../../controller/index.ts'
import { type HoldRecord, holdsIn, mostUnconfirmedOfUser, restoreHolds, splitHolds } from '../../holds/index.ts'
import type { LifecycleKnown } from '../../rollout/index.ts'
import {
  type CallContext,
  type ClusterState,
  type Handlers,
  type localService,
  type Messages,
  type PushAnswer,
  refuse,
} from '../../rpc/index.ts'
import type { Write } from '../../store/index.ts'
import { denied, type GuardedCib } from '../access/guarded-cib.ts'
import { holdsJobs } from '../access/job-rights.ts'
import { refuseLongDocument } from '../access/longest-document.ts'
import type { LimitedRights } from '../access/rights.ts'
import { viewAfter, viewWithAttribute } from '../access/state-after.ts'
import { visibleState } from '../access/visible-state.ts'
import { readConfigVersion, savedBefore } from '../configuration/config-history.ts'
import { documentSteps, readConfigurationInPieces, saveConfiguration } from '../configuration/configuration-edit.ts'
import { confirmChanges, forSomebodyWithRoles, versionsWithWaiting } from '../configuration/unconfirmed.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { historyToDelete } from '../records/forget-history.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { ticketAfter } from '../records/ticket-after.ts'
import { inPieces } from '../shared-state/in-pieces.ts'
import { holdsToAcquire, noSuchResource } from './hold-api.ts'

type LocalHandlers = Handlers<typeof localService>

export type LimitedHandlers = Pick<
  LocalHandlers,
  | 'getCib'
  | 'pushConfiguration'
  | 'listConfigVersions'
  | 'getConfigVersion'
  | 'confirmChange'
  | 'getState'
  | 'watchState'
  | 'getMetrics'
  | 'readJournal'
  | 'readOperations'
  | 'setTransientAttribute'
  | 'deleteHistory'
  | 'setTicket'
  | 'getLifecycle'
  | 'getFleet'
  | 'acquireHolds'
  | 'renewHolds'
  | 'releaseHolds'
  | 'listHolds'
>

/** `handlers`: for all users, called once it is known that this one may. `onlyAsks`: whether they may is all that is asked, and nothing is written. */
export function limitedHandlers(
  daemon: Daemon,
  handlers: LocalHandlers,
  rights: LimitedRights,
  { onlyAsks = false }: { readonly onlyAsks?: boolean } = {},
): LimitedHandlers {
  const guarded = daemon.access.guardedFor(rights)
  const mayBecome = async (after: ClusterView): Promise<void> => {
    const { view, quorate } = daemon.node
    await guarded.check(composed(view, quorate), composed(after, quorate))
  }
  return {
    getCib: async () => {
      const { view, quorate } = daemon.node
      const { cib } = await guarded.see(composed(view, quorate))
      return { xml: printXml(cib), version: view.configuration?.version ?? 0 }
    },
    pushConfiguration: async (asked) => await push(daemon, guarded, { ...asked, onlyAsks }),
    listConfigVersions: async () => {
      const versions = await versionsWithWaiting(daemon.node.store)
      const seesAll = await guarded.readsAll(composed(daemon.node.view, daemon.node.quorate))
      return { versions: seesAll ? versions : versions.map(forSomebodyWithRoles) }
    },
    getConfigVersion: async ({ version }, context) => {
      const found = await readConfigVersion(daemon.node.store, version)
      if (!found) return await handlers.getConfigVersion({ version }, context)
      const whole = parsed(found.xml)
      const { cib } = await guarded.see(whole)
      const entry = (await guarded.readsAll(whole)) ? found : forSomebodyWithRoles(found)
      return { found: true, entry, xml: printXml(cib) }
    },
    confirmChange: async ({ version, also }) => {
      await confirmChanges(daemon.node, [version, ...also], async ({ user }) => {
        if (user === guarded.rights.user) return
        if (await guarded.administers(composed(daemon.node.view, daemon.node.quorate))) return
        throw denied("another user's change is confirmed with the permission to write all of /cib/configuration only.")
      })
      return {}
    },
    getState: async (asked, context) => await visible(daemon, guarded, await handlers.getState(asked, context)),
    watchState: async (asked, send, context) => await watch(daemon, handlers, { asked, send, context }),
    getMetrics: async (asked, context) => visibleMetrics(daemon, guarded, await handlers.getMetrics(asked, context)),
    ...wholeOrNothing(daemon, guarded, handlers),
    setTransientAttribute: async (asked, context) => {
      const { node, set = '', name, value } = asked
      const attribute = { node: nodeName(node), set, name, ...(value === undefined ? {} : { value }) }
      await mayBecome(viewWithAttribute(daemon.node.view, attribute))
      return await handlers.setTransientAttribute(asked, context)
    },
    deleteHistory: async (asked, context) => {
      const { view } = daemon.node
      await mayBecome(viewAfter(view, historyToDelete(view, asked).writes))
      return await handlers.deleteHistory(asked, context)
    },
    setTicket: async (asked, context) => {
      const { view } = daemon.node
      const after = ticketAfter(view.tickets.get(asked.id), asked, Math.floor(Date.now() / 1000))
      const key = keys.ticket(asked.id)
      const write = after ? ({ kind: 'put', key, value: toBytes(after) } as const) : ({ kind: 'delete', key } as const)
      await mayBecome(viewAfter(view, [write]))
      return await handlers.setTicket(asked, context)
    },
    getLifecycle: async (asked, context) => {
      const answer = await handlers.getLifecycle(asked, context)
      return holdsJobs(rights) ? answer : { known: withoutSecretSettings(daemon, answer.known) }
    },
    ...limitedHolds(daemon, guarded, handlers),
  }
}

/** What is shown whole, to whoever may read the whole CIB. */
function wholeOrNothing(
  daemon: Daemon,
  guarded: GuardedCib,
  handlers: LocalHandlers,
): Pick<LimitedHandlers, 'readJournal' | 'readOperations' | 'getFleet'> {
  return {
    readJournal: async (asked, context) => {
      // It names whatever has ever run.
      if (await guarded.readsAll(composed(daemon.node.view, daemon.node.quorate)))
        return await handlers.readJournal(asked, context)
      throw denied('the journal is shown with the permission to read the whole CIB only.')
    },
    readOperations: async (asked, context) => {
      // An agent may print whatever it has read.
      if (await guarded.readsAll(composed(daemon.node.view, daemon.node.quorate)))
        return await handlers.readOperations(asked, context)
      throw denied('what agents printed is shown with the permission to read the whole CIB only.')
    },
    getFleet: async (asked, context) => {
      // What other clusters say of themselves was said to a token of theirs, and not to this user.
      if (await guarded.readsAll(composed(daemon.node.view, daemon.node.quorate)))
        return await handlers.getFleet(asked, context)
      throw denied('the fleet is shown with the permission to read the whole CIB only.')
    },
  }
}

/** Settings are for scripts of root's on the nodes, and may be passwords. */
function withoutSecretSettings(daemon: Daemon, text: string): string {
  const known = JSON.parse(text) as LifecycleKnown
  const cib = daemon.configuration?.cib
  const isSecret = cib === undefined ? isSecretName : secretNames(cib)
  const settings = known.settings.map((one) => (isSecret(one.key) ? { ...one, value: hiddenValue } : one))
  return JSON.stringify({ ...known, settings })
}

/** A hold is permitted to whoever may write what it is equivalent to, and shown to whoever may read that. */
function limitedHolds(
  daemon: Daemon,
  guarded: GuardedCib,
  handlers: LocalHandlers,
): Pick<LimitedHandlers, 'acquireHolds' | 'renewHolds' | 'releaseHolds' | 'listHolds'> {
  const mayWrite = async (writes: readonly Write[]): Promise<void> => {
    const { view, quorate } = daemon.node
    await guarded.check(composed(view, quorate), composed(viewAfter(view, writes), quorate))
  }
  // In the words for one that is not there: whoever may not read a resource does not learn that there is one.
  const refuseHidden = async (wanted: Messages['AcquireHoldsRequest']['holds']): Promise<void> => {
    const { cib } = await guarded.see(composed(daemon.node.view, daemon.node.quorate))
    for (const { resource } of wanted)
      if (resource !== undefined && findResource(cib, resource) === undefined) throw noSuchResource(resource)
  }
  // What this node has not seen yet could not be judged.
  const seen = (ids: readonly string[]): readonly string[] => ids.filter((id) => daemon.node.view.holds.has(id))
  const none = { outcome: 'free', holds: [], revision: 0 }
  const ends = (ids: readonly string[]): readonly Write[] => ids.map((id) => ({ kind: 'delete', key: keys.hold(id) }))
  return {
    acquireHolds: async (asked, context) => {
      const request = { ...asked, user: guarded.rights.user }
      await refuseHidden(asked.holds)
      const holds = holdsToAcquire(daemon, request)
      // One that is there already would be no change, and needs the same permission.
      const { view } = daemon.node
      const present = holds.filter(({ id }) => view.holds.has(id)).map(({ id }) => id)
      await mayWrite(ends(present))
      const writes = holds.map((hold): Write => ({ kind: 'put', key: keys.hold(hold.id), value: toBytes(hold) }))
      await mayWrite(writes)
      refuseWithoutEffect(holds, composed(viewAfter(view, writes), daemon.node.quorate))
      return await handlers.acquireHolds(request, context)
    },
    renewHolds: async (asked, context) => {
      const ids = seen(asked.ids)
      await mayWrite(ends(ids))
      return ids.length < asked.ids.length ? none : await handlers.renewHolds(asked, context)
    },
    releaseHolds: async (whole, context) => {
      const asked = { ...whole, ids: seen(whole.ids) }
      await mayWrite(ends(asked.ids))
      const own = ({ user }: { readonly user: string }): boolean => user === guarded.rights.user
      const others = asked.ids.some((id) => {
        const owner = daemon.node.view.holds.get(id)?.owner
        return owner !== undefined && (owner.kind === 'rollout' || owner.kind === 'job') && !own(owner)
      })
      if (others && !(await guarded.administers(composed(daemon.node.view, daemon.node.quorate))))
        throw refuse(
          'held',
          'A rollout or job of another user holds it, which needs the permission to write all of /cib/configuration.',
        )
      return await handlers.releaseHolds({ ...asked, user: guarded.rights.user }, context)
    },
    listHolds: async (asked, context) => {
      const { view, quorate } = daemon.node
      const { cib } = await guarded.see(composed(view, quorate))
      const visible = new Set(holdsIn(cib).map(({ id }) => id))
      const listed = await handlers.listHolds(asked, context)
      return { ...listed, holds: listed.holds.filter(({ id }) => visible.has(id)) }
    },
  }
}

/** What would change nothing now, as on a node that the configuration does not name yet, is judged by nothing, and may have an effect later. */
function refuseWithoutEffect(holds: readonly HoldRecord[], after: XmlElement): void {
  const shown = new Set(holdsIn(after).map(({ id }) => id))
  const absent = holds.find(({ id }) => !shown.has(id))
  if (absent !== undefined)
    throw denied(`the configuration does not name '${absent.resource ?? absent.node}', so no role permits holding it.`)
}

function composed(view: ClusterView, quorate: boolean): XmlElement {
  const cib = cibOfView(view, quorate)
  if (cib) return cib
  throw refuse('no-configuration', 'The cluster has no quorum yet, so its configuration is unknown.')
}

function parsed(xml: string): XmlElement {
  const document = parseXml(xml)
  if (document.ok) return document.value
  throw refuse('malformed-xml', 'The document is not XML.')
}

/** The difference to what was shown of that version is made to the whole; a document that leaves out what is hidden removes nothing of it. */
async function push(
  daemon: Daemon,
  guarded: GuardedCib,
  asked: Messages['PushRequest'] & { readonly onlyAsks: boolean },
): Promise<PushAnswer> {
  const { node } = daemon
  const { view } = node
  const whole = composed(view, node.quorate)
  refuseLongDocument(whole, asked.xml.length)
  const unheld = await inPieces(documentSteps(asked.xml))
  await afterOthers()
  const version = view.configuration?.version ?? 0
  const { user } = guarded.rights
  if (version !== asked.expectedVersion && !asked.onlyAsks)
    return (await savedBefore(node.store, { ...asked, user })) ?? { kind: 'conflict', version }
  const shown = await guarded.see(whole)
  // A document says nothing about holds.
  const pushed = restoreHolds(unheld, splitHolds(shown.cib).held)
  const status = childElement(shown.cib, 'status')
  const document = { ...pushed, children: [...pushed.children, ...(status === undefined ? [] : [status])] }
  const after = await guarded.changed(whole, shown, document)
  if (after === whole || asked.onlyAsks) return { kind: 'saved', version }
  const written = printXml({ ...after, children: [configurationElement(after)] })
  await afterOthers()
  const read = await readConfigurationInPieces(written)
  const { expectedVersion, command, confirmWithinMs, changeId } = asked
  return await saveConfiguration(node, {
    ...read,
    expectedVersion,
    user,
    command,
    changeId,
    confirmWithinMs,
    mostUnconfirmed: mostUnconfirmedOfUser,
  })
}

/** A node that does not take part tells its list of nodes. */
async function visible(daemon: Daemon, guarded: GuardedCib, state: ClusterState): Promise<ClusterState> {
  const cib = daemon.configuration?.cib
  return cib === undefined ? state : visibleState(state, cib, await guarded.accessTo(cib))
}

/** Without what was counted of resources that are hidden: their names are in it. A node that takes no part has counted none that anybody could be shown. */
async function visibleMetrics(
  daemon: Daemon,
  guarded: GuardedCib,
  { json }: Messages['MetricsAnswer'],
): Promise<Messages['MetricsAnswer']> {
  const whole = daemon.configuration?.cib
  const seen = whole === undefined ? undefined : (await guarded.see(whole)).cib
  const metrics = JSON.parse(json) as readonly { readonly values: readonly Counted[] }[]
  const isVisible = ({ labels: { resource } }: Counted): boolean =>
    resource === undefined || (seen !== undefined && findResource(seen, instanceOf(resource)) !== undefined)
  return { json: JSON.stringify(metrics.map((one) => ({ ...one, values: one.values.filter(isVisible) }))) }
}

interface Counted {
  readonly labels: { readonly resource?: string }
}

/** `ping:1` is an instance of `ping`. */
const instanceOf = (resource: string): string => resource.replace(/:\d+$/, '')

/** Roles may change while somebody watches, and access control may be turned on: whoever has none then sees no more. */
export async function watch(
  daemon: Daemon,
  handlers: LocalHandlers,
  call: {
    readonly asked: Messages['Empty']
    readonly send: (state: ClusterState) => void
    readonly context: CallContext
  },
): Promise<void> {
  const { asked, send, context } = call
  const end = new AbortController()
  let refusal: unknown
  /** The newest that was not told yet: states that come faster than they can be looked through are left out. */
  let newest: ClusterState | undefined
  let isTelling = false
  const tell = async (): Promise<void> => {
    isTelling = true
    try {
      while (newest !== undefined) {
        const state = newest
        newest = undefined
        const rights = await daemon.access.rightsOf(context.caller)
        send(rights.kind === 'all' ? state : await visible(daemon, daemon.access.guardedFor(rights), state))
      }
    } catch (error) {
      refusal = error
      end.abort()
      return
    }
    isTelling = false
  }
  const show = (state: ClusterState): void => {
    newest = state
    if (!isTelling) void tell()
  }
  await handlers.watchState(asked, show, { ...context, signal: AbortSignal.any([context.signal, end.signal]) })
  if (refusal !== undefined) throw refusal
}

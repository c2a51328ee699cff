/** What the command line asks about holds. */
import { createHash } from 'node:crypto'
import { didYouMean, nodeName, resourceId, similarWords, tooLong } from '../../base/index.ts'
import { findResource, nodeNamesOf, parseRole } from '../../cib/index.ts'
import { type HoldRecord, holdKinds, isHoldId, longestHoldReason, mostHolds, parseHold } from '../../holds/index.ts'
import { type Handlers, type localService, type Messages, refuse } from '../../rpc/index.ts'
import { refuseUnfit } from '../records/fit-value.ts'
import {
  deleteHold,
  type HoldWrites,
  putHold,
  type StoredHold,
  storedHolds,
  together,
} from '../records/hold-records.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import { untilState } from '../shared-state/until-state.ts'
import { type AnsweringDaemon, configuredFile } from './configured-file.ts'

/** Others who change the same holds at the same time come first that often. */
const attempts = 20
const shortestMs = 1000
const longestMs = 365 * 24 * 3_600_000
/** What a process renews ends soon after it. */
const longestKeptMs = 60_000
const mostAtOnce = 100
const seenTimeoutMs = 5000
const longestHolder = 64

type HoldHandlers = Pick<Handlers<typeof localService>, 'acquireHolds' | 'renewHolds' | 'releaseHolds' | 'listHolds'>

export function holdHandlers(daemon: AnsweringDaemon): HoldHandlers {
  return {
    acquireHolds: async (asked) => {
      configuredFile(daemon)
      refuseOlderNodes(daemon)
      const wanted = holdsToAcquire(daemon, asked)
      return await change(daemon, (stored) => acquiring(stored, wanted))
    },
    renewHolds: async ({ ids, holder }) => {
      configuredFile(daemon)
      const renewed = new Date().toISOString()
      return await change(daemon, (stored) => {
        const own = stored.filter(({ hold }) => hold !== undefined && ids.includes(hold.id) && hold.holder === holder)
        if (own.length < ids.length || holder === '') return { outcome: 'free', holds: [] }
        const puts = own.flatMap(({ hold, entry }) => (hold ? [putHold({ ...hold, renewed }, entry)] : []))
        return { outcome: 'renewed', holds: own.flatMap(({ hold }) => hold ?? []), writes: together(puts) }
      })
    },
    releaseHolds: async (asked) => {
      configuredFile(daemon)
      const released = await change(daemon, (stored) => releasing(stored, asked))
      if (asked.force && released.outcome === 'released')
        daemon.log.warn('holds were released by force', {
          user: asked.user || 'unknown',
          holds: released.holds.map(({ id, owner }) => `${id} (${owner?.kind ?? ''} ${owner?.name ?? ''})`),
        })
      return released
    },
    listHolds: async () => {
      configuredFile(daemon)
      const stored = await storedHolds(daemon.node.store)
      return answer(
        'listed',
        stored.flatMap(({ hold }) => hold ?? []),
        0,
      )
    },
  }
}

/** What is asked for, as records. Whatever is wrong with it is refused. */
export function holdsToAcquire(daemon: AnsweringDaemon, asked: Messages['AcquireHoldsRequest']): readonly HoldRecord[] {
  const { holds, reason, ttlMs, holder, command, user } = asked
  refuseWrong(asked)
  const since = new Date().toISOString()
  const { name: node } = daemon.node
  const by = user || 'unknown'
  const owner =
    holder === undefined
      ? ({ kind: 'user', name: by, user: by, node } as const)
      : ({ kind: 'command', name: command || 'a command', user: by, node } as const)
  return holds.map((wanted, index) => {
    const role = parseRole(wanted.role)
    if (wanted.role !== undefined && role === undefined) throw refuse('bad-role', `'${wanted.role}' is not a role.`)
    const record = parseHold({
      id: idOf(wanted, index, holder),
      kind: wanted.kind,
      ...(wanted.node !== undefined && { node: knownNode(daemon, wanted.node) }),
      ...(wanted.resource !== undefined && { resource: knownResource(daemon, wanted.resource) }),
      ...(role !== undefined && { role }),
      owner,
      ...(reason && { reason }),
      since,
      ...(ttlMs !== undefined && { ttlMs }),
      ...(holder !== undefined && { holder, renewed: since }),
    })
    if (record === undefined)
      throw refuse('bad-hold', `A hold of the kind '${wanted.kind}' needs another node or resource.`)
    return record
  })
}

/** Whoever knows the holder is it, and everybody who may list holds sees their ids. */
const ofHolder = (holder: string): string => `kept-${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`

/** Of a user there is one of a kind on a node or resource; a process has its own. */
function idOf(
  wanted: Messages['AcquireHoldsRequest']['holds'][number],
  index: number,
  holder: string | undefined,
): string {
  if (holder !== undefined) return `${ofHolder(holder)}-${index + 1}`
  const words = [wanted.kind, wanted.resource, wanted.node, wanted.role].filter((word) => word !== undefined)
  const id = words.map((word) => word.replaceAll(/[^A-Za-z0-9._-]/g, '_')).join('-')
  if (isHoldId(id)) return id
  throw refuse('too-long', `The names in '${id}' are too long for a hold.`)
}

function refuseWrong({ holds, reason, ttlMs, holder, command, user }: Messages['AcquireHoldsRequest']): void {
  if (holds.length === 0 || holds.length > mostAtOnce)
    throw refuse('too-many', `Between one and ${mostAtOnce} holds can be put in force at once.`)
  refuseUnfit({ 'The reason': reason, 'The holder': holder, 'The command': command, 'The user': user })
  const tooMuch =
    tooLong('reason', reason ?? '', longestHoldReason) ?? tooLong('command', command ?? '', longestHoldReason)
  if (tooMuch !== undefined) throw refuse('too-long', tooMuch)
  if (holder !== undefined && !(isHoldId(holder) && holder.length <= longestHolder - 4))
    throw refuse('bad-holder', `'${holder}' is not an id of a process that keeps holds.`)
  const unknown = holds.find(({ kind }) => !holdKinds.some((one) => one === kind))
  if (unknown !== undefined)
    throw refuse('bad-kind', `'${unknown.kind}' is not a kind of hold. Use ${holdKinds.join(', ')}.`)
  const most = holder === undefined ? longestMs : longestKeptMs
  if (ttlMs !== undefined && !(ttlMs >= shortestMs && ttlMs <= most))
    throw refuse('bad-duration', 'A hold lasts one second at least and 365 days at most, and with a holder a minute.')
  if (ttlMs === undefined && holder !== undefined)
    throw refuse('bad-duration', 'A hold that a process renews needs a time.')
}

function knownNode(daemon: AnsweringDaemon, name: string): string {
  const { view, file } = daemon.node
  const configured = view.configuration === undefined ? [] : nodeNamesOf(view.configuration.cib)
  const known = [...new Set([...file.nodes.map((node) => node.name as string), ...configured])]
  if (known.includes(name)) return nodeName(name)
  throw refuse('no-such-node', `There is no node '${name}'.${didYouMean(similarWords(name, known))}`)
}

function knownResource(daemon: AnsweringDaemon, id: string): string {
  const { configuration } = daemon.node.view
  if (configuration !== undefined && findResource(configuration.cib, id) !== undefined) return resourceId(id)
  throw noSuchResource(id)
}

export const noSuchResource = (id: string): Error => refuse('no-such-resource', `There is no resource '${id}'.`)

export interface HoldStep {
  readonly outcome: 'acquired' | 'renewed' | 'released' | 'held' | 'free'
  readonly holds: readonly HoldRecord[]
  readonly writes?: HoldWrites
}

/** Who asks for what they have already gives it a new time, or none, and a new reason where they name one. */
export function acquiring(stored: readonly StoredHold[], wanted: readonly HoldRecord[]): HoldStep {
  const known = new Map(stored.map((one) => [one.entry.key, one]))
  const byId = new Map([...known.values()].flatMap((one) => (one.hold ? [[one.hold.id, one] as const] : [])))
  const others = wanted.flatMap((one) => {
    const { id, owner } = one
    const hold = byId.get(id)?.hold
    return hold !== undefined && (hold.owner.kind !== owner.kind || !holdsTheSame(hold, one)) ? [hold] : []
  })
  if (others.length > 0) return { outcome: 'held', holds: others }
  const fresh = wanted.filter(({ id }) => !byId.has(id)).length
  if (stored.length + fresh > mostHolds)
    throw refuse('too-many', `There are ${stored.length} holds already. Release some of them first.`)
  const puts = wanted.map((hold) => {
    const before = byId.get(hold.id)
    const after = before?.hold === undefined ? hold : askedAgain(before.hold, hold)
    return { after, write: putHold(after, before?.entry) }
  })
  return {
    outcome: fresh === 0 ? 'renewed' : 'acquired',
    holds: puts.map(({ after }) => after),
    writes: together(puts.map(({ write }) => write)),
  }
}

function askedAgain({ since, reason }: HoldRecord, hold: HoldRecord): HoldRecord {
  return { ...(reason !== undefined && { reason }), ...hold, ...(hold.ttlMs === undefined && { since }) }
}

/** Names with other letters than an id may have can come to the same id. */
const holdsTheSame = (a: HoldRecord, b: HoldRecord): boolean =>
  a.kind === b.kind && a.node === b.node && a.resource === b.resource && a.role === b.role

export function releasing(stored: readonly StoredHold[], asked: Messages['ReleaseHoldsRequest']): HoldStep {
  const { ids, holder, force } = asked
  const found = stored.filter(({ hold }) => hold !== undefined && ids.includes(hold.id))
  const mayEnd = ({ hold }: StoredHold): boolean =>
    force || (holder === undefined ? hold?.owner.kind === 'user' : hold?.holder === holder)
  const others = found.filter((one) => !mayEnd(one))
  if (others.length > 0) return { outcome: 'held', holds: others.flatMap(({ hold }) => hold ?? []) }
  if (found.length === 0) return { outcome: 'free', holds: [] }
  return {
    outcome: 'released',
    holds: found.flatMap(({ hold }) => hold ?? []),
    writes: together(found.map(deleteHold)),
  }
}

/** By what the store has, which this node may not have seen yet. Answered once this node sees the change. */
async function change(
  daemon: AnsweringDaemon,
  step: (stored: readonly StoredHold[]) => HoldStep,
): Promise<Messages['HoldsAnswer']> {
  const { node } = daemon
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot change holds.')
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { outcome, holds, writes } = step(await storedHolds(node.store))
    if (writes === undefined) return answer(outcome, holds, 0)
    const { applied, revision } = await node.store.transaction(writes)
    if (!applied) continue
    await untilState(node, () => node.view.revision >= revision, seenTimeoutMs)
    return answer(outcome, holds, Number(revision))
  }
  throw refuse('holds-in-use', 'Others are changing the same holds at this moment. Nothing was changed: try again.')
}

/** As DC a node of an older version would not obey them. What is held already can be renewed and released all the same. */
function refuseOlderNodes(daemon: AnsweringDaemon): void {
  const older = [...daemon.node.view.members.values()].filter(({ knowsHolds }) => knowsHolds !== true)
  if (older.length > 0)
    throw refuse(
      'older-nodes',
      `A version of Systole that knows no holds runs on ${older.map(({ node }) => node).join(', ')}. Upgrade all nodes first.`,
    )
}

const answer = (outcome: string, holds: readonly HoldRecord[], revision: number): Messages['HoldsAnswer'] => ({
  outcome,
  revision,
  holds: holds.map(({ holder, renewed: _, ...hold }) => ({ ...hold, kept: holder !== undefined })),
})

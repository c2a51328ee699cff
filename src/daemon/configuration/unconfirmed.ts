/**
 * The records of changes that are taken back unless they are confirmed: written in the transaction of the change itself, taken away by whoever confirms it or by the DC that takes
 * it back. The documents before and after the change are kept beside the record, because the history may have let go of them by then.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { isoTime } from '../../base/index.ts'
import {
  confirmUntilMs,
  longestConfirmationMs,
  mostUnconfirmed,
  parseUnconfirmed,
  shortestConfirmationMs,
  type UnconfirmedChange,
} from '../../holds/index.ts'
import { type Messages, refuse } from '../../rpc/index.ts'
import { type Entry, type Store, unchanged, type Write } from '../../store/index.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { unconfirmedDocumentsKey, unconfirmedKey, unconfirmedPrefix } from '../records/keys.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { type AppliedRecord, parseApplied } from './applied.ts'
import { listConfigVersions } from './config-history.ts'

export interface UnconfirmedDocuments {
  readonly before: string
  readonly after: string
  /** The description that it came from, and what that said before, if anything. */
  readonly applied?: { readonly name: string; readonly before?: AppliedRecord }
}

/** `mostOf`: of that user, where he may not take all the room. */
export async function refuseUnconfirmable(
  { store, view }: SharedState,
  withinMs: number,
  mostOf?: { readonly user: string; readonly most: number },
): Promise<void> {
  if (!(withinMs >= shortestConfirmationMs && withinMs <= longestConfirmationMs))
    throw refuse('bad-time', 'The time to confirm a change is from 5 seconds to 24 hours.')
  const older = [...view.members.values()].filter(({ knowsConfirmation }) => knowsConfirmation !== true)
  if (older.length > 0)
    throw refuse(
      'older-nodes',
      `A version of Systole that takes no change back runs on ${older.map(({ node }) => node).join(', ')}. Upgrade all nodes first.`,
    )
  const { entries } = await store.list(unconfirmedPrefix)
  if (entries.length >= mostUnconfirmed)
    throw refuse('too-many', `${mostUnconfirmed} changes wait for confirmation already. Confirm those first.`)
  const own = unconfirmedIn(entries).filter(([, { user }]) => user === mostOf?.user)
  if (mostOf !== undefined && own.length >= mostOf.most)
    throw refuse(
      'too-many',
      `${mostOf.most} changes of ${mostOf.user} wait for confirmation already. Confirm those first.`,
    )
}

export const unconfirmedWrites = (change: UnconfirmedChange, documents: UnconfirmedDocuments): readonly Write[] => [
  { kind: 'put', key: unconfirmedKey(change.version), value: toBytes(change) },
  { kind: 'put', key: unconfirmedDocumentsKey(change.version), value: gzipSync(toBytes(documents)) },
]

export const confirmedWrites = (version: number): readonly Write[] => [
  { kind: 'delete', key: unconfirmedKey(version) },
  { kind: 'delete', key: unconfirmedDocumentsKey(version) },
]

export const unconfirmedIn = (entries: readonly Entry[]): readonly (readonly [Entry, UnconfirmedChange])[] =>
  entries.flatMap((entry) => {
    const change = parseUnconfirmed(fromBytes(entry.value))
    return change === undefined ? [] : [[entry, change] as const]
  })

export async function readDocuments(store: Store, version: number): Promise<UnconfirmedDocuments | undefined> {
  const entry = await store.get(unconfirmedDocumentsKey(version))
  if (entry === undefined) return undefined
  const { before, after, applied } = fromBytes(gunzipSync(entry.value)) as Readonly<Record<string, unknown>>
  if (typeof before !== 'string' || typeof after !== 'string') return undefined
  if (typeof applied !== 'object' || applied === null || !('name' in applied)) return { before, after }
  const former = 'before' in applied ? parseApplied(String(applied.name), applied.before) : undefined
  return { before, after, applied: { name: String(applied.name), ...(former && { before: former }) } }
}

const attempts = 5

/** All of them or none. `mayConfirm` is asked with each change that is there. */
export async function confirmChanges(
  node: SharedState,
  versions: readonly number[],
  mayConfirm: (change: UnconfirmedChange) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot confirm a change.')
  if (versions.length > mostUnconfirmed)
    throw refuse('too-many', `No more than ${mostUnconfirmed} changes wait for confirmation.`)
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const waiting = await Promise.all(versions.map(async (version) => await waitingEntry(node.store, version)))
    for (const { change } of waiting) await mayConfirm(change)
    const { applied } = await node.store.transaction({
      compare: waiting.map(({ entry }) => unchanged(entry.key, entry)),
      writes: versions.flatMap(confirmedWrites),
    })
    if (applied) return
  }
  throw refuse('in-use', 'The change is being taken back at this moment. Nothing was changed.')
}

async function waitingEntry(
  store: Store,
  version: number,
): Promise<{ readonly entry: Entry; readonly change: UnconfirmedChange }> {
  const entry = await store.get(unconfirmedKey(version))
  const change = entry && parseUnconfirmed(fromBytes(entry.value))
  if (entry !== undefined && change !== undefined) return { entry, change }
  throw refuse(
    'not-waiting',
    `Version ${version} of the configuration does not wait for confirmation. 'systole config history' shows whether it was taken back.`,
  )
}

/** The history, with what each version that waits is to be confirmed by. */
export async function versionsWithWaiting(store: Store): Promise<readonly Messages['ConfigVersion'][]> {
  const [versions, { entries }] = await Promise.all([listConfigVersions(store), store.list(unconfirmedPrefix)])
  const waiting = new Map(unconfirmedIn(entries).map(([, change]) => [change.version, change] as const))
  return versions.map((one) => {
    const change = waiting.get(one.version)
    if (change === undefined) return one
    const confirmUntil = new Date(confirmUntilMs(change)).toISOString()
    return { ...one, confirmUntil, ...(change.failed !== undefined && { undoFailed: change.failed }) }
  })
}

/** The text of a command holds what was typed, passwords included; why a change cannot be taken back names whatever relies on it. */
export function forSomebodyWithRoles<Entry extends { readonly command: string; readonly undoFailed?: string }>(
  entry: Entry,
): Entry {
  const { undoFailed } = entry
  return { ...entry, command: '', ...(undoFailed !== undefined && { undoFailed: 'later changes rely on it.' }) }
}

/** A sentence each, for the notes of `systole status`. */
export const unconfirmedNotes = (entries: readonly Entry[]): readonly string[] =>
  unconfirmedIn(entries).map(([, change]) => {
    const { version, user, node, failed } = change
    const what = `Version ${version} of the configuration (by ${user}@${node})`
    if (failed !== undefined)
      return `${what} was not confirmed and could not be taken back: ${failed} Change it by hand, then run 'systole config confirm ${version}'.`
    const until = isoTime(Math.floor(confirmUntilMs(change) / 1000))
    return `${what} is taken back at ${until} unless 'systole config confirm ${version}' is run.`
  })

/**
 * The list of nodes, and the witness beside them: in cluster.json, the same on every node, because a node must know it before it can
 * reach the store; and in the store, written with every change, so that a node that was away when it changed takes the newer one when it is back.
 */

import type { NodeName } from '../../base/index.ts'
import { refuse, serialOf } from '../../rpc/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import { nodeListKey } from '../records/keys.ts'
import { acceptClusterFile } from './accept-file.ts'
import {
  type ClusterFile,
  type ClusterNodeEntry,
  printClusterFile,
  storeHosts,
  type WitnessEntry,
} from './cluster-file.ts'

const attempts = 10

/** What a node makes of the list in the store: nothing where its own is as new; what is no part of the list stays as its own file has it. */
export function newerFile(own: ClusterFile, listed: ClusterFile): ClusterFile | undefined {
  if (listed.nodesVersion > own.nodesVersion) return withListOf(own, listed)
  if (listed.nodesVersion < own.nodesVersion) return undefined
  const [ownNames, listedNames] = [withoutKeys(own), withoutKeys(listed)]
  const fuller = completes(ownNames, listedNames) ? listed : own
  if (fuller === own && listText(ownNames) !== listText(listedNames)) return undefined
  const both = withKeysOfBoth(fuller, own, listed)
  return listText(both) === listText(own) ? undefined : withListOf(own, both)
}

/** Own is the same list as a daemon leaves it that knows neither links nor the token in it: an older witness that has passed it on, or this host before its upgrade. */
function completes(own: ClusterFile, listed: ClusterFile): boolean {
  if (listText(own) === listText(listed)) return false
  const { pulse, ...rest } = listed
  const nodes = listed.nodes.map(({ links: _unknown, ...node }) => node)
  return [rest, { ...rest, nodes }, { ...listed, nodes }].some((left) => listText(left) === listText(own))
}

/**
 * Keys are added to a list without a new version: nodes that are set up together are founders of the store by version 0, and get their keys one after
 * the other before it exists. A key is taken away with a new version, so that it cannot come back by an older list.
 */
function withKeysOfBoth(file: ClusterFile, one: ClusterFile, other: ClusterFile): ClusterFile {
  const known = [one, other].flatMap(storeHosts)
  const changed = <Host extends Keyed>(host: Host): Host => {
    const same = known.filter(({ name }) => name === host.name)
    return { ...host, ...both('keys', same), ...both('serials', same) }
  }
  return withListOf(changeHosts(file, changed), { ...changeHosts(file, changed), ...both('revoked', [one, other]) })
}

type Known = Partial<Record<'keys' | 'serials' | 'revoked', readonly string[]>>

function both(field: keyof Known, from: readonly Known[]): Known {
  const lists = from.flatMap((one) => (one[field] === undefined ? [] : [one[field]]))
  return lists.length === 0 ? {} : { [field]: [...new Set(lists.flat())].sort() }
}

function withoutKeys({ revoked: _revoked, ...file }: ClusterFile): ClusterFile {
  const bare = <Host extends Keyed>({ keys: _keys, serials: _serials, ...host }: Host) => host
  const { witness } = file
  return { ...file, nodes: file.nodes.map(bare), ...(witness === undefined ? {} : { witness: bare(witness) }) }
}

type Keyed = Pick<WitnessEntry, 'name' | 'keys' | 'serials'>

/** What a node's certificates are revoked by. */
export const serialsOf = ({ keys = [], serials = [] }: Pick<Keyed, 'keys' | 'serials'>): readonly string[] => [
  ...keys.map(serialOf),
  ...serials,
]

/** Of hosts that are in the list no more: their certificates open nothing. */
export const revoking = (list: NodeList, gone: readonly Keyed[]): NodeList => {
  const serials = gone.flatMap(serialsOf)
  return serials.length === 0 ? list : { ...list, revoked: [...new Set([...(list.revoked ?? []), ...serials])].sort() }
}

function changeHosts(file: ClusterFile, change: <Host extends Keyed>(host: Host) => Host): ClusterFile {
  const { witness } = file
  return { ...file, nodes: file.nodes.map(change), ...(witness === undefined ? {} : { witness: change(witness) }) }
}

/** By which a node is known, and what an older build has signed for it. */
export interface KnownAs {
  readonly key: string
  readonly serials?: readonly string[]
}

/** It is that node's or witness's as well. The others take it by the list that they have. */
export const withKey = (file: ClusterFile, name: string, { key, serials }: KnownAs): ClusterFile =>
  changeHosts(file, (host) => {
    if (host.name !== name) return host
    const known = { keys: [key], ...(serials === undefined ? {} : { serials }) }
    return { ...host, ...both('keys', [host, known]), ...both('serials', [host, known]) }
  })

export function withListOf(
  own: ClusterFile,
  { nodes, witness, pulse, revoked, nodesVersion }: NodeList & Pick<ClusterFile, 'nodesVersion'>,
): ClusterFile {
  const { witness: _before, pulse: _times, ...rest } = own
  // What is revoked stays so, whichever build has written the list.
  const allRevoked = [...new Set([...(own.revoked ?? []), ...(revoked ?? [])])].sort()
  return {
    ...rest,
    nodes,
    nodesVersion,
    timings: { ...own.timings, ...pulse },
    ...(witness === undefined ? {} : { witness }),
    ...(pulse === undefined ? {} : { pulse }),
    ...(allRevoked.length === 0 ? {} : { revoked: allRevoked }),
  }
}

/** `pulse`: once it was set, it stays part of the list. */
export type NodeList = Pick<ClusterFile, 'nodes' | 'witness' | 'pulse' | 'revoked'>

/** What a change of the nodes alone makes of a list. */
export const ofNodes =
  (change: (nodes: readonly ClusterNodeEntry[]) => readonly ClusterNodeEntry[]) =>
  (list: NodeList): NodeList => ({ ...list, nodes: change(list.nodes) })

/** Of a node or of the witness. One that is leaving gets none, although that may have been decided before it was marked so. */
export const withVote =
  (host: NodeName, votes: boolean) =>
  ({ nodes, witness, ...rest }: NodeList): NodeList => {
    const changed = <Host extends NamedVote>(entry: Host): Host =>
      entry.name !== host || (votes && entry.leaving === true) ? entry : { ...entry, votes }
    return { ...rest, nodes: nodes.map(changed), ...(witness === undefined ? {} : { witness: changed(witness) }) }
  }

type NamedVote = Pick<WitnessEntry, 'name' | 'votes' | 'leaving'>

export const isSameWitness = (
  one: Pick<WitnessEntry, 'name' | 'address'>,
  other: Pick<WitnessEntry, 'name' | 'address'>,
): boolean => one.name === other.name && one.address === other.address

/** Refuses where the newest list names another one, or none: somebody else was faster. `change` gives what stands there instead. */
export const ofWitness =
  (meant: WitnessEntry, change: (witness: WitnessEntry) => WitnessEntry | undefined) =>
  ({ witness, ...rest }: NodeList): NodeList => {
    if (witness === undefined || !isSameWitness(witness, meant))
      throw refuse(
        'conflict',
        `${meant.name} is no longer the witness: another user has ${witness === undefined ? 'removed it' : `replaced it with ${witness.name} at ${witness.address}`} meanwhile. Check \`systole quorum device status\` and try again.`,
      )
    const changed = change(witness)
    if (changed !== undefined && isSameWitness(changed, witness)) return { ...rest, witness: changed }
    return revoking(changed === undefined ? rest : { ...rest, witness: changed }, [witness])
  }

/** One that votes stays: its member must leave etcd before. */
export const succeededBy =
  (successor: WitnessEntry | undefined) =>
  (witness: WitnessEntry): WitnessEntry | undefined =>
    witness.votes ? witness : successor

/** Changes the newest list, whoever else changes it at the same time. Returns what it has become. */
export async function changeNodeList(
  store: Store,
  own: ClusterFile,
  change: (list: NodeList) => NodeList,
): Promise<ClusterFile> {
  return await writeNodeList(store, own, (before) => {
    const changed = withListOf(before, { ...change(before), nodesVersion: before.nodesVersion + 1 })
    return listText(changed) === listText(before) ? before : changed
  })
}

/**
 * Throws where nobody is awaited there any more: of two hosts that are let in as one member at the same time one is it, and a node that was removed
 * meanwhile gets no certificate that nothing revokes.
 */
export function refuseUnlessAwaited(
  { nodes, witness }: Pick<ClusterFile, 'nodes' | 'witness'>,
  name: string,
  key: string,
): void {
  if (witness?.name === name) return
  const entry = nodes.find((node) => node.name === name)
  if (entry === undefined || entry.leaving === true)
    throw refuse('unknown-node', `${name} was removed from the cluster just now.`)
  if (entry.keys !== undefined && entry.keys.length > 0 && entry.keys.join() !== key)
    throw refuse('has-joined', `Another host has joined the cluster as ${name} just now.`)
}

/** A key that is not in the store's list yet. `check` throws where the newest list has no room for it. */
export async function addKey(
  store: Store,
  own: ClusterFile,
  {
    name,
    known,
    check,
  }: { readonly name: string; readonly known: KnownAs; readonly check?: (newest: ClusterFile) => void },
): Promise<ClusterFile> {
  return await writeNodeList(store, own, (before, listed) => {
    check?.(before)
    const host = listed && storeHosts(listed).find((one) => one.name === name)
    const { key, serials = [] } = known
    const isThere = host?.keys?.includes(key) && serials.every((serial) => host.serials?.includes(serial))
    return isThere ? before : withKey(before, name, known)
  })
}

/** From now on it is known by no other, and what it was known by is revoked. */
export async function keepOnlyKey(store: Store, own: ClusterFile, name: string, known: KnownAs): Promise<ClusterFile> {
  await addKey(store, own, { name, known })
  return await changeNodeList(store, own, (list) => {
    const { nodes, witness, ...rest } = list
    const { key, serials } = known
    const changed = <Host extends Keyed>(host: Host): Host => {
      if (host.name !== name) return host
      const some = host.serials === undefined && serials === undefined ? {} : { serials: serials ?? [] }
      return { ...host, keys: [key], ...some }
    }
    const before = storeHosts(list).filter((host) => host.name === name)
    const dropped = before.flatMap(serialsOf).filter((serial) => !serialsOf({ keys: [key], ...known }).includes(serial))
    const kept = { ...rest, nodes: nodes.map(changed), ...(witness === undefined ? {} : { witness: changed(witness) }) }
    return revoking(kept, [{ name: before[0]?.name ?? ('' as NodeName), serials: dropped }])
  })
}

/** `change`: of the newest list and, where there is one, the store's; what it is given back as it was is not written. */
async function writeNodeList(
  store: Store,
  own: ClusterFile,
  change: (newest: ClusterFile, listed: ClusterFile | undefined) => ClusterFile,
): Promise<ClusterFile> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const entry = await store.get(nodeListKey)
    const before = newest(own, entry)
    const changed = change(before, entry && decodeNodeList(entry))
    if (changed === before) return before
    const text = printClusterFile(changed)
    // A list that the others could not read would bind them all.
    acceptClusterFile(text)
    const { applied } = await store.transaction({
      compare: [
        entry
          ? { kind: 'mod-revision', key: nodeListKey, equals: entry.modRevision }
          : { kind: 'absent', key: nodeListKey },
      ],
      writes: [{ kind: 'put', key: nodeListKey, value: new TextEncoder().encode(text) }],
    })
    if (applied) return changed
  }
  throw refuse('conflict', 'Other users changed the node list several times meanwhile. Try again.')
}

const listText = ({ nodes, witness, pulse, revoked }: NodeList): string =>
  JSON.stringify([nodes, witness, pulse, revoked])

/** Undefined before the first change. */
export async function storedList(store: Store): Promise<ClusterFile | undefined> {
  const entry = await store.get(nodeListKey)
  return entry && decodeNodeList(entry)
}

/** As the store has it now. */
export const newestList = async (store: Store, own: ClusterFile): Promise<ClusterFile> =>
  newest(own, await store.get(nodeListKey))

const newest = (own: ClusterFile, entry: Entry | undefined): ClusterFile =>
  (entry && newerFile(own, decodeNodeList(entry))) ?? own

export function decodeNodeList(entry: Entry): ClusterFile {
  return acceptClusterFile(new TextDecoder().decode(entry.value))
}

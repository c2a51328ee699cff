/**
 * A cluster of two nodes without a witness, as the list of nodes shows it, and who must wait for whom in it (`wait_for_all`).
 * While both vote the store itself sees to that. A node that was left as the only voter would find its majority by itself; after
 * a boot it must not: the other may have been told meanwhile that this one is off, and act.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { type NodeName, takesNoChange } from '../../base/index.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, type ClusterNodeEntry, storeHosts } from '../nodes/cluster-file.ts'
import { readJournal } from './alone-journal.ts'

/** The other of two nodes whose store is the cluster's own; undefined in every other cluster, such as one with a witness that votes. */
function otherOfAll(file: ClusterFile, own: Pick<ClusterNodeEntry, 'name'>): ClusterNodeEntry | undefined {
  if (file.witness?.votes === true) return undefined
  if (file.store.kind !== 'etcd' || file.nodes.length !== 2 || file.nodes.some(({ leaving }) => leaving))
    return undefined
  return file.nodes.find(({ name }) => name !== own.name)
}

/**
 * The other of two voters, too, while nodes come or go that have no vote: of three, one that is being removed has given its vote back, or one that was added has none yet.
 * A node without a vote in the list is no voter in etcd, because the list comes first where a vote is given and last where one is taken: so it has no part in any
 * majority, and what holds for two nodes holds for these two.
 */
export function otherOfTwo(file: ClusterFile, own: Pick<ClusterNodeEntry, 'name'>): ClusterNodeEntry | undefined {
  if (file.nodes.length <= 2) return otherOfAll(file, own)
  const voters = file.nodes.filter((node) => node.votes)
  const isInChange = file.nodes.every(({ votes, leaving }) => !votes || leaving !== true)
  if (file.store.kind !== 'etcd' || file.witness?.votes === true || voters.length !== 2 || !isInChange) return undefined
  if (!voters.some(({ name }) => name === own.name)) return undefined
  return voters.find(({ name }) => name !== own.name)
}

/** As the core of the node wants to know it. */
export function votesIn(
  file: ClusterFile,
  own: Pick<ClusterNodeEntry, 'name'>,
): { readonly voters: readonly NodeName[]; readonly otherVoter?: NodeName } {
  const other = otherOfTwo(file, own)
  return {
    voters: storeHosts(file).flatMap((host) => (host.votes ? [host.name] : [])),
    ...(other?.votes === true && votes(file, own.name) ? { otherVoter: other.name } : {}),
  }
}

export const votes = (file: ClusterFile, node: string): boolean =>
  file.nodes.some((entry) => entry.name === node && entry.votes)

/** Whom this node must meet after a boot: where there are more than two, it asks them all. */
export const metFirst = otherOfAll

export function mustMeetFirst(file: ClusterFile, own: ClusterNodeEntry, paths: Paths): boolean {
  const other = otherOfAll(file, own)
  if (!other) return mustAskFirst(file, paths)
  if (existsSync(paths.metMark)) return false
  // With the journal there, this node's etcd may be alone already although the list does not say so yet.
  return votes(file, own.name) && (!other.votes || readJournal(paths).granted !== undefined)
}

/**
 * Of three voters and more, too, one may have gone on without the others, on an administrator's word. They would find a majority among
 * themselves after a boot, and must hear first that they have no votes any more; and what was begun on that word is ended first.
 */
function mustAskFirst(file: ClusterFile, paths: Paths): boolean {
  if (file.store.kind !== 'etcd' || storeHosts(file).length < 3) return false
  return !existsSync(paths.metMark) || readJournal(paths).granted !== undefined
}

/** This machine had quorum since it booted. */
export const hasMet = (paths: Paths): boolean => existsSync(paths.metMark)

/** In the folder of run-time files, which a boot empties. Where that takes no change, the next daemon of this boot waits for the others. */
export const noteMet = (paths: Paths): void => {
  if (existsSync(paths.metMark)) return
  try {
    writeFileSync(paths.metMark, '')
  } catch (error) {
    if (!takesNoChange(error)) throw error
  }
}

export const forgetMet = (paths: Paths): void => rmSync(paths.metMark, { force: true })

/**
 * Who must wait for whom in a cluster of two nodes without a witness (`wait_for_all`). A node that was left as the only voter would find its majority by itself; after
 * a boot it must not: the other may have been told meanwhile that this one is off, and act.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { takesNoChange } from '../../base/index.ts'
import { hasVote, otherOfAll } from '../../quorum/index.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, type ClusterNodeEntry, storeHosts } from '../node-list/cluster-file.ts'
import { readJournal } from './alone-journal.ts'

export function mustMeetFirst(file: ClusterFile, own: ClusterNodeEntry, paths: Paths): boolean {
  const other = otherOfAll(file, own.name)
  if (!other) return mustAskFirst(file, paths)
  if (existsSync(paths.metMark)) return false
  // With the journal there, this node's etcd may be alone already although the list does not say so yet.
  return hasVote(file, own.name) && (!other.votes || readJournal(paths).granted !== undefined)
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
